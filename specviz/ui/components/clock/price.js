// Pure: what a pass costs on a machine, and a run retimed. The twin of specviz/roofline.py and specviz/clock.py.

// Layers, width of a head and query heads by size, after a family of models: [parameters, layers, width, heads] each.
function shapeOf(params, family) {
  const last = family.length - 1;
  if (params <= family[0][0]) return { layers: family[0][1], width: family[0][2], heads: family[0][3] };
  if (params >= family[last][0]) return { layers: family[last][1], width: family[last][2], heads: family[last][3] };
  const above = family.findIndex((member) => member[0] > params);
  const [small, few, , less] = family[above - 1], [large, many, width, more] = family[above];
  const share = Math.log(params / small) / Math.log(large / small);
  const between = (a, b) => Math.floor(a + (b - a) * share + 0.5);
  return { layers: between(few, many), width, heads: between(less, more) };
}

// TFLOPS for weights of a precision: its own figure, else that of bf16, else none.
function roofOf(device, dtype) {
  const asked = dtype === "fp16" ? "bf16" : dtype;
  return device.tflops[asked] ?? device.tflops.bf16 ?? null;
}

// One pass over `tokens` new tokens of each of `batch` sequences that hold `context` tokens already.
function priceOf(facts, device, params, dtype, tokens, context, batch) {
  const shape = shapeOf(params, facts.family), kept = dtype === "fp32" ? 4 : 2;
  const weights = params * facts.bytes[dtype];
  const kv = 2 * shape.layers * facts.kv_heads * shape.width * kept * context * batch;
  const perByte = 1e3 / (device.bandwidth * 1e12), roof = roofOf(device, dtype), attending = roofOf(device, dtype === "fp32" ? "fp32" : "bf16");
  const attention = 4 * shape.layers * shape.heads * shape.width * context;
  const arithmetic = roof == null ? null : ((2 * params) / (roof * 1e12) + attention / (attending * 1e12)) * batch * tokens * 1e3;
  const reading = (weights + kv) * perByte;
  return { weights, kv, weights_ms: weights * perByte, kv_ms: kv * perByte, memory_ms: reading, compute_ms: arithmetic,
    ms: Math.max(reading, arithmetic ?? 0) };
}

// {draftMs, targetMs(k)} of a choice: by a datasheet, or by what was measured on this machine.
function clockOf(facts, choice) {
  const own = facts.measured;
  if (choice.device === "this" && own) {
    const last = own.v.length, slope = (own.v[last - 1] - own.v[0]) / Math.max(1, last - 1);
    const v = (k) => (k <= last ? own.v[k - 1] : own.v[last - 1] + slope * (k - last));
    return { draftMs: own.target_ms * own.c, targetMs: (k) => own.target_ms * v(k) };
  }
  const device = facts.devices[choice.device];
  const price = (params, k) => priceOf(facts, device, params, choice.dtype, k, choice.context, choice.batch);
  return { draftMs: price(choice.draft, 1).ms, targetMs: (k) => price(choice.target, k).ms };
}

// The same run on another clock: rounds with new milliseconds, the plain lane, and how many times as fast it is.
function retimed(trace, clock) {
  const list = rounds(trace).map((round) => {
    const n = (round.draft || []).length;
    return { ...round, ms: { draft: n * clock.draftMs, verify: clock.targetMs(n + 1), rest: 0 } };
  });
  const made = list.reduce((sum, round) => sum + round.emitted.length, 0);
  const plain = Array(made).fill(clock.targetMs(1));
  const spent = list.reduce((sum, round) => sum + round.ms.draft + round.ms.verify, 0);
  return { trace: { ...trace, rounds: list }, plain, speedup: spent > 0 ? (made * clock.targetMs(1)) / spent : null };
}

// Bytes of both models with their keys and values, and how many devices hold them; null where the memory is not given.
function memoryOf(device, ready) {
  const need = ready.reduce((sum, one) => sum + one.weights + one.kv, 0);
  return { need, devices: device.memory == null ? null : Math.ceil(need / (device.memory * 1e9)) };
}

// Milliseconds with three figures that mean something.
function milliseconds(x) {
  if (x == null) return "–";
  if (x >= 1000) return Math.round(x).toString();
  return x === 0 ? "0" : x >= 0.001 ? String(Number(x.toPrecision(x >= 1 ? 3 : 2))) : x.toExponential(0);
}
