// One column opened: the distribution at one place. q outlined, p solid, on one axis; the two rests apart.
// The gauge becomes x's own column: outline 1 shrinks to q(x), blue min(1, p/q) to p(x).

const SVG = "http://www.w3.org/2000/svg";

function draw(tag, attributes, parent) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (parent) parent.appendChild(node);
  return node;
}

// What there is to show at a place: {entries, rest, x, fix, alone, soft}; round -1 means the first token.
// At T = 0 p and q are one-hot and show nothing: the probabilities before sharpening are shown instead.
function placeOf(trace, r, place) {
  const round = r >= 0 ? rounds(trace)[r] : null, token = round && (round.draft || [])[place];
  const fix = r < 0 ? trace.first : token ? (rejectedPlace(round) === place ? round.fix : null) : round && round.fix;
  const source = token || fix;
  if (!source) return null;
  const soft = isGreedy(trace) && Array.isArray(source.soft) && source.soft.length > 0;
  const side = (s) => ({ p: (s && s.p) || 0, q: (s && s.q) || 0 });
  const rest = source.rest && !soft ? [{ ...side(source.rest.over), side: "over" }, { ...side(source.rest.under), side: "under" }] : [];
  const entries = (soft ? source.soft : source.top || []).map(([id, text, p, q]) => ({ id, text, p: p || 0, q: q || 0 }));
  entries.sort((a, b) => Math.max(b.p, b.q) - Math.max(a.p, a.q));
  return { entries, rest, x: token || null, fix: fix || null, alone: !token, soft };
}

// The axis serves the single tokens; a rest that is larger than all of them is cut off and says its figures.
function topOf(here) {
  const most = Math.max(...here.entries.map((c) => Math.max(c.p, c.q)), 0.01);
  return [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1].find((x) => x >= most - 1e-9) || 1;
}

function makeDistribution(me) {
  const panel = me.cards.panel;
  const apart = me.root.querySelector(".apart");
  panel.addEventListener("click", () => me.closeLens());
  apart.addEventListener("click", () => me.closeLens());
  return { panel, apart, key: null };
}

