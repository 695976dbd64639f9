// The rain on screen: up to a thousand points fall one by one; more are poured in chunks and drawn as density.

const DOTS = 10000, FALL = 520, FADE = 320;

function makeShower(me) {
  const layer = (name) => {
    const canvas = me.root.querySelector(name);
    return { canvas, pen: canvas.getContext("2d"), dirty: true };
  };
  return { resting: layer(".resting"), moving: layer(".moving"), dots: [], drops: [], spent: 0 };
}

function sizeShower(me) {
  const lay = me.lay, dense = Math.min(2, window.devicePixelRatio || 1);
  for (const { canvas, pen } of [me.shower.resting, me.shower.moving]) {
    const width = Math.round(lay.width * dense), height = Math.round((lay.base + 10) * dense);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      canvas.style.width = lay.width + "px";
      canvas.style.height = lay.base + 10 + "px";
    }
    pen.setTransform(dense, 0, 0, dense, 0, 0);
  }
  me.shower.resting.dirty = true;
}

// Where in its column a point lies: what the uniform that chose the column has left over.
function acrossOf(row, i, u) {
  const sum = cumulative(row), from = i ? sum[i - 1] : 0;
  return row[i] > 0 ? clamp((u * sum[row.length - 1] - from) / row[i], 0, 1) : 0.5;
}

function dropOf(me, n) {
  const words = uniforms(me.seed, n), toss = judged(me.p, me.q, words);
  const drop = { n, x: toss.x, height: toss.height, across: acrossOf(me.q, toss.x, words[0]), accepted: toss.accepted };
  if (!toss.accepted) Object.assign(drop, { y: toss.y, at: toss.at, over: acrossOf(fixesOf(me.p, me.q), toss.y, words[2]) });
  return drop;
}

function dotOf(drop) {
  return drop.accepted ? { column: drop.x, across: drop.across, height: drop.height, green: false } : { column: drop.y, across: drop.over, height: drop.at, green: true };
}

// The points that have come to rest, from the counter alone: after a page switch they lie where they lay.
function recallDots(me) {
  const shower = me.shower;
  shower.dots = [];
  for (let n = 0; n < Math.min(me.rain.thrown, DOTS); n++) shower.dots.push(dotOf(dropOf(me, n)));
  shower.resting.dirty = true;
}

function startDrops(me, amount) {
  const shower = me.shower, spread = amount === 1 ? 0 : amount <= 10 ? 150 * amount : 2600;
  shower.clock = 0;
  shower.drops = Array.from({ length: amount }, (_, k) => ({ ...dropOf(me, me.rain.thrown + k), starts: spread * k / amount, fall: amount <= 10 ? 800 : FALL, landed: false, done: false }));
}

// One frame further; true while something still falls.
function moveDrops(me, passed) {
  const shower = me.shower;
  shower.clock += passed;
  let open = false;
  for (const drop of shower.drops) {
    if (drop.done) continue;
    const age = shower.clock - drop.starts;
    if (age >= drop.fall && !drop.landed) {
      drop.landed = true;
      pour(me.rain, me.p, me.q, me.seed, 1, me.goalAxis * 1.1);
    }
    if (age >= (drop.accepted ? drop.fall : 2 * drop.fall + FADE)) {
      drop.done = true;
      rest(me, dotOf(drop));
    } else open = true;
  }
  if (!open) shower.drops = [];
  return open;
}

// All that is in the air comes to rest at once.
function landAll(me) {
  const shower = me.shower;
  for (const drop of shower.drops) {
    if (!drop.landed) pour(me.rain, me.p, me.q, me.seed, 1, me.goalAxis * 1.1);
    if (!drop.done) rest(me, dotOf(drop));
  }
  shower.drops = [];
}

function rest(me, dot) {
  const shower = me.shower;
  if (shower.dots.length >= DOTS) return;
  shower.dots.push(dot);
  if (!shower.resting.dirty && me.rain.thrown <= DOTS) stamp(me, shower.resting.pen, dot);
}

// A chunk of a large throw; about eight milliseconds of a frame.
function pourChunk(me) {
  const until = performance.now() + 8;
  do pour(me.rain, me.p, me.q, me.seed, Math.min(20000, me.goal - me.rain.thrown), me.goalAxis * 1.1);
  while (me.rain.thrown < me.goal && performance.now() < until);
  me.shower.resting.dirty = true;
}

function place(me, column, across, height) {
  const lay = me.lay, r = 4;
  return [lay.edge(column) + r + across * (lay.bar - 2 * r), me.y(height)];
}

