// Who guesses, as a little picture on 48 × 40: yellow what guesses, blue the target.

const GLYPHS = {
  // One token after another, each a whole pass.
  plain: [["rect", "p", { x: 14, y: 4, width: 20, height: 22, rx: 3 }], ["path", "ink", { d: "M6 34h7m4 0h7m4 0h7m4 0h5" }]],
  // A small model beside the large one.
  model: [["rect", "p", { x: 22, y: 5, width: 22, height: 30, rx: 3 }], ["rect", "q", { x: 4, y: 20, width: 12, height: 15, rx: 2 }], ["path", "ink", { d: "M16 12h-6v5m-3-3l3 3 3-3" }]],
  // Lines of text, a piece of which is copied to the end.
  lookup: [["path", "quiet", { d: "M4 7h40M4 17h40M4 34h18" }], ["rect", "q", { x: 13, y: 12, width: 16, height: 10, rx: 2 }], ["path", "ink", { d: "M29 22c6 4 6 9 1 12m4 1l-4-1 0-4" }]],
  // A table: after this, so often that.
  ngram: [["path", "quiet", { d: "M6 5h36v30H6zM6 15h36M6 25h36M18 5v30M30 5v30" }], ["rect", "q", { x: 19, y: 16, width: 10, height: 8 }], ["rect", "q", { x: 31, y: 26, width: 10, height: 8 }], ["rect", "q", { x: 19, y: 26, width: 10, height: 8 }]],
  // Layers upon layers; the lowest ones already say something.
  "early-exit": [["path", "p", { d: "M6 3h22v5H6zM6 10h22v5H6zM6 17h22v5H6z" }], ["path", "q", { d: "M6 24h22v5H6zM6 31h22v5H6z" }], ["path", "ink", { d: "M30 27h13m-4-4l4 4-4 4" }]],
  // A smooth curve, rounded to steps.
  quantised: [["path", "ink", { d: "M4 34C14 34 16 6 44 6" }], ["path", "step", { d: "M4 34h9V26h6V18h6V11h9V6h10" }]],
};

function glyphOf(code, parent) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 48 40");
  svg.setAttribute("aria-hidden", "true");
  for (const [tag, name, values] of GLYPHS[code] || []) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    node.setAttribute("class", name);
    for (const [key, value] of Object.entries(values)) node.setAttribute(key, String(value));
    svg.appendChild(node);
  }
  parent.appendChild(svg);
  return svg;
}
