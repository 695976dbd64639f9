// Pure: the whole picture at time t, where t counts events (t = 3.5 is half way through the fourth).
// At a whole t the picture shows what the last event left. Play, step and scrub only move t.

// How far each event of round r has come, 0..1.
function progressOf(list, index, amount, r) {
  const state = { guess: [], verify: 0, after: 0, judge: [], void: 0, fix: 0, commit: 0 };
  if (index < 0 || list[index].round !== r) return state;
  let i = index;
  while (i > 0 && list[i - 1].round === r) i--;
  for (; i <= index; i++) {
    const event = list[i], come = i < index ? 1 : amount;
    if (event.kind === "guess" || event.kind === "judge") state[event.kind][event.place] = come;
    else state[event.kind] = come;
    if (state.verify === 1 && event.kind !== "verify") state.after = Math.max(state.after, come);
  }
  return state;
}

// Where in a judging event the dart has landed and the verdict is out.
function landing(trace, token) {
  const look = throwsDart(trace, token) ? LENGTH.dart : LENGTH.full;
  return token.verdict === "rejected" ? look / (look + LENGTH.hold) : throwsDart(trace, token) ? 0.8 : 0.4;
}

function guessCard(trace, round, place, state, lit) {
  const token = round.draft[place], judge = state.judge[place] || 0, lands = landing(trace, token);
  const judged = judge >= lands && judge > 0 ? token.verdict : null;
  return {
    kind: "guess", token, place, lit,
    arrive: ease(state.guess[place] || 0),
    ratio: ratio(token),
    fill: Math.min(1, ratio(token)) * ease(part(state.verify, 0.1, 0.7)),
    dart: throwsDart(trace, token) && judge > 0 ? { u: token.u, fall: Math.pow(part(judge, 0, lands), 2) } : null,
    verdict: token.verdict === "discarded" ? (state.void > 0 ? "void" : null) : judged,
    fade: token.verdict === "discarded" ? ease(state.void) : 0,
    judging: judge > 0 && judge < 1,
    fix: place === rejectedPlace(round) && state.fix > 0 ? round.fix : null,
    fixed: place === rejectedPlace(round) ? ease(part(state.fix, 0.55, 1)) : 0,
    leave: ease(part(state.commit, 0, 0.7)),
    emitted: state.commit > 0,
  };
}

function bonusCard(round, place, state, lit) {
  const bonus = round && round.fix && fixPlace(round) === place ? round.fix : null;
  return {
    kind: "bonus", token: null, place, lit, arrive: 0, ratio: null, fill: 0, dart: null, verdict: null, fade: 0, judging: false,
    fix: bonus && state.fix > 0 ? bonus : null,
    fixed: bonus ? ease(part(state.fix, 0.2, 0.8)) : 0,
    leave: ease(part(state.commit, 0, 0.7)),
    emitted: state.commit > 0,
  };
}

function cardsOf(trace, r, state) {
  const round = rounds(trace)[r] || null;
  const asked = trace && trace.settings && Number.isFinite(trace.settings.gamma) ? trace.settings.gamma : 4;
  const guesses = round ? (round.draft || []).length : asked;
  // One number for every card: the pass is one instant, so the light cannot sweep.
  const lit = part(state.verify, 0, 0.12) * (1 - 0.75 * ease(state.after));
  const blank = { judge: [], guess: [], verify: 0, void: 0, fix: 0, commit: 0 };
  return Array.from({ length: placesOf(trace) }, (_, place) => {
    if (place > guesses) return { kind: "absent", place, lit: 0 };
    if (place === guesses) return bonusCard(round, place, state, lit);
    return round ? guessCard(trace, round, place, state, lit)
      : guessCard(trace, { draft: Array(guesses).fill({ text: "", verdict: null }) }, place, blank, lit);
  });
}

