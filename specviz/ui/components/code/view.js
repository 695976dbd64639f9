// The listing: its lines, which of them are lit, and the row of values above them.

class Listing {
  constructor(root, host) {
    Object.assign(this, { root, host, view: "python", moment: null, labels: {}, rows: [], drawn: null });
    this.lines = root.querySelector(".lines");
    this.values = root.querySelector(".values");
    this.hear = (event) => this.follow(event.detail);
    document.addEventListener("specviz:moment", this.hear);
    for (const button of root.querySelectorAll("[data-view]")) button.addEventListener("click", () => this.show(button.dataset.view));
    for (const [name, by] of [["back", -1], ["forward", 1]]) root.querySelector(`[data-do="${name}"]`).addEventListener("click", () => this.ask({ by }));
    root.addEventListener("keydown", (event) => this.key(event));
  }

  update(data) {
    this.data = data;
    this.labels = data.labels;
    takeTheme(this);
    put(this.root, "@aria-label", this.labels.name);
    for (const button of this.root.querySelectorAll("button[data-view]")) put(button, "text", this.labels["view_" + button.dataset.view]);
    for (const name of ["back", "forward"]) {
      const button = this.root.querySelector(`[data-do="${name}"]`);
      put(button, "@aria-label", this.labels[name]);
      put(button, "@title", this.labels[name]);
    }
    this.show(this.view);
    this.ask({});       // whoever plays on this page tells where it is
  }

  show(view) {
    this.view = view;
    put(this.root, "@data-view", view);
    for (const button of this.root.querySelectorAll("button[data-view]")) put(button, "@aria-pressed", String(button.dataset.view === view));
    if (this.drawn !== view) this.build(view);
    this.draw();
  }

  build(view) {
    this.drawn = view;
    this.rows = [];
    this.lines.replaceChildren();
    for (const block of this.data.listings[view]) {
      put(make("div", "file", this.lines), "text", block.file);
      for (const line of block.lines) this.rows.push({ node: this.row(line), events: line.events });
    }
  }

  row(line) {
    const acts = line.events.length > 0;
    const node = make(acts ? "button" : "div", acts ? "line acts" : "line", this.lines);
    node.setAttribute("role", "listitem");
    put(make("span", "number", node), "text", String(line.number));
    const text = make("code", "", node), indent = /^ */.exec(line.pieces.map(([, piece]) => piece).join(""))[0].length;
    put(text, "--indent", `${indent}ch`);
    line.pieces.forEach(([kind, piece], i) => put(make("span", kind, text), "text", i === 0 ? piece.replace(/^ +/, "") : piece));
    if (acts) {
      node.type = "button";
      put(node, "@title", this.labels.next_time);
      node.addEventListener("click", () => this.ask({ kinds: line.events }));
    }
    return node;
  }

  // A player has moved.
  follow(moment) {
    this.moment = moment;
    this.draw();
  }

  ask(detail) {
    document.dispatchEvent(new CustomEvent("specviz:go", { detail }));
  }

  draw() {
    const moment = this.moment, name = moment ? eventName(moment.trace, moment.event) : null;
    put(this.root, "@data-lit", name || "");
    const lit = this.rows.filter((row) => name !== null && row.events.includes(name)).map((row) => row.node);
    for (const row of this.rows) put(row.node, "@aria-current", lit.includes(row.node) ? "step" : null);
    if (lit.length) this.reveal(lit);
    this.values.replaceChildren();
    const values = this.view === "paper" ? paperValues : valuesOf;
    for (const [label, value, kind] of moment ? values(moment.trace, moment.event, this.labels.end) : []) {
      const item = make("span", "value " + (kind || ""), this.values);
      put(make("span", "name", item), "text", label);
      put(make("span", "", item), "text", value);
    }
  }

  // Only the box scrolls, never the page: to the innermost of the lit lines (the rule itself stands below what calls it),
  // and with it as many of the others as there is room for.
  reveal(lit) {
    const box = this.lines, tall = box.clientHeight, edge = 24;
    const spans = lit.map((node) => [node.offsetTop - box.offsetTop, node.offsetTop - box.offsetTop + node.offsetHeight]);
    const bottom = spans[spans.length - 1][1], top = spans.find(([start]) => bottom - start <= tall - 2 * edge) || spans[spans.length - 1];
    if (top[0] >= box.scrollTop + edge / 2 && bottom <= box.scrollTop + tall - edge / 2) return;
    box.scrollTop = Math.max(0, bottom - top[0] > tall / 2 ? top[0] - edge : (top[0] + bottom - tall) / 2);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "r" || event.key === "c") return event.stopPropagation();   // Streamlit's own keys
    const by = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    this.ask({ by });
  }

  stop() {
    document.removeEventListener("specviz:moment", this.hear);
  }
}
