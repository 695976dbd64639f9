// Pure: one position in four moves. 1 a token x is drawn from q, 2 a height u·q(x), 3 it is compared with p(x),
// 4 the end: x stays, or a fix is drawn from the holes. The picture is a function of the throw, the step and the way into it.

const LAST_STEP = 4;

// The other ending of the same guess: u goes to the mirrored place on the other side of p/q. Null if there is none.
function otherEnding(p, q, toss) {
  const edge = p[toss.x] / q[toss.x];
  if (!(edge > 0 && edge < 1)) return null;
  const mirrored = toss.accepted ? edge + (1 - edge) * (toss.u / edge) : edge * ((toss.u - edge) / (1 - edge));
  const u = Math.min(Math.max(mirrored, 0), 1 - 2 ** -53);
  return accepts(u, p[toss.x], q[toss.x]) === toss.accepted ? null : u;
}

// Where the point is and what is lit. Heights are probabilities; `air` is the height the points fall from.
function stepFrame(p, q, toss, step, amount, air) {
  const now = ease(amount), f = { step, x: step > 0 ? toss.x : -1, lit: step > 1 ? 1 : step === 1 ? part(amount, 0.5, 1) : 0, point: null, fix: null, line: 0, verdict: null, gone: 0 };
  if (step === 0) return f;
  const there = q[toss.x], height = step === 1 ? mix(air, there, now * now) : step === 2 ? mix(there, toss.height, now) : toss.height;
  f.point = { column: toss.x, across: 0.5, height };
  f.ruler = step === 2 ? now : step > 2 ? 1 : 0;
  if (step < 3) return f;
  f.line = step === 3 ? part(amount, 0, 0.6) : 1;
  f.verdict = step === 3 && amount < 0.6 ? null : toss.accepted ? "accepted" : "rejected";
  if (step < 4) return f;
  if (toss.accepted) return { ...f, output: toss.x };
  f.gone = part(amount, 0, 0.35);
  f.fix = { column: toss.y, across: 0.5, height: mix(air, toss.at, part(amount, 0.3, 1) ** 2) };
  if (amount >= 1) f.output = toss.y;
  return f;
}

// `names`: what a sentence calls each column; `crowd`: the guess fell on a column of many tokens.
function stepSays(p, q, names, toss, step, crowd) {
  const facts = { x: names[toss.x], y: names[toss.y], q: share(q[toss.x]), p: share(p[toss.x]), u: figure(toss.u), h: share(toss.height) };
  if (step === 0) return { key: "step_0" };
  if (step === 3) return { key: toss.accepted ? (q[toss.x] <= p[toss.x] ? "step_3_full" : "step_3_yes") : p[toss.x] > 0 ? "step_3_no" : "step_3_never", ...facts };
  if (step === 4) return { key: toss.accepted ? "step_4_yes" : "step_4_no", ...facts };
  return { key: "step_" + step + (step === 1 && crowd ? "_crowd" : ""), ...facts };
}
