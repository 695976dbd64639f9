// A column opened by hand: on a card, or on a token of the text (then over the whole row, `apart`).

Object.assign(Player.prototype, {
  openNow(f) {
    const lens = this.lens;
    if (lens) return { ...lens, amount: ease(lens.amount), ...this.lensFacts(f, lens) };
    return f.open && this.shut !== f.open.round ? f.open : null;
  },

  lensFacts(f, lens) {
    const here = f.open && f.open.round === lens.round && f.open.place === lens.place;
    const past = f.round > lens.round ? 1 : 0;
    const card = lens.round === f.round && lens.place != null ? f.cards[lens.place] : null, asked = card && card.kind === "guess";
    return {
      residual: here ? f.open.residual : past, drawn: here ? f.open.drawn : past,
      known: !asked || card.lit > 0 || card.fill > 0, thrown: !asked || !!card.dart || card.verdict === "rejected",
    };
  },

  lensOpen() {
    return !!this.openNow(frame(this.trace, this.events, this.t));
  },

  // What was last done at the place that was opened by hand: the code then shows that; null where none is open.
  lensIndex() {
    const lens = this.lens, here = Math.ceil(this.t - 1e-9);
    if (!lens || lens.goal !== 1) return null;
    if (lens.round < 0) return -1;
    let last = null;
    for (let i = 0; i < here; i++) {
      const { round, place, kind } = this.events[i];
      if (round === lens.round && place === lens.place && kind !== "void") last = i;
    }
    return last;
  },

  openLens(lens) {
    if (this.playing) this.pause();
    this.lens = { ...lens, amount: this.still.matches ? 1 : 0, goal: 1 };
    this.start();
    this.draw();
  },

  openFromCard(place) {
    const f = frame(this.trace, this.events, this.t), now = this.openNow(f);
    if (now && !now.apart && now.place === place) return this.closeLens();
    const card = f.cards[place], round = rounds(this.trace)[f.round];
    if (!round || (card.kind === "guess" ? !(card.arrive > 0) : !card.fix)) return;
    this.shut = f.round;
    this.openLens({ round: f.round, place });
  },

  openFromText(i) {
    const token = tokens(this.trace)[i];
    if (!token) return;
    const kind = { accepted: "accepted", fix: "fixed full" }[token.kind] || "bonus full";
    this.openLens({ round: token.round, place: token.place, apart: true, tile: { text: token.text, kind } });
  },

  openHere() {
    const f = frame(this.trace, this.events, this.t);
    if (f.place != null) this.openFromCard(f.place);
  },

  closeLens() {
    const f = frame(this.trace, this.events, this.t), now = this.openNow(f);
    if (!now) return;
    this.shut = f.round;      // what opened by itself stays closed for the rest of its round
    this.lens = this.still.matches ? null : { ...(this.lens || { round: now.round, place: now.place, amount: now.amount }), goal: 0 };
    this.start();
    this.draw();
  },

  moveLens(passed) {
    const lens = this.lens;
    if (!lens) return;
    const step = passed / 260;
    lens.amount = lens.goal > lens.amount ? Math.min(1, lens.amount + step) : Math.max(0, lens.amount - step);
    if (lens.goal === 0 && lens.amount === 0) this.lens = null;
  },
});
