// Pure: sizes, scales and the sliders' steps.

const SHAPES = {
  wide: { strip: 40, between: 6, axis: 22, reach: 184, head: 22, foot: 80, left: 128, right: 6, bar: 84, least: 0, most: 150, aside: 340, chart: 284, margin: 54 },
  narrow: { strip: 34, between: 26, axis: 20, reach: 150, head: 20, foot: 84, left: 66, right: 6, bar: 40, least: 34, most: 96, aside: 0, chart: 232, margin: 34 },
};

// γ + 1 columns, the fix first, in a plot of this width; `more` pixels taller where there is room. Where a finger could not
// tell them apart they are as wide as it needs, and the plot scrolls.
function placesLayout(width, count, narrow, more) {
  const sizes = narrow ? SHAPES.narrow : SHAPES.wide, own = width - (sizes.aside ? sizes.aside + 28 : 0);
  const pitch = Math.min(Math.max((own - sizes.left - sizes.right) / (count + 1), sizes.least), sizes.most), bar = Math.min(sizes.bar, pitch * (narrow ? 0.74 : 0.62));
  const reach = sizes.reach + more, base = sizes.head + reach;
  const whole = Math.max(own, Math.ceil(sizes.left + pitch * (count + 1) + sizes.right));
  return { ...sizes, narrow, own, width: whole, pitch, bar, reach, base, height: base + sizes.foot, centre: (i) => sizes.left + pitch * (i + 0.5) };
}

// The least round number of `tops` that leaves a little air above x.
function topOf(x) {
  const tops = [1.5, 2, 3, 4, 5, 6, 8, 10, 12, 16, 21, 24];
  return tops.find((top) => top >= x * 1.08) || Math.ceil(x * 1.08);
}

function ticksUpTo(top) {
  const step = top <= 2 ? 0.5 : top <= 8 ? 1 : top <= 12 ? 2 : 5, ticks = [];
  for (let k = 0; k * step <= top + 1e-9; k++) ticks.push(k * step);
  return ticks;
}

// c and s need small steps where they matter.
const FINE = [...steps(0, 0.1, 0.005), ...steps(0.11, 0.3, 0.01), ...steps(0.35, 1, 0.05)];

function steps(from, to, by) {
  const values = [];
  for (let k = 0; from + k * by <= to + 1e-9; k++) values.push(Math.round((from + k * by) * 1000) / 1000);
  return values;
}

const SLIDERS = {
  alpha: { values: steps(0, 1, 0.01) },
  gamma: { values: steps(0, MOST_PLACES, 1) },
  c: { values: FINE },
  s: { values: FINE },
  easy: { values: steps(0, 1, 0.05).reverse() },      // to the right it gets harder
};

// The step nearest to a value: an address may carry one that lies between two.
function nearest(values, x) {
  let best = 0;
  values.forEach((value, i) => { if (Math.abs(value - x) < Math.abs(values[best] - x)) best = i; });
  return best;
}

function raised(n) {
  return String(n).replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
}

// "1 + α + … + α⁵", and what it comes to in one step.
function powerSum(gamma) {
  const terms = ["1", "α", "α²"].slice(0, gamma + 1);
  if (gamma === 3) terms.push("α³");
  if (gamma > 3) terms.push("…", "α" + raised(gamma));
  return terms.join(" + ");
}

// Three digits where two decimals would hide a printed figure: c of .128 or .005.
function cost(x) {
  return x == null ? "–" : Math.abs(x * 100 - Math.round(x * 100)) < 1e-9 ? x.toFixed(2) : x.toFixed(3);
}

function times(x) {
  return figure(x) + "×";
}
