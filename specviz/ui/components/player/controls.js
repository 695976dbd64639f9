// The transport, the keys and the one line that says what happens now.

function makeControls(me) {
  const root = me.root, q = (name) => root.querySelector(`[data-do="${name}"]`);
  const view = { speed: q("speed"), pace: q("true_pace"), follow: q("follow"), play: q("play"), badge: root.querySelector(".badge"),
    where: root.querySelector(".where"), caption: root.querySelector(".caption"), buttons: {} };
  const acts = { first: () => me.go(0), back: () => me.go(Math.ceil(me.t) - 1), play: () => me.toggle(), forward: () => me.go(Math.floor(me.t) + 1),
    next_round: () => me.goRound(1), true_pace: () => me.setPace(!me.truePace), follow: () => me.setFollow(!me.follow) };
  for (const [name, act] of Object.entries(acts)) {
    view.buttons[name] = q(name);
    q(name).addEventListener("click", (event) => {
      act();
      // After a mouse click the keys belong to the player again: space must play, not repeat the button.
      if (event.detail > 0) root.focus({ preventScroll: true });
    });
  }
  view.speed.addEventListener("change", () => me.setSpeed(Number(view.speed.value)));
  root.addEventListener("keydown", (event) => onKey(me, event));
  return view;
}

// What a key does; presentation remotes send PageDown, PageUp and the full stop. PageDown goes one event on.
function actOf(me, event) {
  const next = () => me.go(Math.floor(me.t) + 1), back = () => me.go(Math.ceil(me.t) - 1);
  switch (event.key) {
    case "ArrowRight": return event.shiftKey ? () => me.goRound(1) : next;
    case "ArrowLeft": return event.shiftKey ? () => me.goRound(-1) : back;
    case "ArrowDown": return () => me.goRound(1);
    case "ArrowUp": return () => me.goRound(-1);
    case "PageDown": return next;
    case "PageUp": return back;
    case "Home": return () => me.go(0);
    case "End": return () => me.go(me.events.length);
    case " ": case ".": return () => me.toggle();
    case "Escape": return me.lensOpen() ? () => me.closeLens() : null;
    case "Enter": return () => me.openHere();
  }
  return null;
}

function onKey(me, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // r and c are Streamlit's own keys (rerun, clear cache); in here they would take the run away.
  if (event.key === "r" || event.key === "c") return event.stopPropagation();
  const from = event.composedPath()[0], tag = from && from.tagName;
  if (tag === "SELECT" && event.key !== "Escape") return event.stopPropagation();
  if (tag === "BUTTON" && (event.key === " " || event.key === "Enter")) return event.stopPropagation();
  const act = actOf(me, event);
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}

function updateControls(me) {
  const view = me.controls, labels = me.labels;
  for (const name of ["first", "back", "forward", "next_round"]) {
    put(view.buttons[name], "@aria-label", labels[name]);
    put(view.buttons[name], "@title", labels[name]);
  }
  put(view.speed, "@aria-label", labels.speed);
  if (me.factor == null) me.factor = slowing(me.events);      // once known it stays: a label that changes would jump
  const known = me.factor;
  put(view.pace, "text", known > 1 ? say(labels.true_pace_slowed, { n: known }) : labels.true_pace);
  view.pace.disabled = known == null;
  put(view.follow, "text", labels.follow);
  put(view.follow, "display", me.live || me.wasLive ? "" : "none");
  view.follow.disabled = !me.live;
  put(view.badge, "text", me.recorded ? labels.recorded : "");
  put(view.badge, "display", me.recorded ? "" : "none");
  put(me.root, "@aria-label", labels.name);
}

function drawControls(me, f) {
  const view = me.controls, labels = me.labels, playing = me.playing;
  put(view.play, "class", playing ? "main playing" : "main");
  put(view.play, "@aria-label", playing ? labels.pause : labels.play);
  put(view.play, "@title", playing ? labels.pause : labels.play);
  put(view.pace, "@aria-pressed", String(me.truePace));
  put(view.follow, "@aria-pressed", String(me.follow));
  const count = rounds(me.trace).length, now = f.index < 0 ? 1 : me.events[f.index].round + 1;
  put(view.where, "text", (count ? say(labels.round, { n: now, of: count }) + " · " : "") + say(labels.step, { n: f.step, of: f.steps }));
  drawCaption(me, f);
}

function captionNow(me, f) {
  if (me.lens && me.lens.goal === 1) return lensCaption(me);
  if (me.state === "finished") return { key: "finished_" + (me.trace.finish_reason || "length") };
  if (me.state === "waiting" && me.trace.first) return { key: "waiting_next" };
  return f.caption;
}

// What was opened by hand has the caption too, whatever moment the picture stands at.
function lensCaption(me) {
  const { round, place } = me.lens, here = placeOf(me.trace, round, place);
  const token = me.lens.tile || here.x || here.fix;
  return { key: round < 0 ? "lens_first" : "lens", r: round + 1, x: token.text };
}

function drawCaption(me, f) {
  const view = me.controls, caption = captionNow(me, f), quiet = me.playing && (me.speed > 1 || me.truePace);
  const end = me.labels.end, values = { ...caption };
  for (const name of ["x", "y"]) if (name in values) values[name] = shown(values[name], end);
  const key = me.language + JSON.stringify(values);
  put(view.caption, "@aria-live", quiet ? "off" : "polite");
  if (view.said === key) return;
  view.said = key;
  view.caption.replaceChildren();
  for (const piece of sentence(me.labels["say_" + caption.key], values, ["x", "y"])) {
    if (typeof piece === "string") view.caption.appendChild(document.createTextNode(piece));
    else put(make("b", "", view.caption), "text", piece.text);
  }
}
