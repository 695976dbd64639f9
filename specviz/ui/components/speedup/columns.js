// The places of a round as columns: the fix, which always comes, then the chance of passing place 1, 2, … Each with a handle.

function makeColumns(me) {
  const q = (name) => me.root.querySelector(name), view = { plot: q(".places"), svg: q("svg.columns"), names: q(".names"), box: q(".handles"), handles: [], columns: [], held: null, key: null };
  view.grid = shape("g", "", view.svg);
  view.fills = shape("g", "", view.svg);
  view.ghosts = shape("g", "", view.svg);
  view.axis = shape("g", "axis", view.svg);
  view.plot.addEventListener("scroll", () => scrolled(view));
  return view;
}

// Where the columns scroll, their axis and the names of their rows stay; what lies beyond the edge fades out.
function scrolled(view) {
  const { scrollLeft, scrollWidth, clientWidth } = view.plot;
  put(view.plot, "--scrolled", scrollLeft + "px");
  put(view.plot, "@data-more", String(scrollLeft + clientWidth < scrollWidth - 2));
}

function buildColumns(me, lay, count) {
  const view = me.columns, before = view.handles.findIndex((h) => h.node === me.root.getRootNode().activeElement);
  for (const node of [view.grid, view.fills, view.ghosts, view.axis, view.names, view.box]) node.replaceChildren();
  put(view.svg, "@width", String(lay.width));
  put(view.svg, "@height", String(lay.base + 4));
  put(view.plot, "height", lay.height + "px");
  const scrolls = lay.width > lay.own;
  put(view.plot, "@data-scrolls", String(scrolls));
  for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", me.labels.row_passed]]) put(view.plot, "@" + name, scrolls ? value : null);
  if (scrolls) box(shape("rect", "veil", view.axis), 0, 0, lay.left - 5, lay.base + 4);
  for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
    const y = lay.base - tick * lay.reach, text = shape("text", "tick", view.axis);
    line(shape("path", tick ? "grid" : "base", view.grid), lay.left - 4, y, lay.width - 2, y);
    put(text, "@x", String(lay.left - 10));
    put(text, "@y", (y + 5).toFixed(1));
    text.textContent = tick === 0 || tick === 1 ? String(tick) : tick === 0.5 ? "0.5" : "";
  }
  view.heads = [0, 1, 2].map((k) => {
    const node = make("span", "row-head", view.names);
    put(node, "top", lay.base + 5 + 25 * k + "px");
    put(node, "width", lay.left - 10 + "px");
    return node;
  });
  view.columns = Array.from({ length: count + 1 }, (_, i) => {
    const c = { rect: shape("rect", i ? "piece passed" : "piece fix", view.fills), ghost: shape("rect", "piece wrong", view.ghosts), box: make("div", "place", view.names) };
    c.rows = ["place-name", "place-value", "place-given"].map((name) => make("span", name, c.box));
    put(c.box, "left", (lay.centre(i) - lay.pitch / 2).toFixed(1) + "px");
    put(c.box, "width", lay.pitch.toFixed(1) + "px");
    put(c.box, "top", lay.base + 5 + "px");
    return c;
  });
  view.handles = me.mode === "sum" ? Array.from({ length: count }, (_, i) => makeHandle(me, i)) : [];
  if (before >= 0 && view.handles[before]) view.handles[before].node.focus({ preventScroll: true });
}

function makeHandle(me, i) {
  const h = { node: make("div", "handle", me.columns.box), i, base: null };
  make("i", "knob", h.node);
  for (const [name, value] of Object.entries({ role: "slider", tabindex: "0", "aria-orientation": "vertical", "aria-valuemin": "0", "aria-valuemax": "1", "data-of": String(i + 1) })) put(h.node, "@" + name, value);
  const on = (event, act) => h.node.addEventListener(event, (e) => act(me, h, e));
  on("pointerdown", grab);
  on("pointermove", pull);
  on("pointerup", release);
  on("pointercancel", release);
  on("keydown", nudge);
  on("blur", (_me, handle) => { handle.base = null; });
  return h;
}

function grab(me, h, event) {
  if (event.button > 0) return;
  event.preventDefault();
  h.node.focus({ preventScroll: true });
  h.node.setPointerCapture(event.pointerId);
  me.settle();
  // What the neighbours give way from stays as it was when the finger came down.
  me.columns.held = { h, row: me.bars.slice(), from: me.bars[h.i], y: event.clientY, id: event.pointerId };
  me.draw();
}

