// Pure: specviz/rule.py in JavaScript, function by function, held to it by tests/browser/test_bars_rule.py.
// Accept x ~ q with probability min(1, p(x)/q(x)), else draw from norm(max(0, p − q)): what comes out is p.

function total(row) {
  let sum = 0;
  for (const x of row) sum += x;
  return sum;
}

// u·q < p is u < min(1, p/q) without the division: p = 0 never passes, p ≥ q always does.
function accepts(u, pX, qX) {
  return u * qX < pX;
}

// min(p, q): guessed and kept.
function overlap(p, q) {
  return p.map((x, i) => (x < q[i] ? x : q[i]));
}

// max(0, p − q): the holes the guesses leave.
function deficit(p, q) {
  return p.map((x, i) => Math.max(0, x - q[i]));
}

// norm(max(0, p − q)); p itself where there is no hole at all.
function residual(p, q) {
  const missing = deficit(p, q), mass = total(missing);
  return mass > 0 ? missing.map((x) => x / mass) : p.slice();
}

function beta(p, q) {
  return total(overlap(p, q));
}

function totalVariation(p, q) {
  return total(p.map((x, i) => Math.abs(x - q[i]))) / 2;
}

// What one position emits, computed: equal to p, which is the theorem.
function outputLaw(p, q) {
  const kept = overlap(p, q), fixes = residual(p, q), rejected = total(q) - total(kept);
  return kept.map((x, i) => x + rejected * fixes[i]);
}

// sampling.draw: the first token at which the cumulative sum passes u; u = null takes the largest (T = 0).
function draw(p, u) {
  if (u == null) return p.indexOf(Math.max(...p));
  const heights = [];
  let sum = 0;
  for (const x of p) heights.push(sum += x);
  const height = u * sum;
  // Rounding may lift u·total to total itself: the last step up is then the answer, not one past it.
  const at = heights.findIndex((h) => (height < sum ? h > height : h >= sum));
  return at < 0 ? p.length - 1 : at;
}
