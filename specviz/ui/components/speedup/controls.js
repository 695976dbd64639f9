// The modes, the choices of each, the sliders, the sentence above and the one below, and the keys.

function makeControls(me) {
  const q = (name) => me.root.querySelector(name), view = { modes: [...me.root.querySelectorAll("[data-mode-of]")], choices: q(".choices"), box: q(".sliders"), why: q(".why span"), whole: q(".why"), caption: q(".caption"), sliders: {}, known: null };
  for (const node of view.modes) node.addEventListener("click", () => me.show(node.dataset.modeOf));
  for (const name of Object.keys(SLIDERS)) {
    const node = make("label", "slider", view.box), head = make("span", "slider-head", node), input = make("input", "", node);
    view.sliders[name] = { node, name: make("span", "slider-name", head), value: make("output", "slider-value", head), input, note: make("span", "slider-note", node) };
    input.type = "range";
    put(input, "@min", "0");
    put(input, "@step", "1");
    put(input, "@data-slider", name);
    input.addEventListener("input", () => {
      me.holding = true;
      me.turn(name, me.stepsOf(name)[Number(input.value)]);
    });
    input.addEventListener("change", () => me.letGo());
  }
  me.root.addEventListener("keydown", (event) => onKey(me, event));
  return view;
}

function onKey(me, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // r and c are Streamlit's own keys (rerun, clear cache); in here they would take the picture away.
  if (event.key === "r" || event.key === "c") return event.stopPropagation();
  const from = event.composedPath()[0];
  if (from && (from.tagName === "INPUT" || from.tagName === "BUTTON")) return event.stopPropagation();
  const by = { PageDown: 1, ArrowRight: 1, PageUp: -1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  me.show(MODES[clamp(MODES.indexOf(me.mode) + by, 0, MODES.length - 1)]);
}

// The buttons on the right: rows for the bars, questions, or tables.
function choicesOf(me) {
  const labels = me.labels;
  if (me.mode === "sum") return [...me.presets.map((preset) => ({ name: preset.name, on: me.preset === preset.code, act: () => me.take(preset), of: "preset-" + preset.code }))];
  if (me.mode === "find") {
    const tasks = [1, 2, 3].map((n) => ({ name: (me.solved[n] ? "✓ " : "") + say(labels.task, { n }), on: me.task.n === n, act: () => me.ask(n), of: "task-" + n }));
    return [...tasks, { name: labels.show_answer, off: me.answered(), act: () => me.reveal(), of: "answer" }];
  }
  if (me.mode === "papers") return me.tables.map((table) => ({ name: table.label, on: rowNow(me).table === table, act: () => me.choose(table.rows[0].name), of: "table-" + table.name }));
  return [];
}

function drawChoices(me) {
  const view = me.controls, choices = choicesOf(me), key = choices.map((choice) => choice.of).join();
  if (view.known !== key) {
    view.known = key;
    view.choices.replaceChildren();
    view.buttons = choices.map((choice) => {
      const node = make("button", "", view.choices);
      node.type = "button";
      put(node, "@data-choice", choice.of);
      node.addEventListener("click", () => choicesOf(me).find((other) => other.of === choice.of).act());
      return node;
    });
  }
  put(view.choices, "@aria-label", me.labels["choices_" + me.mode] || null);
  choices.forEach((choice, k) => {
    put(view.buttons[k], "text", choice.name);
    put(view.buttons[k], "@aria-pressed", choice.on == null ? null : String(choice.on));
    view.buttons[k].disabled = !!choice.off;
  });
}

function drawSliders(me) {
  const view = me.controls, f = me.facts(), names = me.sliderNames(), labels = me.labels;
  put(view.box, "display", names.length ? "" : "none");
  put(view.box, "@data-count", String(names.length));
  const both = say(labels.note_both, { alpha: figure(f.alpha), other: figure(f.other) });
  const notes = { alpha: say(labels.note_alpha, { other: figure(f.other) }), gamma: me.mode === "find" ? both : labels.note_gamma, c: labels.note_c, s: say(labels.note_s, { n: f.gamma + 1, v: figure(f.v) }), easy: both };
  for (const [name, slider] of Object.entries(view.sliders)) {
    put(slider.node, "display", names.includes(name) ? "" : "none");
    if (!names.includes(name)) continue;
    const values = me.stepsOf(name), value = me.valueOf(name), at = nearest(values, value), text = name === "gamma" ? String(value) : name === "c" || name === "s" ? cost(value) : name === "easy" ? Math.round(100 - 100 * value) + " %" : figure(value);
    put(slider.input, "@max", String(values.length - 1));
    if (Number(slider.input.value) !== at) slider.input.value = String(at);
    put(slider.name, "text", labels["slider_" + name]);
    put(slider.value, "text", text);
    put(slider.input, "@aria-label", labels["slider_" + name]);
    put(slider.input, "@aria-valuetext", say(labels.slider_says, { value: text, speed: figure(me.onPlaces() ? f.tokens : f.speed), what: me.onPlaces() ? labels.strip_tokens : labels.over_gamma }));
    put(slider.note, "text", notes[name]);
  }
}

function drawWords(me) {
  const view = me.controls, f = me.facts(), labels = me.labels, said = wordsOf(me, f);
  write(view.why, said.why[0], said.why[1] || {});
  write(view.caption, said.caption[0], said.caption[1] || {});
  const none = !me.onPlaces() && me.mode === "speed" && f.best === 0;
  put(me.root, "@data-none", none ? "true" : "false");
  put(view.whole, "class", "why" + (none || (me.mode === "speed" && f.speed < 1) ? " slower" : ""));
  for (const node of view.modes) {
    put(node, "text", labels["mode_" + node.dataset.modeOf]);
    put(node, "@aria-pressed", String(node.dataset.modeOf === me.mode));
  }
  put(me.root, "@aria-label", labels.name);
  put(me.root.querySelector(".modes"), "@aria-label", labels.modes);
}

// [template, values] of the sentence above the picture and of the one below it.
function wordsOf(me, f) {
  const labels = me.labels, numbers = { tokens: figure(f.tokens), cost: figure(f.cost), speed: figure(f.speed), best: String(f.best), best_speed: figure(f.bestSpeed) };
  if (me.mode === "sum") return { why: [labels.why_sum, { tokens: numbers.tokens }], caption: sumCaption(me, f) };
  if (me.mode === "power") {
    const wrong = figure(f.gamma ? expectedTokens(f.other, f.gamma) : null);
    return {
      why: [labels.why_power, { sum: powerSum(f.gamma), tokens: numbers.tokens }],
      caption: me.trap && f.gamma ? [labels.caption_trap, { other: figure(f.other), wrong, tokens: numbers.tokens }] : [labels[f.gamma && Math.abs(f.other - f.alpha) < 1e-9 ? "caption_power_same" : "caption_power"]],
    };
  }
  if (me.mode === "speed") {
    const loud = { tokens: numbers.tokens, cost: numbers.cost, speed: numbers.speed };
    if (f.best === 0) return { why: [labels.why_none], caption: [labels.caption_none] };
    return { why: [labels[f.speed < 1 ? "why_slower" : "why_speed"], loud], caption: [f.c === 0 && f.s === 0 ? labels.caption_free : f.best > MOST_PLACES ? labels.caption_beyond : labels.caption_speed, f.best > MOST_PLACES ? { best: String(f.best) } : {}] };
  }
  if (me.mode === "papers") return paperWords(me);
  const n = me.task.n;
  return { why: [labels["ask_" + n]], caption: me.answered() ? [labels["answer_" + n], answerFacts(me.task)] : [labels["hint_" + n]] };
}

function sumCaption(me, f) {
  const labels = me.labels, preset = me.presets.find((other) => other.code === me.preset);
  if (!f.gamma) return [labels.caption_sum];
  if (me.preset === "mixture") return [labels.caption_mixture, { formula: figure(expectedTokens(f.alpha, f.gamma)), mean: figure(expectedTokens(me.meanAlpha(), f.gamma)), tokens: figure(f.tokens) }];
  if (preset && preset.rounds) return [labels[preset.code === "mine" ? "caption_mine" : "caption_recorded"], { rounds: String(preset.rounds), tokens: String(preset.tokens), each: figure(preset.tokens / preset.rounds) }];
  return [labels.caption_sum];
}

// A row that breaks with the rest of its table has words of its own.
function captionOf(table, row) {
  const apart = table.name === "lenience" && row.lenience === 1 ? "_exact" : "";
  return "caption_" + table.name + apart;
}

function paperWords(me) {
  const { table, row } = rowNow(me), labels = me.labels, at = paperAt(me, row);
  const caption = labels[captionOf(table, row)], other = row.alpha == null ? null : acceptedOverProposed(survivalOf(row.alpha, at.gamma));
  const needed = row.alpha == null ? alphaFor(row.measured, row.gamma, row.c, 1) : null;
  const values = { name: paperName(me, row), alpha: figure(row.alpha), other: figure(other), gamma: String(at.gamma), c: cost(at.c), calc: times(at.calc), measured: printed(row.measured) + "×", needed: figure(needed), needed_other: figure(needed == null ? null : acceptedOverProposed(survivalOf(needed, at.gamma))), operations: String(row.operations), lenience: String(row.lenience) };
  const used = (template) => Object.fromEntries(Object.entries(values).filter(([name]) => template.includes(`{${name}}`)));
  return { why: [labels["why_" + table.name], used(labels["why_" + table.name])], caption: [caption, used(caption)] };
}
