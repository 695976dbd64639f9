// Pure: specviz/speedup.py in JavaScript, function by function, held to it by tests/browser/test_speedup_formula.py.
// Everything passes through survival: the chance that place i of a round is passed, i = 1 … γ.

const MOST_GUESSES = 64;

// Exact to the last bits like math.fsum: what a sum loses is carried along (Neumaier).
function totalOf(row) {
  let sum = 0, lost = 0;
  for (const x of row) {
    const next = sum + x;
    lost += Math.abs(sum) >= Math.abs(x) ? sum - next + x : x - next + sum;
    sum = next;
  }
  return sum + lost;
}

// α^i for i = 1 … γ, multiplied place by place as in Python.
function survivalOf(alpha, gamma) {
  const row = [];
  for (let i = 0, chance = 1; i < gamma; i++) row.push(chance *= alpha);
  return row;
}

// 1 + Σ survival_i: true of any text and any drafter. The 1 is the fix.
function tokensOf(row) {
  return 1 + totalOf(row);
}

function expectedTokens(alpha, gamma) {
  return tokensOf(survivalOf(alpha, gamma));
}

// Accepted ÷ reached, which is α.
function alphaOf(row) {
  return row.length ? totalOf(row) / totalOf([1, ...row.slice(0, -1)]) : null;
}

// Accepted ÷ proposed, which is not.
function acceptedOverProposed(row) {
  return row.length ? totalOf(row) / row.length : null;
}

function linearCost(slope) {
  return (k) => 1 + slope * (k - 1);
}

function speedupOf(tokens, gamma, c, v) {
  return tokens / (gamma * c + v);
}

// Speed-up for γ = 0 … row.length; γ = 0 is plain decoding: exactly 1.
function curveOf(row, c, cost) {
  const curve = [];
  for (let gamma = 0, tokens = 1; gamma <= row.length; gamma++) {
    if (gamma) tokens += row[gamma - 1];
    curve.push(speedupOf(tokens, gamma, c, cost(gamma + 1)));
  }
  return curve;
}

// The smallest γ of the largest speed-up; 0 when no guessing pays.
function bestGamma(curve) {
  return curve.indexOf(Math.max(...curve));
}

// The α at which the formula gives this speed-up, null where none does.
function alphaFor(speed, gamma, c, v) {
  let low = 0, high = 1;
  const gives = (alpha) => speedupOf(expectedTokens(alpha, gamma), gamma, c, v);
  if (gives(0) > speed || gives(1) < speed) return null;
  for (let k = 0; k < 60; k++) {
    const middle = (low + high) / 2;
    if (gives(middle) < speed) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