function pull(me, h, event) {
  const held = me.columns.held;
  if (!held || held.h !== h || held.id !== event.pointerId) return;
  const v = clamp(held.from + (held.y - event.clientY) / me.lay.reach, 0, 1);
  me.shift(shifted(held.row, h.i, Math.round(v * 100) / 100));
}

function release(me, h, event) {
  const held = me.columns.held;
  if (!held || held.h !== h || held.id !== event.pointerId) return;
  me.columns.held = null;
  h.base = null;
  me.draw();
  me.report.due();
}

function nudge(me, h, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const now = me.bars[h.i], by = { ArrowUp: 0.01, ArrowRight: 0.01, ArrowDown: -0.01, ArrowLeft: -0.01, PageUp: 0.1, PageDown: -0.1 };
  const v = event.key === "Home" ? 0 : event.key === "End" ? 1 : event.key in by ? clamp(Math.round((now + by[event.key]) * 100) / 100, 0, 1) : null;
  if (v == null) return;
  event.preventDefault();
  event.stopPropagation();
  me.settle();
  // The neighbours are those from before the first key, so that keys can be taken back.
  if (!h.base) h.base = me.bars.slice();
  me.shift(shifted(h.base, h.i, v));
  me.report.due();
}

function drawColumns(me) {
  const view = me.columns, on = me.onPlaces();
  put(view.plot, "display", on ? "" : "none");
  if (!on) return;
  const f = me.facts(), lay = placesLayout(me.width, f.gamma, me.narrow, me.narrow ? 0 : me.compares() && me.mode !== "power" ? 0 : me.mode === "power" ? 46 : 70), key = [me.width, f.gamma, me.mode, lay.reach].join(), shown = me.shownRow(f.row), labels = me.labels;
  me.lay = lay;
  if (view.key !== key) {
    view.key = key;
    buildColumns(me, lay, f.gamma);
    scrolled(view);
  }
  [labels.row_place, labels.row_passed, labels.row_given].forEach((text, k) => put(view.heads[k], "text", text));
  const given = givenReached(f.row), trap = me.mode === "power" && me.trap && f.gamma ? survivalOf(f.other, f.gamma) : null;
  view.columns.forEach((c, i) => {
    const chance = i ? shown[i - 1] : 1, x = lay.centre(i) - lay.bar / 2, y = lay.base - chance * lay.reach, edge = i ? 1.5 : 0;
    box(c.rect, x + edge, y + edge, lay.bar - 2 * edge, chance * lay.reach - 2 * edge);
    put(c.ghost, "display", trap && i ? "" : "none");
    if (trap && i) box(c.ghost, x + lay.bar * 0.22, lay.base - trap[i - 1] * lay.reach, lay.bar * 0.56, trap[i - 1] * lay.reach);
    const short = (x) => (x == null ? "–" : lay.pitch >= 46 ? figure(x) : x > 0 && x < 0.005 ? "≈0" : figure(x).replace(/^0(?=\.)/, ""));
    put(c.rows[0], "text", i ? String(i) : labels.fix);
    put(c.rows[1], "text", lay.pitch < 22 ? "" : i ? short(f.row[i - 1]) : "1");
    put(c.rows[2], "text", lay.pitch < 22 ? "" : i ? short(given[i - 1]) : "");
  });
  for (const h of view.handles) {
    const v = f.row[h.i], wide = Math.max(lay.narrow ? 24 : 40, lay.pitch * 0.96), tall = 48;
    put(h.node, "width", wide.toFixed(1) + "px");
    put(h.node, "height", tall + "px");
    put(h.node, "transform", `translate(${(lay.centre(h.i + 1) - wide / 2).toFixed(1)}px, ${(lay.base - v * lay.reach - tall / 2).toFixed(1)}px)`);
    put(h.node, "--size", (lay.pitch < 30 ? 14 : 22) + "px");
    put(h.node, "class", "handle" + (view.held && view.held.h === h ? " held" : ""));
    put(h.node, "@aria-valuenow", String(Math.round(v * 1000) / 1000));
    put(h.node, "@aria-valuetext", say(labels.handle_value, { v: figure(v), tokens: figure(f.tokens) }));
    put(h.node, "@aria-label", say(labels.handle, { i: h.i + 1 }));
  }
}
