// Pure: which arithmetic units are lit at a moment, and which places of the stream hold bytes.

const DOWN = 14;      // rows of units

// Square units: as many in a row as fit the width, what is left over on both sides; `pitch` pixels from one to the next.
function unitsOf(width, height) {
  const pitch = height / DOWN, across = Math.max(1, Math.floor(width / pitch));
  return { across, pitch, left: (width - across * pitch) / 2, count: across * DOWN };
}

// Every unit's own place in the cycle: 0, 1/n, 2/n, ... shuffled, so that at every moment the same share of them is lit.
function phasesOf(n) {
  const phases = Array.from({ length: n }, (_, i) => i / n);
  let state = 12345;
  for (let i = n - 1; i > 0; i--) {
    state = (state * 1103515245 + 12345) % 2147483648;
    const j = Math.floor(state / 2147483648 * (i + 1));
    [phases[i], phases[j]] = [phases[j], phases[i]];
  }
  return phases;
}

// Seconds of a cycle: a unit that hardly ever works is still lit long enough to be seen, and so must wait the longer.
function cycleOf(busy) {
  return clamp(0.3 / Math.max(busy, 1e-9), 2, 3000);
}

// Lit for exactly the share `busy` of all time.
function isLit(phase, seconds, busy) {
  return busy >= 1 || (seconds / cycleOf(busy) + phase) % 1 < busy;
}

// Place number n of the stream: "" where the memory rests, else what passes by, in the shares given.
function passing(n, busy, kvShare) {
  const at = (step) => (((n * step) % 1) + 1) % 1;
  if (busy < 1 && at(0.6180339887498949) >= busy) return "";
  return at(0.7548776662466927) < kvShare ? "kv" : "weights";
}
