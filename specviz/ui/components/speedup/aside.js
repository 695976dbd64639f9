// Beside the columns: the two acceptance rates, never one alone, and the switch that confuses them.

function makeAside(me) {
  return { box: me.root.querySelector(".aside"), mode: null };
}

function buildRates(me) {
  const view = me.aside, rate = (name) => {
    const node = make("div", "rate " + name, view.box);
    return { number: make("b", "rate-number", node), name: make("span", "rate-name", node), how: make("span", "rate-how", node) };
  };
  view.box.replaceChildren();
  view.alpha = rate("alpha");
  view.other = rate("other");
  view.trap = make("label", "trap", view.box);
  view.check = make("input", "", view.trap);
  view.check.type = "checkbox";
  put(view.check, "@role", "switch");
  put(view.check, "@data-do", "trap");
  view.trapName = make("span", "", view.trap);
  view.check.addEventListener("change", () => me.setTrap(view.check.checked));
  view.check.addEventListener("keydown", (event) => event.stopPropagation());
  view.results = make("div", "results", view.box);
}

function drawAside(me) {
  const view = me.aside, kind = me.onPlaces() ? "rates" : me.mode === "papers" ? "papers" : me.mode === "find" && me.task.n === 2 ? "results" : "none";
  put(view.box, "display", kind === "none" ? "none" : "");
  put(view.box, "class", "aside " + kind);
  if (kind === "papers") {
    view.mode = kind;
    return;
  }
  if (view.mode !== kind) {
    view.mode = kind;
    buildRates(me);
  }
  if (kind === "results") return drawResults(me);
  if (kind === "none") return;
  const f = me.facts(), labels = me.labels;
  for (const [name, value] of [["alpha", f.alpha], ["other", f.other]]) {
    put(view[name].number, "text", figure(value));
    put(view[name].name, "text", labels["rate_" + name]);
    put(view[name].how, "text", labels["rate_" + name + "_how"]);
  }
  put(view.trap, "display", me.mode === "power" ? "" : "none");
  put(view.trapName, "text", labels.trap);
  view.check.checked = me.trap;
}

// Task 2: what each of the two improvements has brought so far, each at its best γ.
function drawResults(me) {
  const view = me.aside, { most } = me.task, start = START[2], labels = me.labels;
  for (const name of ["alpha", "other", "trap"]) put(name === "trap" ? view.trap : view[name].number.parentNode, "display", "none");
  const rows = [["result_start", bestSpeed(start.alpha, start.c, 0), {}], ["result_alpha", bestSpeed(most.alpha, start.c, 0), { alpha: figure(most.alpha) }], ["result_c", bestSpeed(start.alpha, most.c, 0), { c: cost(most.c) }]];
  if (view.results.children.length !== rows.length) {
    view.results.replaceChildren();
    view.lines = rows.map(() => {
      const node = make("div", "result", view.results);
      return { name: make("span", "result-name", node), bar: make("i", "result-bar", node), value: make("b", "result-value", node) };
    });
  }
  rows.forEach(([name, speed, facts], k) => {
    put(view.lines[k].name, "text", say(labels[name], facts));
    put(view.lines[k].bar, "width", (100 * speed / 6).toFixed(1) + "%");
    put(view.lines[k].value, "text", times(speed));
  });
}
