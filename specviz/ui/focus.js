// The keyboard's place, where one button gives way to another: what starts a job (key X) and what gives it up (X_cancel)
// stand in the same place, and whoever pressed the one is found on the other.
if (!window.specvizFocus) {
  window.specvizFocus = true;
  const keyOf = (node) => /(?:^| )st-key-(\S+)/.exec(node?.closest?.('[class*="st-key-"]')?.className)?.[1];
  const partnerOf = (key) => (key.endsWith("_cancel") ? key.slice(0, -"_cancel".length) : key + "_cancel");
  let held = null, key = null; // the button that has the keyboard, and its key

  addEventListener("focusin", ({ target }) => {
    held = target.tagName === "BUTTON" ? target : null;
    key = held && keyOf(held);
  });
  new MutationObserver(() => {
    if (!key || held.isConnected || document.activeElement !== document.body) return;
    document.querySelector(`.st-key-${CSS.escape(partnerOf(key))} button`)?.focus({ preventScroll: true });
  }).observe(document.body, { childList: true, subtree: true });
}
