// Beside the plot: the three areas in large figures, and what the mode has to tell in numbers.

function makeSide(me) {
  const q = (name) => me.root.querySelector(name), view = { why: q(".why span"), caption: q(".caption"), panel: q(".panel"), areas: {}, rows: [] };
  for (const name of ["blue", "red", "green"]) view.areas[name] = { number: q(`.area.${name} .number`), name: q(`.area.${name} .name`) };
  return view;
}

function drawSide(me) {
  const view = me.side, labels = me.labels, bricks = me.tab === "bricks", kept = beta(me.p, me.q), [yes, no] = shares(kept);
  const whole = 1 - kept < 1e-9 ? "why_all" : kept < 1e-9 ? "why_none" : "why";
  const stay = bricks ? total(me.bricks.p.map((x, i) => Math.min(x, me.bricks.q[i]))) : 0, percent = (n) => share(n / 100);
  write(view.why, labels[bricks ? (stay === 100 ? "why_all" : stay === 0 ? "why_none" : "why") : whole], bricks ? { blue: percent(stay), green: percent(100 - stay) } : { blue: yes, green: no });
  const numbers = bricks ? [stay, 100 - stay, 100 - stay].map(String) : [yes, no, no];
  ["blue", "red", "green"].forEach((name, k) => {
    put(view.areas[name].number, "text", numbers[k]);
    put(view.areas[name].name, "text", labels["area_" + name]);
  });
  if (view.built !== me.tab) {
    view.built = me.tab;
    view.panel.replaceChildren();
    view.rows = [];
    PANELS[me.tab].build(me, view.panel);
  }
  PANELS[me.tab].draw(me);
  const held = me.handles.held, said = held ? { key: "giving", name: held.h.name } : PANELS[me.tab].says(me);
  write(view.caption, labels[said.key], Object.fromEntries(Object.entries(said).filter(([name]) => name !== "key")));
}

// A row of the panel: a name on the left, a figure on the right.
function row(me, parent, kind) {
  const node = make("div", "row " + (kind || ""), parent), view = { node, name: make("span", "row-name", node), value: make("span", "row-value", node) };
  me.side.rows.push(view);
  return view;
}

// What a sentence calls a token: the crowds are not one.
function called(me, token) {
  return isCrowd(token) ? say(me.labels.crowd, { which: token.slice(1) }) : shown(token, "∎");
}

// Two numbers with as many decimals as it takes to tell them apart.
function apart(a, b) {
  for (let digits = 2; digits < 7; digits++) if (a.toFixed(digits) !== b.toFixed(digits)) return [a.toFixed(digits), b.toFixed(digits)];
  return [share(a), share(b)];
}

// Two factors with as many decimals as it takes for their product, worked out by hand, to be the one printed.
function factors(a, b, product) {
  const after = product.split(".")[1].length;
  for (let digits = 2; digits < 4; digits++) if ((Number(a.toFixed(digits)) * Number(b.toFixed(digits))).toFixed(after) === product) return [a.toFixed(digits), b.toFixed(digits), "="];
  return [a.toFixed(after), b.toFixed(after), "≈"];      // the product was rounded so that the parts add up to p
}

