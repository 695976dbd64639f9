// Pure: sizes and places in pixels.

const SHAPES = {
  wide: { reach: 312, head: 26, foot: 88, left: 46, right: 6, bar: 92, share: 0.5, most: 230, aside: 372 },
  narrow: { reach: 214, head: 26, foot: 76, left: 24, right: 0, bar: 44, share: 0.74, most: 110, aside: 0 },
};

// The columns of n tokens in a plot of this width; heights up to `top` are drawn.
function plotLayout(width, n) {
  const narrow = width < 640, shape = narrow ? SHAPES.narrow : SHAPES.wide;
  const aside = narrow ? 0 : width < 1000 ? 290 : shape.aside, own = width - (aside ? aside + 28 : 0);
  const room = own - shape.left - shape.right, pitch = Math.min(room / n, shape.most);
  const crowded = pitch < (narrow ? 40 : 110), start = shape.left + (room - pitch * n) / 2;
  const bar = Math.round(Math.min(pitch * (crowded && !narrow ? 0.42 : shape.share), shape.bar));
  const base = shape.head + shape.reach;
  return {
    narrow, aside, width: own, height: base + shape.foot, left: shape.left, head: shape.head, reach: shape.reach, base, pitch, bar, knob: !crowded ? 22 : narrow ? 15 : 18,
    // What a finger takes hold of: never over its neighbour's, and taller where it must be narrow.
    hold: { wide: narrow ? pitch : Math.max(40, pitch / 2), tall: narrow && crowded ? 72 : 48 },
    centre: (i) => start + pitch * (i + 0.5), edge: (i) => start + pitch * (i + 0.5) - bar / 2,
  };
}

// The axis ends at a round number with room to drag above the tallest bar.
function axisFor(p, q) {
  const most = Math.max(...p, ...q);
  return [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1].find((x) => x >= Math.min(1, most * 1.2) - 1e-9) || 1;
}

function ticksOf(axis) {
  const step = axis > 0.6 ? 0.2 : axis > 0.2 ? 0.1 : axis > 0.1 ? 0.05 : axis > 0.05 ? 0.02 : 0.01, ticks = [];
  for (let k = 0; k * step <= axis + 1e-9; k++) ticks.push(Math.round(k * step * 100) / 100);
  return ticks;
}

// Two decimals; more where two would say nothing or everything and it is not quite so.
function share(x) {
  if (x === 0 || x === 1) return String(x);
  if (x < 0.005) return x.toExponential(0);
  if (x > 0.995) return x > 0.9995 ? "≈1" : x.toFixed(3);
  return x.toFixed(2);
}

// β and 1 − β as printed: the two figures add up to 1.
function shares(kept) {
  if (kept <= 0.005 || kept >= 0.995) return [share(kept), share(Math.max(0, 1 - kept))];
  const hundredths = Math.round(kept * 100);
  return [(hundredths / 100).toFixed(2), ((100 - hundredths) / 100).toFixed(2)];
}

// 1234567 -> "1 234 567", with spaces that neither break nor stretch.
function grouped(n) {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}
