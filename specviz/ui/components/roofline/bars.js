// Reading, multiplying and launches as bars on one axis of time.

function makeTimes(me) {
  const view = { box: me.root.querySelector(".times"), axis: me.root.querySelector(".axis"), rows: {}, drawn: null };
  for (const name of ["memory", "compute", "launches"]) {
    const node = view.box.querySelector(".time." + name), of = (path) => node.querySelector(path);
    view.rows[name] = { node, what: of(".what"), much: of(".much"), track: of(".track"), bar: of(".track i"), value: of("b") };
  }
  return view;
}

function drawTimes(me) {
  const view = me.times, cost = me.cost, labels = me.labels, { memory, compute, launches } = view.rows;
  put(memory.what, "text", labels.reading);
  put(compute.what, "text", labels.multiplying);
  put(launches.what, "text", labels.launches);
  const kv = cost.kv_bytes > 0 ? " + KV " + sizeOf(cost.kv_bytes) : "";
  put(memory.much, "text", (kv ? sizeOf(cost.weight_bytes) : say(labels.weights, { size: sizeOf(cost.weight_bytes) })) + kv);
  put(compute.much, "text", operationsOf(cost.operations) + (cost.arithmetic && cost.arithmetic !== me.values.dtype ? " · " + cost.arithmetic.toUpperCase() : ""));
  put(launches.much, "text", labels.launches_once);
  put(launches.node, "display", cost.launch_ms > 0 ? "" : "none");
  put(view.box, "@data-rows", cost.launch_ms > 0 ? "3" : "2");
  bar(me, memory, 0, cost.memory_ms);
  bar(me, compute, 0, cost.compute_ms);
  bar(me, launches, cost.ms - cost.launch_ms, cost.launch_ms);
  drawAxis(me);
}

function bar(me, row, from, ms) {
  put(row.bar, "left", (100 * clamp(from / me.axis, 0, 1)).toFixed(3) + "%");
  put(row.bar, "width", ms === null ? "0" : `max(3px, ${(100 * Math.min(1, ms / me.axis)).toFixed(3)}%)`);
  put(row.value, "text", ms === null ? "?" : timeOf(ms));
}

function drawAxis(me) {
  const view = me.times, key = `${me.axis}|${me.goalAxis}`;
  if (view.drawn === key) return;
  view.drawn = key;
  view.axis.replaceChildren();
  const ticks = linearTicks(me.goalAxis, me.width < 760 ? 3 : 5), seconds = me.goalAxis >= 9999.5;
  for (const tick of ticks) {
    const at = tick / me.axis;
    if (at > 1.001) continue;
    const node = make("span", "", view.axis);
    put(node, "left", (100 * at).toFixed(3) + "%");
    node.textContent = plain(seconds ? tick / 1e3 : tick, 4) + (tick === ticks[ticks.length - 1] ? (seconds ? " s" : " ms") : "");
  }
}

function operationsOf(n) {
  for (const [unit, power] of [["EFLOP", 18], ["PFLOP", 15], ["TFLOP", 12], ["GFLOP", 9], ["MFLOP", 6]]) {
    if (n >= 0.9995 * Math.pow(10, power)) return plain(n / Math.pow(10, power), 3) + " " + unit;
  }
  return plain(n, 3) + " FLOP";
}
