// One mount: what it shows, what moves, and what it tells the server. Everything drawn follows from these fields.

const answeredBefore = {};      // questions answered on this visit, over switches of page
const MODES = ["sum", "power", "speed", "find", "papers"], RISE_MS = 900, EASE_MS = 550;

class Speedup {
  constructor(root, host) {
    Object.assign(this, { root, host, alpha: 0.8, gamma: 5, c: 0.05, s: 0, bars: [], preset: null, mode: "sum", task: freshTask(1), solved: answeredBefore, trap: false, row: null,
      presets: [], tables: [], labels: {}, from: null, amount: 1, rising: false, axis: 4, goalAxis: 4, holding: false, width: 0, narrow: false, loop: 0, frames: 0, got: null, cached: null, compared: false });
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.columns = makeColumns(this);
    this.strips = makeStrips(this);
    this.curves = makeCurves(this);
    this.aside = makeAside(this);
    this.papers = makePapers(this);
    this.controls = makeControls(this);
    this.report = new Report(host, 150, () => this.holding || this.columns.held ? null : this.state());
    this.tick = this.tick.bind(this);
    this.watch = new ResizeObserver(() => this.measure());
  }

  // ---- what the page says
  update(data, send) {
    this.report.to((state) => send("state", state));
    this.labels = data.labels || {};
    this.presets = data.presets || [];
    this.tables = data.tables || [];
    takeTheme(this);
    const said = JSON.stringify(STATE.map((name) => data[name]));
    // A page hands back what it was told, sometimes late: only what is new to both sides changes the picture.
    if (said !== this.got) {
      this.got = said;
      if (!this.report.isEcho((state) => sameState(state, data))) this.adopt(data);
    }
    this.watch.observe(this.root);
    this.measure();
    this.start();
  }

  adopt(data) {
    const fresh = !this.bars.length && data.mode == null;
    this.columns.held = null;
    for (const name of ["alpha", "gamma", "c", "s"]) this[name] = data[name];
    this.mode = MODES.includes(data.mode) ? data.mode : "sum";
    this.trap = !!data.trap;
    this.row = data.row || null;
    this.preset = this.presets.some((preset) => preset.code === data.preset) ? data.preset : null;
    this.bars = lengthened(data.survival, MOST_PLACES);
    this.compared = this.preset === "mixture";
    if (data.task && data.task !== this.task.n) this.task = freshTask(data.task);
    this.settle();
    this.settleAxis(true);
    if (fresh && !this.still.matches) {      // the first picture moves before anything is clicked
      this.from = this.bars.map(() => 0);
      this.amount = 0;
      this.rising = true;
    }
  }

  // ---- what the reader does
  show(mode) {
    if (mode === this.mode) return;
    this.ease();
    this.mode = mode;
    this.settleAxis(true);
    this.draw();
    this.report.due();
  }

  shift(row) {
    this.bars = row;
    this.preset = null;
    this.draw();
  }

  // Ready rows for the bars.
  take(preset) {
    this.ease();
    this.preset = preset.code;
    this.gamma = preset.survival.length;
    this.compared = preset.code === "mixture";
    this.bars = preset.code === "mixture" ? mixtureOf(0.5, MOST_PLACES) : lengthened(preset.survival, MOST_PLACES);
    this.draw();
    this.report.due();
  }

  turn(name, value) {
    this.settle();
    if (this.mode === "find") {
      if (this.task[name] !== value) this.task = turned(this.task, name, value);
      if (found(this.task)) this.solved[this.task.n] = true;
    } else this[name] = value;
    if (this.mode === "sum" && name === "gamma" && this.preset !== "mixture") this.preset = null;
    this.settleAxis(!this.loop && this.still.matches);
    this.draw();
  }

  // The finger is off: the axis may shrink, and the page is told.
  letGo() {
    this.holding = false;
    this.settleAxis();
    this.draw();
    this.report.due();
  }

  setTrap(on) {
    this.trap = on;
    this.draw();
    this.report.due();
  }

  ask(n) {
    this.ease();
    this.task = freshTask(n);
    this.settleAxis(true);
    this.draw();
    this.report.due();
  }

  reveal() {
    this.ease();
    this.task = revealed(this.task);
    this.settleAxis();
    this.draw();
  }

