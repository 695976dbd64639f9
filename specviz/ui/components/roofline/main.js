// One mount: what it shows, what moves, and what it tells the server. Everything drawn follows from these fields.

let born = 0;

class Roofline {
  constructor(root, host) {
    Object.assign(this, { root, host, number: ++born, values: null, labels: {}, sources: {}, devices: [], dtypes: [], bytes: {}, limits: {}, ends: {}, stops: {}, measured: null,
      device: null, cost: null, axis: 0, goalAxis: 0, seconds: 0, paused: false, seen: true, held: false, refused: null, width: 0, frames: 0, painted: 0, loop: 0, got: null, colours: {} });
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.paused = this.still.matches;
    this.times = makeTimes(this);
    this.flow = makeFlow(this);
    this.curve = makeCurve(this);
    this.controls = makeControls(this);
    this.report = new Report(host, 150, () => this.held ? null : { ...inOrder(this.values), turn: this.turn });
    this.tick = this.tick.bind(this);
    this.watch = new ResizeObserver(() => this.measure());
    this.sight = new IntersectionObserver(([entry]) => {
      this.seen = entry.isIntersecting;
      this.start();
    });
  }

  // ---- what the page says
  update(data, send) {
    this.report.to((state) => send("state", state));
    for (const name of ["labels", "sources", "devices", "dtypes", "bytes", "limits", "ends", "measured"]) this[name] = data[name];
    for (const [name, [low, high]] of Object.entries(this.ends)) this.stops[name] = stopsOf(low, high, WHOLE.includes(name));
    takeTheme(this);
    const style = getComputedStyle(this.root);
    for (const name of ["p", "residual", "line", "panel"]) this.colours[name] = style.getPropertyValue("--" + name).trim();
    const said = JSON.stringify(data.values);
    // A page hands back what it was told, sometimes late: only what is new to both sides changes the picture.
    if (data.turn !== this.turn) {      // the page itself has moved the picture
      this.report.forget();
      Object.assign(this, { turn: data.turn, got: said, values: { ...data.values } });
    } else if (said !== this.got) {
      this.got = said;
      const back = JSON.stringify({ ...inOrder(data.values), turn: data.turn });
      if (!this.report.isEcho((state) => JSON.stringify(state) === back)) this.values = { ...data.values };
    }
    this.watch.observe(this.root);
    this.sight.observe(this.root);
    updateControls(this);
    this.width = 0;
    this.reckon();
    this.axis = this.goalAxis;
    this.measure();
    this.start();
  }

  // ---- what the reader does
  change(values, done) {
    this.refused = null;
    Object.assign(this.values, values);
    this.reckon();
    this.draw();
    this.start();
    if (done) this.report.due();
  }

  refuse(name, field, low, high) {
    field.setAttribute("aria-invalid", "true");
    this.refused = { name: this.labels[name], value: field.value.trim() || "–", low: plain(low, 6), high: plain(high, 6) };
    this.draw();
  }

  pause(on) {
    this.paused = on;
    this.draw();
    this.start();
  }

  // ---- what follows
  reckon() {
    const own = this.values.device === "own" ? ownDevice(this.bytes, this.values) : null;
    this.device = own || this.devices.find((device) => device.code === this.values.device) || this.devices[0];
    this.cost = price(this.device, this.bytes, this.values);
    this.goalAxis = nice(this.cost.ms);
    if (this.still.matches || !this.axis) this.axis = this.goalAxis;
  }

  // Passes that were measured, where the controls describe the very model and machine they were measured on.
  points() {
    if (!this.measured) return [];
    const { model, passes } = this.measured, v = this.values, wanted = { params: model.params, dtype: model.dtype, context: model.context, ...model.shape, batch: 1, device: "this" };
    return Object.entries(wanted).every(([name, value]) => v[name] === value) ? passes : [];
  }

