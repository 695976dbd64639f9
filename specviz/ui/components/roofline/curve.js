// Time of a pass against its tokens, both on logarithms: flat while reading takes longer, rising past the ridge.

const FRAME = { left: 74, right: 16, top: 12, bottom: 46 };

function makeCurve(me) {
  const box = me.root.querySelector(".curve"), svg = box.querySelector("svg"), view = { box, svg, title: box.querySelector(".title"), width: 0, height: 0, drawn: null, held: null };
  const add = (tag, name, parent) => shape(tag, name, parent || svg);
  for (const name of ["grid", "lines", "points", "notes"]) view[name] = add("g", name);
  for (const name of ["memory", "compute", "pass-edge", "pass"]) view[name] = add("path", "line " + name, view.lines);
  view.drop = add("path", "drop", view.notes);
  view.knee = add("circle", "knee", view.notes);
  view.kneeText = add("text", "note", view.notes);
  for (const name of ["memory", "compute"]) view[name + "Text"] = add("text", "note " + name, view.notes);
  view.here = add("circle", "here", view.notes);
  view.hereText = add("text", "note loud", view.notes);
  const move = (event) => {
    const rect = svg.getBoundingClientRect(), place = placesOf(me);
    if (place) me.change({ tokens: clamp(Math.round(place.back(event.clientX - rect.left)), ...me.ends.tokens) });
  };
  svg.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    svg.setPointerCapture(event.pointerId);
    me.held = true;
    move(event);
  });
  svg.addEventListener("pointermove", (event) => { if (svg.hasPointerCapture(event.pointerId)) move(event); });
  for (const name of ["pointerup", "pointercancel"]) svg.addEventListener(name, () => {
    if (!me.held) return;
    me.held = false;
    me.report.due();
  });
  return view;
}

function sizeCurve(me) {
  const view = me.curve;
  view.width = view.svg.clientWidth;
  view.height = view.svg.clientHeight;
  view.drawn = null;
}

// Where tokens and milliseconds lie in the plot, for the curve as it is now.
function placesOf(me) {
  const { width, height } = me.curve, [from, to] = me.ends.tokens;
  if (!(width > 0)) return null;
  const costs = [from, to].map((tokens) => price(me.device, me.bytes, { ...me.values, tokens }));
  const measured = me.points().flatMap((point) => [point.q1, point.q3]);
  // Every line from end to end lies inside: what is read, what is multiplied, and the pass they make.
  const lowest = Math.min(costs[0].compute_ms || costs[0].memory_ms, costs[0].memory_ms, ...measured), highest = Math.max(costs[1].ms, ...measured);
  const [bottom, top] = decades(lowest, highest), right = width - FRAME.right, low = height - FRAME.bottom;
  const x = (tokens) => FRAME.left + Math.log(tokens / from) / Math.log(to / from) * (right - FRAME.left);
  const y = (ms) => low - (Math.log10(ms) - bottom) / (top - bottom) * (low - FRAME.top);
  return { x, y, bottom, top, low, right, from, to, back: (px) => from * Math.pow(to / from, (px - FRAME.left) / (right - FRAME.left)) };
}

function drawCurve(me) {
  const view = me.curve, place = placesOf(me), { labels, cost, values } = me;
  if (!place) return;
  put(view.svg, "@aria-label", say(labels.curve_says, { now: timeOf(cost.ms), n: String(values.tokens), last: timeOf(price(me.device, me.bytes, { ...values, tokens: place.to }).ms), most: String(place.to) }));
  put(view.title, "text", labels[me.points().length ? "curve_measured" : curveOf(price(me.device, me.bytes, { ...values, tokens: place.from }), place.to)]);
  const key = JSON.stringify([place.bottom, place.top, view.width, view.height, axisWords(me)]);
  if (key !== view.drawn) {
    view.drawn = key;
    drawCurveGrid(me, place);
  }
  const [one, last] = [place.from, place.to].map((tokens) => price(me.device, me.bytes, { ...values, tokens }));
  const { x, y } = place, px = (tokens, ms) => x(tokens).toFixed(1) + " " + y(ms).toFixed(1);
  put(view.memory, "@d", `M${px(place.from, one.memory_ms)}L${px(place.to, one.memory_ms)}`);
  put(view.compute, "@d", one.compute_ms === null ? "" : `M${px(place.from, one.compute_ms)}L${px(place.to, last.compute_ms)}`);
  const steps = Array.from({ length: 121 }, (_, i) => place.from * Math.pow(place.to / place.from, i / 120));
  const knee = one.ridge_tokens, inside = knee !== null && knee > place.from && knee < place.to;
  if (inside) steps.push(knee);
  const path = "M" + steps.sort((a, b) => a - b).map((tokens) => px(tokens, price(me.device, me.bytes, { ...values, tokens }).ms)).join("L");
  for (const name of ["pass-edge", "pass"]) put(view[name], "@d", path);
  drawPoints(me, place);
  for (const node of [view.knee, view.kneeText]) put(node, "display", inside ? "" : "none");
  const hx = x(clamp(values.tokens, place.from, place.to)), hy = y(cost.ms);
  let named = null;      // where the knee's name ends
  if (inside) {
    const kx = x(knee), ky = y(price(me.device, me.bytes, { ...values, tokens: knee }).ms);
    put(view.knee, "@cx", kx.toFixed(1));
    put(view.knee, "@cy", ky.toFixed(1));
    put(view.knee, "@r", "7");
    const name = say(labels.ridge, { n: grouped(Math.floor(knee)) }), half = emsOf(me, name) * 9;
    const middle = clamp(kx, FRAME.left + half, Math.max(FRAME.left + half, place.right - half));
    const below = me.points().filter((point) => Math.abs(x(point.tokens) - middle) < half + 12).map((point) => y(point.q1) + 24);
    words(view.kneeText, name, middle, Math.min(Math.max(ky + 28, ...below), place.low - 8), "middle");
    named = middle + half;
  }
  nameLines(me, place, one, named);
  put(view.here, "@cx", hx.toFixed(1));
  put(view.here, "@cy", hy.toFixed(1));
  put(view.here, "@r", "10");
  line(view.drop, hx, hy, hx, place.low);
  const text = say(labels[values.tokens === 1 ? "here_one" : "here"], { n: grouped(values.tokens), time: timeOf(cost.ms) });
  const end = hx > (place.right + FRAME.left) / 2;
  const near = me.points().filter((point) => Math.abs(x(point.tokens) - hx) < 170).map((point) => y(point.q3));
  const above = Math.min(hy, ...near) - 20;      // clear of what was measured here
  words(view.hereText, text, hx + (end ? 8 : 2), above < FRAME.top + 16 ? hy + 34 : above, end ? "end" : "start");
}