  choose(name) {
    this.row = name;
    this.settleAxis(true);
    this.draw();
    this.report.due();
  }

  // ---- what follows
  onPlaces() {
    return this.mode === "sum" || this.mode === "power" || (this.mode === "find" && this.task.n === 3);
  }

  answered() {
    return this.task.shown || !!this.solved[this.task.n];
  }

  // In the first task the curve comes to light only where the reader has been.
  hidesCurve() {
    return this.mode === "find" && this.task.n === 1 && !this.answered();
  }

  // Half easy, half hard: what the formula says of it stands under what is true.
  compares() {
    return this.mode === "find" || this.compared;
  }

  stripHeight(count) {
    return this.narrow ? SHAPES.narrow.strip : count === 1 ? 60 : SHAPES.wide.strip;
  }

  meanAlpha() {
    if (this.mode === "sum") return this.preset === "mixture" ? (EASY + HARD) / 2 : null;
    return this.mode === "find" ? this.task.easy * EASY + (1 - this.task.easy) * HARD : null;
  }

  sliderNames() {
    if (this.mode === "find") return { 1: ["gamma"], 2: ["alpha", "c"], 3: ["easy"] }[this.task.n];
    return { sum: ["gamma"], power: ["alpha", "gamma"], speed: ["alpha", "gamma", "c", "s"], papers: [] }[this.mode];
  }

  stepsOf(name) {
    if (this.mode === "find" && this.task.n === 2) return name === "alpha" ? steps(0.6, 0.9, 0.01) : steps(0.02, 0.05, 0.005).reverse();
    return SLIDERS[name].values;
  }

  valueOf(name) {
    return this.mode === "find" ? this.task[name] : this[name];
  }

  now() {
    if (this.mode === "find") return taskNow(this.task);
    const { gamma, c, s } = this;
    if (this.mode === "sum") {
      const row = this.bars.slice(0, gamma);
      return { row, gamma, c, s, alpha: alphaOf(row) };
    }
    if (this.mode === "papers" && this.tables.length) {
      const { row } = rowNow(this), at = paperAt(this, row), alpha = row.alpha == null ? alphaFor(row.measured, at.gamma, at.c, 1) : row.alpha;
      return { row: survivalOf(alpha, at.gamma), gamma: at.gamma, c: at.c, s: 0, alpha };
    }
    return { row: survivalOf(this.alpha, gamma), gamma, c, s, alpha: this.alpha };
  }

  // Everything that is printed, from what the sliders say.
  facts() {
    const now = this.now(), key = JSON.stringify([now.row, now.c, now.s, this.mode]);
    if (this.cached && this.cached.key === key) return this.cached;
    const { row, gamma, c, s, alpha } = now, line_ = linearCost(s), v = line_(gamma + 1), tokens = tokensOf(row);
    // Bars that were dragged say nothing of places beyond the last.
    const known = this.mode === "sum" || (this.mode === "find" && this.task.n === 3) ? row : survivalOf(alpha, MOST_GUESSES);
    const curve = curveOf(known, c, line_), best = bestGamma(curve);
    this.cached = { key, ...now, v, tokens, other: acceptedOverProposed(row), cost: gamma * c + v, speed: speedupOf(tokens, gamma, c, v), curve, best, bestSpeed: curve[best] };
    return this.cached;
  }

  sizes() {
    return this.narrow ? SHAPES.narrow : SHAPES.wide;
  }

  // Papers have no strips: their chart may be taller.
  extra() {
    return this.narrow ? 20 : 112;
  }

  wantedAxis() {
    if (this.mode === "papers") {
      const { table } = rowNow(this);
      return topOf(Math.max(...table.rows.flatMap((row) => [row.measured || 0, paperAt(this, row).calc || 0])));
    }
    const f = this.facts();
    if (this.mode === "find" && this.task.n === 2) return topOf(bestSpeed(GOAL.alpha, START[2].c, 0));
    return topOf(Math.max(...f.curve.slice(0, MOST_PLACES + 1), f.speed, 1.2) * 1.12);
  }

