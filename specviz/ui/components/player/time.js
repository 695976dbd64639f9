// One player: what it knows, where it stands in time, and when it draws. The picture itself is frame(trace, events, t).

const remembered = new Map();       // by trace id: where the reader was, over page switches
let born = 0;

// Only whole steps: half of an event that nobody plays on is no picture. Play then shows that event from its beginning.
function remember(me) {
  if (!me.traceId) return;
  remembered.delete(me.traceId);
  remembered.set(me.traceId, { t: Math.floor(me.t), speed: me.speed, truePace: me.truePace });
  if (remembered.size > 40) remembered.delete(remembered.keys().next().value);
}

class Player {
  constructor(root, host) {
    Object.assign(this, { root, host, number: ++born, trace: { rounds: [] }, traceId: null, events: [], t: 0, playing: false, speed: 1, truePace: false,
      follow: false, live: false, wasLive: false, recorded: false, plain: null, labels: {}, language: "", state: "waiting", lens: null, shut: null,
      width: 0, size: SIZES.wide, loop: 0, factor: null });
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.cards = makeCards(this);
    this.text = makeText(this);
    this.distribution = makeDistribution(this);
    this.scene = makeScene(this);
    this.lanes = makeLanes(this);
    this.controls = makeControls(this);
    this.sum = makeSum(this);
    this.cards.row.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.report = new Report(host, 300, () => Math.floor(this.t));
    this.tick = this.tick.bind(this);
    this.watch = new ResizeObserver(() => this.measure());
    this.obey = (event) => this.steer(event.detail);
    document.addEventListener("specviz:go", this.obey);
  }

  // A new snapshot: more rounds of the same run, or another run.
  update(data, send) {
    const trace = data.trace || { rounds: [] }, another = data.trace_id !== this.traceId;
    this.report.to((step) => send("step", step));
    this.labels = data.labels || {};
    this.language = String(this.labels.name) + this.labels.play;
    if (another) {
      if (this.traceId) remember(this);
      Object.assign(this, { traceId: data.trace_id, wasLive: false, follow: false, lens: null, shut: null, factor: null });
      this.report.forget();
    }
    this.live = !!data.live;
    this.wasLive = this.wasLive || this.live;
    this.recorded = !!data.recorded;
    this.plain = data.plain || null;
    this.trace = trace;
    this.alphabetic = isAlphabetic(trace.prompt || "");
    this.events = events(trace);
    const back = another ? remembered.get(data.trace_id) : null;
    if (another) {
      this.t = back ? back.t : data.step || 0;
      this.speed = back ? back.speed : this.speed;
      this.truePace = back ? back.truePace : false;
      this.playing = !back && data.step == null && data.autoplay !== false;
      this.controls.speed.value = String(this.speed);
    }
    this.t = clamp(this.t, 0, this.live ? Math.max(this.t, this.events.length) : this.events.length);
    if (this.follow) this.t = this.events.length;
    if (!this.live) this.follow = false;
    if (!this.live && this.playing && this.t >= this.events.length) {
      this.playing = false;
      if (!another) this.report.due();
    }
    takeTheme(this);
    for (const node of [this.root, this.lanes.field]) this.watch.observe(node);      // the field also yields to its labels
    updateCards(this);
    updateText(this);
    updateScene(this);
    updateControls(this);
    this.measure();
    this.start();
  }

  measure() {
    const width = this.root.clientWidth;
    if (!(width > 0)) return;      // a hidden tab has no size
    this.width = width;
    const size = sizesFor(width);
    this.size = this.alphabetic ? { ...size, ...LETTERS[size.name] } : size;
    for (const name of ["face", "gauge", "reach", "number", "row", "word", "letter", "line", "lines"]) put(this.root, "--s-" + name, this.size[name] + "px");
    put(this.root, "@data-size", size.name);
    measureText(this);
    measureCards(this);
    measureLanes(this);
    updateLanes(this);
    this.draw();
  }

  scrolled() {
    this.cards.scrolled = this.cards.row.scrollLeft;
    if (this.openNow(frame(this.trace, this.events, this.t))) this.draw();
  }

  smooth() {
    return this.playing && !this.still.matches;
  }

  stateNow() {
    const end = this.t >= this.events.length;
    if (!this.trace.first && !this.events.length) return this.live ? "waiting" : "finished";
    if (end && !this.live) return "finished";
    if (end && (this.playing || this.follow)) return "waiting";
    return this.playing ? "playing" : "paused";
  }