// Builds the picture for one place once; drawing then only moves what moves.
function buildDistribution(me, host, here, width, tile) {
  const size = me.size, narrow = width < 480;
  host.replaceChildren();
  const head = make("div", "head", host);
  if (tile) {
    const face = make("span", "face " + tile.kind, head);
    const word = make("span", "word", face), name = shown(tile.text, me.labels.end);
    put(word, "text", name);
    put(word, "fontSize", fit(emsOf(me, name), size.most - 20, size.word, 8) + "px");
    put(face, "width", size.most + "px");
  }
  const facts = make("div", "facts", head);
  if (tile && here.x && here.fix && tile.kind === "fixed full") writeFixFacts(me, facts, here);
  else writeFacts(me, facts, here);
  put(make("span", "close", host), "text", "✕");
  const svg = draw("svg", { width, height: size.row, class: "chart", "aria-hidden": "true" }, host);
  const defs = draw("defs", {}, svg);
  const id = "hatch" + me.number + (tile ? "apart" : "");      // both charts live in one tree
  const pattern = draw("pattern", { id, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(-45)" }, defs);
  draw("rect", { width: 7, height: 7, class: "hatch-paper" }, pattern);
  draw("rect", { width: 3.4, height: 7, class: "hatch-ink" }, pattern);
  const columns = [...here.entries, ...here.rest];
  const at = columnLayout(here.entries.length, here.rest.length, width, narrow), base = size.gauge + size.reach, top = topOf(here);
  const built = { svg, base, at, top, scale: size.reach / top, columns: [], here, width };
  draw("line", { x1: at.left, x2: width - at.right, y1: base, y2: base, class: "base" }, svg);
  draw("line", { x1: at.left, x2: width - at.right, y1: size.gauge, y2: size.gauge, class: "grid" }, svg);
  draw("text", { x: at.left - 8, y: size.gauge + 5, class: "tick" }, svg).textContent = String(top);
  draw("text", { x: at.left - 8, y: base + 5, class: "tick" }, svg).textContent = "0";
  const names = here.entries.map((c) => shown(c.text, me.labels.end));
  const style = labelStyle(me, names, at.pitch, narrow);
  columns.forEach((column, i) => built.columns.push(buildColumn(me, built, column, i, names[i], style, id)));
  built.others = [...svg.querySelectorAll(".base,.grid,.tick")];
  return built;
}

// One size for all names of a row; where one is too long for one line, they take turns on two.
function labelStyle(me, names, pitch, narrow) {
  const tight = names.some((name) => emsOf(me, name) * 15 > pitch - 9), room = tight ? pitch * 1.85 : pitch - 9;
  const size = Math.min(...names.map((name) => fit(emsOf(me, name), room, !tight ? 24 : narrow ? 14 : 16, 11)));
  return { room, size, lines: !tight ? [31, 31] : narrow ? [16, 34] : [19, 41], tall: size + (tight && narrow ? 4 : 6) };
}

function buildColumn(me, built, column, i, name, style, hatch) {
  const narrow = built.width < 480;
  const { svg, at, base, scale, here } = built, centre = at.centre(i), wide = at.wide;
  const full = column, most = Math.max(column.p, column.q);
  const shrink = built.top / most;      // a rest that is cut keeps its own p to q
  if (column.side && most > built.top) column = { ...column, cut: true, p: column.p * shrink, q: column.q * shrink };
  const group = draw("g", {}, svg), isX = !!here.x && !column.side && column.id === here.x.id;
  const solid = { x: centre - wide / 2 + 3, width: wide - 6, y: base - column.p * scale, height: column.p * scale };
  const outline = inner(centre - wide / 2, base - column.q * scale, wide, column.q * scale);
  const parts = { group, isX, column, solid, centre };
  parts.p = draw("rect", { ...solid, class: "p" }, group);
  if (here.x && here.fix && !here.soft && column.p > column.q) {
    parts.rise = draw("rect", { x: solid.x, width: solid.width, y: base - column.q * scale, height: 0, class: "rise", fill: `url(#${hatch})` }, group);
  }
  if (!here.alone && column.q > 0) {
    parts.edge = draw("rect", { ...outline, class: "q-edge" }, group);
    parts.q = draw("rect", { ...outline, class: "q" }, group);
  }
  if (column.cut) {
    const y = base - me.size.reach * 0.72;
    draw("path", { d: `M${centre - wide / 2 - 4} ${y + 8}l${wide + 8} -9v7l${-wide - 8} 9z`, class: "break" }, group);
    draw("text", { x: centre, y: base - me.size.reach - 5, class: "label rest" }, group).textContent = figure(most);
  }
  const names = draw("g", {}, group);
  parts.names = names;
  const write = (text, y, kind) => {
    const node = draw("text", { x: centre, y, class: "label" + kind }, names);
    node.textContent = text;
    return node;
  };
  if (column.side) {
    write(me.labels.rest, base + 20, " rest");
    write((column.side === "over" ? "q > p" : "p ≥ q").replace(/ /g, narrow ? "" : "\u2009"), base + 37, " rest");
  } else {
    const { size, tall } = style, short = shortened(name, (text) => emsOf(me, text) * size <= style.room);
    const y = base + style.lines[i % 2], chip = emsOf(me, short) * size + (narrow ? 5 : 8);
    const box = { x: centre - chip / 2, y: y - size * 0.38 - tall / 2, width: chip, height: tall, rx: 5 };
    parts.chip = draw("rect", { ...box, class: "chip" + (isX ? " x" : "") }, names);
    parts.label = write(short, y, "");
    parts.label.style.fontSize = size + "px";
  }
  if (isX && here.x.u != null && throwsDart(me.trace, here.x)) parts.dart = draw("path", { class: "u" }, group);
  draw("title", {}, group).textContent = `${column.side ? me.labels.rest : name}: ` + (here.alone ? "" : `q = ${figure(full.q)}, `) + `p = ${figure(full.p)}`;
  return parts;
}

// The legend carries the figures of x, so that each is said once: key, name, number.
function writeFacts(me, box, here) {
  const line = factLines(box), labels = me.labels;
  const shownOf = (id) => here.entries.find((c) => c.id === id) || { p: null, q: null };
  if (!here.x) {
    line("numbers", ["p", `${labels.legend_p} = ${figure(shownOf(here.fix.id).p)}`]);
    if (here.fix.u != null) line("numbers", ["", `u = ${figure(here.fix.u)}`]);
    return;
  }
  const x = here.soft ? shownOf(here.x.id) : here.x;
  // Beside the place kept for the fix, or on a phone, there is room for the letters only; their keys stand by them.
  const [q, p] = here.fix || me.size.name === "narrow" ? ["q", "p"] : [labels.legend_q, labels.legend_p];
  line("numbers", ["q", `${q} = ${figure(x.q)}`], ["p", `${p} = ${figure(x.p)}`]);
  if (here.soft) return line("numbers", ["", labels.legend_soft]);
  if (isGreedy(me.trace)) return;
  const dart = here.x.u != null && throwsDart(me.trace, here.x) ? [["", `u = ${figure(here.x.u)}`]] : [];
  line("numbers", ["", `p/q = ${figure(ratio(here.x))}`], ...dart);
  if (here.fix) line("numbers small", ["residual", labels.legend_residual]);
}

function factLines(box) {
  return (name, ...items) => {
    const line = make("div", name, box);
    for (const [key, text] of items) {
      const node = make("span", "item", line);
      if (key) make("i", "key " + key, node);
      put(make("span", "", node), "text", text);
    }
  };
}

// The fix was asked for: its own figures, and what it stands in for.
function writeFixFacts(me, box, here) {
  const mine = here.entries.find((c) => c.id === here.fix.id) || { p: null, q: null }, line = factLines(box), share = residualShares(here.fix);
  const own = share.find(([text]) => text === here.fix.text);
  line("numbers", ["q", `${me.labels.legend_q} = ${figure(mine.q)}`], ["p", `${me.labels.legend_p} = ${figure(mine.p)}`]);
  if (!here.soft && own) line("numbers", ["residual", `${me.labels.residual_share} = ${figure(own[1])}`], ["", `u = ${figure(here.fix.u)}`]);
  line("numbers small", ["", here.soft ? me.labels.legend_soft : say(me.labels.instead, { x: shown(here.x.text, me.labels.end), ratio: figure(ratio(here.x)) })]);
}

// open: {round, place, amount, residual, drawn, apart}
function drawDistribution(me, f, open, lay) {
  const view = me.distribution, size = me.size;
  const host = open && open.apart ? view.apart : view.panel, other = host === view.panel ? view.apart : view.panel;
  put(other, "visibility", "hidden");
  if (!open || !(open.amount > 0)) return put(host, "visibility", "hidden");
  const here = placeOf(me.trace, open.round, open.place);
  if (!here) return put(host, "visibility", "hidden");
  const width = open.apart ? Math.min(me.width, size.panel + size.most) : lay.panel.full;
  const key = [me.traceId, me.language, open.round, open.place, width, open.apart ? 1 : 0, !!here.fix].join("/");
  if (view.key !== key) {
    view.key = key;
    view.built = buildDistribution(me, host, here, width, open.apart ? open.tile : null);
    host.style.setProperty("--full", width + "px");
    host.style.setProperty("--lead", open.apart ? "0px" : Math.round(LEAD + 18 + (here.x && here.fix ? 2 * lay.own + 18 : lay.own)) + "px");
  }
  put(host, "visibility", "visible");
  put(host, "opacity", open.apart ? open.amount.toFixed(3) : "1");
  if (open.apart) put(host, "transform", `translateX(${(me.width - width) / 2}px)`);
  else put(host, "transform", `translateX(${lay.panel.x}px)`);
  put(host, "width", (open.apart ? width : lay.panel.width) + "px");
  put(host, "--open", open.amount.toFixed(3));
  morph(me, view.built, here, open, lay);
}

function morph(me, built, here, open, lay) {
  const size = me.size, amount = open.apart ? 1 : open.amount, rest = ease(part(amount, 0.35, 1));
  const from = { width: gaugeWidth(lay.own), centre: LEAD * amount + lay.own / 2 };
  for (const c of built.columns) {
    put(c.group, "opacity", c.isX ? (1 - (open.leave || 0)).toFixed(3) : rest.toFixed(3));
    if (c.isX) {
      const centre = mix(from.centre, c.centre, amount), width = mix(from.width, built.at.wide, amount);
      const q = mix(size.reach, c.column.q * built.scale, amount);
      const p = mix(Math.min(1, ratio(here.x)) * size.reach, c.column.p * built.scale, amount);
      const o = inner(centre - width / 2, built.base - q, width, q);
      for (const rect of [c.q, c.edge]) if (rect) setRect(rect, o.x, o.y, o.width, o.height);
      setRect(c.p, centre - width / 2 + 3, built.base - p, width - 6, p);
      put(c.names, "opacity", rest.toFixed(3));
      if (c.dart) {
        const y = built.base - here.x.u * q, right = centre + width / 2 + 1, tip = clamp(built.at.pitch - built.at.wide - 3, 4, 8);
        put(c.dart, "@d", `M${centre - width / 2 - 4} ${y}H${right}M${right + tip} ${y - 0.8 * tip}L${right} ${y}L${right + tip} ${y + 0.8 * tip}Z`);
        put(c.dart, "opacity", open.thrown === false ? "0" : "1");
      }
    }
    if (c.rise) {
      const tall = Math.max(0, (c.column.p - c.column.q) * built.scale) * (open.residual || 0);
      setRect(c.rise, c.solid.x, built.base - c.column.q * built.scale - tall, c.solid.width, tall);
    }
    const won = here.fix && !c.column.side && c.column.id === here.fix.id && ((open.drawn || 0) > 0.1 || here.alone);
    if (c.chip && !c.isX) put(c.chip, "class", "chip" + (won ? (here.alone ? " bonus" : " fix") : ""));
    if (c.label) put(c.label, "class", "label" + (won ? (here.alone ? " on-p" : " on-fix") : ""));
    // Until the pass is through, nobody knows p.
    put(c.p, "opacity", open.known === false ? "0" : "1");
  }
  for (const node of built.others) put(node, "opacity", rest.toFixed(3));
}

// An outline is drawn inside its rectangle: its outer edge, not its middle, is at q.
function inner(x, y, width, height) {
  return { x: x + 1.5, y: y + 1.5, width: width - 3, height: Math.max(0, height - 1.5) };
}

function setRect(rect, x, y, width, height) {
  put(rect, "@x", x.toFixed(2));
  put(rect, "@y", y.toFixed(2));
  put(rect, "@width", Math.max(0, width).toFixed(2));
  put(rect, "@height", Math.max(0, height).toFixed(2));
}
