// Two machines on one axis of milliseconds: above the speculative run, below plain decoding.
// The upper lane is also the scrubber. The blocks stand still; a veil hides what has not happened yet.

function makeLanes(me) {
  const box = me.root.querySelector(".lanes"), q = (s) => box.querySelector(s);
  const view = {
    box, field: q(".field"), svg: q(".field svg"), veil: q(".veil"), head: q(".playhead"), wait: q(".lane-wait"),
    upperName: q(".upper .name"), upperCount: q(".upper .count"), lowerName: q(".lower .name"), lowerCount: q(".lower .count"),
    verdict: me.root.querySelector(".verdict"), range: q("input"), span: null, drawn: null,
  };
  const scrub = (event) => {
    const left = view.field.getBoundingClientRect().left;
    me.scrub(stopAt(me.events, ((event.clientX - left) / view.width) * view.span));
  };
  view.field.addEventListener("pointerdown", (event) => {
    if (event.button || !me.events.length) return;
    view.field.setPointerCapture(event.pointerId);
    view.held = true;
    scrub(event);
  });
  view.field.addEventListener("pointermove", (event) => { if (view.held) scrub(event); });
  for (const name of ["pointerup", "pointercancel"]) {
    view.field.addEventListener(name, () => {
      if (view.held) me.scrubbed();
      view.held = false;
    });
  }
  view.range.addEventListener("input", () => me.scrub(Number(view.range.value)));
  view.range.addEventListener("change", () => me.scrubbed());
  return view;
}

function plainMs(plain) {
  return plain && Array.isArray(plain.ms) ? plain.ms.map((x) => x || 0) : null;
}

// The axis ends where the longer lane ends; while the run grows it keeps to round numbers, so that it seldom moves.
function spanOf(me) {
  const plain = plainMs(me.plain), spent = totalMs(me.events);
  const longest = Math.max(spent, plain ? plain.reduce((a, b) => a + b, 0) : 0);
  if (!(longest > 0)) return 100;
  return me.live || !plain ? nice(longest * 1.02) : longest * 1.015;
}

// The labels first: the field takes what they leave. They have room for the longest count from the start, so that no block
// moves when the count grows by a digit.
function nameLanes(me) {
  const view = me.lanes, labels = me.labels, plain = plainMs(me.plain), asked = (me.trace.settings || {}).max_new_tokens || 0;
  const most = Math.max(10, asked, tokens(me.trace).length, plain ? plain.length : 0);
  put(view.upperName, "text", labels.lane_speculative);
  put(view.lowerName, "text", labels.lane_plain);
  for (const node of [view.upperCount, view.lowerCount]) put(node, "@data-longest", say(labels.lane_tokens, { n: most }));
}

function measureLanes(me) {
  const view = me.lanes;
  nameLanes(me);
  view.width = view.field.clientWidth;
  view.tall = view.field.clientHeight;
}

function updateLanes(me) {
  const view = me.lanes, labels = me.labels;
  put(view.wait, "text", labels.lane_waiting);
  put(view.range, "@aria-label", labels.scrub);
  const span = spanOf(me), plain = plainMs(me.plain), width = view.width;
  const key = [me.traceId, me.events.length, plain ? plain.length : -1, span, width, me.size.row].join("/");
  view.span = span;
  put(view.wait, "visibility", plain ? "hidden" : "visible");
  if (view.drawn === key || !(width > 0)) return;
  view.drawn = key;
  const svg = view.svg, x = (ms) => (ms / span) * width, top = me.size.upper, tall = 26, low = me.size.lower;
  svg.replaceChildren();
  svg.setAttribute("width", width);
  svg.setAttribute("height", view.tall);
  drawRun(me, svg, x, top, tall);
  let clock = 0;
  (plain || []).forEach((ms) => {
    draw("rect", { x: x(clock), y: low, width: Math.max(0.8, x(ms) - 1), height: tall, rx: 2, class: "pass" }, svg);
    clock += ms;
  });
  drawAxis(me, svg, x, low + tall + 6, span, width);
}

