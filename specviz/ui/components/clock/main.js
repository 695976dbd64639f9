// The player on another machine's clock: controls move the price of a pass, the run is retimed, the lanes rescale.

const clocks = new WeakMap();       // by parentElement: the DOM of one mount

class ClockView {
  constructor(root, host) {
    Object.assign(this, { root, host, choice: null, facts: null, trace: null });
    this.player = new Player(root.querySelector('[data-specviz="player"]'), host);
    const q = (s) => root.querySelector(s);
    this.view = { what: q(".what"), gain: q(".gain"), head: q("thead"), body: q("tbody"), each: q(".each"), room: q(".room"), prices: q(".prices") };
    // Where each millisecond goes stands right under the lanes, above the cards.
    this.player.root.append(this.view.prices, this.view.each, this.view.room);
    this.knobs = {};
    for (const knob of root.querySelectorAll("[data-knob]")) {
      const name = knob.dataset.knob;
      this.knobs[name] = knob;
      knob.addEventListener("input", () => this.move(name));
      knob.addEventListener("change", () => { this.move(name); this.send("choice", { ...this.choice }); });
      knob.addEventListener("keydown", (event) => { if (event.key === "r" || event.key === "c") event.stopPropagation(); });
    }
  }

  update(data, send) {
    Object.assign(this, { send, data, labels: data.labels, facts: data.facts, trace: data.trace, traceId: data.trace_id });
    // What the reader has moved since stands, unless it can no longer be had.
    if (!this.choice) this.choice = { ...data.start };
    if (this.choice.device === "this" && !this.facts.measured) this.choice.device = data.start.device;
    takeTheme(this);
    put(this.root, "@aria-label", this.labels.name);
    this.drawKnobs();
    this.draw();
  }

  stops(name) {
    return this.facts.stops[name];
  }

  move(name) {
    const knob = this.knobs[name];
    this.choice[name] = knob.tagName === "SELECT" ? knob.value : this.stops(name)[Number(knob.value)];
    this.drawKnobs();
    this.draw();
  }

  size(params) {
    return say(this.labels.billion, { n: String(params / 1e9) });
  }

  said(name, value) {
    return name === "target" || name === "draft" ? this.size(value) : String(value);
  }

  drawKnobs() {
    for (const label of this.root.querySelectorAll("[data-name]")) put(label, "text", this.labels[label.dataset.name]);
    const own = this.facts.measured ? ["this"] : [];
    fill(this.knobs.device, [...Object.keys(this.facts.devices), ...own], (code) => (code === "this" ? this.labels.this : this.facts.devices[code].name));
    fill(this.knobs.dtype, Object.keys(this.facts.bytes), (code) => code.toUpperCase());
    for (const [name, knob] of Object.entries(this.knobs)) {
      if (name !== "device") knob.disabled = this.choice.device === "this";
      if (knob.tagName === "SELECT") {
        knob.value = this.choice[name];
        continue;
      }
      const stops = this.stops(name);
      knob.max = String(stops.length - 1);
      knob.value = String(stops.indexOf(this.choice[name]));
      // The measured machine ran the pair it ran: what the sliders say is not what is priced.
      put(knob.parentElement.querySelector("output"), "text", knob.disabled ? "–" : this.said(name, this.choice[name]));
      put(knob, "@aria-valuetext", this.said(name, this.choice[name]));
    }
  }

  draw() {
    const { choice, facts, labels, data } = this;
    const clock = clockOf(facts, choice), run = retimed(this.trace, clock);
    const gamma = placesOf(this.trace) - 1, k = gamma + 1;
    // The lanes redraw what has changed in length; with another clock everything has.
    this.player.lanes.drawn = null;
    this.player.factor = null;
    this.player.update({ trace: run.trace, trace_id: data.trace_id, live: false, recorded: data.recorded, plain: { ms: run.plain, text: null },
      step: 1e9, autoplay: false, labels: data.player_labels }, () => {});
    const device = facts.devices[choice.device], own = choice.device === "this";
    put(this.view.what, "text", own ? labels.head_measured
      : say(labels.head_calculated, { target: this.size(choice.target), draft: this.size(choice.draft), device: device.name }));
    put(this.view.gain, "text", this.gainSaid(run.speedup));
    const times = { draft: clock.draftMs, plain: clock.targetMs(1), verify: clock.targetMs(k) };
    this.drawPrices(own ? null : device, times, k);
    put(this.view.each, "text", say(labels.each_round, { gamma, draft: milliseconds(gamma * times.draft), verify: milliseconds(times.verify),
      c: milliseconds(times.draft / times.plain), k, v: figure(times.verify / times.plain) }));
    for (const [name, value] of Object.entries({ device: choice.device, "draft-ms": times.draft, "target-ms": times.plain, "verify-ms": times.verify, speedup: run.speedup }))
      put(this.root, "@data-" + name, String(value));
  }

