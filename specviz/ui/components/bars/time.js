// One mount: what it shows, what moves, and what it tells the server. Everything drawn follows from these fields.

const MOST_THROWS = 50e6, STEP_MS = [0, 750, 650, 700, 1100];
let born = 0;

class Bars {
  constructor(root, host) {
    Object.assign(this, { root, host, number: ++born, p: [], q: [], tokens: [], base: null, temperature: 1, presetCode: null, presets: [], labels: {}, seed: 0,
      tab: "steps", step: 0, amount: 1, turned: null, toss: null, rain: emptyRain(2), goal: 0, bricks: { p: [], q: [], moves: [] }, moved: 0, lifting: false,
      chosen: 0, pinned: false, light: null, heatGoal: null, grip: "q", axis: 1, goalAxis: 1, lay: null, width: 0, frames: 0, loop: 0, got: null, colours: {} });
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.plot = makePlot(this);
    this.handles = makeHandles(this);
    this.shower = makeShower(this);
    this.side = makeSide(this);
    this.controls = makeControls(this);
    this.report = new Report(host, 150, () => this.busy() || this.handles.held ? null : this.state());
    this.tick = this.tick.bind(this);
    this.watch = new ResizeObserver(() => this.measure());
  }

  // ---- what the page says
  update(data, send) {
    this.report.to((state) => send("state", state));
    this.labels = data.labels || {};
    this.presets = [...(data.presets || []), ...(data.from_run ? [{ ...data.from_run, run: true }] : [])];
    takeTheme(this);
    const style = getComputedStyle(this.root);
    for (const name of ["p", "q", "residual", "rejected", "quiet"]) this.colours[name] = style.getPropertyValue("--" + name).trim();
    const said = JSON.stringify([data.p, data.q, data.tokens, data.seed, data.tab, data.throws, data.step]);
    // A page hands back what it was told, sometimes late: only what is new to both sides changes the picture.
    if (said !== this.got) {
      this.got = said;
      if (!this.report.isEcho((state) => sameState(state, data))) this.adopt(data);
    }
    this.watch.observe(this.root);
    updateControls(this);
    this.measure();
    this.start();
  }

  adopt(data) {
    this.handles.held = null;
    const fresh = !this.lay && data.tab == null;
    this.seed = data.seed || 0;
    this.tab = ["steps", "bricks", "rain", "formula"].includes(data.tab) ? data.tab : "steps";
    this.step = clamp(data.step || 0, 0, LAST_STEP);
    this.amount = 1;
    this.temperature = data.temperature == null ? 1 : data.temperature;
    this.presetCode = data.preset || null;
    // A link may carry no base; above T = 0 cooling is undone by the inverse temperature, but a crowd's is not.
    const t = this.temperature, base = data.base || (t > 0 && !data.tokens.some(isCrowd) ? { p: sharpen(data.p, 1 / t), q: sharpen(data.q, 1 / t) } : null);
    this.take(data.p, data.q, data.tokens, base);
    this.goal = clamp(data.throws || 0, 0, MOST_THROWS);
    if (fresh && this.step === 0 && !this.goal) this.stepTo(1, true);      // the first picture moves before anything is clicked
  }

  // Another pair of distributions over other tokens.
  take(p, q, tokens, base) {
    this.tokens = tokens.slice();
    this.base = base ? { p: base.p.slice(), q: base.q.slice() } : { p: p.slice(), q: q.slice() };
    this.chosen = largestSingle(p, p, q, tokens) ?? draw(p, null);
    this.pinned = false;
    this.lay = null;
    this.change(p.slice(), q.slice());
    this.settleAxis(true);
  }

  // p or q changed: what was thrown or moved belongs to the old ones.
  change(p, q) {
    this.p = p;
    this.q = q;
    this.bricks = bricksNow(this);
    this.moved = 0;
    this.lifting = false;
    this.toss = throwOf(p, q, this.seed, 0);
    if (this.turned) this.turn(this.turned);
    this.wash();
  }

  wash() {
    this.rain = emptyRain(this.p.length);
    this.goal = 0;
    this.shower.dots = [];
    this.shower.drops = [];
    this.shower.resting.dirty = this.shower.moving.dirty = true;
  }

  // ---- what the reader does
  show(tab) {
    if (tab === this.tab) return;
    this.settle();
    this.tab = tab;
    this.light = null;
    this.draw();
    this.report.due();
  }

  shift(h, row, v) {
    const next = giveWay(row, h.i, v), p = h.name === "p" ? next : this.p, q = h.name === "q" ? next : this.q;
    this.presetCode = null;
    this.temperature = 1;
    this.base = { p, q };
    this.chosen = h.i;
    this.turned = null;
    this.change(p, q);
    this.draw();
  }

