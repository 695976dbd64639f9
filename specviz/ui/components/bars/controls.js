// The buttons and the keys.

function makeControls(me) {
  const root = me.root, all = (name) => [...root.querySelectorAll(name)];
  const view = { modes: all("[data-mode-of]"), groups: all("[data-of]").filter((node) => node.classList.contains("group")), throws: all("[data-throw]"),
    presets: root.querySelector(".presets"), list: root.querySelector(".preset-list"), heat: root.querySelector(".heat"), buttons: {}, known: null };
  for (const node of all("[data-do]")) view.buttons[node.dataset.do] = node;
  for (const node of view.modes) node.addEventListener("click", () => me.show(node.dataset.modeOf));
  for (const node of view.throws) node.addEventListener("click", () => me.rainOn(Number(node.dataset.throw)));
  const acts = { back: () => me.stepTo(me.step - 1), forward: () => me.forward(), other: () => me.other(), redraw: () => me.reseed(), move: () => me.moveBricks(),
    unmove: () => me.moveBricks(true), clear: () => me.clear(), reseed: () => me.reseed(), zero: () => me.coolTo(0), one: () => me.coolTo(1) };
  for (const [name, act] of Object.entries(acts)) view.buttons[name].addEventListener("click", act);
  const heat = view.buttons.temperature;
  heat.addEventListener("input", () => {
    me.heatGoal = null;
    me.cool(Number(heat.value), false);
  });
  heat.addEventListener("change", () => me.cool(Number(heat.value), true));
  view.list.addEventListener("change", () => me.preset(Number(view.list.value)));
  root.addEventListener("keydown", (event) => onKey(me, event));
  return view;
}

function onKey(me, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // r and c are Streamlit's own keys (rerun, clear cache); in here they would take the picture away.
  if (event.key === "r" || event.key === "c") return event.stopPropagation();
  const from = event.composedPath()[0], tag = from && from.tagName, own = from === me.root;
  if (tag === "SELECT" || tag === "INPUT") return event.stopPropagation();
  if (tag === "BUTTON" && (event.key === " " || event.key === "Enter")) return event.stopPropagation();
  const on = { steps: () => me.forward(), bricks: () => me.moveBricks(), rain: () => me.rainOn(1000) }[me.tab], back = me.tab === "steps" ? () => me.stepTo(me.step - 1) : null;
  const act = { ArrowRight: me.tab === "steps" && on, PageDown: on, ".": on, " ": own && on, ArrowLeft: back, PageUp: back }[event.key];
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}

// Labels and presets, when data comes; what changes with the picture is in drawControls.
function updateControls(me) {
  const view = me.controls, labels = me.labels;
  put(me.root, "@aria-label", labels.name);
  put(me.root.querySelector(".modes"), "@aria-label", labels.modes);
  put(view.presets, "@aria-label", labels.presets);
  put(view.list, "@aria-label", labels.presets);
  for (const node of view.modes) put(node, "text", labels["mode_" + node.dataset.modeOf]);
  for (const node of view.throws) {
    put(node, "text", "+ " + grouped(Number(node.dataset.throw)));
    put(node, "@aria-label", say(labels.throw, { n: grouped(Number(node.dataset.throw)) }));
  }
  for (const name of ["back", "move", "unmove", "clear", "zero", "one"]) put(view.buttons[name], "text", labels["do_" + name]);
  put(view.buttons.temperature, "@aria-label", labels.temperature);
  put(view.heat.querySelector(".heat-name"), "text", labels.temperature);
  put(me.root.querySelector(".grips-name"), "text", labels.grips);
  for (const node of me.root.querySelectorAll("[data-grip]")) put(node, "text", labels["grip_" + node.dataset.grip]);
  const known = JSON.stringify([me.presets.map((x) => x.name), labels.presets]);
  if (view.known === known) return;
  view.known = known;
  view.presets.replaceChildren();
  view.list.replaceChildren();
  const none = make("option", "", view.list);
  none.value = "-1";
  none.textContent = labels.presets;
  me.presets.forEach((preset, i) => {
    const button = make("button", preset.run ? "run" : "", view.presets);
    button.type = "button";
    button.textContent = preset.name;
    button.addEventListener("click", () => me.preset(i));
    const option = make("option", "", view.list);
    option.value = String(i);
    option.textContent = preset.name;
  });
}

function drawControls(me) {
  const view = me.controls, labels = me.labels, { buttons } = view;
  for (const node of view.modes) put(node, "@aria-pressed", String(node.dataset.modeOf === me.tab));
  for (const node of view.groups) put(node, "display", node.dataset.of === me.tab ? "" : "none");
  const at = me.presets.findIndex((preset) => preset.code === me.presetCode);
  [...view.presets.children].forEach((node, i) => put(node, "@aria-pressed", String(i === at)));
  if (view.list.value !== String(at)) view.list.value = String(at);
  buttons.back.disabled = me.step === 0;
  put(buttons.forward, "text", labels["go_" + me.step]);
  const other = otherEnding(me.p, me.q, me.toss);
  // Before the verdict is out the button does not give it away.
  const out = me.step >= 3, none = me.toss.accepted ? "other_never_no" : "other_never_yes", some = me.toss.accepted ? "do_other_no" : "do_other_yes";
  put(buttons.other, "text", labels[!out ? "do_other" : other ? some : none]);
  buttons.other.disabled = !other || !out;
  const seed = say(labels.do_redraw, { seed: me.seed });
  put(buttons.redraw, "text", seed);
  put(buttons.reseed, "text", seed);
  buttons.move.disabled = !me.bricks.moves.length || me.moved > 0;
  buttons.unmove.disabled = !(me.moved > 0);
  buttons.clear.disabled = me.rain.thrown === 0 && !me.busy();
  const heat = buttons.temperature;
  if (Number(heat.value) !== me.temperature) heat.value = String(me.temperature);
  put(view.heat.querySelector("output"), "text", "T = " + (me.temperature === 0 ? "0" : me.temperature.toFixed(2)));
  const crowds = me.tokens.filter(isCrowd), cold = me.coldest();
  put(view.heat.querySelector("label"), "display", crowds.length ? "none" : "");
  put(view.heat.querySelector(".crowds"), "text", crowds.length ? say(labels[cold ? "crowds" : "crowds_hide"], { which: crowds.join(labels.and) }) : "");
  buttons.zero.disabled = me.temperature === 0 || !cold;
  buttons.one.disabled = me.temperature === 1;
}
