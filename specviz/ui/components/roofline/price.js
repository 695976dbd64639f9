// Pure: specviz/roofline.py in JavaScript, held to it by tests/browser/test_roofline_price.py. Devices and bytes come from Python.

// TFLOPS and the precision of the products: the weights' own where there is a figure, else the faster of bf16 and fp32.
function roofOf(device, dtype) {
  const known = device.tflops;
  if (dtype in known) return [known[dtype], dtype];
  const wide = ["bf16", "fp32"].filter((name) => name in known);
  if (!wide.length) return [null, null];
  const fastest = wide.length === 2 && known.fp32 > known.bf16 ? "fp32" : wide[0];
  return [known[fastest], dtype === "fp16" && fastest === "bf16" ? dtype : fastest];
}

// The reader's own numbers as a device: TFLOPS in whatever precision is asked for.
function ownDevice(bytes, asked) {
  const tflops = asked.tflops ? Object.fromEntries(Object.keys(bytes).map((name) => [name, asked.tflops])) : {};
  return { code: "own", name: "", memory: asked.memory || null, bandwidth: asked.bandwidth, tflops, source: "own", launch_ms: 0, layer_ms: 0 };
}

// One pass over `tokens` new tokens of each of `batch` sequences that hold `context` tokens already.
function price(device, bytes, asked) {
  const { params, dtype, tokens, context, batch } = asked;
  const weights = params * bytes[dtype], kept = dtype === "fp32" ? 4 : 2;
  const kv = 2 * asked.layers * asked.kv_heads * asked.head_dim * kept * context * batch;
  const [roof, arithmetic] = roofOf(device, dtype);
  const memory = (weights + kv) / (device.bandwidth * 1e12) * 1e3;
  const [attending] = roofOf(device, dtype === "fp32" ? "fp32" : "bf16"), attention = 4 * asked.layers * asked.heads * asked.head_dim * context;
  const token = roof ? (2 * params / (roof * 1e12) + attention / ((attending || roof) * 1e12)) * batch * 1e3 : null;
  const compute = token === null ? null : token * tokens, launch = device.launch_ms + device.layer_ms * asked.layers;
  const ms = Math.max(memory, compute || 0) + launch, capacity = device.memory ? device.memory * 1e9 : null;
  return {
    weight_bytes: weights, kv_bytes: kv, operations: (2 * params + attention) * tokens * batch, memory_ms: memory, compute_ms: compute, launch_ms: launch, arithmetic,
    ridge_tokens: token === null ? null : memory / token,
    fits: capacity ? weights + kv <= capacity : null, devices: capacity ? Math.ceil((weights + kv) / capacity) : null,
    bound: (compute || 0) > memory ? "compute" : "memory", ms, memory_busy: memory / ms, compute_busy: compute === null ? null : compute / ms,
  };
}
