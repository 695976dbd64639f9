// Pure: what is special about who guesses, from a trace that tells it (`drafter`, and `match` of a round). No DOM.

const SCENES = { lookup: 96, ngram: 96, "early-exit": 118, quantised: 146 };     // height in pixels
const AROUND = 8;                                                                 // tokens of context shown before and behind

// The code of the scene, or null: a trace that does not tell enough is played as ever.
function sceneOf(trace) {
  const told = trace && trace.drafter;
  if (!told || !SCENES[told.code]) return null;
  if (told.code === "early-exit") return told.of_layers > 1 && told.layers > 0 ? told.code : null;
  if (told.code === "quantised") return told.sample && told.layers && told.layers.length ? told.code : null;
  return told.code;
}

// Texts of the prompt, control tokens without theirs: they are counted and not written.
function promptTexts(trace) {
  const special = new Set(trace.prompt_special || []), chat = !!(trace.settings && trace.settings.chat);
  return (trace.prompt_texts || []).map((text, i) => (special.has(i) && !chat ? "" : text));
}

// All that stood before round r, and then its guesses: what places in `match` count on.
function textBefore(trace, r) {
  const round = rounds(trace)[r], before = tokens(trace).filter((token) => token.round < r).map((token) => token.text);
  return { texts: [...promptTexts(trace), ...before], guesses: round ? (round.draft || []).map((token) => token.text) : [] };
}

// Where the guesses of round r were copied from: {before, matched, copied, behind} as texts, `places` of what matched and of
// the last tokens it equals; null for a round that found nothing.
function sourceOf(trace, r) {
  const round = rounds(trace)[r], match = round && round.match;
  if (!match) return null;
  const { texts, guesses } = textBefore(trace, r), whole = [...texts, ...guesses], { start, n } = match, copied = match.copied || 0;
  const at = start + n, span = (from, to) => Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
  return {
    before: whole.slice(Math.max(0, start - AROUND), start),
    matched: whole.slice(start, at),
    copied: whole.slice(at, at + copied),
    behind: texts.slice(at + copied, at + copied + AROUND),
    places: { source: span(start, at), end: span(texts.length - n, texts.length) },
  };
}

// Places in the text that stand out while round r is on: what was looked up, and where it stood before.
function markedPlaces(trace, r) {
  const scene = sceneOf(trace), source = scene === "lookup" || scene === "ngram" ? sourceOf(trace, r) : null;
  return new Set(source ? [...source.places.source, ...source.places.end] : []);
}

// Of each card's column of layers: [from, to, kind] of the lit ones, counted from 0. A guess runs the first k; the pass
// lights what is left of all columns at one time, of the last one (the bonus) all: nobody has been through it yet.
function layersOf(trace, f) {
  const { layers: k, of_layers: all, resumes } = trace.drafter;
  return f.cards.map((card) => {
    if (card.kind === "absent") return null;
    const guessed = card.kind === "guess" && card.arrive > 0 ? Math.ceil(k * card.arrive) : 0;
    const from = card.kind === "guess" && resumes ? k : 0, to = f.verified > 0 ? from + Math.ceil((all - from) * f.verified) : from;
    const lit = guessed ? [[0, guessed, "q"]] : [];
    return f.verified > 0 ? [...lit, [from, to, "p"]] : lit;
  });
}

// The rounding on one line: [before, after] of every weight as shares of the width, and the steps of the grid around them.
function roundingOf(sample) {
  const all = [...sample.before, ...sample.after], low = Math.min(...all), high = Math.max(...all), wide = high - low || 1;
  const share = (x) => 0.02 + (0.96 * (x - low)) / wide, steps = sample.steps.map(share).filter((x) => x >= 0 && x <= 1);
  return { weights: sample.before.map((x, i) => [share(x), share(sample.after[i])]), steps };
}
