// Pure: how a token, a number and a sentence look. No DOM here, so that tests can run this part alone.

// Spaces and line ends must be seen, or two different tokens look the same.
function shown(text, end) {
  if (text === "" || text == null) return end || "∎";
  return text.replace(/\r?\n/g, "↵").replace(/\t/g, "⇥").replace(/ /g, "⋅");
}

// The largest size, between `least` and `most`, at which a text of `ems` em fits a width.
function fit(ems, width, most, least) {
  return Math.round(Math.max(least, Math.min(most, width / Math.max(ems, 0.5))) * 10) / 10;
}

// Two decimals, and below a tenth two figures that mean something: what is nearly nothing keeps its power of ten.
function figure(x) {
  if (x == null) return "–";
  if (x === Infinity) return "∞";
  if (x === 0) return "0";
  if (Math.abs(x) < 0.001) return precise(x, 2);
  if (Math.abs(x) < 0.0995) return String(Number(x.toPrecision(2)));
  if (Math.abs(x) >= 10000) return x.toExponential(0).replace("+", "");
  if (Math.abs(x) >= 100) return x.toFixed(0);
  return x.toFixed(2);
}

// So many figures that mean something, without empty noughts behind them: for numbers that are to be multiplied again.
function precise(x, many) {
  if (x == null) return "–";
  const text = Math.abs(x) < 0.001 && x !== 0 ? x.toExponential(many - 1) : x.toPrecision(many);
  return text.includes(".") ? text.replace(/\.?0+(?=e|$)/, "") : text;
}

// "Round {r}: {x}" -> ["Round 2: ", {name: "x", text: "故"}]: names in `loud` stay apart, to be set in bold.
function sentence(template, values, loud) {
  const parts = [];
  let plain = "";
  for (const piece of String(template || "").split(/(\{\w+\})/)) {
    const name = /^\{(\w+)\}$/.exec(piece);
    if (!name) plain += piece;
    else if (loud && loud.includes(name[1])) {
      if (plain) parts.push(plain);
      plain = "";
      parts.push({ name: name[1], text: String(values[name[1]]) });
    } else plain += values[name[1]] == null ? "" : String(values[name[1]]);
  }
  if (plain) parts.push(plain);
  return parts;
}

function say(template, values) {
  return sentence(template, values, []).join("");
}

function clamp(x, low, high) {
  return Math.max(low, Math.min(high, x));
}

function mix(a, b, amount) {
  return a + (b - a) * amount;
}

// Slow at both ends: things start from rest and come to rest.
function ease(x) {
  const y = clamp(x, 0, 1);
  return y * y * (3 - 2 * y);
}

// The part of a longer movement that runs from `from` to `to`, as 0..1.
function part(amount, from, to) {
  return clamp((amount - from) / (to - from), 0, 1);
}

// The least of 1, 2, 2.5, 5, 10, ... (times a power of ten) that is not below x.
function nice(x) {
  if (!(x > 0)) return 1;
  const power = Math.pow(10, Math.floor(Math.log10(x)));
  for (const step of [1, 2, 2.5, 5, 10]) if (x <= step * power * (1 + 1e-9)) return step * power;
  return 10 * power;
}