// The column that opens by itself: the rejected one, from its verdict until the round goes into the text.
function openOf(trace, r, state) {
  const round = rounds(trace)[r];
  const place = round ? rejectedPlace(round) : -1;
  if (place < 0) return null;
  const token = round.draft[place], judge = state.judge[place] || 0, lands = landing(trace, token);
  const reach = lands + (1 - lands) * (LENGTH.open / LENGTH.hold);
  const amount = ease(part(judge, lands + (1 - lands) * 0.15, reach + (1 - lands) * 0.15)) * (1 - ease(state.commit));
  if (!(amount > 0)) return null;
  return { round: r, place, amount, residual: ease(part(state.fix, 0, 0.45)), drawn: ease(part(state.fix, 0.5, 1)), leave: ease(state.commit) };
}

function rival(token) {
  const best = (token.top || []).reduce((a, b) => ((b[2] || 0) > (a ? a[2] || 0 : -1) ? b : a), null);
  return best ? best[1] : "";
}

// Within an event the caption asks first and answers when the picture has answered.
function captionOf(trace, now, amount) {
  if (!now) return trace && trace.first ? { key: "start", x: trace.first.text } : { key: "waiting_first" };
  const round = rounds(trace)[now.round], draft = round.draft || [], base = { r: now.round + 1 };
  if (now.kind === "guess") {
    const token = draft[now.place];
    return { ...base, key: "guess", i: now.place + 1, n: draft.length, x: token.text, q: figure(token.q) };
  }
  if (now.kind === "verify") return { ...base, key: draft.length ? "verify" : "verify_one", n: draft.length + 1 };
  if (now.kind === "judge") {
    const token = draft[now.place], good = token.verdict === "accepted";
    const facts = { ...base, i: now.place + 1, x: token.text, ratio: figure(ratio(token)), u: figure(token.u) };
    if (amount < landing(trace, token)) {
      if (isGreedy(trace)) return { ...facts, key: "judge_first_ask" };
      if (throwsDart(trace, token)) return { ...facts, key: "judge_ask" };
    }
    if (isGreedy(trace)) return { ...facts, key: good ? "judge_first_yes" : "judge_first_no", y: good ? null : rival(token) };
    if (good && !throwsDart(trace, token)) return { ...facts, key: "judge_full" };
    return { ...facts, key: good ? "judge_yes" : "judge_no" };
  }
  if (now.kind === "void") {
    const n = draft.filter((token) => token.verdict === "discarded").length;
    const ended = rejectedPlace(round) < 0;
    return { ...base, key: ended ? "void_end" : n === 1 ? "void_one" : "void", n };
  }
  if (now.kind === "fix") {
    const facts = { ...base, x: round.fix.text, n: draft.length };
    if (rejectedPlace(round) >= 0 && amount < 0.5 && !isGreedy(trace)) return { ...facts, key: "fix_ask" };
    if (rejectedPlace(round) >= 0) return { ...facts, key: isGreedy(trace) ? "fix_first" : "fix_residual" };
    return { ...facts, key: draft.length ? "fix_bonus" : "fix_only" };
  }
  const n = emittedTokens(round, now.round).length;
  return { ...base, key: n === 1 ? "commit_one" : "commit", n };
}

function frame(trace, list, t) {
  const at = clamp(t || 0, 0, list.length);
  const index = Math.ceil(at) - 1;
  const now = index < 0 ? null : list[index];
  const amount = now ? at - index : 1;
  const closed = !!now && now.kind === "commit" && amount === 1;
  const r = now ? now.round + (closed ? 1 : 0) : 0;
  const state = progressOf(list, index, amount, r);
  let text = trace && trace.first ? 1 : 0;
  rounds(trace).forEach((round, i) => { if (i < r) text += emittedTokens(round, i).length; });
  const flying = state.commit > 0 ? emittedTokens(rounds(trace)[r], r) : [];
  return {
    step: Math.floor(at), steps: list.length, index, kind: now ? now.kind : "start", round: r, amount,
    place: now && !closed ? now.place : null,
    text,                                                    // tokens standing in the text
    flight: flying.length ? { from: text, tokens: flying, amount: ease(state.commit) } : null,
    cards: cardsOf(trace, r, state),
    pass: part(state.verify, 0, 0.12) * (1 - ease(state.after)),    // the band of the one pass
    verified: state.verify,                                  // how far the pass has come
    open: openOf(trace, r, state),
    caption: captionOf(trace, now, amount),
    ms: now ? now.at + now.took * amount : 0,                // the playhead on the lanes
  };
}
