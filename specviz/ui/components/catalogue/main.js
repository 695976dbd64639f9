// The table of pairs: a row a pair with its bar; the chosen row and the context go to the server, the drag does not.

const catalogues = new WeakMap();   // by parentElement: the DOM of one mount

class Catalogue {
  constructor(root, host) {
    Object.assign(this, { root, host, chosen: null, rows: new Map() });
    const q = (s) => root.querySelector(s);
    this.view = { machine: q(".machine"), knob: q(".knob input"), name: q(".knob .name"), output: q(".knob output"), list: q(".list"),
      head: q("thead"), body: q("tbody"), legend: q(".legend") };
    this.view.knob.addEventListener("input", () => { this.context = this.data.stops[Number(this.view.knob.value)]; this.draw(); });
    this.view.knob.addEventListener("change", () => this.tell());
    root.addEventListener("keydown", (event) => { if (event.key === "r" || event.key === "c") event.stopPropagation(); });
  }

  update(data, send) {
    Object.assign(this, { data, send, labels: data.labels });
    if (!this.chosen) Object.assign(this, { chosen: data.chosen, context: data.context });  // from here on it is the reader's
    takeTheme(this);
    put(this.root, "@aria-label", this.labels.name);
    put(this.view.machine, "text", data.room.says);
    put(this.view.name, "text", this.labels.context);
    this.view.knob.max = String(data.stops.length - 1);
    this.drawHead();
    this.fillRows();
    this.draw();
    if (!this.shown) this.show();
  }

  tell() {
    this.send("choice", { pair: this.chosen, context: this.context });
  }

  choose(name) {
    this.chosen = name;
    this.draw();
    this.tell();
  }

  // The chosen row is in view when the page opens, without moving the page.
  show() {
    const row = this.rows.get(this.chosen), { list, head } = this.view;
    if (!row || !list.clientHeight) return;
    this.shown = true;
    const top = row.tr.offsetTop - head.offsetHeight;
    if (top + row.tr.offsetHeight > list.clientHeight) list.scrollTop = top - list.clientHeight / 3;
  }

  drawHead() {
    const key = JSON.stringify(this.labels) + this.data.room.dtype;
    if (this.headed === key) return;
    this.headed = key;
    const { head, legend } = this.view, tr = document.createElement("tr");
    for (const name of ["pair", "sizes", "bf16", "int8", "kv", "fits", "state"]) {
      const th = make("th", ["bf16", "int8", "kv"].includes(name) ? "number" : "", tr);
      th.scope = "col";
      put(th, "text", say(this.labels["head_" + name], { dtype: this.data.room.dtype.toUpperCase() }));
    }
    head.replaceChildren(tr);
    legend.replaceChildren();
    for (const name of ["target", "draft", "kv", "end"]) {
      const item = make("span", "", legend);
      make("i", name, item);
      item.appendChild(document.createTextNode(this.labels["legend_" + name]));
    }
  }

  fillRows() {
    const names = this.data.rows.map((row) => row.name);
    if (this.names !== names.join()) {
      this.names = names.join();
      this.rows = new Map(names.map((name) => [name, this.newRow(name)]));
      this.view.body.replaceChildren(...[...this.rows.values()].map((row) => row.tr));
    }
    for (const row of this.data.rows) this.fillRow(this.rows.get(row.name), row);
  }

  newRow(name) {
    const tr = document.createElement("tr"), row = { tr };
    const pair = make("th", "pair", tr);
    pair.scope = "row";
    const label = make("label", "", pair);
    row.radio = make("input", "", label);
    Object.assign(row.radio, { type: "radio", name: "pair", value: name });
    row.radio.addEventListener("change", () => this.choose(name));
    row.title = make("span", "title", label);
    row.about = make("span", "about", label);
    row.sizes = make("td", "sizes", tr);
    for (const figure of ["bf16", "int8", "kv"]) row[figure] = make("td", "number", tr);
    const fits = make("td", "fits", tr);
    row.bar = make("span", "bar", fits);
    for (const piece of ["target", "draft", "kv", "over", "end"]) row["bar_" + piece] = make("i", piece, row.bar);
    row.need = make("span", "need", fits);
    row.state = make("td", "state", tr);
    row.mark = make("span", "mark", row.state);
    put(row.mark, "@aria-hidden", "true");
    row.says = make("span", "", row.state);
    row.notes = make("div", "notes", row.state);
    tr.addEventListener("click", (event) => {
      if (event.target.closest("label")) return;
      row.radio.focus({ preventScroll: true });
      if (this.chosen !== name) this.choose(name);
    });
    return row;
  }

  fillRow(row, told) {
    put(row.title, "text", told.title);
    put(row.about, "text", told.about);
    put(row.sizes, "text", told.sizes);
    put(row.mark, "text", { ready: "✓", here: "●", busy: "◔", away: "○" }[told.state]);
    put(row.says, "text", told.state_says);
    put(row.notes, "text", told.notes);
    put(row.tr, "@data-state", told.state);
    for (const figure of ["bf16", "int8", "kv"]) put(row[figure], "@data-head", this.labels["short_" + figure]);
  }

  draw() {
    const { data, context, labels, view } = this, { free, dtype } = data.room;
    const stop = data.stops.indexOf(context), said = say(labels.tokens, { n: grouped(context) });
    view.knob.value = String(stop);
    put(view.knob, "@aria-valuetext", said);
    put(view.output, "text", said);
    for (const told of data.rows) {
      const row = this.rows.get(told.name), need = needOf(told, dtype, context);
      put(row.tr, "class", told.name === this.chosen ? "chosen" : "");
      row.radio.checked = told.name === this.chosen;
      for (const kind of ["bf16", "int8"]) put(row[kind], "text", sizeOf(told.memory[kind].target + told.memory[kind].draft));
      put(row.kv, "text", sizeOf(needOf(told, "bf16", context).kv));
      this.drawBar(row, need, free + told.held);
    }
    const mine = data.rows.find((row) => row.name === this.chosen), need = needOf(mine, dtype, context);
    const facts = { pair: this.chosen, pairs: data.rows.length, context, need: need.total, fits: need.total <= free + mine.held };
    for (const [name, value] of Object.entries(facts)) put(this.root, "@data-" + name, String(value));
  }

  // free: bytes, with what the pair itself holds already.
  drawBar(row, need, free) {
    const bar = barOf(need, free);
    let at = 0;
    for (const piece of ["target", "draft", "kv"]) {
      put(row["bar_" + piece], "left", (100 * at).toFixed(3) + "%");
      put(row["bar_" + piece], "width", (100 * bar[piece]).toFixed(3) + "%");
      put(row["bar_" + piece], "display", need[piece] ? "block" : "none");
      at += bar[piece];
    }
    for (const piece of ["over", "end"]) {
      put(row["bar_" + piece], "display", bar.fits ? "none" : "block");
      put(row["bar_" + piece], "left", (100 * bar.end).toFixed(3) + "%");
    }
    put(row.bar_over, "right", "0");
    const label = bar.fits ? this.labels.fits_yes : this.labels.fits_no;
    put(row.need, "class", bar.fits ? "need yes" : "need no");
    put(row.need, "text", say(label, { need: sizeOf(need.total), free: sizeOf(free) }));
  }
}

export default function (component) {
  const { data: [data], parentElement, setStateValue } = component;
  const root = parentElement.querySelector('[data-specviz="catalogue"]'), host = parentElement.host || parentElement;
  let me = catalogues.get(parentElement);
  if (!me || me.root !== root) catalogues.set(parentElement, (me = new Catalogue(root, host)));
  me.update(data, setStateValue);
}
