// The few hands that touch the page.

const SVG = "http://www.w3.org/2000/svg";

function put(node, name, value) {
  // Few DOM writes: what is already so is not written again.
  const seen = node.seen || (node.seen = {});
  if (seen[name] === value) return;
  seen[name] = value;
  if (name === "text") node.textContent = value;
  else if (name === "class") node.setAttribute("class", value);
  else if (name[0] === "@") {
    if (value == null) node.removeAttribute(name.slice(1));
    else node.setAttribute(name.slice(1), value);
  } else if (name.startsWith("--")) node.style.setProperty(name, value);
  else node.style[name] = value;
}

function make(tag, name, parent) {
  const node = document.createElement(tag);
  if (name) put(node, "class", name);
  if (parent) parent.appendChild(node);
  return node;
}

function shape(tag, name, parent) {
  const node = document.createElementNS(SVG, tag);
  if (name) put(node, "class", name);
  if (parent) parent.appendChild(node);
  return node;
}

function box(rect, x, y, width, height) {
  put(rect, "@x", x.toFixed(2));
  put(rect, "@y", y.toFixed(2));
  put(rect, "@width", Math.max(0, width).toFixed(2));
  put(rect, "@height", Math.max(0, height).toFixed(2));
}

function line(node, x1, y1, x2, y2) {
  put(node, "@d", `M${x1.toFixed(2)} ${y1.toFixed(2)}L${x2.toFixed(2)} ${y2.toFixed(2)}`);
}

// A sentence with its loud values in bold, and its swatches: {blue}, {green}, {red} become a little piece of the picture.
function write(node, template, values) {
  const key = template + JSON.stringify(values);
  if (node.said === key) return;
  node.said = key;
  node.replaceChildren();
  for (const piece of sentence(template, values, Object.keys(values))) {
    if (typeof piece === "string") node.appendChild(document.createTextNode(piece));
    else if (["blue", "green", "red"].includes(piece.name)) {
      const group = make("span", "amount", node);
      make("i", "swatch " + piece.name, group);
      make("b", "", group).textContent = piece.text;
    } else if (piece.name === "yes" || piece.name === "no") {
      const mark = shape("svg", "mark " + piece.name, node);
      put(mark, "@viewBox", "0 0 24 24");
      put(mark, "@role", "img");
      put(mark, "@aria-label", piece.text);
      put(shape("path", "", mark), "@d", piece.name === "yes" ? "M4 13l5.5 6L20 5" : "M5 5l14 14M19 5L5 19");
    } else make("b", "", node).textContent = piece.text;
  }
}

function luminance(colour) {
  const hex = /^#([0-9a-f]{3,8})$/i.exec(colour.trim());
  let rgb = [255, 255, 255];
  if (hex) {
    const h = hex[1].length < 6 ? [...hex[1]].map((c) => c + c).join("") : hex[1];
    rgb = [0, 2, 4].map((i) => parseInt(h.slice(i, i + 2), 16));
  } else {
    const numbers = colour.match(/[\d.]+/g);
    if (numbers && numbers.length >= 3) rgb = numbers.slice(0, 3).map(Number);
  }
  return (0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]) / 255;
}

// Width of a text in em; a canvas measures without a layout of the page.
function emsOf(me, text) {
  if (!me.pen) {
    me.pen = document.createElement("canvas").getContext("2d");
    me.widths = new Map();
    me.pen.font = "500 100px " + getComputedStyle(me.root).fontFamily;
  }
  if (!me.widths.has(text)) me.widths.set(text, me.pen.measureText(text).width / 100);
  return me.widths.get(text);
}
