// The face to Streamlit: the same function again with every rerun, on the same DOM.

const listings = new WeakMap();     // by parentElement

export default function (component) {
  const { data: [data], parentElement } = component;
  const root = parentElement.querySelector('[data-specviz="code"]');
  const host = parentElement.host || parentElement;
  let me = listings.get(parentElement);
  if (!me || me.root !== root) {
    if (me) me.stop();
    me = new Listing(root, host);
    listings.set(parentElement, me);
  }
  me.update(data);
  return () => setTimeout(() => { if (!host.isConnected && listings.get(parentElement) === me) me.stop(); }, 0);
}
