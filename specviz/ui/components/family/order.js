// Pure: the columns, in which order the rows stand, and how long their bars are. No DOM.

// name: of the column; of: what it sorts by; best: whether the first click puts the largest or the smallest on top.
const COLUMNS = [
  { name: "drafter", of: null },
  { name: "tokens", of: (row) => row.tokens_per_round, best: "descending" },
  { name: "alpha", of: (row) => row.alpha, best: "descending" },
  { name: "guess", of: (row) => row.guess_ms, best: "ascending" },
  { name: "verify", of: (row) => row.verify_ms, best: "ascending" },
  { name: "speed", of: (row) => row.speed, best: "descending" },
  { name: "weights", of: (row) => row.weight_bytes, best: "ascending" },
  { name: "kv", of: (row) => row.kv_bytes_per_token, best: "ascending" },
  { name: "training", of: (row) => rank(["none", "table", "model"], row.training), best: "ascending" },
  { name: "lossless", of: (row) => rank(["same", "silent", "innocent", "guilty", "other"], row.verdict), best: "ascending" },
];

function rank(order, code) {
  const place = order.indexOf(code);
  return place < 0 ? null : place;
}

// "speed", "-speed" or "" -> the column and the way, or null: the order in which the rows came.
function sortOf(text) {
  const back = String(text || "").startsWith("-"), name = String(text || "").replace("-", "");
  const column = COLUMNS.find((one) => one.name === name && one.of);
  return column ? { name, way: back === (column.best === "descending") ? "ascending" : "descending", column } : null;
}

// What a click on a heading asks for: the best on top, then the worst, and the first heading as they came.
function nextSort(now, name) {
  if (!COLUMNS.find((one) => one.name === name).of) return "";
  return now === name ? "-" + name : name;
}

// Codes of the rows in order. What has no figure stands last; equal ones stay as they came.
function orderOf(rows, text) {
  const sort = sortOf(text), codes = rows.map((row) => row.drafter);
  if (!sort) return codes;
  const sign = sort.way === "ascending" ? 1 : -1, figure = (row) => sort.column.of(row);
  const told = rows.filter((row) => figure(row) != null), rest = rows.filter((row) => figure(row) == null);
  told.sort((a, b) => sign * (figure(a) - figure(b)));
  return [...told, ...rest].map((row) => row.drafter);
}

// The ends of the three scales: tokens a round, milliseconds a token, and times as fast as plain, a little past the longest.
function scalesOf(rows) {
  const most = (list, least) => list.reduce((high, x) => Math.max(high, x || 0), least);
  const each = rows.map((row) => (row.each ? row.each.guess + row.each.verify + row.each.rest : 0));
  return {
    tokens: most(rows.map((row) => row.tokens_per_round), 2),
    each: most(each, 0) || 1,
    speed: most(rows.map((row) => row.speed), 1.25) * 1.04,
  };
}
