// One row: who guesses, the figures with their bars, and under them the text by where each token came from.

const FACTS = ["weights", "kv", "training", "lossless"];

function makeRow(me, code) {
  const line = make("div", "line", null), row = { line, code, written: null };
  put(line, "@role", "row");
  put(line, "@data-drafter", code);
  const who = cellOf(line, "who", "rowheader");
  row.open = make("button", "open", who);
  row.open.type = "button";
  glyphOf(code, make("span", "glyph", row.open));
  const words = make("span", "words", row.open);
  row.name = make("span", "name", words);
  row.about = make("span", "about", words);
  makeFigures(row);
  for (const fact of FACTS) {
    const cell = cellOf(line, "fact " + fact);
    row[fact + "Head"] = make("span", "small", cell);
    row[fact] = make("span", "value", cell);
    if (fact === "lossless") row.losslessNote = make("span", "note", cell);
  }
  row.text = cellOf(line, "text");
  row.says = make("span", "why", row.text);
  row.flow = make("span", "flow", row.text);
  me.watch.observe(row.flow);
  line.addEventListener("click", (event) => {
    if (event.target.closest("button") || getSelection().toString()) return;
    row.open.focus({ preventScroll: true });
    me.choose(code);
  });
  row.open.addEventListener("click", () => me.choose(code));
  return row;
}

function cellOf(line, name, role) {
  const cell = make("div", "cell " + name, line);
  put(cell, "@role", role || "cell");
  return cell;
}

function makeFigures(row) {
  const tokens = cellOf(row.line, "tokens");
  row.tokensBar = make("span", "bar", tokens);
  row.accepted = make("i", "accepted", row.tokensBar);
  row.own = make("i", "own", row.tokensBar);
  row.tokens = make("b", "figure", tokens);
  row.alphaHead = make("span", "small", cellOf(row.line, "alpha"));
  row.alpha = make("span", "value", row.alphaHead.parentElement);
  for (const name of ["guess", "verify"]) {
    const cell = cellOf(row.line, name);
    row[name + "Head"] = make("span", "small", cell);
    row[name] = make("span", "value", cell);
  }
  // The lane belongs to both: it stands under them, over the whole width of the two.
  row.lane = make("span", "lane", row.line);
  put(row.lane, "@aria-hidden", "true");
  row.pieces = ["guess", "verify", "rest"].map((name) => [name, make("i", name, row.lane)]);
  const speed = cellOf(row.line, "speed");
  row.track = make("span", "track", speed);
  row.run = make("i", "run", row.track);
  row.one = make("i", "one", row.track);
  row.speed = make("b", "figure", speed);
  row.doubt = make("span", "hidden", speed);
  row.slower = make("span", "small", speed);
}

function fillRow(me, row, told, scales) {
  const { labels } = me, done = told.state === "done", figures = { line: row.line };
  put(figures.line, "@data-state", told.state);
  put(figures.line, "@data-tokens-per-round", told.tokens_per_round == null ? null : String(told.tokens_per_round));
  put(figures.line, "@data-alpha", told.alpha == null ? null : String(told.alpha));
  put(figures.line, "@data-speed", told.speed == null ? null : String(told.speed));
  const doubted = isDoubted(me, told);
  const slower = done && told.speed != null && told.speed < 1 && !doubted;      // without a speed it is neither
  put(figures.line, "class", "line" + (told.drafter === me.chosen ? " chosen" : "") + (slower ? " slower" : "") + (doubted ? " doubted" : ""));
  put(row.name, "text", told.name);
  put(row.about, "text", told.about);
  put(row.open, "@aria-label", done ? say(labels.open, { name: told.name }) : told.name);
  put(row.open, "@aria-current", told.drafter === me.chosen ? "true" : null);
  row.open.disabled = !done || told.drafter === "plain";
  for (const name of ["tokens", "alpha", "guess", "verify", ...FACTS]) if (row[name + "Head"]) put(row[name + "Head"], "text", labels["short_" + name]);
  fillFigures(me, row, told, scales);
  fillFacts(me, row, told);
  fillText(me, row, told);
}

