// The face to Streamlit. The default function is called again with every rerun and changes only what is new.

const mounts = new WeakMap();      // by parentElement: the DOM of one mount

export default function (component) {
  const { data: [data], parentElement, setStateValue } = component;
  const root = parentElement.querySelector('[data-specviz="speedup"]');
  const host = parentElement.host || parentElement;
  let me = mounts.get(parentElement);
  if (!me || me.root !== root) {
    if (me) me.stop();
    me = new Speedup(root, host);
    mounts.set(parentElement, me);
  }
  me.update(data, setStateValue);
  // A superseded call's clean-up can run while the picture lives: only a host that has left the page ends it.
  return () => setTimeout(() => { if (!host.isConnected && mounts.get(parentElement) === me) me.stop(); }, 0);
}