  preset(i) {
    const preset = this.presets[i];
    if (!preset) return;
    const t = preset.temperature == null ? 1 : preset.temperature;
    this.settle();
    this.turned = null;
    this.temperature = t;
    this.presetCode = preset.code;
    this.take(sharpen(preset.p, t), sharpen(preset.q, t), preset.tokens, preset);
    this.measure();
    this.report.due();
  }

  // The token on which all of p stands at T = 0, and that of q; null where a crowd leaves one of them open.
  coldest() {
    const { p, q } = this.base, found = [p, q].map((row) => largestSingle(row, p, q, this.tokens));
    return found.includes(null) ? null : found;
  }

  cool(t, done) {
    const [first, second] = t === 0 ? this.coldest() : [];
    this.turned = null;
    this.temperature = t;
    this.change(sharpen(this.base.p, t, first), sharpen(this.base.q, t, second));
    if (done) {
      this.heatGoal = null;
      this.settleAxis();
      this.report.due();
    } else this.axis = this.goalAxis = Math.max(this.goalAxis, axisFor(this.p, this.q));      // a peak that grows must not leave the plot
    this.draw();
  }

  // The slider's way to t, walked by itself.
  coolTo(t) {
    // What a crowd is on the way its sum does not tell.
    if (this.still.matches || this.tokens.some(isCrowd)) return this.cool(t, true);
    this.heatGoal = t;
    this.draw();
    this.start();
  }

  stepTo(step, quiet) {
    step = clamp(step, 0, LAST_STEP);
    const on = step > this.step && !this.still.matches;
    this.step = step;
    this.amount = on ? 0 : 1;
    this.draw();
    this.start();
    if (!quiet) this.report.due();
  }

  forward() {
    if (this.step === LAST_STEP) return this.reseed();
    this.stepTo(this.step + 1);
  }

  reseed() {
    this.seed += 1;
    this.turned = null;
    this.change(this.p, this.q);
    if (this.tab === "steps") {
      this.step = 0;
      this.stepTo(1, true);
    }
    this.draw();
    this.report.due();
  }

  // The same guess with the u that ends it the other way.
  other() {
    const u = otherEnding(this.p, this.q, this.toss);
    if (u == null) return;
    this.turn(u);
    this.step = 2;
    this.stepTo(3, true);
    this.report.due();
  }

  turn(u) {
    const words = uniforms(this.seed, 0);
    words[1] = u;
    this.turned = u;
    this.toss = judged(this.p, this.q, words);
  }

  moveBricks(back) {
    this.moved = back ? 0 : this.still.matches ? brickLength(this.bricks.moves) : Math.max(this.moved, 1e-9);
    this.lifting = !back && !this.still.matches && this.bricks.moves.length > 0;
    this.draw();
    this.start();
    this.report.due();
  }

  rainOn(amount) {
    landAll(this);
    if (this.goal > this.rain.thrown) this.pourAll();
    this.goal = Math.min(this.rain.thrown + amount, MOST_THROWS);
    if (amount <= 1000 && this.goal > this.rain.thrown) startDrops(this, this.goal - this.rain.thrown);
    if (this.still.matches) landAll(this);
    this.shower.resting.dirty = true;
    this.draw();
    this.start();
    if (!this.busy()) this.report.due();
  }

  pourAll() {
    pour(this.rain, this.p, this.q, this.seed, this.goal - this.rain.thrown, this.goalAxis * 1.1);
    recallDots(this);
  }

  clear() {
    this.wash();
    this.draw();
    this.report.due();
  }

  choose(i, pin) {
    if (this.tab !== "formula" || this.handles.held) return;
    if (pin) this.pinned = this.chosen !== i || !this.pinned;
    if (!pin && this.pinned) return;
    this.chosen = i;
    this.draw();
  }

  shine(name) {
    this.light = name;
    this.draw();
  }

  // ---- what is on screen
  seen() {
    if (this.tab !== "bricks") return this;
    return { p: this.bricks.p.map((x) => x / 100), q: this.bricks.q.map((x) => x / 100) };
  }

  y(height) {
    return this.lay.base - height / this.axis * this.lay.reach;
  }

  cutAxis() {
    this.axis = this.goalAxis;
  }

  settleAxis(now) {
    const goal = axisFor(this.p, this.q);
    if (goal !== this.goalAxis) this.wash();
    this.goalAxis = goal;
    if (now || this.still.matches) this.axis = goal;
    this.start();
  }

  frameNow() {
    return stepFrame(this.p, this.q, this.toss, this.step, this.amount, this.axis * (1 + (this.lay.head + 12) / this.lay.reach));
  }

  stepShown() { return this.amount < 0.5 ? this.step - 1 : this.step; }
  verdictShown() { return this.frameNow().verdict; }

