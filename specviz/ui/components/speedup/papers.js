// Published tables on the same chart: speed-up over α, calculated ○ against measured ◆, and the list to choose from.

function makePapers(me) {
  return { box: me.root.querySelector(".aside"), key: null, rows: [] };
}

function rowNow(me) {
  const table = me.tables.find((t) => t.rows.some((row) => row.name === me.row)) || me.tables[0];
  return table ? { table, row: table.rows.find((row) => row.name === me.row) || table.rows[0] } : null;
}

// γ and c where the row prints none are the reader's own.
function paperAt(me, row) {
  const gamma = row.gamma == null ? me.gamma : row.gamma, c = row.c == null ? me.c : row.c;
  return { gamma, c, own: row.gamma == null, alpha: row.alpha, calc: row.alpha == null ? null : speedupOf(expectedTokens(row.alpha, gamma), gamma, c, 1) };
}

function alphaRange(table) {
  const alphas = table.rows.map((row) => row.alpha).filter((a) => a != null);
  if (!alphas.length) return [0.5, 1];
  return [Math.max(0, Math.floor((Math.min(...alphas) - 0.03) * 10) / 10), Math.min(1, Math.ceil((Math.max(...alphas) + 0.03) * 10) / 10)];
}

function drawPaper(me, chart) {
  const now = rowNow(me), lay = chart.lay, labels = me.labels, [low, high] = alphaRange(now.table), x = (alpha) => lay.left + (alpha - low) / (high - low) * lay.across;
  const y = drawFrame(me, chart, labels.over_alpha_papers, steps(low, high, 0.1).map((a) => [a ? figure(a).replace(/0$/, "") : "0", a]), x);
  for (const node of [chart.star, chart.best, chart.bestText, chart.here, chart.drop, chart.hereText]) put(node, "display", "none");
  const at = paperAt(me, now.row), gives = (alpha) => speedupOf(expectedTokens(alpha, at.gamma), at.gamma, at.c, 1);
  put(chart.curve, "@d", pathOf(steps(low, high, 0.005).map((alpha) => [x(alpha), y(gives(alpha))]).filter(([, height]) => height >= 4), 0));
  chart.marks.replaceChildren();
  const order = [...now.table.rows.filter((row) => row !== now.row), now.row];
  for (const row of order) drawPair(me, chart.marks, row, row === now.row, { x, y, lay });
}

function drawPair(me, parent, row, chosen, { x, y, lay }) {
  const at = paperAt(me, row), group = shape("g", chosen ? "pair chosen" : "pair", parent), kind = chosen ? " chosen" : "";
  if (row.alpha == null) return drawWithoutAlpha(me, group, row, chosen, { x, y, lay });
  const across = x(row.alpha), up = y(at.calc);
  if (row.measured != null) line(shape("path", "link" + kind, group), across, up, across, y(row.measured));
  const ring = shape("circle", "calc" + kind, group);
  put(ring, "@cx", across.toFixed(1));
  put(ring, "@cy", up.toFixed(1));
  put(ring, "@r", chosen ? "9" : "6");
  if (row.measured != null) diamond(group, across, y(row.measured), chosen);
  if (!chosen) return;
  const above = row.measured == null || at.calc > row.measured, marks = marksBut(me, row, x, y);
  const beside = (text, height, drops) => clearNote(shape("text", "said", group), text, across, height, drops, marks, lay);
  beside(times(at.calc), up, row.measured == null ? [-8, 24, -26, 42] : above ? [-8] : [20]);
  if (row.measured != null) beside(printed(row.measured) + "×", y(row.measured), above ? [20] : [-8]);
}

// Where the rings and diamonds of all other rows stand.
function marksBut(me, chosen, x, y) {
  const others = rowNow(me).table.rows.filter((row) => row !== chosen && row.alpha != null);
  return others.flatMap((row) => [paperAt(me, row).calc, row.measured].filter((speed) => speed != null).map((speed) => [x(row.alpha), y(speed)]));
}

