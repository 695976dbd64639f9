// At the end, where the cards were: what the run came to, in four figures.

function makeSum(me) {
  const box = me.root.querySelector(".sum"), view = { box, figures: [] };
  for (let i = 0; i < 4; i++) {
    const item = make("div", "sum-item", box);
    view.figures.push({ item, number: make("div", "sum-number", item), name: make("div", "sum-name", item) });
  }
  return view;
}

function figuresOf(me) {
  const all = rounds(me.trace), guesses = all.flatMap((round) => round.draft || []);
  const count = (verdict) => guesses.filter((guess) => guess.verdict === verdict).length;
  const made = all.reduce((sum, round, r) => sum + emittedTokens(round, r).length, 0), accepted = count("accepted"), judged = accepted + count("rejected");
  const list = [
    [String(made), me.labels.sum_tokens],
    [String(all.length), me.labels.sum_passes],
    [all.length ? (made / all.length).toFixed(2) : "", me.labels.sum_per_pass],
  ];
  if (judged) list.push([(accepted / judged).toFixed(2), say(me.labels.sum_alpha, { accepted, judged })]);
  return list;
}

function drawSum(me) {
  const over = me.state === "finished" && rounds(me.trace).length > 0 && !me.lens;
  put(me.sum.box, "class", over ? "sum on" : "sum");
  put(me.sum.box, "@aria-hidden", String(!over));
  put(me.cards.row, "class", over ? "row over" : "row");
  put(me.cards.row, "@inert", over ? "" : null);
  if (!over) return;
  const list = figuresOf(me);
  me.sum.figures.forEach((view, i) => {
    put(view.item, "display", list[i] ? "" : "none");
    if (!list[i]) return;
    put(view.number, "text", list[i][0]);
    put(view.name, "text", list[i][1]);
  });
}
