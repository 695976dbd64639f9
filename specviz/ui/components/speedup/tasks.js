// Pure: three questions to be answered by dragging. A task is plain data; what the reader did is kept in it.

const START = {
  1: { gamma: 1, alpha: 0.8, c: 0.05, s: 0 },
  2: { alpha: 0.6, c: 0.05, s: 0 },
  3: { gamma: 4, easy: 1, s: 0, c: 0.05 },
};
const GOAL = { alpha: 0.9, c: 0.02, easy: 0.5 };      // how far tasks 2 and 3 are to be dragged

function freshTask(n) {
  return { n, ...START[n], low: START[n].gamma, high: START[n].gamma, most: { ...START[n] }, shown: false };
}

// What the sliders of this task say: survival, γ, c, s and α. In task 2 γ is always at its best.
function taskNow(task) {
  const { c, s } = task;
  if (task.n === 3) {
    const row = mixtureOf(task.easy, task.gamma);
    return { row, gamma: task.gamma, c, s, alpha: alphaOf(row) };
  }
  const gamma = task.n === 2 ? bestGamma(curveOf(survivalOf(task.alpha, MOST_GUESSES), c, linearCost(s))) : task.gamma;
  return { row: survivalOf(task.alpha, gamma), gamma, c, s, alpha: task.alpha };
}

// One slider moved. A finger passes every γ between two events; in task 2 the other slider goes back: one thing at a time.
function turned(task, name, value) {
  const next = { ...task, [name]: value, most: { ...task.most } };
  if (task.n === 1) {
    next.low = Math.min(task.low, value);
    next.high = Math.max(task.high, value);
  }
  if (task.n === 2) {
    const other = name === "alpha" ? "c" : "alpha";
    next[other] = START[2][other];
    next.most[name] = name === "alpha" ? Math.max(task.most.alpha, value) : Math.min(task.most.c, value);
  }
  return next;
}

// Whether the reader's own dragging has brought the answer to light.
function found(task) {
  if (task.n === 1) {
    const best = bestGamma(curveOf(survivalOf(task.alpha, MOST_PLACES), task.c, linearCost(task.s)));
    return task.gamma === best && task.high > best;
  }
  if (task.n === 2) return task.most.alpha >= GOAL.alpha && task.most.c <= GOAL.c;
  return Math.abs(task.easy - GOAL.easy) < 0.051;      // at the half, not somewhere beyond it
}

// The task with its answer on screen: the sliders stand where the answer speaks of.
function revealed(task) {
  const next = { ...task, shown: true };
  if (task.n === 1) {
    const gamma = bestGamma(curveOf(survivalOf(task.alpha, MOST_PLACES), task.c, linearCost(task.s)));
    return { ...next, gamma, low: 0, high: MOST_PLACES };
  }
  if (task.n === 2) return { ...next, alpha: GOAL.alpha, c: START[2].c, most: { ...task.most, alpha: GOAL.alpha, c: GOAL.c } };
  return { ...next, easy: GOAL.easy };
}

// The gain at the best γ.
function bestSpeed(alpha, c, s) {
  return Math.max(...curveOf(survivalOf(alpha, MOST_GUESSES), c, linearCost(s)));
}

// The figures of an answer.
function answerFacts(task) {
  const at = (alpha, gamma, c) => speedupOf(expectedTokens(alpha, gamma), gamma, c, 1), percent = (x) => String(Math.round(100 * (x - 1)));
  if (task.n === 1) {
    const curve = curveOf(survivalOf(task.alpha, MOST_PLACES), task.c, linearCost(task.s)), best = bestGamma(curve);
    return { best: String(best), speed: figure(curve[best]), most: String(MOST_PLACES), least: figure(curve[MOST_PLACES]) };
  }
  if (task.n === 2) {
    const { alpha, c } = START[2], start = bestSpeed(alpha, c, 0);
    return {
      alpha: figure(bestSpeed(GOAL.alpha, c, 0)), c: figure(bestSpeed(alpha, GOAL.c, 0)), start: figure(start),
      five: figure(at(alpha, 5, c)), five_alpha: figure(at(GOAL.alpha, 5, c)),
      low: percent(at(alpha, 3, GOAL.c) / at(alpha, 3, c)), high: percent(bestSpeed(GOAL.alpha, GOAL.c, 0) / bestSpeed(GOAL.alpha, c, 0)),
    };
  }
  const alphas = [1, GOAL.easy, 0].map((easy) => alphaOf(mixtureOf(easy, task.gamma)));
  return { high: figure(alphas[0]), middle: figure(alphas[1]), low: figure(alphas[2]) };
}
