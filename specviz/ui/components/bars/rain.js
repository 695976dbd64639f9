// Pure: what the rain does. A point falls into the area under q; inside p it is kept; above p it is rejected, and
// another point falls into the holes of p. Counts, and where the points lie.

// Throw number n, whole: for the steps and for the points that are drawn one by one.
function throwOf(p, q, seed, n) {
  return judged(p, q, uniforms(seed, n));
}

function judged(p, q, [first, u, third, v]) {
  const x = draw(q, first), height = u * q[x], accepted = accepts(u, p[x], q[x]);
  if (accepted) return { x, u, height, accepted, y: x, at: height };
  const y = draw(fixesOf(p, q), third);
  return { x, u, height, accepted, y, at: Math.min(p[y], q[y]) + v * deficit(p, q)[y], v };
}

// The holes; where rounding alone rejects (p = q) there are none, and p itself stands in, as in residual().
function fixesOf(p, q) {
  const missing = deficit(p, q);
  return total(missing) > 0 ? missing : p;
}

function cumulative(row) {
  let sum = 0;
  return Float64Array.from(row, (x) => (sum += x));
}

const SLICES = 60;      // the density is counted in this many slices of a column

function emptyRain(size) {
  const counts = () => new Float64Array(size);
  const slices = () => new Float64Array(size * SLICES);
  return { thrown: 0, kept: counts(), rejected: counts(), filled: counts(), blue: slices(), green: slices() };
}

// Throws number rain.thrown … rain.thrown + amount − 1. `top` is the height of the last slice's upper edge.
// One bare loop: no object is made in it.
function pour(rain, p, q, seed, amount, top) {
  const size = p.length, last = size - 1;
  const under = cumulative(q), holes = fixesOf(p, q), fix = cumulative(holes);
  const low = Float64Array.from(overlap(p, q)), tall = Float64Array.from(deficit(p, q)), wide = Float64Array.from(q);
  const underAll = under[last], fixAll = fix[last], scale = SLICES / top;
  const { kept, rejected, filled, blue, green } = rain, word = new Uint32Array(4);
  const k0 = seed % 2 ** 32 | 0, k1 = seed / 2 ** 32 | 0, end = rain.thrown + amount;
  for (let n = rain.thrown; n < end; n++) {
    philox(word, n % 4294967296 | 0, n / 4294967296 | 0, 0, 0, k0, k1);
    const a = word[0] * WORD * underAll;
    let x = 0;
    while (x < last && under[x] <= a) x++;
    const height = word[1] * WORD * wide[x];
    // Under min(p, q) is accepted: u·q < p, seen as a place in the picture.
    if (height < low[x]) {
      kept[x]++;
      blue[x * SLICES + (height * scale | 0)]++;
      continue;
    }
    rejected[x]++;
    const b = word[2] * WORD * fixAll;
    let y = 0;
    while (y < last && fix[y] <= b) y++;
    filled[y]++;
    green[y * SLICES + ((low[y] + word[3] * WORD * tall[y]) * scale | 0)]++;
  }
  rain.thrown = end;
  return rain;
}

function outputsOf(rain) {
  return Array.from(rain.kept, (count, i) => count + rain.filled[i]);
}

// Largest distance of a frequency from p, in standard errors of an honest draw: {by, at}.
function deviation(outputs, p, thrown) {
  let by = 0, at = 0;
  outputs.forEach((count, i) => {
    const error = Math.sqrt(p[i] * (1 - p[i]) / thrown), off = Math.abs(count / thrown - p[i]);
    const far = error > 0 ? off / error : off > 1e-9 ? Infinity : 0;
    if (far > by) [by, at] = [far, i];
  });
  return { by, at };
}
