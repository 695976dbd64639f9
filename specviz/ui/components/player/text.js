// The text on top: the prompt, then every known token in its final place, hidden until it is committed.
// So nothing moves when a token arrives, and the flight knows where to land.

function makeText(me) {
  const box = me.root.querySelector(".text"), flow = make("div", "flow", box);
  const view = { box, flow, prompt: make("span", "prompt", flow), tiles: [], places: [], wait: make("span", "cursor", flow), flyers: [] };
  return view;
}

// Brings the tiles in step with the trace; tiles already there stay.
function updateText(me) {
  const view = me.text, list = tokens(me.trace);
  put(view.prompt, "text", (me.trace.prompt || "").replace(/\r?\n/g, "↵"));
  while (view.tiles.length > list.length) view.tiles.pop().remove();
  list.forEach((token, i) => {
    let tile = view.tiles[i];
    if (!tile) {
      tile = make("span", "tile", null);
      view.flow.insertBefore(tile, view.wait);
      view.tiles.push(tile);
      tile.addEventListener("click", () => me.openFromText(view.tiles.indexOf(tile)));
    }
    put(tile, "text", shown(token.text, me.labels.end));
    put(tile, "@title", me.labels["kind_" + token.kind] || "");
    tile.kind = token.kind;
  });
}

// Reads the layout once per resize or new data; drawing then needs no reading.
function measureText(me) {
  const view = me.text;
  view.places = view.tiles.map((tile) => ({ x: tile.offsetLeft, y: tile.offsetTop, w: tile.offsetWidth, h: tile.offsetHeight }));
  view.top = view.box.offsetTop;
  view.left = view.box.offsetLeft;
  view.end = { y: view.prompt.offsetTop + view.prompt.offsetHeight };
  view.tall = view.box.clientHeight;
  // What scrolls must be reachable by keyboard.
  put(view.box, "@tabindex", view.box.scrollHeight > view.tall + 1 ? "0" : null);
}

// How far the text is scrolled so that its last standing line is the last one seen.
function textShift(me, count) {
  const view = me.text, last = view.places[count - 1];
  const bottom = last ? last.y + last.h : view.end ? view.end.y - me.size.line / 2 : 0, line = me.size.line;
  return Math.max(0, Math.ceil(bottom / line) - Math.round(view.tall / line)) * line;
}

function drawText(me, f) {
  const view = me.text;
  view.tiles.forEach((tile, i) => put(tile, "class", "tile " + tile.kind + (i < f.text ? "" : " coming")));
  put(view.wait, "class", me.state === "waiting" ? "cursor on" : "cursor");
  const flown = f.flight ? f.flight.tokens.length : 0;
  const shift = textShift(me, f.text + flown);
  if (view.shift !== shift) {
    view.shift = shift;
    view.box.scrollTo({ top: shift, behavior: me.smooth() ? "smooth" : "auto" });
  }
  drawFlight(me, f, shift);
}

// On commit each emitted token shrinks from its card into its place in the text.
function drawFlight(me, f, shift) {
  const view = me.text, flight = f.flight;
  const count = flight && flight.amount < 1 ? flight.tokens.length : 0;
  while (view.flyers.length < count) view.flyers.push(make("span", "tile flyer", me.root.querySelector(".stage")));
  view.flyers.forEach((flyer, i) => {
    if (i >= count) return put(flyer, "visibility", "hidden");
    const token = flight.tokens[i], goal = view.places[flight.from + i];
    if (!goal) return put(flyer, "visibility", "hidden");
    const start = cardCentre(me, f, token);
    const scale = mix(start.word / me.size.letter, 1, flight.amount);
    const x = mix(start.x, view.left + goal.x + goal.w / 2, flight.amount);
    const y = mix(start.y, view.top + goal.y - shift + goal.h / 2, flight.amount);
    put(flyer, "visibility", "visible");
    put(flyer, "class", "tile flyer " + token.kind);
    put(flyer, "text", shown(token.text, me.labels.end));
    put(flyer, "width", goal.w + "px");
    put(flyer, "transform", `translate(${x - goal.w / 2}px, ${y - goal.h / 2}px) scale(${scale})`);
  });
}
