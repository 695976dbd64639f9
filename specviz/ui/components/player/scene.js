// The strip between the text and the cards: what is special about who guesses. Built once a round, then only lit.

function makeScene(me) {
  const box = make("div", "scene", null);
  me.root.querySelector(".table").before(box);
  put(box, "@role", "img");
  return { box, says: make("p", "scene-says", box), svg: draw("svg", { class: "scene-svg", "aria-hidden": "true" }, box), line: make("div", "source", box), key: null };
}

// Its height is known before anything is measured under it.
function updateScene(me) {
  const scene = sceneOf(me.trace);
  put(me.scene.box, "display", scene ? "" : "none");
  put(me.root, "@data-scene", scene);
  put(me.root, "--s-scene", (scene ? SCENES[scene] : 0) + "px");
}

function drawScene(me, f, lay) {
  const scene = sceneOf(me.trace), view = me.scene;
  if (!scene) return;
  const round = Math.min(f.round, Math.max(0, rounds(me.trace).length - 1)), per = scene === "lookup" || scene === "ngram";
  const key = [me.traceId, me.language, me.width, scene, per ? round : 0, per && rounds(me.trace).length > round, view.box.clientHeight].join("/");
  if (view.key !== key) {
    view.key = key;
    view.svg.replaceChildren();
    view.line.replaceChildren();
    view.svg.setAttribute("width", me.width);
    view.svg.setAttribute("height", SCENES[scene]);
    view.parts = { lookup: buildSource, ngram: buildSource, "early-exit": buildLayers, quantised: buildRounding }[scene](me, round);
  }
  if (per) drawSource(me, f, lay, scene);
  if (scene === "early-exit") drawLayers(me, f, lay);
}

function saysScene(me, name, values) {
  const text = say(me.labels["scene_" + name], values || {});
  put(me.scene.says, "text", text);
  put(me.scene.box, "@aria-label", text);
}

// ---- lookup and n-gram: where a guess comes from

function buildSource(me, r) {
  const view = me.scene, source = sourceOf(me.trace, r), lookup = sceneOf(me.trace) === "lookup", known = rounds(me.trace).length > r;
  if (lookup) saysScene(me, source ? "lookup" : known ? "lookup_none" : "lookup_wait", { n: source ? source.matched.length : 0 });
  else saysScene(me, source && source.matched.length ? "ngram" : "ngram_none");
  const parts = { source, chips: [], paths: [] };
  if (!source) return parts;
  const write = (texts, name) => texts.filter((text) => text !== "" || name === "copied").map((text) => {
    const chip = make("span", "chip " + name, view.line);
    put(chip, "text", shown(text, me.labels.end));
    return chip;
  });
  if (lookup) write(source.before, "around");
  const matched = write(source.matched, "matched");
  if (lookup) {
    parts.chips = write(source.copied, "copied");
    write(source.behind, "around");
  } else parts.last = matched[matched.length - 1] || null;
  // The layout is read once: where each chip stands, and how far the line must move for what matters to stand in the middle.
  const wanted = [...matched, ...parts.chips], first = wanted[0], last = wanted[wanted.length - 1];
  const middle = first ? (first.offsetLeft + last.offsetLeft + last.offsetWidth) / 2 : 0;
  parts.shift = me.width / 2 - middle;
  parts.from = (parts.last ? [parts.last] : parts.chips).map((chip) => ({ x: chip.offsetLeft + chip.offsetWidth / 2 + parts.shift, y: view.line.offsetTop - view.box.clientHeight + SCENES[sceneOf(me.trace)] + chip.offsetHeight + 2 }));
  put(view.line, "transform", `translateX(${parts.shift.toFixed(1)}px)`);
  return parts;
}

function drawSource(me, f, lay, scene) {
  const parts = me.scene.parts, count = parts.source ? f.cards.filter((card) => card.kind === "guess").length : 0;
  while (parts.paths.length < count) parts.paths.push(draw("path", { class: "copy" }, me.scene.svg));
  const end = SCENES[scene] + 6, centre = (i) => lay.x[i] + lay.each / 2 - me.cards.scrolled;
  parts.paths.forEach((path, i) => {
    const card = f.cards[i], from = scene === "lookup" ? parts.from[i] : i === 0 ? parts.from[0] : { x: centre(i - 1), y: end };
    const seen = card && card.kind === "guess" && from && !card.emitted ? card.arrive : 0;
    put(path, "@opacity", seen.toFixed(2));
    if (!(seen > 0)) return;
    const x = centre(i), level = scene === "ngram" && i > 0 ? end - 26 : (from.y + end) / 2;
    put(path, "@d", `M${from.x.toFixed(1)} ${from.y.toFixed(1)}C${from.x.toFixed(1)} ${level.toFixed(1)} ${x.toFixed(1)} ${level.toFixed(1)} ${x.toFixed(1)} ${end}`);
  });
  parts.chips.forEach((chip, i) => put(chip, "class", "chip copied" + (f.cards[i] && f.cards[i].arrive > 0 ? " taken" : "")));
}

// ---- early exit: a column of layers over every card

