// Pure: where a slider stops, how an axis is divided, how sizes and times are written.

const PER_DECADE = [1, 1.1, 1.2, 1.3, 1.5, 1.7, 2, 2.2, 2.5, 2.7, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 8, 9];

// The values of a logarithmic slider from `low` to `high`; whole numbers only where `whole` says so. A low end of 0 is its own stop.
function stopsOf(low, high, whole) {
  const stops = low === 0 ? [0] : [], from = low === 0 ? 100 : low;
  if (whole && from < 32) {      // the powers of two and enough between them, each whole number once
    for (let k = 0; ; k++) {
      const value = Math.round(from * Math.pow(2, k / 16));
      if (value >= high) break;
      if (value !== stops[stops.length - 1]) stops.push(value);
    }
    return [...stops, high];
  }
  for (let power = Math.pow(10, Math.floor(Math.log10(from) + 1e-9)); power <= high; power *= 10) {
    for (const step of PER_DECADE) {
      const value = Number((step * power).toPrecision(6));
      if (value >= from && value <= high) stops.push(value);
    }
  }
  return stops[stops.length - 1] === high ? stops : [...stops, high];
}

// The stop nearest to a value, on the logarithm.
function stopAt(stops, value) {
  if (!(value > 0)) return 0;
  let best = stops[0] === 0 ? 1 : 0;
  const far = (stop) => Math.abs(Math.log(stop / value));
  stops.forEach((stop, i) => { if (stop > 0 && far(stop) < far(stops[best])) best = i; });
  return best;
}

// 0 and at most `count` round steps up to the end of a linear axis.
function linearTicks(end, count) {
  const step = nice(end / count * 0.999), ticks = [];
  for (let k = 0; k * step <= end * (1 + 1e-9); k++) ticks.push(Number((k * step).toPrecision(6)));
  return ticks;
}

// Whole decades around two positive numbers.
function decades(low, high) {
  const top = Math.ceil(Math.log10(high) - 1e-9), bottom = Math.floor(Math.log10(low) + 1e-9);
  return [bottom, Math.max(top, bottom + 1)];
}

// How many decades apart the rules of an axis stand, so that there are at most seven of them.
function decadeStep(bottom, top) {
  return Math.ceil((top - bottom) / 6);
}

function digits(x, most) {
  if (x === 0) return "0";
  const places = clamp(most - 1 - Math.floor(Math.log10(Math.abs(x)) + 1e-12), 0, 9);
  return Number(x.toFixed(places)) === 0 ? x.toPrecision(1) : x.toFixed(places);
}

function plain(x, most) {
  const text = digits(x, most);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function timeOf(ms) {
  if (ms >= 9999.5) return digits(ms / 1e3, 3) + " s";
  if (ms < 0.01) return digits(ms * 1e3, 3) + " µs";
  return digits(ms, 3) + " ms";
}

function sizeOf(bytes) {
  for (const [unit, power] of [["PB", 15], ["TB", 12], ["GB", 9], ["MB", 6], ["kB", 3]]) {
    if (bytes >= 0.9995 * Math.pow(10, power)) return plain(bytes / Math.pow(10, power), 3) + " " + unit;
  }
  return plain(bytes, 3) + " B";
}

// Bandwidth in TB/s and arithmetic in TFLOPS, as makers print them; a thousandth of either as GB/s and GFLOPS.
function speedOf(tera, unit) {
  return tera >= 0.0995 ? plain(tera, 4) + " T" + unit : plain(tera * 1e3, 3) + " G" + unit;
}

// A share of 1; the last step before all or nothing keeps its decimals.
function percent(x) {
  if (x >= 0.99995) return "100 %";
  if (x > 0 && x < 5e-5) return "< 0.01 %";
  return (x >= 0.995 ? (100 * x).toFixed(2) : digits(100 * x, x < 0.01 ? 2 : 3)) + " %";
}

function times(ratio) {
  return ratio >= 99.95 ? grouped(Math.floor(ratio + 1e-9)) : ratio.toFixed(1);
}

// 1234567 -> "1 234 567", with spaces that neither break nor stretch.
function grouped(n) {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

// What was typed into a field, as a number; empty is null, and what is no number is NaN.
function typed(text) {
  const close = text.replace(/[\s\u202f_]/g, "");
  // A comma alone that no three digits follow, or only a nought precedes, is a decimal point, as half of Europe writes it;
  // any other groups digits.
  const bare = /^[^,.]*,(?!\d{3}(\D|$))[^,.]*$|^0,\d+$/.test(close) ? close.replace(",", ".") : close.replaceAll(",", "");
  return bare === "" ? null : Number(bare);
}
