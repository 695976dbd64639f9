// Pure: what dragging, cooling and laying bricks make of a distribution.

// Token i gets v; the others give way in proportion, or equally where there is nothing to be in proportion to.
function giveWay(row, i, v) {
  const others = total(row.filter((_, j) => j !== i)), rest = 1 - v;
  return row.map((x, j) => (j === i ? v : others > 0 ? x * (rest / others) : rest / (row.length - 1)));
}

// Temperature t over probabilities: p^(1/t), normalised; exactly one-hot, on `best`, at t = 0, exactly itself at t = 1.
function sharpen(row, t, best = draw(row, null)) {
  if (t === 1) return row.slice();
  if (t === 0) return row.map((_, i) => (i === best ? 1 : 0));
  const weights = row.map((x) => (x > 0 ? Math.exp((Math.log(x) - Math.log(row[best])) / t) : 0)), mass = total(weights);
  return weights.map((x) => x / mass);
}

// Columns that stand for many tokens, of which only the sum is known (see of_place in __init__.py).
const CROWDS = ["…q>p", "…p≥q"];

function isCrowd(token) {
  return CROWDS.includes(token);
}

// The largest single token of a row, or null when a crowd may hide a larger one. No token in a crowd has more than
// the crowd; and none has a larger max(p, q) than the columns, of which one (the guess) may be shown for its own sake.
function largestSingle(row, p, q, tokens) {
  const crowds = [], singles = [];
  tokens.forEach((token, i) => (isCrowd(token) ? crowds : singles).push(i));
  if (!crowds.length) return draw(row, null);
  if (!singles.length) return null;
  const best = singles.reduce((a, b) => (row[b] > row[a] ? b : a)), peaks = singles.map((i) => Math.max(p[i], q[i])).sort((a, b) => a - b);
  const hidden = Math.min(Math.max(...crowds.map((i) => row[i])), peaks[Math.min(1, peaks.length - 1)]);
  return row[best] >= hidden ? best : null;
}

// A hundred bricks of 1 % each: rounded down, and what is missing goes to the largest remainders.
function bricksOf(row) {
  const exact = row.map((x) => x * 100), bricks = exact.map((x) => Math.floor(x + 1e-9));
  const order = exact.map((x, i) => i).sort((a, b) => (exact[b] - bricks[b]) - (exact[a] - bricks[a]) || a - b);
  let missing = 100 - total(bricks);
  for (let k = 0; missing > 0; k++, missing--) bricks[order[k % order.length]]++;
  return bricks;
}

// The red bricks, from the top of each excess down, and the hole each goes to, from the bottom up.
function movesOf(pBricks, qBricks) {
  const red = [], holes = [];
  pBricks.forEach((p, i) => {
    for (let level = qBricks[i] - 1; level >= p; level--) red.push({ column: i, level });
    for (let level = qBricks[i]; level < p; level++) holes.push({ column: i, level });
  });
  return red.map((from, i) => ({ from, to: holes[i] }));
}

// Guesses plain rejection sampling needs for one token: M = max p/q. Infinite where p has what q never offers.
function rejectionThrows(p, q) {
  return Math.max(...p.map((x, i) => (x > 0 ? x / q[i] : 0)));
}
