// Bytes stream past the arithmetic units; a unit is lit for the share of time in which it works.

const PACE = 110, SPOT = 13, LANES = 3, BAND = LANES * SPOT + 8;      // pixels a second of the stream, of a place in it, places side by side, pixels they need

function makeFlow(me) {
  const box = me.root.querySelector(".flow"), of = (path) => box.querySelector(path), canvas = of("canvas");
  return { box, canvas, pen: canvas.getContext("2d"), units: null, phases: [], pause: of("button"), width: 0, height: 0,
    rows: { memory: [of(".memory .what"), of(".memory b")], compute: [of(".compute .what"), of(".compute b")] } };
}

function sizeFlow(me) {
  const view = me.flow, width = view.canvas.clientWidth, height = view.canvas.clientHeight, dense = Math.min(2, window.devicePixelRatio || 1);
  if (!(width > 0)) return;
  const units = unitsOf(width, height - BAND - 8);
  if (units.count !== view.phases.length) view.phases = phasesOf(units.count);
  Object.assign(view, { width, height, units });
  view.canvas.width = Math.round(width * dense);
  view.canvas.height = Math.round(height * dense);
  view.pen.setTransform(dense, 0, 0, dense, 0, 0);
}

// The figures; the picture itself follows the clock, in drawStream.
function drawFlow(me) {
  const view = me.flow, { memory, compute } = view.rows, cost = me.cost, labels = me.labels;
  put(memory[0], "text", labels[cost.kv_bytes > 0 ? "memory_busy_kv" : "memory_busy"]);
  put(compute[0], "text", labels.compute_busy);
  put(memory[1], "text", percent(cost.memory_busy));
  put(compute[1], "text", cost.compute_busy === null ? "?" : percent(cost.compute_busy));
  put(view.pause, "text", me.paused ? "▶" : "❚❚");
  put(view.pause, "@aria-label", labels[me.paused ? "play" : "pause"]);
  drawStream(me);
}

function drawStream(me) {
  const { pen, width, height, phases, units } = me.flow, { colours, cost, seconds } = me;
  if (!(width > 0)) return;
  pen.clearRect(0, 0, width, height);
  const busy = cost.compute_busy || 0, { across, pitch, left } = units, side = pitch - 3;
  let lit = 0;
  pen.lineWidth = 1;
  for (let i = 0; i < phases.length; i++) {
    const x = left + (i % across) * pitch + 1.5, y = Math.floor(i / across) * pitch + 1.5;
    if (cost.compute_busy !== null && isLit(phases[i], seconds, busy)) {
      lit++;
      pen.fillStyle = colours.residual;
      pen.fillRect(x - 1, y - 1, side + 2, side + 2);
    } else {
      pen.strokeStyle = colours.line;
      pen.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1);
    }
  }
  const top = height - BAND, walked = seconds * PACE, first = Math.floor(-walked / SPOT) - 1;
  pen.fillStyle = colours.panel;
  pen.fillRect(0, top, width, BAND);
  const share = cost.kv_bytes / (cost.kv_bytes + cost.weight_bytes);
  for (let slot = first; slot <= first + width / SPOT + 2; slot++) {
    const x = slot * SPOT + walked;
    for (let lane = 0; lane < LANES; lane++) {
      const what = passing(slot * LANES + lane, cost.memory_busy, share), y = top + 5.5 + lane * SPOT;
      if (!what) continue;
      pen.fillStyle = pen.strokeStyle = colours.p;
      if (what === "weights") pen.fillRect(x + 1.5, y, SPOT - 3, SPOT - 3);
      else {
        pen.lineWidth = 2;
        pen.strokeRect(x + 2.5, y + 1, SPOT - 5, SPOT - 5);
      }
    }
  }
  put(me.root, "@data-lit", String(lit));
}
