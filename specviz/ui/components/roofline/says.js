// Pure: the one sentence that says what the picture says now, as a label with its facts.

function saysOf(cost, asked) {
  const { memory_ms: memory, compute_ms: compute, launch_ms: launch, ridge_tokens: ridge } = cost, each = asked.batch > 1 ? "_each" : "";
  if (launch > Math.max(memory, compute || 0)) return { key: "says_launches", share: percent(launch / cost.ms) };
  if (compute === null) return { key: asked.device === "own" ? "says_no_tflops" : "says_no_roof", time: timeOf(memory) };
  const more = Math.floor(ridge + 1e-9) - asked.tokens;
  if (ridge < 1) return { key: "says_no_room", ratio: times(compute / memory) };
  if (compute > memory) return { key: "says_compute" + each, ratio: times(compute / memory), ridge: grouped(Math.floor(ridge)) };
  if (more < 1) return { key: "says_ridge" };
  return { key: (more === 1 ? "says_memory_one" : "says_memory") + each, ratio: times(memory / compute), more: grouped(more) };
}

// What the curve does between a pass of one token, priced, and one of `most`: the label of its title. Flat is what takes
// hardly longer than one token does.
function curveOf(one, most) {
  if (one.compute_ms === null) return "curve_no_roof";
  const flat = (1.15 * one.ms - one.launch_ms) / one.compute_ms;      // tokens; reading alone stays what it is
  return flat < 2 ? "curve_rises" : flat >= most ? "curve_flat" : "curve";
}

// Whether it fits, and what the times mean if not.
function fitsOf(cost, device) {
  const size = sizeOf(cost.weight_bytes + cost.kv_bytes);
  if (cost.fits === null) return { key: device.code === "own" ? "fits_not_given" : "fits_unknown", size };
  return { key: cost.fits ? "fits_yes" : "fits_no", size, memory: plain(device.memory, 3) + " GB", n: grouped(cost.devices) };
}