function dotRadius(me) {
  // Together they cover a little less than half of the area they fall on, whatever its size on screen.
  const area = me.lay.bar * me.lay.reach / me.goalAxis;
  return Math.round(clamp(Math.sqrt(0.45 * area / (Math.PI * Math.max(1, me.goal))), 1.2, 5) * 5) / 5;
}

function stamp(me, pen, dot) {
  const [x, y] = place(me, dot.column, dot.across, dot.height), r = dotRadius(me);
  pen.fillStyle = dot.green ? me.colours.residual : me.colours.p;
  pen.beginPath();
  if (dot.green) pen.rect(x - r, y - r, 2 * r, 2 * r);      // green ones are square: colour is never the only sign
  else pen.arc(x, y, r, 0, 2 * Math.PI);
  pen.fill();
}

function drawShower(me) {
  const shower = me.shower, { resting, moving } = shower, lay = me.lay, on = me.tab === "rain";
  put(resting.canvas, "display", on ? "" : "none");
  put(moving.canvas, "display", on ? "" : "none");
  if (!on) return;
  const key = `${me.axis}|${dotRadius(me)}|${me.colours.p}`;
  if (resting.dirty || resting.key !== key) {
    resting.dirty = false;
    resting.key = key;
    resting.pen.clearRect(0, 0, lay.width, lay.base + 10);
    if (me.rain.thrown > DOTS) drawDensity(me, resting.pen);
    else for (const dot of shower.dots) stamp(me, resting.pen, dot);
  }
  if (shower.drops.length || moving.dirty) {
    moving.pen.clearRect(0, 0, lay.width, lay.base + 10);
    moving.dirty = shower.drops.length > 0;
  }
  for (const drop of shower.drops) drawDrop(me, moving.pen, drop);
}

function drawDrop(me, pen, drop) {
  const age = me.shower.clock - drop.starts, r = dotRadius(me);
  if (age < 0 || drop.done) return;
  const circle = (x, y, colour, alpha, square) => {
    pen.globalAlpha = alpha;
    pen.fillStyle = colour;
    pen.beginPath();
    if (square) pen.rect(x - r, y - r, 2 * r, 2 * r);
    else pen.arc(x, y, r, 0, 2 * Math.PI);
    pen.fill();
    pen.globalAlpha = 1;
  };
  const air = -8, fallen = (y, age) => mix(air, y, clamp(age / drop.fall, 0, 1) ** 2);
  const [x, y] = place(me, drop.x, drop.across, drop.height);
  if (age < drop.fall) return circle(x, fallen(y, age), me.colours.quiet, 1);
  if (drop.accepted) return circle(x, y, me.colours.p, 1);
  if (age < drop.fall + FADE) {
    const fade = 1 - (age - drop.fall) / FADE;
    circle(x, y, me.colours.rejected, fade);
    pen.globalAlpha = fade;
    pen.strokeStyle = me.colours.rejected;
    pen.lineWidth = 1.6;
    pen.beginPath();
    pen.moveTo(x - 2 * r, y - 2 * r);
    pen.lineTo(x + 2 * r, y + 2 * r);
    pen.moveTo(x - 2 * r, y + 2 * r);
    pen.lineTo(x + 2 * r, y - 2 * r);
    pen.stroke();
    pen.globalAlpha = 1;
    return;
  }
  const [gx, gy] = place(me, drop.y, drop.over, drop.at);
  circle(gx, fallen(gy, age - drop.fall - FADE), me.colours.residual, 1, true);
}

// Each slice of a column as dark as it is full, against what N points would give it.
function drawDensity(me, pen) {
  const lay = me.lay, slice = me.goalAxis * 1.1 / SLICES, n = me.rain.thrown;
  const paint = (counts, i, from, to, colour) => {
    pen.fillStyle = colour;
    for (let s = Math.floor(from / slice); s * slice < to && s < SLICES; s++) {
      const low = Math.max(from, s * slice), high = Math.min(to, (s + 1) * slice);
      if (!(high > low)) continue;
      pen.globalAlpha = clamp(0.8 * counts[i * SLICES + s] / (n * (high - low)), 0, 1);
      const top = Math.round(me.y(high));      // whole pixels: no seams between slices
      pen.fillRect(lay.edge(i) + 3, top, lay.bar - 6, Math.round(me.y(low)) - top);
    }
    pen.globalAlpha = 1;
  };
  me.tokens.forEach((_, i) => {
    const low = Math.min(me.p[i], me.q[i]);
    paint(me.rain.blue, i, 0, low, me.colours.p);
    paint(me.rain.green, i, low, me.p[i], me.colours.residual);
  });
}
