// Pure: sizes and places in pixels. One source for JS and CSS: time.js hands SIZES to the style sheet.

const SIZES = {
  wide: {
    name: "wide", lines: 84, face: 82, gauge: 104, reach: 104, number: 213, row: 258, most: 132, least: 72, beside: 42,
    gap: 14, word: 40, letter: 27, line: 42, panel: 640, upper: 0, lower: 36,
  },
  narrow: {
    name: "narrow", lines: 68, face: 66, gauge: 86, reach: 92, number: 182, row: 220, most: 100, least: 60, beside: 60,
    gap: 8, word: 30, letter: 20, line: 34, panel: 560, upper: 24, lower: 80,
  },
};

// The text of an alphabet needs many letters to a token: smaller ones, three lines where there were two.
const LETTERS = { wide: { letter: 19, line: 28 }, narrow: { letter: 15, line: 22 } };

function sizesFor(width) {
  return width < 640 ? SIZES.narrow : SIZES.wide;
}

const SLIM = { panel: 540, beside: 36, gap: 8 };      // the least that an opened panel and the cards beside it can do with

// How wide a panel opens and what the others keep, so that none is cut where all can stand.
function roomBeside(count, width, size) {
  const gap = count > 8 ? 8 : size.gap, most = count > 8 ? size.panel - 40 : size.panel, others = count - 1;
  const slim = width - others * (SLIM.beside + SLIM.gap);
  if (width >= most + others * (size.beside + gap) || slim < SLIM.panel) return { gap, panel: Math.min(width, most), beside: size.beside };
  return { gap: SLIM.gap, panel: Math.min(slim, most), beside: SLIM.beside };
}

// Places of `count` cards in a row of `width`, with the card at `place` opened by `amount` (0..1) into a panel.
function rowLayout(count, width, place, amount) {
  const size = sizesFor(width), { gap, panel, beside } = roomBeside(count, width, size);
  const line = (each, opened) => {
    const x = [];
    let total = 0;
    for (let i = 0; i < count; i++) {
      x.push(total);
      total += (i === opened ? panel : each) + gap;
    }
    total -= gap;
    const shift = Math.max(0, (width - total) / 2);
    return { each, total, x: x.map((left) => left + shift) };
  };
  const closed = line(clamp((width - gap * (count - 1)) / count, size.least, size.most), -1);
  const full = Math.max(closed.total, width);
  if (place == null || place < 0) return { x: closed.x, each: closed.each, own: closed.each, strip: full, panel: null };
  const room = count > 1 ? (width - panel - gap * (count - 1)) / (count - 1) : closed.each;
  const open = line(clamp(room, Math.min(beside, closed.each), closed.each), place);
  const each = mix(closed.each, open.each, amount);
  const x = closed.x.map((left, i) => mix(left, open.x[i], amount));
  const strip = Math.max(full, open.total);
  return { x, each, own: closed.each, strip, panel: { x: x[place], width: mix(closed.each, panel, amount), full: panel, end: open.x[place] } };
}

function gaugeWidth(each) {
  return Math.round(clamp(each * 0.34, 22, 42));
}

// The distribution's columns inside an opened panel of `width`: the top tokens, a gap, the two rests.
function columnLayout(count, rests, width, narrow) {
  const left = narrow ? 36 : 44, right = narrow ? 6 : 16, apart = rests ? 0.45 : 0;
  // The rests stand apart and a little wider: their names take more room.
  const pitch = (width - left - right) / (count + rests * 1.25 + apart);
  const wide = Math.round(Math.min(pitch * 0.7, 36));
  const centre = (i) => left + pitch * (i < count ? i + 0.5 : count + apart + 1.25 * (i - count + 0.5));
  return { left, right, pitch, wide, centre };
}