const PANELS = {
  steps: {
    build(me, panel) {
      for (let k = 0; k < 5; k++) row(me, panel, k === 4 ? "big" : "");
    },
    draw(me) {
      const [x, u, height, judged, out] = me.side.rows, { p, q } = me, toss = me.toss, labels = me.labels, name = shown(me.tokens[toss.x], "∎");
      const step = me.stepShown(), [h, pX] = apart(toss.height, p[toss.x]), verdict = me.verdictShown();
      const say_ = (view, label, template, values, on) => {
        write(view.name, label, values);
        write(view.value, template, values);
        put(view.node, "visibility", on ? "" : "hidden");
      };
      say_(x, labels.fact_x, "{x}   q = {q}", { x: name, q: share(q[toss.x]) }, step >= 1);
      say_(u, labels.fact_u, "{u}", { u: figure(toss.u) }, step >= 2);
      say_(height, labels.fact_height, "{h}", { h }, step >= 2);
      say_(judged, labels.fact_compare, verdict === "accepted" ? "{h} < {p} {yes}" : verdict ? "{h} ≥ {p} {no}" : "p = {p}", { h, p: pX, yes: "✓", no: "✗" }, step >= 3);
      const fixed = !toss.accepted;
      say_(out, labels.fact_output, "{y}", { y: shown(me.tokens[toss.y], "∎") }, step >= 4 && !me.moving());
      put(out.value, "class", "row-value chip " + (fixed ? "green" : "blue"));
    },
    says: (me) => stepSays(me.p, me.q, me.tokens.map((x) => called(me, x)), me.toss, me.step, isCrowd(me.tokens[me.toss.x])),
  },
  bricks: {
    build(me, panel) {
      row(me, panel, "big");
      row(me, panel, "big");
      row(me, panel, "note");
    },
    draw(me) {
      const [red, green, note] = me.side.rows, left = bricksLeft(me);
      write(red.name, me.labels.bricks_red, {});
      write(green.name, me.labels.bricks_green, {});
      write(red.value, "{n}", { n: String(left) });
      write(green.value, "{n}", { n: String(left) });
      write(note.name, me.labels.bricks_note, {});
    },
    says(me) {
      const n = String(me.bricks.moves.length), left = bricksLeft(me);
      if (n === "0") return { key: "bricks_none" };
      return left === 0 && !me.moving() ? { key: "bricks_done", n } : me.moved > 0 ? { key: "bricks_moving", n: String(left) } : { key: "bricks_before", n };
    },
  },
  rain: {
    build(me, panel) {
      row(me, panel, "big");
      row(me, panel);
      row(me, panel);
      row(me, panel);
      row(me, panel, "note");
    },
    draw(me) {
      const [thrown, blue, green, off, note] = me.side.rows, rain = me.rain, labels = me.labels, n = rain.thrown, kept = beta(me.p, me.q);
      const per = (count, area) => (n >= 100 && area > 1e-9 ? grouped(count / area) : "–");      // of a few points it says nothing
      write(thrown.name, labels.rain_thrown, {});
      write(thrown.value, "{n}", { n: grouped(n) });
      write(blue.name, labels.rain_blue, {});
      write(blue.value, "{blue}", { blue: per(total(rain.kept), kept) });
      write(green.name, labels.rain_green, {});
      write(green.value, "{green}", { green: per(total(rain.filled), 1 - kept) });
      const far = n ? deviation(outputsOf(rain), me.p, n) : null;
      write(off.name, labels.rain_off, {});
      write(off.value, far ? "{by}  ({x})" : "–", far ? { by: figure(far.by), x: shown(me.tokens[far.at], "∎") } : {});
      write(note.name, labels.rain_note, {});
    },
    says(me) {
      const n = me.rain.thrown;
      return n === 0 ? { key: "rain_before" } : { key: n < 100 ? "rain_few" : n < 1e5 ? "rain_some" : "rain_many", n: grouped(n) };
    },
  },
  formula: {
    build(me, panel) {
      me.side.head = make("p", "head", panel);
      me.side.terms = ["blue", "green", ""].map((name) => {
        const node = make(name ? "button" : "div", "term " + name, panel), view = { node, name: make("span", "term-name", node), value: make("span", "term-value", node) };
        if (name) {
          node.type = "button";
          const light = (on) => () => me.shine(on ? name : null);
          for (const [event, on] of [["pointerenter", true], ["pointerleave", false], ["focus", true], ["blur", false]]) node.addEventListener(event, light(on));
          put(node, "@data-term", name);
        }
        return view;
      });
      me.side.ancestor = make("p", "ancestor", panel);
    },
    draw(me) {
      const { p, q, labels } = me, i = me.chosen, fixes = residual(p, q), kept = overlap(p, q), [blue, green, sum] = me.side.terms;
      const whole = p[i].toFixed(3), first = kept[i].toFixed(3), second = (Number(whole) - Number(first)).toFixed(3);
      write(me.side.head, labels.formula_head, { x: shown(me.tokens[i], "∎") });
      write(blue.name, labels.formula_blue, { blue: "min(p, q)" });
      write(blue.value, "{a}", { a: first });
      write(green.name, labels.formula_green, { green: labels.formula_holes });
      const [b, c, is] = factors(Math.max(0, 1 - beta(p, q)), fixes[i], second);
      write(green.value, `{b} × {c} ${is} {a}`, { b, c, a: second });
      write(sum.name, labels.formula_sum, { x: shown(me.tokens[i], "∎") });
      write(sum.value, "{a}", { a: whole });
      const most = rejectionThrows(p, q), some = me.tokens.some((token, j) => isCrowd(token) && p[j] > 0);      // a crowd's own p/q is a mean
      if (most === Infinity) write(me.side.ancestor, labels.ancestor_never, { m: "∞" });
      else write(me.side.ancestor, labels[some ? "ancestor_least" : "ancestor"], { m: figure(most), w: figure(most - 1) });
    },
    says(me) {
      if (me.temperature === 0) return { key: draw(me.p, null) === draw(me.q, null) ? "formula_zero_same" : "formula_zero_other", x: shown(me.tokens[draw(me.q, null)], "∎"), y: shown(me.tokens[draw(me.p, null)], "∎") };
      return { key: "formula_says", x: shown(me.tokens[me.chosen], "∎") };
    },
  },
};

function bricksLeft(me) {
  return me.bricks.moves.filter((_, i) => brickAt(i, me.moved) < 1).length;
}
