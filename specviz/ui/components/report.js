// What a picture tells the server, once the hand that moved it rests: one rerun of the page a call.
//
// Streamlit forgets the press of a button, or loses the way to another page, when a further message overtakes its answer. So
// a picture that has something to tell keeps it to itself for a moment after a press anywhere else.

const HUSH_MS = 1000, PRESSES = ["pointerdown", "pointerup", "keydown"];

class Report {
  // rest: ms without a further call of due(). now(): what there is to tell, null while the hand does not rest.
  constructor(host, rest, now) {
    Object.assign(this, { host, rest, now, send: null, timer: 0, pressed: -HUSH_MS, told: null, sent: [] });
    this.press = this.press.bind(this);
  }

  // With every update: whom to tell.
  to(send) {
    this.send = send;
    for (const press of PRESSES) window.addEventListener(press, this.press, true);
  }

  // What is pressed in a picture is no press to Streamlit.
  press(event) {
    if (!event.composedPath().some((node) => node.dataset && node.dataset.specviz)) this.pressed = performance.now();
  }

  due() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.wait(), this.rest);
  }

  wait() {
    const left = this.pressed + HUSH_MS - performance.now();
    if (left > 0) this.timer = setTimeout(() => this.wait(), left);
    else this.tell();
  }

  tell() {
    const state = this.host.isConnected ? this.now() : null, key = JSON.stringify(state);
    if (state === null || key === this.told) return;
    this.told = key;
    this.sent.push(state);
    if (this.sent.length > 40) this.sent.shift();
    this.send(state);
  }

  // A page hands back what it was told, sometimes late. same(state): whether that is what it hands back now.
  isEcho(same) {
    const at = this.sent.findIndex(same);
    if (at >= 0) this.sent.splice(0, at + 1);
    return at >= 0;
  }

  forget() {
    clearTimeout(this.timer);
    Object.assign(this, { told: null, sent: [] });
  }

  stop() {
    this.forget();
    for (const press of PRESSES) window.removeEventListener(press, this.press, true);
  }
}
