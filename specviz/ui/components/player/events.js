// Pure: a trace -> the list of things that happen, each a stop of the time line, with its length at 1x (`ms`)
// and its measured share of the run (`at`, `took`, in the trace's own milliseconds).

const LENGTH = { guess: 200, verify: 600, full: 250, dart: 350, hold: 900, open: 350, void: 250, fix: 600, commit: 300 };

function rounds(trace) {
  return (trace && trace.rounds) || [];
}

function isGreedy(trace) {
  return !!(trace && trace.settings && trace.settings.temperature === 0);
}

// p / q of a guess. A guess was drawn from q, so q > 0; a trace cut short by hand may still lack it.
function ratio(token) {
  const p = token.p || 0, q = token.q || 0;
  if (q > 0) return p / q;
  return p > 0 ? Infinity : 0;
}

// A dart is thrown only where chance decides: not at T = 0, and not where p >= q.
function throwsDart(trace, token) {
  return !isGreedy(trace) && token.u != null && ratio(token) < 1;
}

function rejectedPlace(round) {
  return (round.draft || []).findIndex((token) => token.verdict === "rejected");
}

// Where the fix goes: over the rejected guess, else to the bonus place after the last one.
function fixPlace(round) {
  const place = rejectedPlace(round);
  return place >= 0 ? place : (round.draft || []).length;
}

// An event by what came of it: a judgement by its verdict, a fix by its kind.
function eventName(trace, event) {
  if (!event) return null;
  const round = rounds(trace)[event.round];
  return event.kind === "judge" ? round.draft[event.place].verdict : event.kind === "fix" ? round.fix.kind : event.kind;
}

function judgeLength(trace, token) {
  const look = throwsDart(trace, token) ? LENGTH.dart : LENGTH.full;
  return token.verdict === "rejected" ? look + LENGTH.hold : look;
}

function events(trace) {
  const list = [];
  let clock = 0;
  rounds(trace).forEach((round, r) => {
    const draft = round.draft || [], measured = round.ms || {}, mine = [];
    const add = (kind, place, ms) => mine.push({ kind, round: r, place, ms });
    draft.forEach((token, i) => add("guess", i, LENGTH.guess));
    add("verify", null, LENGTH.verify);
    draft.forEach((token, i) => {
      if (token.verdict === "accepted" || token.verdict === "rejected") add("judge", i, judgeLength(trace, token));
    });
    const lost = draft.findIndex((token) => token.verdict === "discarded");
    if (lost >= 0) add("void", lost, LENGTH.void);
    if (round.fix) add("fix", fixPlace(round), LENGTH.fix);
    add("commit", null, LENGTH.commit);
    const tail = mine.filter((event) => event.kind !== "guess" && event.kind !== "verify").length;
    const rest = (measured.rest || 0) + (draft.length ? 0 : measured.draft || 0);
    for (const event of mine) {
      event.took = event.kind === "guess" ? (measured.draft || 0) / draft.length
        : event.kind === "verify" ? measured.verify || 0 : rest / tail;
      event.at = clock;
      clock += event.took;
    }
    list.push(...mine);
  });
  return list;
}

// The residual over the columns a trace keeps: [text, share], the largest first.
function residualShares(fix) {
  const rest = fix.rest && fix.rest.under ? Math.max(0, (fix.rest.under.p || 0) - (fix.rest.under.q || 0)) : 0;
  const over = (fix.top || []).map(([, text, p, q]) => [text, Math.max(0, (p || 0) - (q || 0))]);
  const mass = over.reduce((sum, [, share]) => sum + share, rest);
  if (!(mass > 0)) return [];
  return over.map(([text, share]) => [text, share / mass]).filter(([, share]) => share > 0).sort((a, b) => b[1] - a[1]);
}

const DOUBT = 1.2;      // times: so far may clocks be apart that should agree

// Milliseconds a token, plain over speculative: how many times as fast the run was; null before it can be told. Reading
// several tokens cannot be much quicker than a plain step, reading one and drawing, nor a run more times as fast than it
// writes tokens a round: where it seems so, the machine was busy, as in `specviz.family.busy`.
function paceOf(trace, list, plain) {
  const made = tokens(trace).length - 1, spent = totalMs(list);
  if (!plain || !plain.length || made < 1 || !(spent > 0)) return null;
  const verifies = rounds(trace).filter((round) => (round.draft || []).length).map((round) => (round.ms || {}).verify || 0);
  const rate = plain.reduce((a, b) => a + b, 0) / plain.length / (spent / made), silent = !verifies.length;
  const busy = (verifies.length >= 5 && middle(verifies) < 0.75 * middle(plain))
    || rate > DOUBT * made / rounds(trace).length || (silent && rate < 1 / DOUBT);
  return { rate, busy };
}

function middle(values) {
  const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// What one round puts into the text: its accepted guesses, then the fix. `emitted` has the last word on how many.
function emittedTokens(round, r) {
  const list = [];
  (round.draft || []).forEach((token, place) => {
    if (token.verdict === "accepted") list.push({ id: token.id, text: token.text, special: token.special, kind: "accepted", round: r, place });
  });
  const fix = round.fix;
  if (fix) list.push({ id: fix.id, text: fix.text, special: fix.special, kind: fix.kind === "bonus" ? "bonus" : "fix", round: r, place: fixPlace(round) });
  return round.emitted ? list.slice(0, round.emitted.length) : list;
}

// The whole known output as tokens, the first one included.
const knownTokens = new WeakMap();
function tokens(trace) {
  let list = knownTokens.get(trace);
  if (!list) {
    list = [];
    if (trace.first) list.push({ id: trace.first.id, text: trace.first.text, special: trace.first.special, kind: "first", round: -1, place: null });
    rounds(trace).forEach((round, r) => list.push(...emittedTokens(round, r)));
    knownTokens.set(trace, list);
  }
  return list;
}

// How many cards the row holds: the most any round needs, so that the row never shifts from round to round.
function placesOf(trace) {
  const gamma = trace && trace.settings && trace.settings.gamma;
  const asked = Number.isFinite(gamma) ? gamma : 4;
  return rounds(trace).reduce((most, round) => Math.max(most, (round.draft || []).length + 1), asked + 1);
}

function totalMs(list) {
  return list.length ? list[list.length - 1].at + list[list.length - 1].took : 0;
}

// True pace is too fast to see: one round of it is stretched to about two and a half seconds, by a round number.
function slowing(list) {
  const count = list.length ? list[list.length - 1].round + 1 : 0, total = totalMs(list);
  if (!count || !(total > 0)) return null;
  const factor = 2500 / (total / count);
  return factor <= 1 ? 1 : nice(factor);
}

// Ends of the stops that close a round: where "next round" and "previous round" go.
function roundEnds(list) {
  const ends = [0];
  list.forEach((event, i) => { if (event.kind === "commit") ends.push(i + 1); });
  return ends;
}

// The stop nearest to a measured moment, for scrubbing on the lanes.
function stopAt(list, ms) {
  for (let i = 0; i < list.length; i++) if (ms < list[i].at + list[i].took / 2) return i;
  return list.length;
}
