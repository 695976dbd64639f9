// The table of drafters: rows that were there from the beginning fill up; sorted by any heading, a row opens in the player.

const families = new WeakMap();     // by parentElement: the DOM of one mount

class Family {
  constructor(root, host) {
    Object.assign(this, { root, host, rows: new Map(), chosen: null, sort: "", order: [], run: null });
    const q = (s) => root.querySelector(s);
    this.view = { says: q(".says"), badge: q(".badge"), sorter: q(".sorter"), select: q("select"), share: q(".share"), done: q(".share i"), table: q(".table"),
      head: q(".head .line"), body: q(".body"), legend: q(".legend") };
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.view.select.addEventListener("change", () => this.sortBy(this.view.select.value));
    this.watch = new ResizeObserver(() => this.measure());      // a text grows when the page gets its width, and its fonts
    root.addEventListener("keydown", (event) => { if (event.key === "r" || event.key === "c") event.stopPropagation(); });
  }

  update(data, send) {
    const another = this.run !== data.run;
    if (this.run === null || this.given !== data.sort + data.chosen) Object.assign(this, { sort: data.sort, chosen: data.chosen });
    Object.assign(this, { data, send, labels: data.labels, run: data.run, given: data.sort + data.chosen });
    takeTheme(this);
    put(this.root, "@aria-label", this.labels.name);
    put(this.view.table, "@aria-label", this.labels.name);
    put(this.view.says, "text", data.says);
    put(this.view.badge, "text", data.recorded ? this.labels.recorded : "");
    put(this.view.badge, "display", data.recorded ? "" : "none");
    put(this.view.share, "class", data.share == null ? "share" : "share on");
    wide(this.view.done, data.share ?? 0);
    put(this.root, "@data-lines", String(data.lines));
    put(this.root, "@data-busy", data.busy ? "true" : null);
    this.drawHead();
    const settled = data.share == null, codes = data.rows.map((row) => row.drafter);
    // While figures come in, rows stay where they are; then they go where the heading wants them.
    if (settled || another || codes.length !== this.order.length) this.order = orderOf(data.rows, this.sort);
    this.place(another);
    this.fill();
  }

  drawHead() {
    const key = JSON.stringify(this.labels);
    if (this.headed !== key) {
      this.headed = key;
      const { head, legend, select, sorter } = this.view;
      head.replaceChildren();
      this.heads = new Map(COLUMNS.map((column) => [column.name, this.newHead(head, column.name)]));
      put(make("div", "cell text hidden", head), "@role", "columnheader");
      put(head.lastChild, "text", this.labels.head_text);
      put(sorter.firstElementChild, "text", this.labels.sort_by);
      select.replaceChildren(new Option(this.labels.sort_none, ""));
      for (const { name, of } of COLUMNS) if (of) select.add(new Option(this.labels["head_" + name], name));
      legend.replaceChildren();
      for (const name of ["accepted", "fix", "bonus", "missed", "guess", "verify", "rest"]) {
        const item = make("span", "item", legend);
        const key = make("i", "key " + name, item);
        if (name === "missed") put(key, "text", "✗");
        item.appendChild(document.createTextNode(this.labels["legend_" + name]));
      }
    }
    const sort = sortOf(this.sort);
    for (const [name, { cell, mark }] of this.heads) {
      const mine = sort && sort.name === name;
      put(cell, "@aria-sort", mine ? sort.way : "none");
      put(mark, "text", mine ? (sort.way === "ascending" ? "▲" : "▼") : "");
    }
    this.view.select.value = sort ? sort.name : "";
  }

  newHead(head, name) {
    const cell = make("div", "cell " + name, head);
    put(cell, "@role", "columnheader");
    const button = make("button", "", cell);
    button.type = "button";
    put(make("span", "", button), "text", this.labels["head_" + name]);
    const mark = make("span", "mark", button);
    put(mark, "@aria-hidden", "true");
    put(button, "@title", this.labels["tip_" + name] || null);
    button.addEventListener("click", () => this.sortBy(nextSort(this.sort, name)));
    return { cell, mark };
  }

  sortBy(sort) {
    this.sort = sort;
    this.drawHead();
    this.order = orderOf(this.data.rows, sort);
    this.place();
    this.fill();
    this.tell();
  }

  choose(code) {
    const told = this.data.rows.find((row) => row.drafter === code);
    if (!told || told.state !== "done" || code === "plain" || code === this.chosen) return;
    this.chosen = code;
    this.fill();
    this.tell();
    // The run plays below the table: whoever opens a row wants to see it.
    setTimeout(() => document.querySelector(".st-key-family_player")?.scrollIntoView({ behavior: this.still.matches ? "auto" : "smooth", block: "end" }), 700);
  }

  tell() {
    this.send("choice", { drafter: this.chosen, sort: this.sort });
  }

  // Puts the rows into their order; each goes there from where it stood.
  place(another) {
    const body = this.view.body, before = new Map([...this.rows].map(([code, row]) => [code, row.line.offsetTop]));
    for (const [code, row] of this.rows) if (!this.order.includes(code)) { row.line.remove(); this.rows.delete(code); }
    const now = [...body.children].map((line) => line.dataset.drafter);
    if (now.join() === this.order.join()) return;
    const focused = this.root.getRootNode().activeElement;
    for (const code of this.order) {
      if (!this.rows.has(code)) this.rows.set(code, makeRow(this, code));
      body.appendChild(this.rows.get(code).line);
    }
    if (focused && this.root.contains(focused)) focused.focus({ preventScroll: true });
    if (another || this.still.matches) return;
    for (const [code, row] of this.rows) {
      const moved = before.has(code) ? before.get(code) - row.line.offsetTop : 0;
      if (moved) row.line.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], { duration: 420, easing: "cubic-bezier(0.3, 0, 0.2, 1)" });
    }
  }

  measure() {
    for (const told of (this.data || { rows: [] }).rows) if (this.rows.has(told.drafter)) reachText(this, this.rows.get(told.drafter), told);
  }

  fill() {
    const scales = scalesOf(this.data.rows);
    for (const told of this.data.rows) fillRow(this, this.rows.get(told.drafter), told, scales);
    const facts = this.data.rows.map(({ drafter, state, tokens_per_round, alpha, speed, verdict }) => ({ drafter, state, tokens_per_round, alpha, speed, verdict }));
    put(this.root, "@data-rows", JSON.stringify(facts));
    put(this.root, "@data-order", this.order.join());
    put(this.root, "@data-sort", this.sort);
    put(this.root, "@data-chosen", this.chosen || "");
    put(this.root, "@data-run", this.run);
  }
}

export default function (component) {
  const { data: [data], parentElement, setStateValue } = component;
  const root = parentElement.querySelector('[data-specviz="family"]'), host = parentElement.host || parentElement;
  let me = families.get(parentElement);
  if (!me || me.root !== root) families.set(parentElement, (me = new Family(root, host)));
  me.update(data, setStateValue);
}
