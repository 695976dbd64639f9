// The one plot: q outlined, p solid, what they share plain, what q has too much hatched /// red, its holes hatched \\\ green.

function hatch(defs, id, angle, name) {
  const pattern = shape("pattern", name, defs);
  for (const [key, value] of Object.entries({ id, width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${angle})` })) put(pattern, "@" + key, String(value));
  box(shape("rect", "hatch-paper", pattern), 0, 0, 8, 8);
  box(shape("rect", "hatch-ink", pattern), 0, 0, 3.2, 8);
}

function makePlot(me) {
  const q = (name) => me.root.querySelector(name), view = { plot: q(".plot"), back: q(".back"), front: q(".front"), over: q(".over"), names: q(".names"), columns: [] };
  const defs = view.back.querySelector("defs");
  view.ids = { red: "red" + me.number, green: "green" + me.number };
  hatch(defs, view.ids.red, 45, "hatch-red");
  hatch(defs, view.ids.green, -45, "hatch-green");
  view.grid = shape("g", "", view.back);
  view.fills = shape("g", "", view.back);
  view.bricks = shape("g", "", view.back);
  view.lines = shape("g", "", view.front);
  view.bands = shape("g", "", view.front);
  view.stage = shape("g", "", view.over);
  view.rows = [make("span", "row-head", view.plot), make("span", "row-head", view.plot)];
  view.legend = make("div", "legend", view.plot);
  view.legends = ["q", "p"].map((name) => {
    make("i", "key " + name, view.legend);
    return make("span", "", view.legend);
  });
  return view;
}

// Anew for every set of tokens and every width; moving things only changes what is here.
function buildPlot(me) {
  const view = me.plot, lay = me.lay;
  for (const node of [view.fills, view.lines, view.bands, view.names]) node.replaceChildren();
  for (const svg of [view.back, view.front, view.over]) {
    put(svg, "@width", String(lay.width));
    put(svg, "@height", String(lay.base + 10));
  }
  put(view.plot, "height", lay.height + "px");
  view.columns = me.tokens.map((token, i) => {
    const c = { fill: shape("g", "column", view.fills), line: shape("g", "column", view.lines), band: shape("g", "", view.bands) };
    for (const name of ["blue", "red", "green"]) c[name] = shape("rect", "fill " + name, c.fill);
    put(c.red, "@fill", `url(#${view.ids.red})`);
    put(c.green, "@fill", `url(#${view.ids.green})`);
    for (const name of ["q-edge", "q"]) c[name] = shape("rect", name, c.line);
    for (const name of ["q-arm-edge", "q-arm", "p-edge", "p-line"]) c[name] = shape("path", name, c.line);
    for (const name of ["level-edge", "level", "bracket-edge", "bracket"]) c[name] = shape("path", name, c.band);
    c.box = make("div", "place", view.names);
    c.name = make("button", "token", c.box);
    c.name.type = "button";
    c.rows = [make("span", "value", c.box), make("span", "value", c.box)];
    put(c.box, "left", (lay.centre(i) - lay.pitch / 2).toFixed(1) + "px");
    put(c.box, "width", lay.pitch.toFixed(1) + "px");
    put(c.box, "top", lay.base + 6 + "px");
    const most = lay.narrow ? 20 : 27, name = shown(token, "∎");
    // The two sums have long names (…q>p): where they would become too small they stand on two lines.
    const room = lay.pitch - (lay.narrow && me.tokens.length < 9 ? 12 : lay.narrow ? 2 : 8), whole = fit(emsOf(me, name), room, most, 9);
    c.folded = whole < 13 && isCrowd(token);
    put(c.name, "text", c.folded ? "…\n" + name.slice(1) : name);
    put(c.name, "fontSize", (c.folded ? fit(emsOf(me, name.slice(1)), room - 6, 13, 9) : whole) + "px");
    const listen = (name, act) => c.name.addEventListener(name, act);
    listen("click", () => me.choose(i, true));
    listen("focus", () => me.choose(i, false));
    c.box.addEventListener("pointerenter", () => me.choose(i, false));
    return c;
  });
  for (const [i, row] of view.rows.entries()) put(row, "top", lay.base + (lay.narrow ? 36 : 42) + (lay.narrow ? 20 : 23) * i + "px");
  view.axis = null;
}

function drawGrid(me) {
  const view = me.plot, lay = me.lay, key = `${me.axis}|${lay.width}|${lay.base}`;
  if (view.axis === key) return;
  view.axis = key;
  view.grid.replaceChildren();
  for (const tick of ticksOf(me.goalAxis)) {
    const y = me.y(tick);
    if (y < lay.head - 2) continue;
    line(shape("path", tick ? "grid" : "base", view.grid), lay.left, y, lay.width - 2, y);
    const text = shape("text", "tick", view.grid);
    put(text, "@x", String(lay.left - 6));
    put(text, "@y", (y + 5).toFixed(1));
    text.textContent = lay.narrow ? String(tick).replace(/^0\./, ".") : String(tick);
  }
}

function drawPlot(me) {
  const view = me.plot, lay = me.lay, { p, q } = me.seen(), bricks = me.tab === "bricks", f = me.tab === "steps" ? me.frameNow() : null;
  drawGrid(me);
  put(view.fills, "opacity", bricks ? "0" : "1");
  const faint = me.tab === "rain" && (me.rain.thrown > 0 || me.busy()) ? "faint" : "";
  put(view.fills, "class", faint + (me.light ? " light-" + me.light : ""));
  const outputs = me.tab === "rain" && me.rain.thrown > 0 ? outputsOf(me.rain) : null;
  view.columns.forEach((c, i) => {
    const x = lay.edge(i), low = Math.min(p[i], q[i]), yLow = me.y(low), yP = me.y(p[i]), yQ = me.y(q[i]), w = lay.bar;
    box(c.blue, x, yLow, w, lay.base - yLow);
    box(c.red, x, yQ, w, q[i] > p[i] ? yP - yQ : 0);
    box(c.green, x, yP, w, p[i] > q[i] ? yQ - yP : 0);
    for (const name of ["q-edge", "q"]) box(c[name], x + 1.5, yQ + 1.5, w - 3, Math.max(0, lay.base - yQ - 1.5));
    const arm = lay.narrow ? 0 : lay.knob / 2 - 2;
    for (const name of ["q-arm-edge", "q-arm"]) line(c[name], x - arm, yQ + 1.5, x + 2, yQ + 1.5);
    for (const name of ["p-edge", "p-line"]) line(c[name], x - (lay.narrow ? 2 : 0), yP, x + w + (lay.narrow ? 2 : arm), yP);
    const dim = me.light && me.chosen !== i ? 0.3 : lit(f, i);
    put(c.fill, "opacity", dim.toFixed(2));
    put(c.line, "opacity", dim.toFixed(2));
    const out = f && f.output === i;
    const chosen = me.tab === "formula" && me.chosen === i;
    put(c.name, "class", "token" + (out ? (me.toss.accepted ? " kept" : " fixed") : f && f.x === i && f.lit > 0 ? " guessed" : "") + (chosen ? " chosen" : "") + (c.folded ? " folded" : ""));
    put(c.name, "@tabindex", me.tab === "formula" ? "0" : "-1");
    put(c.name, "@aria-pressed", me.tab === "formula" ? String(chosen) : null);
    drawBand(me, c, i, outputs);
    const rows = rowsOf(me, p, q, outputs, i);
    rows.forEach((text, k) => put(c.rows[k], "text", text));
  });
  const heads = me.tab === "rain" ? ["p", me.labels.row_seen] : ["q", "p"];
  heads.forEach((text, k) => {
    put(view.rows[k], "text", text);
    put(view.rows[k], "class", "row-head" + (text === me.labels.row_seen ? " word" : ""));
  });
  view.legends.forEach((node, k) => put(node, "text", me.labels[(lay.narrow ? "grip_" : "legend_") + "qp"[k]]));
  drawStage(me, f);
}

// Where two lines of text stand that should stand at a and b: a line's height apart, and neither below `lowest`.
function spread(a, b, lowest) {
  const apart = 21, lack = Math.max(0, apart - Math.abs(a - b)) / 2, above = a <= b ? 1 : -1, down = Math.max(0, Math.max(a, b) + lack - lowest);
  return [a - above * lack - down, b + above * lack - down];
}

// How much of a column is left to see while the steps speak of another.
function lit(f, i) {
  return f && f.step > 0 && f.x !== i && !(f.fix && f.fix.column === i) ? 1 - 0.72 * f.lit : 1;
}

function rowsOf(me, p, q, outputs, i) {
  const figures = (x) => (me.tab === "bricks" ? String(Math.round(x * 100)) : me.lay.narrow && me.tokens.length > 6 ? share(x).replace(/^0(?=\.)/, "") : share(x));
  if (me.tab !== "rain") return [figures(q[i]), figures(p[i])];
  return [figures(p[i]), outputs ? figures(outputs[i] / me.rain.thrown) : "–"];
}

// The bracket spans p ± 2 standard errors of an honest draw; the bar in it is the share seen.
function drawBand(me, c, i, outputs) {
  put(c.band, "display", outputs ? "" : "none");
  if (!outputs) return;
  const lay = me.lay, n = me.rain.thrown, p = me.p[i], error = Math.sqrt(p * (1 - p) / n), w = lay.bar, mid = lay.centre(i), cap = Math.min(9, w * 0.16);
  const high = Math.max(lay.head - 20, me.y(p + 2 * error)), low = Math.min(lay.base, me.y(Math.max(0, p - 2 * error))), seen = Math.max(lay.head - 20, me.y(outputs[i] / n));
  // Of a few points it says nothing; too small to be seen, it would only be dirt on the line.
  for (const name of ["bracket-edge", "bracket"]) put(c[name], "display", n >= 100 && low - high > 5 ? "" : "none");
  const bracket = [mid - w * 0.27, mid + w * 0.27].map((x, k) => `M${x + (k ? -cap : cap)} ${high.toFixed(2)}H${x}V${low.toFixed(2)}H${x + (k ? -cap : cap)}`).join("");
  for (const name of ["bracket-edge", "bracket"]) put(c[name], "@d", bracket);
  for (const name of ["level-edge", "level"]) line(c[name], mid - w * 0.5 + 3, seen, mid + w * 0.5 - 3, seen);
}

// The point of the smallest steps: a dart in q's column, a ruler beside it, a line at p(x), and the fix.
function drawStage(me, f) {
  const view = me.plot, lay = me.lay;
  if (!view.dart) {
    const add = (tag, name) => shape(tag, name, view.stage);
    view.ruler = [add("path", "halo"), add("path", "ruler")];
    view.compare = [add("path", "halo"), add("path", "compare")];
    view.compareText = add("text", "said");
    view.rulerText = add("text", "said");
    view.dart = add("circle", "point");
    view.sign = add("path", "sign");
    view.fix = add("circle", "point green");
  }
  put(view.stage, "display", f && f.point ? "" : "none");
  if (!f || !f.point) return;
  const at = (point) => [lay.edge(point.column) + lay.bar * point.across, me.y(point.height)];
  const [x, y] = at(f.point), edge = lay.edge(f.x), right = edge + lay.bar, low = lay.base;
  const radius = lay.narrow ? 8 : 10;
  put(view.dart, "@cx", x.toFixed(1));
  put(view.dart, "@cy", y.toFixed(1));
  put(view.dart, "@r", String(radius));
  put(view.dart, "class", "point " + (f.verdict === "accepted" ? "blue" : f.verdict === "rejected" ? "red" : ""));
  put(view.dart, "opacity", (1 - 0.65 * f.gone).toFixed(2));
  put(view.sign, "@d", !f.verdict ? "" : f.verdict === "accepted" ? `M${x - 5} ${y + 0.5}l3.6 4 6.4 -8.4` : `M${x - 4} ${y - 4}l8 8m0 -8l-8 8`);
  put(view.sign, "opacity", (1 - 0.65 * f.gone).toFixed(2));
  const ruler = f.ruler > 0 ? 1 : 0;
  for (const node of view.ruler) {
    put(node, "opacity", String(ruler));
    put(node, "@d", `M${x} ${low}V${Math.min(low, y + radius)}`);
  }
  const notes = ["p = " + share(me.seen().p[f.x]), "u × q = " + share(me.toss.height)], past = lay.narrow ? 6 : 30;
  const wide = Math.max(...notes.map((text) => emsOf(me, text))) * 1.08 * (lay.narrow ? 16 : 19);      // they are set in bold
  const lefty = right + past + wide > lay.width, anchor = lefty ? "end" : "start", side = lefty ? edge - past : right + past;
  const yP = me.y(me.seen().p[f.x]), [ySaid, yLine] = spread(y + 6, yP + 5, low - 6);
  for (const node of view.compare) {
    put(node, "opacity", f.line > 0 ? "1" : "0");
    put(node, "@d", `M${edge - 4} ${yP}H${mix(edge - 4, right + 8, f.line)}`);
  }
  const note = (node, text, height, on) => {
    put(node, "text", text);
    put(node, "@x", side.toFixed(1));
    put(node, "@y", height.toFixed(1));
    put(node, "@text-anchor", anchor);
    put(node, "opacity", on ? "1" : "0");
  };
  note(view.compareText, notes[0], yLine, f.line > 0);
  note(view.rulerText, notes[1], f.line > 0 ? ySaid : Math.min(y + 6, low - 6), f.ruler > 0.5);
  put(view.fix, "display", f.fix ? "" : "none");
  if (f.fix) {
    const [fx, fy] = at(f.fix);
    put(view.fix, "@cx", fx.toFixed(1));
    put(view.fix, "@cy", fy.toFixed(1));
    put(view.fix, "@r", String(radius));
  }
}
