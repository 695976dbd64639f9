// Speed-up over γ and over α on one height: the reader's place, the best γ, the line at 1×.

function makeCurves(me) {
  const view = { box: me.root.querySelector(".charts") };
  for (const name of ["gamma", "alpha"]) {
    const svg = view.box.querySelector(".over-" + name), add = (tag, kind) => shape(tag, kind, svg), chart = { svg, key: null };
    chart.slow = add("rect", "slow");
    chart.grid = add("g", "");
    chart.one = add("path", "one");
    chart.best = add("path", "best-line");
    chart.drop = add("path", "drop");
    chart.across = add("path", "across");
    chart.curve = add("path", "curve");
    chart.dots = add("g", "");
    chart.here = add("circle", "here");
    chart.star = add("path", "star");
    chart.bestText = add("text", "said");
    chart.hereText = add("text", "said");
    chart.oneText = add("text", "one-text");
    chart.title = add("text", "title");
    chart.marks = add("g", "");
    dragOn(me, chart, name);
    view[name] = chart;
  }
  return view;
}

// A finger on the picture does what the slider under it does.
function dragOn(me, chart, name) {
  const set = (event) => {
    const lay = chart.lay, at = (event.clientX - chart.svg.getBoundingClientRect().left - lay.left) / lay.across;
    me.turn(name, name === "gamma" ? Math.round(clamp(at, 0, 1) * MOST_PLACES) : Math.round(clamp(at, 0, 1) * 100) / 100);
  };
  chart.svg.addEventListener("pointerdown", (event) => {
    if (event.button > 0 || !me.sliderNames().includes(name)) return;
    chart.svg.setPointerCapture(event.pointerId);
    chart.held = me.holding = true;
    set(event);
  });
  chart.svg.addEventListener("pointermove", (event) => { if (chart.held) set(event); });
  for (const end of ["pointerup", "pointercancel"]) {
    chart.svg.addEventListener(end, () => {
      if (chart.held) me.letGo();
      chart.held = false;
    });
  }
}

function chartLayout(me, share) {
  const sizes = me.sizes(), gap = me.narrow ? 0 : 30, width = me.narrow ? me.width : Math.floor((me.width - gap) * share);
  const left = sizes.margin, right = 16, top = 34, bottom = 34, height = sizes.chart;
  return { width, height, left, top, across: width - left - right, reach: height - top - bottom, base: height - bottom };
}

function drawFrame(me, chart, title, ticks, xOf) {
  const lay = chart.lay, y = (speed) => lay.base - speed / me.axis * lay.reach, key = [lay.width, lay.height, me.axis, me.goalAxis, title, ticks.join("|")].join();
  put(chart.svg, "@width", String(lay.width));
  put(chart.svg, "@height", String(lay.height));
  put(chart.title, "text", title);
  put(chart.title, "@x", String(me.narrow ? 0 : lay.left));
  put(chart.title, "@y", "17");
  box(chart.slow, lay.left, y(1), lay.across, lay.base - y(1));
  line(chart.one, lay.left, y(1), lay.left + lay.across, y(1));
  put(chart.oneText, "text", me.labels.one);
  // On the side where the reader is not.
  const left = xOf(chart.at || 0) > lay.left + lay.across / 2;
  put(chart.oneText, "@x", String(left ? lay.left + 8 : lay.left + lay.across - 4));
  put(chart.oneText, "@text-anchor", left ? "start" : "end");
  put(chart.oneText, "@y", ((chart.above ? y(1) : lay.base) - 8).toFixed(1));
  if (chart.key === key) return y;
  chart.key = key;
  chart.grid.replaceChildren();
  const tick = (text, x, height, anchor) => {
    const node = shape("text", "tick " + anchor, chart.grid);
    node.textContent = text;
    put(node, "@x", x.toFixed(1));
    put(node, "@y", height.toFixed(1));
  };
  for (const speed of ticksUpTo(me.goalAxis)) {
    if (y(speed) < lay.top - 2) continue;
    line(shape("path", speed ? "grid" : "base", chart.grid), lay.left, y(speed), lay.left + lay.across, y(speed));
    tick(speed + "×", lay.left - 8, y(speed) + 6, "end");
  }
  for (const [text, at] of ticks) tick(text, xOf(at), lay.base + 22, "middle");
  return y;
}

