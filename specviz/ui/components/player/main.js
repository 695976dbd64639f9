// The face to Streamlit. The default function is called again with every new snapshot and changes only what is new.

const players = new WeakMap();      // by parentElement: the DOM of one mount

export default function (component) {
  const { data: [data], parentElement, setStateValue } = component;
  const root = parentElement.querySelector('[data-specviz="player"]');
  const host = parentElement.host || parentElement;
  let me = players.get(parentElement);
  if (!me || me.root !== root) {
    if (me) me.stop();
    me = new Player(root, host);
    players.set(parentElement, me);
  }
  me.update(data, setStateValue);
  // A superseded call's clean-up can run while the player lives: only a host that has left the page ends it.
  return () => setTimeout(() => { if (!host.isConnected && players.get(parentElement) === me) me.stop(); }, 0);
}
