// What the browser's history is to hold: a step for every page, its address as the reader left it. Streamlit makes a step of
// every parameter that a page writes into its address, so that "Back" would lead to an address which the page at once
// writes full again, and out of no page; and it takes its parameters from a page before it goes on to the next.
if (!history.pushState.steps) {
  const push = history.pushState.bind(history), replace = history.replaceState.bind(history);
  const seen = (url) => new URL(url ?? "", document.baseURI);
  const kept = (state) => ({ ...state, step: true });
  const loses = (url) => [...new URL(location.href).searchParams.keys()].some((key) => !seen(url).searchParams.has(key));
  let left = null; // the address of this page as the reader's last touch left it, before parameters were taken from it

  history.replaceState = (state, title, url) => replace(kept(state), title, url);
  history.pushState = (state, title, url) => {
    if (url != null && seen(url).pathname === location.pathname) {
      if (!left && loses(url)) left = location.href;
      replace(kept(state), title, url);
    } else {
      if (left && seen(left).pathname === location.pathname) replace(kept(history.state), title, left);
      left = null;
      push(kept(state), title, url);
    }
  };
  history.pushState.steps = true;
  for (const touch of ["pointerdown", "keydown", "popstate"]) addEventListener(touch, () => (left = null), true);

  // Steps that were made before this was read: the first address of the page, half written. They are passed over.
  replace(kept(history.state), "", location.href);
  addEventListener("popstate", ({ state }) => {
    if (!(state && state.step)) history.back();
  });
}
