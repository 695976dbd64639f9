// Pure: the one sentence that says what the picture says now, as a label with its facts.

function saysOf(cost, asked) {
  const { memory_ms: memory, compute_ms: compute, launch_ms: launch, ridge_tokens: ridge } = cost, each = asked.batch > 1 ? "_each" : "";
  if (launch > Math.max(memory, compute || 0)) return { key: "says_launches", share: percent(launch / cost.ms) };
  if (compute === null) return { key: "says_no_roof", time: timeOf(memory) };
  const more = Math.floor(ridge + 1e-9) - asked.tokens;
  if (ridge < 1) return { key: "says_no_room", ratio: times(compute / memory) };
  if (compute > memory) return { key: "says_compute" + each, ratio: times(compute / memory), ridge: grouped(Math.floor(ridge)) };
  if (more < 1) return { key: "says_ridge" };
  return { key: (more === 1 ? "says_memory_one" : "says_memory") + each, ratio: times(memory / compute), more: grouped(more) };
}

// Whether it fits, and what the times mean if not.
function fitsOf(cost, device) {
  const size = sizeOf(cost.weight_bytes + cost.kv_bytes);
  if (cost.fits === null) return { key: device.code === "own" ? "fits_not_given" : "fits_unknown", size };
  return { key: cost.fits ? "fits_yes" : "fits_no", size, memory: plain(device.memory, 3) + " GB", n: grouped(cost.devices) };
}
