// The handles: q's on the left of its column, p's on the right. Mouse, finger or keys; nothing goes to the server on the way.

function makeHandles(me) {
  const view = { box: me.root.querySelector(".handles"), list: [], held: null };
  for (const button of me.root.querySelectorAll("[data-grip]")) {
    button.addEventListener("click", () => {
      me.grip = button.dataset.grip;
      me.draw();
    });
  }
  return view;
}

function buildHandles(me) {
  const view = me.handles;
  const before = view.list.find((h) => h.node === me.root.getRootNode().activeElement);
  view.box.replaceChildren();
  view.list = [];
  me.tokens.forEach((_, i) => {
    for (const name of ["q", "p"]) {
      const h = { node: make("div", "handle " + name, view.box), name, i, base: null };
      make("i", "knob", h.node);
      h.bubble = make("b", "bubble", h.node);
      put(h.node, "@role", "slider");
      put(h.node, "@tabindex", "0");
      put(h.node, "@aria-orientation", "vertical");
      put(h.node, "@aria-valuemin", "0");
      put(h.node, "@aria-valuemax", "1");
      put(h.node, "@data-of", name + i);
      const on = (event, act) => h.node.addEventListener(event, (e) => act(me, h, e));
      on("pointerdown", grab);
      on("pointermove", pull);
      on("pointerup", release);
      on("pointercancel", release);
      on("keydown", nudge);
      on("blur", (_me, handle) => { handle.base = null; });
      on("focus", () => me.choose(i, false));
      on("pointerenter", () => me.choose(i, false));
      view.list.push(h);
    }
  });
  if (before) {
    const again = view.list.find((h) => h.name === before.name && h.i === before.i);
    if (again) again.node.focus({ preventScroll: true });
  }
}

function grab(me, h, event) {
  if (event.button > 0) return;
  event.preventDefault();
  h.node.focus({ preventScroll: true });
  h.node.setPointerCapture(event.pointerId);
  // What the others give way from, and the axis, stay as they were when the finger came down.
  me.handles.held = { h, from: me.seen()[h.name][h.i], row: me[h.name].slice(), y: event.clientY, id: event.pointerId };
  me.cutAxis();
  me.draw();
}

function pull(me, h, event) {
  const held = me.handles.held;
  if (!held || held.h !== h || held.id !== event.pointerId) return;
  const most = Math.min(1, me.axis * (me.lay.reach + me.lay.head - 10) / me.lay.reach);
  const v = clamp(held.from + (held.y - event.clientY) * me.axis / me.lay.reach, 0, most);
  me.shift(h, held.row, round(v, me.tab === "bricks" ? 100 : 1000));
}

function release(me, h, event) {
  const held = me.handles.held;
  if (!held || held.h !== h || held.id !== event.pointerId) return;
  me.handles.held = null;
  h.base = null;
  me.settleAxis();
  me.draw();
  me.report.due();
}

function round(v, parts) {
  return Math.round(v * parts) / parts;
}

function nudge(me, h, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const now = me[h.name][h.i], steps = { ArrowUp: 0.01, ArrowRight: 0.01, ArrowDown: -0.01, ArrowLeft: -0.01, PageUp: 0.1, PageDown: -0.1 };
  let v = null;
  if (event.key in steps) v = clamp(round(now + steps[event.key], 100), 0, 1);
  else if (event.key === "Home") v = 0;
  else if (event.key === "End") v = 1;
  if (v == null) return;
  event.preventDefault();
  event.stopPropagation();
  // The proportions of the others are those from before the first key, so that keys can be taken back.
  if (!h.base) h.base = me[h.name].slice();
  me.shift(h, h.base, v);
  me.settleAxis();
  me.report.due();
}

function drawHandles(me) {
  const view = me.handles, lay = me.lay, { p, q } = me.seen(), rows = { p, q }, f = me.tab === "steps" ? me.frameNow() : null;
  for (const h of view.list) {
    put(h.node, "--lit", lit(f, h.i).toFixed(2));
    const v = rows[h.name][h.i], off = lay.narrow && me.grip !== h.name;
    const { wide, tall } = lay.hold;
    const x = lay.narrow ? lay.centre(h.i) - wide / 2 : h.name === "q" ? lay.centre(h.i) - lay.pitch / 2 + (lay.pitch / 2 - wide) : lay.centre(h.i);
    put(h.node, "width", wide.toFixed(1) + "px");
    put(h.node, "height", tall + "px");
    put(h.node, "transform", `translate(${x.toFixed(1)}px, ${(me.y(v) - tall / 2).toFixed(1)}px)`);
    const knob = lay.narrow ? wide / 2 : h.name === "q" ? wide - lay.bar / 2 - lay.knob / 2 - 4 : lay.bar / 2 + lay.knob / 2 + 4;
    put(h.node, "--size", lay.knob + "px");
    put(h.node, "--rim", (lay.knob < 18 ? 4 : 5) + "px");
    put(h.node, "--knob", knob.toFixed(1) + "px");
    put(h.node, "class", `handle ${h.name}${off ? " off" : ""}${view.held && view.held.h === h ? " held" : ""}`);
    put(h.node, "@aria-valuenow", String(Math.round(v * 1000) / 1000));
    const other = h.name === "q" ? p[h.i] : q[h.i];
    put(h.node, "@aria-valuetext", say(me.labels[h.name + "_value"], { v: share(v), other: share(other) }));
    put(h.node, "@aria-label", say(me.labels[h.name + "_handle"], { x: shown(me.tokens[h.i], "∎") }));
    put(h.bubble, "text", share(v));
    put(h.bubble, "class", "bubble" + (me.y(v) < 46 ? " low" : ""));      // above it would cover the sentence
  }
  for (const button of me.root.querySelectorAll("[data-grip]")) put(button, "@aria-pressed", String(button.dataset.grip === me.grip));
}
