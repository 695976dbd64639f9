// Pure: how a token, a number and a sentence look. No DOM here, so that tests can run this part alone.

const SIGNS = { "\n": "↵", "\t": "⇥", " ": "⋅", "\u00a0": "⍽", "\u3000": "□", "\u007f": "␡" };
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

function signOf(character) {
  return SIGNS[character] || String.fromCodePoint(0x2400 + character.codePointAt(0));
}

function codeOf(character) {
  return "U+" + character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
}

// What has no ink of its own gets a sign: control characters, marks that would turn the line round, a joiner or a mark alone.
function inked(text) {
  const seen = text.replace(/[\u0080-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202f\u2060-\u206f\ufeff]/g, codeOf);
  if (/^[\u200c\u200d\ufe00-\ufe0f]+$/.test(seen)) return seen.replace(/./g, codeOf);
  return /^\p{M}/u.test(seen) ? "◌" + seen : seen;
}

// A token by itself: spaces and line ends must be seen, or two different tokens look the same. Right to left it stays apart
// from the words around it.
function shown(text, end) {
  if (text === "" || text == null) return end || "∎";
  const seen = inked(text).replace(/\r\n/g, "\n").replace(/[\u0000-\u0020\u007f\u00a0\u3000]/g, signOf);
  return RIGHT_TO_LEFT.test(seen) ? "\u2068" + seen + "\u2069" : seen;
}

// A token in its text, in one part or two: a line that ends there ends, and what follows begins the next one.
function written(text, end) {
  if (text === "" || text == null) return [end || "∎"];
  const seen = inked(text).replace(/\r\n/g, "\n").replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, signOf), last = seen.lastIndexOf("\n") + 1;
  const line = (part) => part.replace(/\n/g, "↵").replace(/\t/g, "⇥");
  return last ? [line(seen.slice(0, last)), seen.slice(last).replace(/\t/g, "    ")] : [line(seen)];
}

// Which way a text runs, by its first letter.
function directionOf(text) {
  const letter = /\p{L}/u.exec(text || "");
  return letter && RIGHT_TO_LEFT.test(letter[0]) ? "rtl" : "ltr";
}

// Whether a text is set in letters of an alphabet, many to a token, and not in characters of which each is one.
function isAlphabetic(text) {
  const wide = (text.match(/[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff\u{20000}-\u{3ffff}]/gu) || []).length;
  return wide * 2 < (text.match(/\p{L}/gu) || []).length;
}

// The largest size, between `least` and `most`, at which a text of `ems` em fits a width.
function fit(ems, width, most, least) {
  return Math.round(Math.max(least, Math.min(most, width / Math.max(ems, 0.5))) * 10) / 10;
}

// A text that is too long loses its middle: how tokens begin and end tells them apart.
function shortened(text, fits) {
  if (fits(text)) return text;
  const letters = [...text];
  for (let kept = letters.length - 1; kept > 2; kept--) {
    const short = letters.slice(0, Math.ceil(kept / 2)).join("") + "…" + letters.slice(letters.length - Math.floor(kept / 2)).join("");
    if (fits(short)) return short;
  }
  return letters[0] + "…" + letters[letters.length - 1];
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
  return text.replace(/(\.\d*?)0+(?=e|$)/, "$1").replace(/\.(?=e|$)/, "");      // never a nought of the exponent
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