  // ---- what is on screen
  measure() {
    const width = this.root.clientWidth;
    if (!(width > 0) || !this.values) return;      // a hidden tab has no size
    if (width !== this.width) {
      this.width = width;
      put(this.root, "@data-size", width < 760 ? "narrow" : "wide");
      sizeFlow(this);
      sizeCurve(this);
    }
    this.draw();
  }

  draw() {
    if (!this.width) return;
    drawTimes(this);
    drawFlow(this);
    drawCurve(this);
    drawControls(this);
    this.say();
    const fact = (name, value) => put(this.root, "@data-" + name, value === null ? "" : String(value)), { cost, values } = this;
    for (const name of ["params", "dtype", "device", "tokens", "context", "batch"]) fact(name, values[name]);
    for (const name of ["memory_ms", "compute_ms", "launch_ms", "bound", "fits", "devices"]) fact(name.replace("_", "-"), cost[name]);
    fact("pass-ms", cost.ms);
    fact("ridge", cost.ridge_tokens);
    fact("measured", this.points().length);
    fact("state", this.moving() ? "moving" : "still");
  }

  say() {
    const { key, ...facts } = this.refused ? { key: "out_of_range", ...this.refused } : saysOf(this.cost, this.values);
    const node = this.root.querySelector(".why span");
    write(node, this.labels[key], facts);
    put(this.root.querySelector(".why"), "@data-says", key);
    const room = this.width - 30, ems = emsOf(this, node.textContent) * 1.04;
    put(node, "fontSize", (this.width < 760 ? 19 : fit(ems, room, 29, 19)) + "px");
    const { key: fits, ...sizes } = fitsOf(this.cost, this.device), box = this.root.querySelector(".fits");
    put(box, "@data-fits", fits);
    write(box, (fits === "fits_yes" ? "{yes}" : fits === "fits_no" ? "{no}" : "") + this.labels[fits], { ...sizes, yes: "✓", no: "✗" });
  }

  // ---- time
  moving() {
    return !this.paused || this.axis !== this.goalAxis;
  }

  start() {
    if (!this.loop && this.width && this.seen && this.moving()) {
      this.last = null;
      this.loop = requestAnimationFrame(this.tick);
    }
  }

  tick(now) {
    this.loop = 0;
    if (!this.host.isConnected) return this.stop();
    const passed = this.last == null ? 0 : Math.min(now - this.last, 100);
    this.last = now;
    if (!this.paused) this.seconds += passed / 1e3;
    if (this.axis !== this.goalAxis) {
      this.axis = mix(this.axis, this.goalAxis, 1 - Math.exp(-passed / 80));
      if (Math.abs(this.axis / this.goalAxis - 1) < 0.004) this.axis = this.goalAxis;
      drawTimes(this);
    }
    // Thirty pictures a second are smooth at this pace, and leave the machine to the others.
    if (now - this.painted > 30 || !this.painted) {
      this.painted = now;
      drawStream(this);
    }
    put(this.root, "@data-frames", String(++this.frames));
    put(this.root, "@data-state", this.moving() ? "moving" : "still");
    if (this.seen && this.moving()) this.loop = requestAnimationFrame(this.tick);
  }

  stop() {
    cancelAnimationFrame(this.loop);
    this.report.stop();
    this.loop = 0;
    this.watch.disconnect();
    this.sight.disconnect();
  }
}

function inOrder(values) {
  return Object.fromEntries(Object.keys(values).sort().map((name) => [name, values[name]]));
}

const mounts = new WeakMap();      // by parentElement: the DOM of one mount

export default function (component) {
  const { data: [data], parentElement, setStateValue } = component;
  const root = parentElement.querySelector('[data-specviz="roofline"]');
  const host = parentElement.host || parentElement;
  let me = mounts.get(parentElement);
  if (!me || me.root !== root) {
    if (me) me.stop();
    me = new Roofline(root, host);
    mounts.set(parentElement, me);
  }
  me.update(data, setStateValue);
  // A superseded call's clean-up can run while the picture lives: only a host that has left the page ends it.
  return () => setTimeout(() => { if (!host.isConnected && mounts.get(parentElement) === me) me.stop(); }, 0);
}
