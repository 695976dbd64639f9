// The few hands that touch the page.

const SVG = "http://www.w3.org/2000/svg";

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