// A path that stays below the top of the chart.
function pathOf(points, top) {
  return points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${Math.max(top, y).toFixed(1)}`).join("");
}

function note(node, text, x, y, lay, gap) {
  const right = x + gap + text.length * (lay.across < 400 ? 10 : 12) > lay.left + lay.across;
  put(node, "text", text);
  put(node, "@x", (x + (right ? -gap : gap)).toFixed(1));
  put(node, "@y", y.toFixed(1));
  put(node, "@text-anchor", right ? "end" : "start");
}

function drawCurves(me) {
  const view = me.curves, { gamma, alpha } = view, on = !me.onPlaces(), papers = me.mode === "papers", task = me.mode === "find" ? me.task : null;
  put(view.box, "display", on ? "" : "none");
  if (!on) return;
  const single = task != null;
  put(gamma.svg, "display", papers ? "none" : "");
  put(alpha.svg, "display", papers || !single ? "" : "none");
  gamma.lay = chartLayout(me, task && task.n === 1 ? 1 : task ? 0.62 : 0.58);
  alpha.lay = papers ? { ...chartLayout(me, 0.5), reach: chartLayout(me, 1).reach + me.extra(), base: chartLayout(me, 1).base + me.extra(), height: me.sizes().chart + me.extra() } : chartLayout(me, 0.42);
  if (!papers) drawOverGamma(me, gamma);
  if (papers) drawPaper(me, alpha);
  else if (!single) drawOverAlpha(me, alpha);
}

function drawOverGamma(me, chart) {
  const f = me.facts(), lay = chart.lay, labels = me.labels, x = (gamma) => lay.left + gamma / MOST_PLACES * lay.across;
  chart.at = f.gamma;
  chart.above = f.best === 0;      // then the curve runs below the line
  const every = me.narrow ? 5 : 2, ticks = steps(0, MOST_PLACES, every).map((gamma) => [gamma || !me.narrow ? String(gamma) : "0", gamma]);
  const y = drawFrame(me, chart, labels.over_gamma, ticks, x);
  const curve = f.curve.slice(0, MOST_PLACES + 1), hidden = me.hidesCurve(), seen = (gamma) => !hidden || (gamma >= me.task.low && gamma <= me.task.high);
  put(chart.curve, "@d", pathOf(curve.map((speed, gamma) => [x(gamma), y(speed), gamma]).filter(([, , gamma]) => seen(gamma)), 0));
  while (chart.dots.children.length < curve.length) shape("circle", "dot", chart.dots);
  curve.forEach((speed, gamma) => {
    const dot = chart.dots.children[gamma];
    put(dot, "display", seen(gamma) ? "" : "none");
    put(dot, "@cx", x(gamma).toFixed(1));
    put(dot, "@cy", y(speed).toFixed(1));
    put(dot, "@r", me.narrow ? "3" : "4.5");
  });
  const here = [x(f.gamma), y(f.speed)], best = Math.min(f.best, MOST_PLACES), top = [x(best), y(curve[best])], free = f.best > MOST_PLACES;
  const same = f.best === f.gamma, endless = f.c === 0 && f.s === 0 && f.best > 0;
  markHere(chart, here, lay, same && !hidden ? "" : say(labels.here_gamma, { gamma: f.gamma, speed: figure(f.speed) }), y(1));
  const marked = !hidden && f.best > 0;
  put(chart.here, "display", marked && same ? "none" : "");
  for (const node of [chart.star, chart.best, chart.bestText]) put(node, "display", marked ? "" : "none");
  if (!marked) return;
  put(chart.star, "@d", free ? `M${top[0] - 9} ${top[1] - 9}l12 9l-12 9z` : starAt(top[0], top[1], same ? 18 : 13));
  line(chart.best, top[0], lay.top - 2, top[0], top[1]);
  note(chart.bestText, say(labels[endless ? "best_endless" : same ? "best_here" : "best_gamma"], { gamma: f.best, speed: figure(f.bestSpeed) }), top[0], Math.min(lay.top + 12, Math.max(16, top[1] - 12)), lay, 10);
}

function markHere(chart, [x, y], lay, text, one) {
  put(chart.here, "@cx", x.toFixed(1));
  put(chart.here, "@cy", Math.max(lay.top - 4, y).toFixed(1));
  put(chart.here, "@r", "9");
  line(chart.drop, x, Math.max(lay.top, y), x, lay.base);
  const middle = clamp(y + (lay.base - y) * 0.5, lay.top + 16, lay.base - 12), crossed = Math.abs(middle - 6 - one) < 16;
  note(chart.hereText, text, x, crossed ? Math.min(lay.base - 8, one + 28) : middle, lay, 12);
}

function starAt(x, y, size) {
  const points = Array.from({ length: 10 }, (_, k) => {
    const r = k % 2 ? size * 0.45 : size, angle = Math.PI * (k / 5 - 0.5);
    return `${(x + r * Math.cos(angle)).toFixed(1)} ${(y + r * Math.sin(angle)).toFixed(1)}`;
  });
  return `M${points.join("L")}Z`;
}

function drawOverAlpha(me, chart) {
  const f = me.facts(), lay = chart.lay, x = (alpha) => lay.left + alpha * lay.across;
  chart.at = f.alpha;
  const y = drawFrame(me, chart, say(me.labels.over_alpha, { gamma: f.gamma }), [0, 0.2, 0.4, 0.6, 0.8, 1].map((a) => [a ? figure(a).replace(/0$/, "") : "0", a]), x);
  const speed = (alpha) => speedupOf(expectedTokens(alpha, f.gamma), f.gamma, f.c, f.v);
  put(chart.curve, "@d", pathOf(steps(0, 1, 0.01).map((alpha) => [x(alpha), y(speed(alpha))]).filter(([, high]) => high >= 0), 0));
  const here = [x(f.alpha), y(f.speed)];
  markHere(chart, here, lay, times(f.speed), y(1));
  for (const node of [chart.star, chart.best, chart.bestText]) put(node, "display", "none");
}