  measure() {
    const width = this.root.clientWidth;
    if (!(width > 0) || !this.tokens.length) return;      // a hidden tab has no size
    if (!this.lay || width !== this.width) {
      this.width = width;
      this.lay = plotLayout(width, this.tokens.length);
      put(this.root, "@data-size", this.lay.narrow ? "narrow" : "wide");
      put(this.root, "--aside", this.lay.aside + "px");
      buildPlot(this);
      buildHandles(this);
      sizeShower(this);
    }
    this.shower.resting.dirty = true;
    this.draw();
  }

  draw() {
    if (!this.lay) return;
    drawPlot(this);
    drawBricks(this);
    drawShower(this);
    drawHandles(this);
    drawSide(this);
    drawControls(this);
    const fact = (name, value) => put(this.root, "@data-" + name, value);
    fact("p", JSON.stringify(this.p));
    fact("q", JSON.stringify(this.q));
    fact("alpha", String(beta(this.p, this.q)));
    fact("thrown", String(this.rain.thrown));
    fact("outputs", JSON.stringify(outputsOf(this.rain)));
    fact("mode", this.tab);
    fact("step", String(this.step));
    fact("seed", String(this.seed));
    fact("temperature", String(this.temperature));
    fact("verdict", this.toss.accepted ? "accepted" : "rejected");
    fact("bricks", JSON.stringify(standing(this.bricks, this.moved)));
    fact("state", this.moving() ? "moving" : "resting");
  }

  // ---- time
  busy() {
    return this.shower.drops.length > 0 || this.rain.thrown < this.goal || this.lifting || this.heatGoal != null;
  }

  moving() {
    return this.busy() || this.amount < 1 || this.axis !== this.goalAxis;
  }

  start() {
    if (!this.loop && this.lay && this.moving()) {
      this.last = null;
      this.loop = requestAnimationFrame(this.tick);
    }
  }

  tick(now) {
    this.loop = 0;
    if (!this.host.isConnected) return this.stop();
    const passed = this.last == null ? 0 : Math.min(now - this.last, 100), was = this.busy();
    this.last = now;
    this.advance(passed);
    this.draw();
    put(this.root, "@data-frames", String(++this.frames));
    if (was && !this.busy()) this.report.due();
    if (this.moving()) this.loop = requestAnimationFrame(this.tick);
  }

  advance(passed) {
    if (this.amount < 1) this.amount = Math.min(1, this.amount + passed / (this.toss.accepted && this.step === 4 ? 400 : STEP_MS[this.step]));
    if (this.heatGoal != null) {
      const left = this.heatGoal - this.temperature, go = passed * 0.0009;
      if (Math.abs(left) <= go) this.cool(this.heatGoal, true);
      else this.cool(this.temperature + Math.sign(left) * go, false);
    }
    if (this.lifting) {
      this.moved += passed;
      if (this.moved >= brickLength(this.bricks.moves)) this.lifting = false;
    }
    if (this.shower.drops.length) moveDrops(this, passed);
    else if (this.rain.thrown < this.goal) {
      pourChunk(this);
      if (this.rain.thrown >= this.goal) recallDots(this);
    }
    if (this.axis !== this.goalAxis && !this.handles.held) {
      this.axis = mix(this.axis, this.goalAxis, 1 - Math.exp(-passed / 70));
      if (Math.abs(this.axis / this.goalAxis - 1) < 0.003) this.axis = this.goalAxis;
    }
  }

  // Everything that moves comes to its end at once.
  settle() {
    landAll(this);
    if (this.goal > this.rain.thrown) this.pourAll();
    if (this.lifting) this.moved = brickLength(this.bricks.moves);
    this.lifting = false;
    if (this.heatGoal != null) this.cool(this.heatGoal, true);
    this.amount = 1;
  }

  state() {
    return { p: this.p.slice(), q: this.q.slice(), tokens: this.tokens.slice(), seed: this.seed, throws: this.rain.thrown, tab: this.tab, step: this.step,
      temperature: this.temperature, preset: this.presetCode, base: this.temperature === 1 ? null : { p: this.base.p.slice(), q: this.base.q.slice() } };
  }

  stop() {
    cancelAnimationFrame(this.loop);
    this.report.stop();
    this.loop = 0;
    this.watch.disconnect();
  }
}

// An address may have rounded what it was told.
function sameState(state, data) {
  const near = (a, b) => a.length === b.length && a.every((x, i) => Math.abs(x - b[i]) < 1e-4);
  return near(state.p, data.p) && near(state.q, data.q) && JSON.stringify(state.tokens) === JSON.stringify(data.tokens)
    && state.seed === data.seed && state.throws === data.throws && state.tab === (data.tab || "steps") && state.step === data.step;
}
