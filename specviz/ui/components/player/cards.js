// The row of gamma + 1 cards: each a face (the token), a gauge (p over q, with the dart u) and one number.

// How far an opened card steps into its panel, so that it does not touch the edge.
const LEAD = 12;

// What a face leaves for its token.
function roomIn(each) {
  return each - (each < 80 ? 10 : 20);
}

function makeCards(me) {
  const row = me.root.querySelector(".row"), strip = make("div", "strip", row);
  const view = {
    row, strip, band: make("div", "band", strip), scale: make("div", "scale", strip), panel: make("div", "panel", strip), cards: [],
  };
  for (const name of ["1", "p/q", "0"]) put(make("span", name === "p/q" ? "upright" : "", view.scale), "text", name);
  return view;
}

function makeCard(me, place) {
  const card = make("button", "card", null), view = { card };
  card.type = "button";
  view.face = make("span", "face", card);
  view.word = make("span", "word", view.face);
  view.sign = makeMark(make("span", "sign rejected", card));
  view.fix = make("span", "face fixed", card);
  view.fixWord = make("span", "word", view.fix);
  view.gauge = make("span", "gauge", card);
  view.fill = make("span", "fill", view.gauge);
  view.dart = make("span", "dart", card);
  view.u = make("span", "u", view.dart);
  view.mark = makeMark(make("span", "mark", card));
  view.number = make("span", "number", card);
  card.addEventListener("click", () => me.openFromCard(place));
  return view;
}