function buildLayers(me) {
  const { layers: k, of_layers: all, resumes } = me.trace.drafter;
  saysScene(me, resumes ? "exit" : "exit_again", { k, next: k + 1, all });
  const columns = Array.from({ length: placesOf(me.trace) }, () => {
    const group = draw("g", {}, me.scene.svg);
    return { group, bars: Array.from({ length: all }, () => draw("rect", { class: "layer" }, group)) };
  });
  return { columns, mark: draw("path", { class: "exit" }, me.scene.svg) };
}

function drawLayers(me, f, lay) {
  const { columns, mark } = me.scene.parts, { layers: k, of_layers: all } = me.trace.drafter, lit = layersOf(me.trace, f);
  const top = 28, bottom = SCENES["early-exit"] - 4, pitch = (bottom - top) / all, wide = Math.min(56, lay.each * 0.6);
  columns.forEach(({ group, bars }, i) => {
    put(group, "@visibility", lit[i] ? "visible" : "hidden");
    if (!lit[i]) return;
    put(group, "@transform", `translate(${(lay.x[i] + lay.each / 2 - wide / 2 - me.cards.scrolled).toFixed(1)} 0)`);
    bars.forEach((bar, j) => {
      const kind = (lit[i].find(([from, to]) => j >= from && j < to) || [0, 0, "off"])[2];
      put(bar, "@class", "layer " + kind);
      put(bar, "@y", (bottom - (j + 1) * pitch + Math.min(1, pitch * 0.15)).toFixed(2));
      put(bar, "@height", Math.max(1, pitch - Math.min(2, pitch * 0.3)).toFixed(2));
      put(bar, "@width", wide.toFixed(1));
    });
  });
  // Where the guess leaves: a line across all columns, after the k-th layer.
  const y = (bottom - k * pitch).toFixed(2), left = lay.x[0] - 10 - me.cards.scrolled, right = lay.x[columns.length - 1] + lay.each + 10 - me.cards.scrolled;
  put(mark, "@d", `M${left.toFixed(1)} ${y}H${right.toFixed(1)}`);
}

// ---- quantised: weights before and after, and what each layer lost

function buildRounding(me) {
  const told = me.trace.drafter, { svg } = me.scene, narrow = me.size.name === "narrow", tall = SCENES.quantised;
  const errors = told.layers.map((layer) => layer.error), mean = errors.reduce((a, b) => a + b, 0) / errors.length;
  saysScene(me, "quantised_" + told.of, { bits: told.bits, before: megabytes(told.bytes_before), after: megabytes(told.bytes), error: (100 * mean).toFixed(mean < 0.01 ? 2 : 1) });
  const half = narrow ? me.width : me.width * 0.56 - 30;
  drawRounding(me, svg, roundingOf(told.sample), 8, half - 16, narrow ? 26 : 28, narrow ? 62 : tall - 22);
  caption(svg, 8, narrow ? 76 : tall - 5, say(me.labels.scene_sample, { name: told.sample.name, n: told.sample.before.length }));
  const left = narrow ? 8 : half + 40, top = narrow ? 84 : 28;
  drawErrors(me, svg, told.layers, left, me.width - left - 8, top, narrow ? 128 : tall - 22);
  caption(svg, left, tall - (narrow ? 3 : 5), say(me.labels.scene_error, { most: (100 * Math.max(...errors)).toFixed(1) }));
  return {};
}

function megabytes(bytes) {
  return bytes >= 9.95e6 ? (bytes / 1e6).toFixed(0) + " MB" : bytes >= 1e5 ? (bytes / 1e6).toFixed(1) + " MB" : (bytes / 1e3).toFixed(0) + " kB";
}

function caption(svg, x, y, text) {
  draw("text", { x, y, class: "scene-note" }, svg).textContent = text;
}

function drawRounding(me, svg, { weights, steps }, left, width, top, bottom) {
  for (const step of steps) draw("line", { x1: left + step * width, x2: left + step * width, y1: top, y2: bottom, class: "step" }, svg);
  for (const [before, after] of weights) {
    draw("line", { x1: left + before * width, y1: top + 6, x2: left + after * width, y2: bottom - 7, class: "fall" }, svg);
    draw("circle", { cx: left + before * width, cy: top + 6, r: 4.5, class: "before" }, svg);
    draw("rect", { x: left + after * width - 5, y: bottom - 12, width: 10, height: 10, class: "after" }, svg);
  }
}

function drawErrors(me, svg, layers, left, width, top, bottom) {
  const most = Math.max(...layers.map((layer) => layer.error), 1e-9), pitch = width / layers.length;
  draw("line", { x1: left, x2: left + width, y1: bottom, y2: bottom, class: "base" }, svg);
  layers.forEach((layer, i) => {
    const tall = (layer.error / most) * (bottom - top);
    const bar = draw("rect", { x: left + i * pitch, y: bottom - tall, width: Math.max(1, pitch - (pitch > 4 ? 1.5 : 0.4)), height: tall, class: "error" }, svg);
    draw("title", {}, bar).textContent = `${layer.name}: ${(100 * layer.error).toFixed(2)} %`;
  });
}
