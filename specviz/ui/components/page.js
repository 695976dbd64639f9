// What every component does to the page: write only what changed, measure text, tell the theme.

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

// Width of a text in em. Fonts differ too much to guess; a canvas measures without a layout of the page.
function emsOf(me, text) {
  if (!me.pen) {
    me.pen = document.createElement("canvas").getContext("2d");
    me.widths = new Map();
    me.pen.font = "500 100px " + getComputedStyle(me.root).fontFamily;
  }
  let width = me.widths.get(text);
  if (width === undefined) me.widths.set(text, (width = me.pen.measureText(text).width / 100));
  return width;
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

// The component takes the theme of the page it stands on; the colours of both are in its style sheet.
function takeTheme(me) {
  const paper = getComputedStyle(me.host).getPropertyValue("--st-background-color") || "#fff";
  me.root.dataset.theme = luminance(paper) > 0.5 ? "light" : "dark";
}