// ✓ and ✗ are drawn: fonts disagree about them.
function makeMark(span) {
  const svg = draw("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, span);
  draw("path", { class: "yes", d: "M4 13l5.5 6L20 5" }, svg);
  draw("path", { class: "no", d: "M5 5l14 14M19 5L5 19" }, svg);
  return span;
}

function updateCards(me) {
  const view = me.cards, count = placesOf(me.trace);
  while (view.cards.length > count) view.cards.pop().card.remove();
  while (view.cards.length < count) {
    const card = makeCard(me, view.cards.length);
    view.cards.push(card);
    view.strip.appendChild(card.card);
  }
}

// Beside an opened column a card is seen whole or not at all.
function inView(me, lay, i) {
  const left = lay.x[i] - me.cards.scrolled;
  return left > -1 && left + lay.each < me.width + 1;
}

// The middle of an emitted token's card, in the stage's pixels, before the row closes again.
function cardCentre(me, f, token) {
  const r = rounds(me.trace)[token.round];
  const rejected = r ? rejectedPlace(r) : -1;
  const lay = rowLayout(placesOf(me.trace), me.width, rejected >= 0 ? rejected : null, 1);
  const own = token.place === rejected ? lay.own : lay.each;
  const beside = token.kind === "fix" ? own + 18 + LEAD : 0;
  const word = fit(emsOf(me, shown(token.text, me.labels.end)), roomIn(own), me.size.word, 8);
  return { x: me.cards.left - me.cards.scrolled + lay.x[token.place] + beside + own / 2, y: me.cards.top + me.size.face / 2, word };
}

function measureCards(me) {
  const row = me.cards.row, table = row.parentElement;
  me.cards.left = table.offsetLeft + row.offsetLeft;
  me.cards.top = table.offsetTop + row.offsetTop;
  me.cards.scrolled = me.cards.row.scrollLeft;
}

function faceClass(card) {
  if (card.kind === "bonus") return card.fixed > 0 && !card.emitted ? "face full" : "face empty";
  if (!(card.arrive > 0)) return "face empty";
  if (card.emitted && card.verdict === "accepted") return "face empty";
  return "face " + (card.verdict || "guess") + (card.judging ? " judging" : "");
}

function numberOf(me, card, roomy) {
  if (card.kind === "bonus") return me.labels.bonus;
  if (!(card.arrive > 0) || card.emitted) return "";
  const judged = card.fill > 0 || card.lit > 0 || card.verdict;
  if (!judged) return (roomy ? "q = " : "") + figure(card.token.q);
  return (roomy ? "p/q = " : "") + figure(card.ratio);
}

function drawCards(me, f, open) {
  const view = me.cards, size = me.size;
  const lay = rowLayout(view.cards.length, me.width, open && !open.apart ? open.place : null, open && !open.apart ? open.amount : 0);
  const gauge = gaugeWidth(lay.each), roomy = lay.each >= 108;
  put(view.strip, "width", Math.floor(lay.strip) + "px");
  put(view.strip, "opacity", open && open.apart ? String(1 - 0.88 * open.amount) : "1");
  let last = -1;
  f.cards.forEach((card, i) => {
    const v = view.cards[i];
    if (!v) return;
    if (card.kind === "absent") return put(v.card, "visibility", "hidden");
    last = i;
    const opened = open && !open.apart && open.place === i ? open.amount : 0;
    put(v.card, "visibility", "visible");
    const each = opened > 0 ? lay.own : lay.each;
    put(v.card, "width", each + "px");
    put(v.card, "opacity", opened > 0 || !lay.panel || inView(me, lay, i) ? "1" : (1 - open.amount).toFixed(3));
    put(v.card, "transform", `translateX(${lay.x[i] + LEAD * opened}px)`);
    put(v.card, "class", "card " + card.kind + (me.state === "waiting" ? " waiting" : "") + (opened > 0 ? " opened" : ""));
    drawFace(me, v, card, each, opened, f.round);
    drawGauge(me, v, card, lay.each, gauge, opened, roomy);
    put(v.number, "class", card.verdict === "void" ? "number quiet" : "number");
    put(v.number, "text", opened > 0 ? "" : numberOf(me, card, roomy));
    put(v.card, "@aria-label", cardLabel(me, card, i));
  });
  // The band of light behind all the cards is the one pass of the target: one block, lit in one frame.
  const band = last >= 0 ? lay.x[last] + lay.each - lay.x[0] + 16 : 0;
  put(view.band, "transform", `translateX(${lay.x[0] - 8}px)`);
  put(view.band, "width", band + "px");
  put(view.band, "opacity", f.pass.toFixed(3));
  // The gauges' common scale, where there is room for it.
  const asked = f.cards[0].kind === "guess" && f.cards[0].arrive > 0 && !f.cards[0].emitted && !(open && !open.apart && open.place === 0);
  put(view.scale, "opacity", asked && lay.x[0] > 24 ? "1" : "0");
  put(view.scale, "transform", `translateX(${lay.x[0] - 20}px)`);
  return lay;
}

function drawFace(me, v, card, each, opened, r) {
  const blank = card.kind === "bonus" || !(card.arrive > 0);
  const gone = card.emitted && card.verdict !== "rejected" && card.verdict !== "void";
  const text = blank || gone ? "" : shown(card.token.text, me.labels.end);
  put(v.face, "class", faceClass(card));
  put(v.word, "text", card.kind === "bonus" && !card.fixed && !card.emitted ? "+1" : text);
  put(v.word, "fontSize", blank ? "" : fit(emsOf(me, text), roomIn(each), me.size.word, 8) + "px");
  // A guess comes in from the right, where the text is going.
  const arrive = blank ? 1 : card.arrive, leave = card.emitted ? card.leave : 0;
  put(v.word, "transform", arrive < 1 ? `translateX(${(1 - arrive) * 26}px)` : "");
  put(v.word, "opacity", String(Math.round(100 * (blank ? 1 : arrive * (1 - leave))) / 100));
  put(v.sign, "visibility", !blank && card.verdict === "rejected" ? "inherit" : "hidden");
  put(v.sign, "opacity", String(1 - leave));
  put(v.sign, "transform", `translateX(${each - 16}px)`);
  put(v.face, "--lit", card.lit.toFixed(3));
  put(v.face, "opacity", gone || blank ? "1" : (1 - leave).toFixed(3));
  // The fix stands beside the rejected guess while the column is open, and over it when it is closed.
  const fix = card.fix && !card.emitted ? card.fixed : 0;
  put(v.fix, "visibility", fix > 0 ? "visible" : "hidden");
  if (!(fix > 0)) return;
  const name = shown(card.fix.text, me.labels.end);
  put(v.fix, "class", "face " + (card.fix.kind === "bonus" ? "bonus full" : "fixed full"));
  put(v.fixWord, "text", name);
  put(v.fixWord, "fontSize", fit(emsOf(me, name), roomIn(each), me.size.word, 8) + "px");
  put(v.fix, "opacity", fix.toFixed(3));
  // It rises out of its own column of the distribution.
  const column = opened > 0 ? columnOf(me, r, card) : null;
  const x = mix(column == null ? opened * (each + 18) : column - LEAD - each / 2, opened * (each + 18), fix);
  const y = (1 - fix) * (column == null ? 30 : me.size.gauge + me.size.reach - me.size.face / 2);
  put(v.fix, "transform", `translate(${x}px, ${y}px) scale(${mix(column == null ? 0.7 : 0.4, 1, fix)})`);
}

// The middle of the fix's column in the opened panel.
function columnOf(me, r, card) {
  const built = me.distribution.built, found = built && built.columns.find((c) => !c.column.side && c.column.id === card.fix.id);
  return found ? found.centre : null;
}

function drawGauge(me, v, card, each, width, opened, roomy) {
  const size = me.size, left = (each - width) / 2;
  const here = card.kind === "guess" && card.arrive > 0 && !(opened > 0) && !(card.emitted && card.leave >= 1);
  const ghost = card.kind === "guess" && !here && !(opened > 0);      // the place where a gauge will stand
  put(v.gauge, "visibility", here || ghost ? "visible" : "hidden");
  put(v.gauge, "class", ghost ? "gauge ghost" : "gauge");
  if (here || ghost) {
    put(v.gauge, "width", width + "px");
    put(v.gauge, "transform", `translateX(${left}px)`);
  }
  if (ghost) {
    put(v.gauge, "opacity", "1");
    put(v.fill, "transform", "scaleY(0)");
  }
  put(v.dart, "visibility", here && card.dart ? "visible" : "hidden");
  put(v.mark, "visibility", here && (card.verdict === "accepted" || card.verdict === "rejected") ? "inherit" : "hidden");
  if (!here) return;
  const fade = (1 - 0.55 * card.fade) * (1 - card.leave) * card.arrive;
  put(v.gauge, "opacity", fade.toFixed(2));
  put(v.dart, "opacity", (1 - card.leave).toFixed(2));
  put(v.mark, "opacity", (1 - card.leave).toFixed(2));
  put(v.fill, "transform", `scaleY(${card.fill.toFixed(4)})`);
  const level = card.dart ? (1 - card.dart.u) * size.reach : 0;
  if (card.dart) {
    const y = mix(-34, level, card.dart.fall);
    put(v.dart, "width", width + 14 + "px");
    put(v.dart, "transform", `translate(${left - 7}px, ${y}px)`);
    put(v.u, "text", roomy ? figure(card.dart.u) : "");
  }
  put(v.mark, "class", "mark " + (card.verdict || ""));
  // Beside an opened column a card has no room beside its gauge: there the mark stands over it.
  if (each < 56) put(v.mark, "transform", `translate(${each / 2 - 13}px, -24px) scale(0.7)`);
  else put(v.mark, "transform", `translate(${left - (roomy ? 36 : 22)}px, ${clamp(level, 12, size.reach - 12) - 13}px)`);
}

function cardLabel(me, card, i) {
  if (card.kind === "bonus") return me.labels.bonus + (card.fix ? " " + shown(card.fix.text, me.labels.end) : "");
  if (!(card.arrive > 0)) return say(me.labels.card_empty, { i: i + 1 });
  const verdict = card.verdict ? me.labels["verdict_" + card.verdict] : "";
  return say(me.labels.card, { i: i + 1, x: shown(card.token.text, me.labels.end) }) + (verdict ? ", " + verdict : "");
}

// Keeps the card that matters in view where the row is wider than the screen.
function followCard(me, f, lay, open) {
  const view = me.cards;
  if (lay.strip <= me.width + 1) {
    view.goal = null;
    return;
  }
  const place = open && !open.apart ? open.place : f.place;
  if (place == null) return;
  const left = open && !open.apart ? lay.panel.end : lay.x[place] - (me.width - lay.each) / 2;
  const wide = open && !open.apart ? lay.panel.full : lay.each;
  const goal = Math.round(clamp(open && !open.apart ? left - (me.width - wide) / 2 : left, 0, lay.strip - me.width));
  if (view.goal === goal) return;
  view.goal = goal;
  view.row.scrollTo({ left: goal, behavior: me.smooth() ? "smooth" : "auto" });
}
