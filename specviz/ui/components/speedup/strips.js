// Lengths to compare, one under the other on one axis: tokens a round piece by piece, the cost of a round, what a formula says.

function makeStrips(me) {
  return { box: me.root.querySelector(".strips"), rows: [], key: null };
}

// A strip is {name, value, pieces: [{size, kind, text}], kind}; sizes are in tokens, or in target passes, which plain decoding needs one a token.
function stripsOf(me) {
  const f = me.facts(), labels = me.labels, shown = me.shownRow(f.row);
  const tokens = { kind: "tokens", name: labels.strip_tokens, value: figure(f.tokens), pieces: [{ size: 1, kind: "fix", text: "1" }, ...shown.map((x) => ({ size: x, kind: "passed", text: figure(x) }))] };
  const says = (name, value, kind) => ({ kind, name, value: figure(value), pieces: [{ size: value, kind, text: "" }] });
  const formula = (name, alpha, kind) => says(say(name, { alpha: figure(alpha) }), expectedTokens(alpha, f.gamma), kind);
  if (me.onPlaces() && me.mode === "power") return [tokens, me.trap && f.gamma ? formula(labels.strip_trap, f.other, "wrong") : null];
  if (me.onPlaces()) {
    if (!me.compares()) return [tokens];
    if (!f.gamma) return [tokens, null, null];
    const mean = me.meanAlpha();
    return [tokens, formula(labels.strip_formula, f.alpha, "formula"), mean == null ? null : formula(labels.strip_mean, mean, "formula")];
  }
  const cost = { kind: "cost", name: labels.strip_cost, value: figure(f.cost), pieces: [...Array.from({ length: f.gamma }, () => ({ size: f.c, kind: "draft", text: "" })), { size: f.v, kind: "pass", text: "v = " + figure(f.v) }] };
  return [tokens, cost];
}

function drawStrips(me) {
  const view = me.strips, on = me.mode !== "papers";
  put(view.box, "display", on ? "" : "none");
  if (!on) return;
  const f = me.facts(), strips = stripsOf(me), most = Math.max(f.gamma + 1, me.onPlaces() ? 1 : f.cost);
  const key = [strips.length, me.width, me.mode].join(), height = me.stripHeight(strips.length), width = me.narrow ? me.width : me.width - 330;
  if (view.key !== key) {
    view.key = key;
    view.box.replaceChildren();
    view.rows = strips.map(() => {
      const node = make("div", "strip", view.box), row = { node };
      row.name = make("span", "strip-name", node);
      row.svg = stripPicture(node);
      row.value = make("span", "strip-value", node);
      return row;
    });
    view.span = null;
  }
  const scale = width / most;
  put(view.box, "--strip", height + "px");
  put(view.box, "@data-tall", String(height > 50));
  strips.forEach((strip, k) => {
    const row = view.rows[k];
    put(row.node, "class", "strip" + (strip ? " " + strip.kind : " empty"));
    put(row.name, "text", strip ? strip.name : "");
    put(row.value, "text", strip ? strip.value : "");
    drawPieces(row, strip ? strip.pieces : [], scale, height, width, most);
  });
  put(view.box, "@aria-label", strips.filter(Boolean).map((strip) => `${strip.name}: ${strip.value}`).join("; "));
}

function stripPicture(node) {
  const svg = shape("svg", "strip-picture", node);
  put(svg, "@aria-hidden", "true");
  return { svg, ticks: shape("g", "", svg), pieces: [] };
}

function drawPieces(row, pieces, scale, height, width, most) {
  const { svg } = row.svg, all = row.svg.pieces;
  put(svg, "@width", String(width));
  put(svg, "@height", String(height));
  while (all.length < pieces.length) {
    const group = shape("g", "", svg);
    all.push({ group, rect: shape("rect", "", group), text: shape("text", "", group) });
  }
  let x = 0;
  all.forEach((piece, i) => {
    const given = pieces[i];
    put(piece.group, "display", given ? "" : "none");
    if (!given) return;
    const w = given.size * scale, edge = ["passed", "formula", "wrong"].includes(given.kind) ? 1.5 : 0;
    put(piece.rect, "class", "piece " + given.kind);
    box(piece.rect, x + edge, edge + 2, Math.max(0, Math.min(w, width - x) - 2 * edge - (edge ? 0.5 : 1)), height - 4 - 2 * edge);
    put(piece.text, "class", "piece-text " + given.kind);
    const short = given.text.replace(/^0(?=\.)/, ""), digit = height > 50 ? 12 : 9.5;
    put(piece.text, "text", [given.text, short].find((text) => w >= digit * text.length + 8) || "");
    put(piece.text, "@x", (x + w / 2).toFixed(1));
    put(piece.text, "@y", (height / 2 + 6).toFixed(1));
    x += w;
  });
  // Whole tokens, so that the eye can count.
  const key = [scale, height, most].join();
  if (row.svg.key !== key) {
    row.svg.key = key;
    row.svg.ticks.replaceChildren();
    for (let k = 0; k <= most + 1e-9; k++) line(shape("path", "whole", row.svg.ticks), Math.max(0.5, Math.min(k * scale, width - 0.5)), 0, Math.max(0.5, Math.min(k * scale, width - 0.5)), height);
  }
}
