// Pure: survival, bar by bar. A row holds the chances of the places 1, 2, … and never rises.

const MOST_PLACES = 20, EASY = 0.95, HARD = 0.45;

// More places: each further one is passed, given reached, like the last one known.
function lengthened(row, count) {
  const longer = row.slice(0, count);
  while (longer.length < count) {
    const n = longer.length, last = n ? longer[n - 1] : 1, before = n > 1 ? longer[n - 2] : 1;
    longer.push(before > 0 ? last * (last / before) : 0);
  }
  return longer;
}

// The row with place i at v: earlier places give way upwards, later ones downwards.
function shifted(row, i, v) {
  return row.map((x, j) => (j === i ? v : j < i ? Math.max(x, v) : Math.min(x, v)));
}

// A share of the rounds falls on easy text, the rest on hard.
function mixtureOf(easy, count) {
  const a = survivalOf(EASY, count), b = survivalOf(HARD, count);
  return a.map((x, i) => easy * x + (1 - easy) * b[i]);
}

// Chance of passing place i, given that it was reached; null where it never is.
function givenReached(row) {
  return row.map((x, i) => {
    const reached = i ? row[i - 1] : 1;
    return reached > 0 ? x / reached : null;
  });
}
