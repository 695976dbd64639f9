// Pure: what the variables hold at an event, as [name, value, kind]; the names are those of the code, or of the paper.

const SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉";

function lowered(n) {
  return String(n).replace(/\d/g, (digit) => SUBSCRIPTS[digit]);
}

// The names of the paper for those of the code, at a place counted from 1.
function inPaper(name, i) {
  const at = i == null ? "" : lowered(i);
  const names = { x: `x${at}`, "q[x]": `q${at}(x${at})`, "p[x]": `p${at}(x${at})`, u: `r${at}`, row: "p′", own: "t", "draft.tokens": "x₁ … x" };
  return names[name] || name;
}

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
    return [["x", shown(token.text, end), "q"], ["p[x]", precise(token.p, 3), "p"], ["q[x]", precise(token.q, 3), "q"], ["u", token.u == null ? "None" : precise(token.u, 3)],
      ["u·q[x] < p[x]", `${precise(product, 3)} ${name === "accepted" ? "<" : "≥"} ${precise(token.p, 3)} ${name === "accepted" ? "✓" : "✗"}`, name === "accepted" ? "p" : "rejected"]];
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

// The same under the names of the paper: r against p/q, which is how its line asks.
function paperValues(trace, event, end) {
  const found = valuesOf(trace, event, end), i = event && event.place != null ? event.place + 1 : null;
  const fixed = event && event.kind === "fix";
  return found.filter(([name]) => name !== "p.shape" && !(fixed && name === "u")).map(([name, value, kind]) => {
    if (name !== "u·q[x] < p[x]") return [name === "i" ? "i" : inPaper(name, i), name === "i" ? String(i) : value, kind];
    const token = rounds(trace)[event.round].draft[event.place], good = token.verdict === "accepted", at = lowered(i);
    return [`r${at} < p${at}(x${at}) / q${at}(x${at})`, `${precise(token.u || 0, 3)} ${good ? "<" : "≥"} ${precise(ratio(token), 3)} ${good ? "✓" : "✗"}`, kind];
  });
}