// The two lines that make up the pass, named where there is room: below the rising one, below the flat one past the ridge.
function nameLines(me, place, one, named) {
  const view = me.curve, { x, y } = place, at = Math.sqrt(place.from * place.to) / 8, ms = one.compute_ms * at / place.from;
  const under = one.compute_ms !== null && y(ms) < place.low - 30 && y(ms) > y(one.memory_ms) + 20;
  put(view.computeText, "display", under ? "" : "none");
  if (under) words(view.computeText, me.labels.multiplying, x(at) + 10, y(ms) + 24, "start");
  const flat = named !== null && place.right - named > 90;
  put(view.memoryText, "display", flat ? "" : "none");
  if (flat) words(view.memoryText, me.labels.reading, place.right, y(one.memory_ms) + 24, "end");
}

function axisWords(me) {
  return me.labels[me.values.batch > 1 ? "curve_tokens_each" : "curve_tokens"];
}

function words(node, text, x, y, anchor) {
  put(node, "text", text);
  put(node, "@x", x.toFixed(1));
  put(node, "@y", y.toFixed(1));
  put(node, "@text-anchor", anchor);
}

function drawCurveGrid(me, place) {
  const view = me.curve, add = (tag, name) => shape(tag, name, view.grid), { x, y } = place;
  put(view.svg, "@viewBox", `0 0 ${view.width} ${view.height}`);
  view.grid.replaceChildren();
  for (let power = place.bottom; power <= place.top; power += decadeStep(place.bottom, place.top)) {
    const at = y(Math.pow(10, power));
    line(add("path", power === place.bottom ? "base" : "rule"), FRAME.left, at, place.right, at);
    words(add("text", "tick"), axisTime(power), FRAME.left - 16, at + 5, "end");
  }
  for (let tokens = place.from; tokens <= place.to; tokens *= 4) {
    const at = x(tokens);
    line(add("path", "rule"), at, FRAME.top, at, place.low);
    words(add("text", "tick"), String(tokens), at, place.low + 19, "middle");
  }
  words(add("text", "tick"), axisWords(me), (FRAME.left + place.right) / 2, place.low + 39, "middle");
}

function axisTime(power) {
  const ms = Math.pow(10, power);
  return ms >= 1e3 ? plain(ms / 1e3, 6) + " s" : ms < 1e-2 ? plain(ms * 1e3, 6) + " µs" : plain(ms, 6) + " ms";
}

// What was measured: the median as a diamond, the quartiles as a bar through it.
function drawPoints(me, place) {
  const view = me.curve, points = me.points(), key = JSON.stringify([points.map((p) => [p.tokens, p.median]), place.bottom, place.top, view.width, view.height]);
  if (view.pointsDrawn === key) return;
  view.pointsDrawn = key;
  view.points.replaceChildren();
  for (const point of points) {
    const px = place.x(point.tokens), [low, mid, high] = [point.q1, point.median, point.q3].map(place.y);
    for (const name of ["whisker-edge", "whisker"]) put(shape("path", name, view.points), "@d", `M${px - 6} ${high}H${px + 6}M${px} ${high}V${low}M${px - 6} ${low}H${px + 6}`);
    put(shape("path", "median", view.points), "@d", `M${px} ${mid - 8}L${px + 8} ${mid}L${px} ${mid + 8}L${px - 8} ${mid}Z`);
  }
}
