// The proof: q is a hundred bricks. The red ones are lifted out of the excess and click into the holes, one after another.

const BRICK_EVERY = 60, BRICK_FLIGHT = 260;

function bricksNow(me) {
  const p = bricksOf(me.p), q = bricksOf(me.q);
  return { p, q, moves: movesOf(p, q) };
}

function brickLength(moves) {
  return moves.length ? (moves.length - 1) * BRICK_EVERY + BRICK_FLIGHT : 0;
}

// How far move i has come, ms after the button.
function brickAt(i, ms) {
  return clamp((ms - i * BRICK_EVERY) / BRICK_FLIGHT, 0, 1);
}

// What stands now, column by column, bricks in the air not counted.
function standing(bricks, ms) {
  const stands = bricks.q.slice();
  bricks.moves.forEach(({ from, to }, i) => {
    const way = brickAt(i, ms);
    if (way > 0) stands[from.column]--;
    if (way === 1) stands[to.column]++;
  });
  return stands;
}

function drawBricks(me) {
  const host = me.plot.bricks, on = me.tab === "bricks";
  put(host, "display", on ? "" : "none");
  if (!on) return;
  const bricks = me.bricks, lay = me.lay, need = JSON.stringify([bricks.p, bricks.q]);
  if (host.built !== need || host.lay !== lay) buildBricks(me, host, need);
  const tall = lay.reach / me.axis / 100, gap = tall > 5 ? 1.4 : 0.8;
  const spot = (column, level) => [lay.edge(column) + 3.5, lay.base - (level + 1) * tall + gap / 2];
  for (const b of host.list) {
    const way = b.move < 0 ? 0 : brickAt(b.move, me.moved), [x0, y0] = spot(b.column, b.level);
    let x = x0, y = y0;
    if (way > 0) {
      const [x1, y1] = spot(b.to.column, b.to.level), go = ease(way);
      x = mix(x0, x1, go);
      y = mix(y0, y1, go) - Math.sin(Math.PI * way) * 26;
    }
    box(b.node, x, y, lay.bar - 7, tall - gap);
    const name = b.hole ? "hole" : b.move < 0 ? "blue" : way === 1 ? "green" : "red";
    put(b.node, "class", "brick " + name);
    put(b.node, "@fill", name === "red" || name === "green" ? `url(#${me.plot.ids[name]})` : null);
  }
}

function buildBricks(me, host, need) {
  host.replaceChildren();
  host.built = need;
  host.lay = me.lay;
  const { p, q, moves } = me.bricks, list = [];
  p.forEach((count, column) => {
    for (let level = q[column]; level < count; level++) list.push({ column, level, hole: true, move: -1 });
  });
  q.forEach((count, column) => {
    for (let level = 0; level < Math.min(count, p[column]); level++) list.push({ column, level, move: -1 });
  });
  // Those that fly come last, so that they pass in front.
  moves.forEach(({ from, to }, i) => list.push({ ...from, to, move: i }));
  host.list = list;
  for (const b of list) b.node = shape("rect", "brick", host);
}
