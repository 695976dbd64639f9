// Sliders, fields, the device and the keys.

const WHOLE = ["tokens", "context", "batch", "layers", "kv_heads", "head_dim", "heads"], BILLION = 1e9;

function makeControls(me) {
  const root = me.root, view = { sliders: {}, choice: root.querySelector(".choice"), select: root.querySelector("select"), source: root.querySelector(".source"), own: root.querySelector(".own"),
    shape: root.querySelector(".shape"), fields: {}, dtypes: [], known: null };
  for (const node of root.querySelectorAll("[data-of]")) {
    const name = node.dataset.of, slider = { node, label: node.querySelector(".name"), range: node.querySelector("input[type=range]"), field: node.querySelector("input[type=text]"), unit: node.querySelector(".unit") };
    view.sliders[name] = slider;
    put(slider.field, "@id", `roofline-${name}-${me.number}`);
    put(slider.label, "@for", slider.field.id);
    slider.range.addEventListener("input", () => me.change({ [name]: me.stops[name][Number(slider.range.value)] }));
    slider.range.addEventListener("change", () => me.report.due());
    asField(me, name, slider.field);
  }
  for (const name of ["bandwidth", "tflops", "memory"]) addField(me, view, name, view.own);
  for (const name of ["layers", "kv_heads", "head_dim", "heads"]) addField(me, view, name, view.shape.querySelector(".fields"));
  put(view.select, "@id", "roofline-device-" + me.number);
  put(root.querySelector(".device .name"), "@for", view.select.id);
  view.select.addEventListener("change", () => me.change({ device: view.select.value }, true));
  me.flow.pause.addEventListener("click", () => me.pause(!me.paused));
  root.addEventListener("keydown", (event) => onKey(me, event));
  return view;
}

function addField(me, view, name, parent) {
  const label = make("label", "small", parent), text = make("span", "name", label), field = make("input", "", label);
  field.type = "text";
  put(field, "@inputmode", "decimal");
  put(field, "@autocomplete", "off");
  view.fields[name] = { text, field };
  asField(me, name, field);
}

// A field answers when it is left or Enter is pressed; what it cannot use is named in the sentence above the picture.
function asField(me, name, field) {
  const scale = name === "params" ? BILLION : 1;
  field.addEventListener("change", () => {
    let value = typed(field.value);
    const [low, high] = limitsOf(me, name), free = value === null && (name === "tflops" || name === "memory");
    if (value !== null && WHOLE.includes(name)) value = Math.round(value);
    if (!free && !(value !== null && value * scale >= low && value * scale <= high)) return me.refuse(name, field, low / scale, high / scale);
    field.removeAttribute("aria-invalid");
    me.change({ [name]: free ? null : value * scale }, true);
  });
}

// Query heads share KV heads, never the reverse.
function limitsOf(me, name) {
  const [low, high] = me.limits[name], { heads, kv_heads } = me.values;
  return name === "heads" ? [Math.max(low, kv_heads), high] : name === "kv_heads" ? [low, Math.min(high, heads)] : [low, high];
}

function onKey(me, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // r and c are Streamlit's own keys (rerun, clear cache); in here they would take the picture away.
  if (event.key === "r" || event.key === "c") return event.stopPropagation();
  const from = event.composedPath()[0];
  if (from !== me.root) return event.stopPropagation();
  const step = { ArrowRight: 1, ArrowLeft: -1, PageDown: 1, PageUp: -1, ".": 1 }[event.key];
  if (!step && event.key !== " ") return;
  event.preventDefault();
  event.stopPropagation();
  if (!step) return me.pause(!me.paused);
  // Presenter's keys double or halve the tokens.
  me.change({ tokens: clamp(step > 0 ? me.values.tokens * 2 : Math.floor(me.values.tokens / 2), ...me.ends.tokens) }, true);
}

function updateControls(me) {
  const view = me.controls, labels = me.labels;
  put(me.root, "@aria-label", labels.name);
  for (const [name, slider] of Object.entries(view.sliders)) {
    if (name !== "tokens") {
      put(slider.label, "text", labels[name]);
      put(slider.range, "@aria-label", labels[name]);
    }
    put(slider.range, "@max", String(me.stops[name].length - 1));
    if (slider.unit) put(slider.unit, "text", labels.billion);
  }
  for (const [name, entry] of Object.entries(view.fields)) put(entry.text, "text", labels[name]);
  put(me.root.querySelector(".dtypes .name"), "text", labels.dtype);
  put(view.choice, "@aria-label", labels.dtype);
  put(me.root.querySelector(".device .name"), "text", labels.device);
  const known = JSON.stringify([me.devices.map((d) => d.code), me.dtypes, labels.device]);
  if (view.known === known) return;
  view.known = known;
  view.choice.replaceChildren();
  view.dtypes = me.dtypes.map(({ code, name }) => {
    const node = make("button", "", view.choice);
    node.type = "button";
    node.textContent = name;
    put(node, "@data-dtype", code);
    node.addEventListener("click", () => me.change({ dtype: code }, true));
    return node;
  });
  view.select.replaceChildren();
  const option = (code, text) => {
    const node = make("option", "", view.select);
    node.value = code;
    node.textContent = text;
    return node;
  };
  for (const device of me.devices) option(device.code, device.code === "this" ? labels.this_machine : device.name);
  if (!me.devices.some((device) => device.code === "this")) option("this", labels.this_unmeasured).disabled = true;
  option("own", labels.own_numbers);
}

function drawControls(me) {
  const view = me.controls, { values, labels, device } = me, active = me.root.getRootNode().activeElement;
  const tokens = labels[values.batch > 1 ? "tokens_each" : "tokens"];
  put(view.sliders.tokens.label, "text", tokens);
  put(view.sliders.tokens.range, "@aria-label", tokens);
  for (const [name, slider] of Object.entries(view.sliders)) {
    const stop = String(stopAt(me.stops[name], values[name]));
    if (slider.range.value !== stop) slider.range.value = stop;
    const scale = name === "params" ? BILLION : 1, text = name === "params" ? plain(values.params / scale, 3) : grouped(values[name]);
    put(slider.range, "@aria-valuetext", text + (name === "params" ? " " + labels.billion : ""));
    if (active !== slider.field || !slider.field.hasAttribute("aria-invalid")) fill(slider.field, text);
  }
  for (const [name, { field }] of Object.entries(view.fields)) {
    if (active !== field || !field.hasAttribute("aria-invalid")) fill(field, values[name] === null ? "" : plain(values[name], 6));
  }
  for (const node of view.dtypes) put(node, "@aria-pressed", String(node.dataset.dtype === values.dtype));
  if (view.select.value !== values.device) view.select.value = values.device;
  put(view.own, "display", values.device === "own" ? "" : "none");
  const [roof, name] = roofOf(device, values.dtype);
  const figures = [speedOf(device.bandwidth, "B/s"), roof === null ? null : speedOf(roof, "FLOPS") + " " + name.toUpperCase(), device.memory ? plain(device.memory, 3) + " GB" : null];
  put(view.source, "display", values.device === "own" ? "none" : "");
  write(view.source, "{figures}\n" + (me.sources[device.source] || ""), { figures: figures.filter(Boolean).join(" · ") });
  put(view.shape.querySelector("summary"), "text", say(labels.shape, values));
}

function fill(field, text) {
  if (field.value !== text) field.value = text;
}
