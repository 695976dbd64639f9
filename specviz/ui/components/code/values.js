// Pure: what the variables hold at an event, as [name, value, kind]; the names are those of the code.

function chanceOf(fix) {
  const mine = (fix.top || []).find(([id]) => id === fix.id);
  return mine ? mine[2] : null;
}

function valuesOf(trace, event, end) {
  if (!event) return trace && trace.first ? [["first", shown(trace.first.text, end)], ["p[first]", figure(chanceOf(trace.first))]] : [];
  const round = rounds(trace)[event.round], draft = round.draft || [], name = eventName(trace, event);
  if (name === "guess") {
    const token = draft[event.place];
    return [["i", String(event.place)], ["x", shown(token.text, end), "q"], ["q[x]", figure(token.q), "q"]];
  }
  if (name === "verify") return [["draft.tokens", draft.map((token) => shown(token.text, end)).join(" "), "q"], ["p.shape", `(${draft.length + 1}, V)`, "p"]];
  if (name === "accepted" || name === "rejected") {
    const token = draft[event.place], u = token.u || 0, product = u * token.q;
    return [["x", shown(token.text, end), "q"], ["p[x]", figure(token.p), "p"], ["q[x]", figure(token.q), "q"], ["u", token.u == null ? "None" : figure(token.u)],
      ["u·q[x] < p[x]", `${figure(product)} ${name === "accepted" ? "<" : "≥"} ${figure(token.p)} ${name === "accepted" ? "✓" : "✗"}`, name === "accepted" ? "p" : "rejected"]];
  }
  if (name === "void") return [["verdicts", draft.map((token) => ({ accepted: "✓", rejected: "✗", discarded: "–" })[token.verdict]).join(" ")]];
  if (name === "residual" || name === "bonus") {
    const fix = round.fix, u = ["u", fix.u == null ? "None" : figure(fix.u)];
    const row = name === "bonus" ? (fix.top || []).map(([, text, p]) => [text, p]) : residualShares(fix);
    const top = row.slice(0, 3).map(([text, share]) => `${shown(text, end)} ${figure(share)}`).join("   ");
    return [["row", top + " …", name === "bonus" ? "p" : "residual"], u, ["own", shown(fix.text, end), name === "bonus" ? "p" : "residual"]];
  }
  return [["emitted", emittedTokens(round, event.round).map((token) => shown(token.text, end)).join(" "), "p"]];
}