  // While a finger is down the axis only grows.
  settleAxis(now) {
    if (this.onPlaces()) return;
    const goal = this.holding ? Math.max(this.goalAxis, this.wantedAxis()) : this.wantedAxis();
    this.goalAxis = goal;
    if (now || this.still.matches) this.axis = goal;
    this.start();
  }

  // ---- what is on screen
  measure() {
    const width = this.root.clientWidth;
    if (!(width > 0)) return;      // a hidden tab has no size
    this.width = width;
    this.narrow = width < 640;
    put(this.root, "@data-size", this.narrow ? "narrow" : "wide");
    this.draw();
  }

  draw() {
    if (!this.width || !this.bars.length) return;
    const f = this.facts();
    put(this.root, "@data-mode", this.mode);
    put(this.root, "@data-task", this.mode === "find" ? String(this.task.n) : null);
    drawChoices(this);
    drawAside(this);
    drawPapers(this);
    drawStrips(this);
    drawColumns(this);
    drawCurves(this);
    drawSliders(this);
    drawWords(this);
    const fact = (name, value) => put(this.root, "@data-" + name, value);
    fact("alpha", String(f.alpha));
    fact("accepted-over-proposed", String(f.other));
    fact("gamma", String(f.gamma));
    fact("c", String(f.c));
    fact("v", String(f.v));
    fact("tokens", String(f.tokens));
    fact("speedup", String(f.speed));
    fact("best-gamma", String(f.best));
    fact("survival", JSON.stringify(f.row));
    fact("found", this.mode === "find" ? String(!!this.solved[this.task.n]) : null);
    fact("trap", String(this.trap));
    fact("row", this.mode === "papers" && this.tables.length ? rowNow(this).row.name : null);
    fact("state", this.moving() ? "moving" : "resting");
  }

  // The bars on their way from where they were.
  shownRow(row) {
    if (this.amount >= 1 || !this.from) return row;
    return row.map((x, i) => mix(this.from[i] == null ? 0 : this.from[i], x, this.rising ? ease(part(this.amount, i * 0.09, i * 0.09 + 0.5)) : ease(this.amount)));
  }

  // ---- time
  moving() {
    return this.amount < 1 || this.axis !== this.goalAxis;
  }

  // From here on the bars walk to where they belong.
  ease() {
    if (this.still.matches || !this.onPlaces()) return;
    this.from = this.shownRow(this.facts().row).slice();
    this.amount = 0;
    this.rising = false;
    this.start();
  }

  settle() {
    this.amount = 1;
  }

  start() {
    if (!this.loop && this.width && this.moving()) {
      this.last = null;
      this.loop = requestAnimationFrame(this.tick);
    }
  }

  tick(now) {
    this.loop = 0;
    if (!this.host.isConnected) return this.stop();
    const passed = this.last == null ? 0 : Math.min(now - this.last, 100);
    this.last = now;
    if (this.amount < 1) this.amount = Math.min(1, this.amount + passed / (this.rising ? RISE_MS : EASE_MS));
    if (this.axis !== this.goalAxis) {
      this.axis = mix(this.axis, this.goalAxis, 1 - Math.exp(-passed / 70));
      if (Math.abs(this.axis / this.goalAxis - 1) < 0.003) this.axis = this.goalAxis;
    }
    put(this.root, "@data-frames", String(++this.frames));
    this.draw();
    if (this.moving()) this.loop = requestAnimationFrame(this.tick);
  }

  state() {
    const { alpha, gamma, c, s, mode, trap, row, preset } = this;
    return { alpha, gamma, c, s, survival: this.bars.slice(0, Math.max(1, gamma)), preset, mode, task: this.task.n, trap, row };
  }

  stop() {
    cancelAnimationFrame(this.loop);
    this.report.stop();
    this.loop = 0;
    this.watch.disconnect();
  }
}

const STATE = ["alpha", "gamma", "c", "s", "survival", "preset", "mode", "task", "trap", "row"];

// An address may have rounded what it was told.
function sameState(state, data) {
  return STATE.every((name) => {
    const a = state[name], b = data[name];
    if (name === "survival") return a.length === b.length && a.every((x, i) => Math.abs(x - b[i]) < 1e-4);
    return typeof a === "number" ? Math.abs(a - b) < 1e-6 : (a || null) === (b || null);
  });
}