function drawRun(me, svg, x, top, tall) {
  rounds(me.trace).forEach((round, r) => {
    const mine = me.events.filter((event) => event.round === r), guesses = mine.filter((event) => event.kind === "guess");
    if (!mine.length) return;
    const end = mine[mine.length - 1], verify = mine.find((event) => event.kind === "verify");
    draw("rect", { x: x(mine[0].at), y: top + tall / 2 - 1.5, width: x(end.at + end.took - mine[0].at), height: 3, class: "spare" }, svg);
    for (const event of guesses) {
      const wide = x(event.took), body = { x: x(event.at) + 0.5, y: top + 4.5, width: Math.max(0.8, wide - 1), height: tall - 9 };
      draw("rect", { ...body, rx: wide > 6 ? 2 : 0, class: wide > 5 ? "guess" : "guess thin" }, svg);
    }
    draw("rect", { x: x(verify.at) + 0.5, y: top, width: Math.max(0.8, x(verify.took) - 1), height: tall, rx: 2, class: "pass" }, svg);
  });
}

function drawAxis(me, svg, x, y, span, width) {
  draw("line", { x1: 0, x2: width, y1: y, y2: y, class: "base" }, svg);
  if (!me.events.length && !plainMs(me.plain)) return;      // nothing measured yet: no scale to promise
  const step = nice(span / (width < 480 ? 4 : 8)), [unit, name] = span >= 10000 ? [1000, " s"] : [1, " ms"];
  for (let ms = 0; ms <= span * 1.0001; ms += step) {
    const end = x(ms) > width - 30;
    draw("line", { x1: x(ms), x2: x(ms), y1: y, y2: y + 5, class: "base" }, svg);
    const tick = draw("text", { x: Math.min(x(ms), width), y: y + 20, class: "tick" + (ms === 0 ? " first" : end ? " last" : "") }, svg);
    tick.textContent = Number((ms / unit).toPrecision(6)) + (ms === 0 || end || ms + step > span * 1.0001 ? name : "");
  }
}

// Tokens of the plain lane that stand at a moment: the first comes from the prefill, as it does above.
function plainCount(ms, at) {
  let clock = 0, count = 1;
  for (const took of ms) {
    clock += took;
    if (clock > at + 1e-9) break;
    count++;
  }
  return count;
}

function drawLanes(me, f) {
  const view = me.lanes, plain = plainMs(me.plain), over = me.state === "finished";
  if (!(view.width > 0)) return;
  const x = (f.ms / view.span) * view.width;
  put(view.head, "transform", `translateX(${x.toFixed(2)}px)`);
  put(view.head, "visibility", me.events.length ? "visible" : "hidden");
  // The veil covers the future of both lanes; at the end it leaves, and the longer lane shows its length.
  put(view.veil, "transform", `translateX(${x.toFixed(2)}px)`);
  put(view.veil, "opacity", over ? "0" : "1");
  // The first token came with the prompt, in both lanes: no block stands for it.
  const count = (n) => (n < 1 ? say(me.labels.tokens, { n }) : say(me.labels.lane_tokens, { n: n - 1 }));
  for (const node of [view.upperCount, view.lowerCount]) put(node, "@title", me.labels.lane_first);
  put(view.upperCount, "text", count(f.text));
  put(view.lowerCount, "text", plain ? count(over ? plain.length + 1 : plainCount(plain, f.ms)) : "");
  const pace = over && !me.live ? paceOf(me.trace, me.events, plain) : null;
  if (pace) pace.busy ||= Boolean(me.plain.busy);
  put(view.verdict, "text", pace ? verdictOf(me, pace) : "");
  put(view.verdict, "class", "verdict" + (pace ? " on" : ""));
  put(view.range, "@max", String(f.steps));
  if (view.range.value !== String(f.step)) view.range.value = String(f.step);
  put(view.range, "@aria-valuetext", say(me.labels.step, { n: f.step, of: f.steps }));
}

// At T = 0 both lanes write the same text, except where rounding tips a near tie: then say so. The plain lane may run on after the end.
function sameText(me) {
  const plain = me.plain && me.plain.text, ours = me.trace.text;
  return typeof plain !== "string" || typeof ours !== "string" || plain.startsWith(ours.trimEnd());
}

function verdictOf(me, { rate, busy }) {
  if (busy) return me.labels.pace_busy;
  const x = rate.toFixed(rate < 10 ? 1 : 0);
  const words = x === "1.0" ? me.labels.pace_same : rate > 1 ? say(me.labels.pace_faster, { x }) : say(me.labels.pace_slower, { x: rate.toFixed(2) });
  return words + " · " + (!isGreedy(me.trace) ? me.labels.same_law : sameText(me) ? me.labels.same_text : me.labels.other_text);
}
