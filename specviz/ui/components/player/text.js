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
  put(view.flow, "@dir", directionOf(me.trace.prompt));
  put(me.root, "@data-letters", me.alphabetic ? "alphabet" : "characters");
  writePrompt(me);
  while (view.tiles.length > list.length) dropTile(view.tiles.pop());
  list.forEach((token, i) => {
    let tile = view.tiles[i];
    if (!tile) {
      tile = make("span", "tile", null);
      view.flow.insertBefore(tile, view.wait);
      view.tiles.push(tile);
      tile.addEventListener("click", () => me.openFromText(view.tiles.indexOf(tile)));
    }
    const [own, next] = written(token.text, me.labels.end);
    put(tile, "text", own);
    put(tile, "@title", me.labels["kind_" + token.kind] || "");
    tile.kind = token.kind + (token.special ? " control" : "");
    breakAfter(me, tile, next);
  });
}

// A token that ends a line: the break is real, and what it has on the next line (an indent) is a second part of its tile.
function breakAfter(me, tile, next) {
  if ((next == null) !== !tile.broken) {
    if (next == null) {
      tile.broken.remove();
      tile.rest.remove();
      tile.broken = tile.rest = null;
    } else {
      tile.broken = document.createElement("br");
      tile.rest = make("span", "tile", null);
      tile.after(tile.broken, tile.rest);
      tile.rest.addEventListener("click", () => tile.click());
    }
  }
  if (tile.rest) put(tile.rest, "text", next);
}

function dropTile(tile) {
  breakAfter(null, tile, null);
  tile.remove();
}

// The prompt as typed; in a chat as the template made it, control tokens told apart.
function writePrompt(me) {
  const { settings, prompt, prompt_texts: texts, prompt_special: special } = me.trace, view = me.text;
  const chat = !!(settings && settings.chat && special && special.length), apart = isApart(me.trace);
  const key = (chat || apart ? texts.join("\u0000") : prompt || "") + apart;
  if (view.written === key) return;
  view.written = key;
  view.prompt.replaceChildren();
  view.pieces = null;
  if (!chat && !apart) return view.prompt.append(prompt || "");
  const control = new Set(special), pieces = texts.map((text, i) => {
    if (control.has(i)) return chat ? put(make("span", "control", view.prompt), "text", text) : null;
    if (!apart) return view.prompt.append(text);
    const piece = make("span", "piece", view.prompt);
    put(piece, "text", text);
    return piece;
  });
  if (apart) view.pieces = pieces;
}

// Whether the prompt's tokens stand apart, so that some can be pointed at: where the guesses come from the text itself, and
// the pieces make up what was typed.
function isApart(trace) {
  const scene = sceneOf(trace);
  if (scene !== "lookup" && scene !== "ngram") return false;
  return !!(trace.settings && trace.settings.chat) || promptTexts(trace).join("") === trace.prompt;
}

// What was looked up, and where it stood before, stands out in the text.
function markText(me, f) {
  const view = me.text;
  if (!view.pieces && !view.marked) return;
  const places = view.pieces && f.kind !== "commit" ? markedPlaces(me.trace, f.round) : new Set(), key = [...places].join();
  if (view.marked === key) return;
  view.marked = key;
  const begin = (me.trace.prompt_ids || []).length;
  (view.pieces || []).forEach((piece, i) => piece && put(piece, "class", places.has(i) ? "piece marked" : "piece"));
  view.tiles.forEach((tile, i) => put(tile, "@data-marked", places.has(begin + i) ? "" : null));
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
  view.tiles.forEach((tile, i) => {
    const look = "tile " + tile.kind + (i < f.text ? "" : " coming");
    put(tile, "class", look);
    if (tile.rest) put(tile.rest, "class", look + (tile.rest.textContent ? " rest" : " rest bare"));
  });
  markText(me, f);
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
    put(flyer, "text", written(token.text, me.labels.end)[0]);
    put(flyer, "width", goal.w + "px");
    put(flyer, "transform", `translate(${x - goal.w / 2}px, ${y - goal.h / 2}px) scale(${scale})`);
  });
}