  draw() {
    if (!(this.width > 0)) return;
    this.state = this.stateNow();
    // Reduced motion: the same stops, without the way between them.
    const t = this.still.matches ? Math.ceil(this.t - 1e-9) : this.t;
    const f = frame(this.trace, this.events, t), open = this.openNow(f);
    put(this.root, "@data-version", String(rounds(this.trace).length));
    put(this.root, "@data-step", String(f.step));
    put(this.root, "@data-steps", String(f.steps));
    put(this.root, "@data-state", this.state);
    drawText(this, f);
    const lay = drawCards(this, f, open);
    drawDistribution(this, f, open, lay);
    drawScene(this, f, lay);
    followCard(this, f, lay, open);
    drawSum(this);
    drawLanes(this, f);
    drawControls(this, f);
    this.tell(f);
  }

  // Others on the page (the listing of the code) follow the player and steer it, without the server.
  tell(f, again) {
    const index = this.lensIndex() ?? f.index;
    if (!again && this.told === index && this.toldTrace === this.trace) return;
    this.told = index;
    this.toldTrace = this.trace;
    document.dispatchEvent(new CustomEvent("specviz:moment", { detail: { trace: this.trace, event: this.events[index] || null } }));
  }

  // {by}: so many events on; {kinds}: to the next event of one of these names, from the start again after the last.
  steer({ by, kinds }) {
    const here = Math.ceil(this.t - 1e-9);
    if (by) return this.go(by > 0 ? Math.floor(this.t) + 1 : here - 1);
    if (!kinds) return this.tell(frame(this.trace, this.events, this.t), true);
    const fits = (i) => kinds.includes(eventName(this.trace, this.events[i % this.events.length]));
    for (let i = here; i < here + this.events.length; i++) if (fits(i)) return this.go((i % this.events.length) + 1);
  }

  // ---- time
  start() {
    if (!this.loop && this.moving()) {
      this.last = null;
      this.loop = requestAnimationFrame(this.tick);
    }
  }

  moving() {
    const lens = this.lens && this.lens.amount !== this.lens.goal;
    return lens || (this.playing && this.t < this.events.length);
  }

  tick(now) {
    this.loop = 0;
    if (!this.host.isConnected) return this.stop();
    const passed = this.last == null ? 0 : Math.min(now - this.last, 100);
    this.last = now;
    this.moveLens(passed);
    if (this.playing) this.advance(passed);
    this.draw();
    if (this.moving()) this.loop = requestAnimationFrame(this.tick);
  }

  advance(passed) {
    let left = this.truePace ? passed : passed * this.speed;
    while (left > 0 && this.t < this.events.length) {
      const i = Math.floor(this.t), event = this.events[i];
      const length = this.truePace ? event.took * (this.factor || 1) : event.ms, need = (i + 1 - this.t) * length;
      if (left < need) {
        this.t += left / length;
        left = 0;
      } else {
        this.t = i + 1;
        left -= need;
      }
    }
    if (this.t >= this.events.length && !this.live) {
      this.playing = false;
      this.report.due();
    }
  }

  toggle() {
    if (this.playing) return this.pause();
    if (this.t >= this.events.length && !this.live) this.t = 0;
    this.lens = this.shut = null;
    this.playing = true;
    this.start();
    this.draw();
  }

  pause() {
    this.playing = false;
    this.follow = false;
    this.draw();
    this.report.due();
  }

  go(t, quiet) {
    this.playing = false;
    this.follow = false;
    this.lens = this.shut = null;
    this.t = clamp(t, 0, this.events.length);
    this.draw();
    if (!quiet) this.report.due();
  }

  goRound(way) {
    const ends = roundEnds(this.events);
    const goal = way > 0 ? ends.find((end) => end > this.t + 1e-9) : ends.filter((end) => end < this.t - 1e-9).pop();
    this.go(goal == null ? (way > 0 ? this.events.length : 0) : goal);
  }

  scrub(step) { this.go(step, true); }
  scrubbed() { this.report.due(); }

  setSpeed(speed) {
    this.speed = speed;
    this.truePace = false;
    this.draw();
  }

  setPace(on) {
    this.truePace = on && this.factor != null;
    this.draw();
  }

  setFollow(on) {
    this.follow = on && this.live;
    this.playing = this.follow || this.playing;
    if (this.follow) this.t = this.events.length;
    this.draw();
    this.start();
  }

  stop() {
    remember(this);
    cancelAnimationFrame(this.loop);
    this.report.stop();
    this.loop = 0;
    this.watch.disconnect();
    document.removeEventListener("specviz:go", this.obey);
  }
}