// A figure beside its mark: of the places to the right and to the left, at each of these drops, the first that covers no other mark.
function clearNote(node, text, across, height, drops, marks, lay) {
  const wide = text.length * (lay.across < 400 ? 10 : 12);
  for (const drop of drops) for (const side of [1, -1]) {
    const left = side > 0 ? across + 15 : across - 15 - wide, line_ = height + drop;
    if (left < lay.left || left + wide > lay.left + lay.across) continue;
    if (marks.some(([mx, my]) => mx > left - 7 && mx < left + wide + 7 && my > line_ - 22 && my < line_ + 8)) continue;
    put(node, "text", text);
    put(node, "@x", (across + side * 15).toFixed(1));
    put(node, "@y", line_.toFixed(1));
    return put(node, "@text-anchor", side > 0 ? "start" : "end");
  }
  note(node, text, across, height + drops[0], lay, 15);
}

// Where the paper prints no α: a line at what was measured, and the α that the formula would need for it.
function drawWithoutAlpha(me, group, row, chosen, { x, y, lay }) {
  const kind = chosen ? " chosen" : "", needed = alphaFor(row.measured, row.gamma, row.c, 1);
  line(shape("path", "link" + kind, group), lay.left, y(row.measured), needed == null ? lay.left + lay.across : x(needed), y(row.measured));
  diamond(group, lay.left, y(row.measured), chosen);
  if (!chosen) return;
  const said = shape("text", "said", group);
  note(said, times(row.measured), lay.left, y(row.measured) - 9, lay, 15);
  if (needed == null) return;
  const ring = shape("circle", "needed", group);
  put(ring, "@cx", x(needed).toFixed(1));
  put(ring, "@cy", y(row.measured).toFixed(1));
  put(ring, "@r", "8");
}

function diamond(group, x, y, chosen) {
  const r = chosen ? 11 : 7;
  put(shape("path", "measured" + (chosen ? " chosen" : ""), group), "@d", `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`);
}

// As printed: one decimal at least.
function printed(x) {
  if (x == null) return "–";
  return Number.isInteger(x) ? x.toFixed(1) : String(x);
}

const PAPER_COLUMNS = ["gamma", "alpha", "other", "c", "calc", "measured"];

function paperCells(me, row) {
  const at = paperAt(me, row), known = row.gamma != null;
  const other = row.alpha == null ? null : acceptedOverProposed(survivalOf(row.alpha, at.gamma));
  return {
    gamma: known ? String(row.gamma) : "–", alpha: row.alpha == null ? "–" : figure(row.alpha), other: other == null ? "–" : figure(other),
    c: row.c == null ? "–" : cost(row.c), calc: at.calc == null ? "–" : times(at.calc), measured: row.measured == null ? "–" : printed(row.measured) + "×",
  };
}

function paperName(me, row) {
  const parts = [row.task, row.target, row.draft];
  if (row.temperature != null) parts.push("T = " + row.temperature);
  if (row.lenience != null) parts.push("l = " + row.lenience);
  const name = parts.filter(Boolean).join(", ");
  return name || say(me.labels.ideal_row, { operations: row.operations });
}

function drawPapers(me) {
  const view = me.papers;
  if (me.mode !== "papers") {
    view.key = null;
    return;
  }
  const now = rowNow(me), key = [now.table.name, me.gamma, me.c, me.labels.name, me.narrow].join();
  if (view.key !== key) {
    view.key = key;
    view.box.replaceChildren();
    const head = make("div", "paper-row head", view.box);
    make("span", "paper-name", head).textContent = me.labels.paper_row;
    for (const name of PAPER_COLUMNS) make("span", "paper-cell", head).textContent = me.labels["paper_" + name];
    view.rows = now.table.rows.map((row) => {
      const node = make("button", "", view.box), cells = paperCells(me, row);
      node.type = "button";
      make("span", "paper-name", node).textContent = paperName(me, row);
      for (const name of PAPER_COLUMNS) {
        const cell = make("span", "paper-cell", node);
        cell.textContent = cells[name];
        put(cell, "@data-head", me.labels["paper_" + name]);
      }
      node.addEventListener("click", () => me.choose(row.name));
      return { node, name: row.name };
    });
    make("p", "conditions", view.box).textContent = `${now.table.conditions} ${now.table.source}`;
  }
  for (const row of view.rows) {
    put(row.node, "class", "paper-row");
    put(row.node, "@aria-pressed", String(row.name === now.row.name));
  }
}