// Whether its speed is a figure from a busy machine, which proves nothing. Plain decoding is 1× by what 1× means.
function isDoubted(me, told) {
  return me.data.busy && told.speed != null && told.drafter !== "plain";
}

function wide(node, share) {
  put(node, "width", (100 * clamp(share || 0, 0, 1)).toFixed(2) + "%");
}

function fillFigures(me, row, told, scales) {
  const { labels } = me, made = told.tokens_per_round, doubted = isDoubted(me, told);
  put(row.tokens, "text", made == null ? "–" : made.toFixed(2));
  put(row.tokens.parentElement, "@title", told.silent || null);
  wide(row.accepted, (told.accepted || 0) / scales.tokens);
  wide(row.own, made == null ? 0 : (made - (told.accepted || 0)) / scales.tokens);
  put(row.alpha, "text", told.alpha == null ? "–" : told.alpha.toFixed(2));
  for (const name of ["guess", "verify"]) put(row[name], "text", told[name + "_ms"] == null ? "–" : brief(told[name + "_ms"]));
  for (const [name, piece] of row.pieces) wide(piece, told.each ? told.each[name] / scales.each : 0);
  const each = told.each ? say(labels.each, { guess: brief(told.each.guess), verify: brief(told.each.verify), rest: brief(told.each.rest) }) : null;
  put(row.lane, "@title", each && me.data.busy ? each + ". " + labels.doubt : each);
  const speed = told.speed;
  put(row.speed, "text", speed == null ? "–" : speed.toFixed(2) + "×" + (doubted ? "?" : ""));
  put(row.speed.parentElement, "@title", doubted ? labels.doubt : null);
  put(row.doubt, "text", doubted ? labels.doubt : "");
  wide(row.run, speed == null ? 0 : speed / scales.speed);
  put(row.one, "left", (100 / scales.speed).toFixed(2) + "%");
  put(row.slower, "text", speed != null && speed < 1 && !doubted ? labels.slower : "");
}

// Milliseconds with three figures at most, so that a column of them can be compared at a glance.
function brief(ms) {
  return ms >= 100 ? ms.toFixed(0) : ms >= 10 ? ms.toFixed(1) : ms >= 0.005 ? ms.toFixed(2) : "0";
}

function fillFacts(me, row, told) {
  const known = told.state === "done" || told.drafter === "plain";
  const bytes = (x) => (!known || x == null ? "–" : x === 0 ? "0" : sizeOf(x));
  put(row.weights, "text", bytes(told.weight_bytes));
  put(row.kv, "text", bytes(told.kv_bytes_per_token));
  put(row.training, "text", known ? told.trained : "–");
  put(row.lossless, "text", told.lossless || "–");
  put(row.lossless, "class", "value " + (told.verdict || ""));
  put(row.losslessNote, "text", told.lossless_note || "");
  put(row.lossless.parentElement, "@title", told.lossless_says || null);
}

function fillText(me, row, told) {
  put(row.says, "text", told.says || "");
  const key = JSON.stringify(told.tokens);
  if (row.written !== key) {
    row.written = key;
    row.flow.replaceChildren();
    put(row.flow, "@dir", directionOf(told.tokens.map(([text]) => text).join("")));
    for (const [text, kind, missed] of told.tokens) writeToken(me, row.flow, text, kind, missed);
  }
  reachText(me, row, told);
}

// What scrolls must be reachable by keyboard.
function reachText(me, row, told) {
  const scrolls = row.text.scrollHeight > row.text.clientHeight;
  put(row.text, "@tabindex", scrolls ? "0" : null);
  put(row.text, "@aria-label", scrolls ? say(me.labels.text_of, { name: told.name }) : null);
}

// A rejected guess leaves a hollow mark where the fix stands for it; which it was, the mark says.
function writeToken(me, flow, text, kind, missed) {
  if (missed != null) {
    const mark = make("i", "missed", flow);
    put(mark, "text", "✗");
    put(mark, "@title", say(me.labels.missed, { x: shown(missed, "∎") }));
  }
  const tile = make("span", "tile " + kind, flow);
  put(tile, "text", written(text, "∎").join(""));
  put(tile, "@title", me.labels["kind_" + kind] || null);
}