  gainSaid(speedup) {
    if (speedup == null) return "";
    const x = speedup.toFixed(2);
    return x === "1.00" ? this.labels.same : say(speedup > 1 ? this.labels.faster : this.labels.slower, { x });
  }

  // Where each millisecond goes: one row a kind of pass. Reading and arithmetic overlap, the longer one (bold) rules.
  drawPrices(device, times, k) {
    const { choice, facts, labels } = this, names = ["pass", "weights", "kv", "arithmetic", "takes"];
    this.view.head.replaceChildren();
    this.view.body.replaceChildren();
    const head = make("tr", "", this.view.head);
    for (const name of device ? names : ["pass", "takes"]) put(make("th", "", head), "text", labels[name] + (name === "pass" ? "" : " (ms)"));
    const kinds = [["draft", choice.draft, 1], ["plain", choice.target, 1], ["verify", choice.target, k]];
    for (const [kind, params, count] of kinds) {
      const row = make("tr", "", this.view.body), cell = make("th", "", row);
      cell.scope = "row";
      make("span", kind === "draft" ? "swatch draft" : "swatch", cell);
      cell.appendChild(document.createTextNode(say(labels["pass_" + kind], { k })));
      if (device) {
        const one = priceOf(facts, device, params, choice.dtype, count, choice.context, choice.batch), reads = one.memory_ms >= (one.compute_ms ?? 0);
        put(make("td", reads ? "rules" : "", row), "text", milliseconds(one.weights_ms));
        put(make("td", reads && one.kv_ms > 0 ? "rules" : "", row), "text", milliseconds(one.kv_ms));
        put(make("td", reads ? "" : "rules", row), "text", one.compute_ms == null ? labels.unknown : milliseconds(one.compute_ms));
      }
      put(make("td", "", row), "text", milliseconds(times[kind]));
    }
    this.drawRoom(device);
  }

  drawRoom(device) {
    const { choice, facts, labels, view } = this;
    if (!device) return put(view.room, "text", "");
    const ready = [choice.target, choice.draft].map((params) => priceOf(facts, device, params, choice.dtype, 1, choice.context, choice.batch));
    const { need, devices } = memoryOf(device, ready);
    const words = { need: String(Number((need / 1e9).toPrecision(3))), memory: device.memory, device: device.name, n: devices };
    put(view.room, "class", devices > 1 ? "note room bad" : "note room");
    put(view.room, "text", say(devices == null ? labels.no_memory : devices > 1 ? labels.too_big : labels.fits, words));
  }

  stop() {
    this.player.stop();
  }
}

// The options of a list of choices, written only when they change.
function fill(select, codes, named) {
  const key = codes.map((code) => code + "=" + named(code)).join("/");
  if (select.filled === key) return;
  select.filled = key;
  select.replaceChildren(...codes.map((code) => new Option(named(code), code)));
}

export default function (component) {
  const { data: [data], parentElement, setStateValue } = component;
  const root = parentElement.querySelector('[data-specviz="clock"]'), host = parentElement.host || parentElement;
  let me = clocks.get(parentElement);
  if (!me || me.root !== root) {
    if (me) me.stop();
    me = new ClockView(root, host);
    clocks.set(parentElement, me);
  }
  me.update(data, setStateValue);
  return () => setTimeout(() => { if (!host.isConnected && clocks.get(parentElement) === me) me.stop(); }, 0);
}
