// One query: its graph, and the derivation of each of its answers, step by step.
const VERDICTS = { right: "✓ Right", wrong: "✕ Wrong", silent: "– Cannot say", open: "Answer", known: "✓ In the graph" };

// A query without a known answer is open. Relations of the graph come first; the first new one is judged.
function kindOf({ said, wanted, answers }) {
  const inGraph = answers.some(({ known }) => known);
  if (inGraph && wanted < 0) return "known";
  const judged = inGraph ? (answers.find(({ known }) => !known)?.relation ?? -1) : said;
  if (judged < 0) return "silent";
  return wanted < 0 ? "open" : judged === wanted ? "right" : "wrong";
}

// A fact in its stored direction: a path may walk it the other way, under the name of the inverse relation.
function factOf(source, relation, target) {
  const turned = relation.endsWith("^-1") && !relation.includes(", ");
  return turned ? `${target} –${relation.slice(0, -3)}→ ${source}` : `${source} –${relation}→ ${target}`;
}

// The observed facts of a view, those of the path first.
function factsOf({ entities, walk, observed, edges }, relations) {
  const path = observed.map((number, n) => [walk[n], number, walk[n + 1]]).filter(([, number]) => number >= 0);
  const told = ([source, number, target]) => factOf(entities[source], relations[number], entities[target]);
  return [...path, ...edges].map(told);
}

function askedOf({ source, target }) {
  const [first, second] = [source, target].map((name) => build("strong", {}, name));
  return ["How is ", first, " related to ", second, "?"];
}

// `picked` receives the shown answer and its number of steps, `titled` a query, for which it returns the heading.
function startQuestion(relations, measure, picked = () => {}, titled = askedOf) {
  const state = { one: null, answer: null, step: 0 };
  const box = byId("case-drawing");
  const view = () => state.one.views[state.answer?.view ?? 0];
  const stepCount = () => state.answer?.steps?.length ?? 0;

  function show(one) {
    state.one = one;
    const kind = kindOf(one);
    byId("case-verdict").textContent = VERDICTS[kind];
    byId("case-verdict").className = `verdict ${kind}`;
    byId("case-title").replaceChildren(...titled(one));
    byId("case-answers").replaceChildren(...answers(one));
    pick(one.answers[0] ?? null);
  }

  function answers(one) {
    const isRight = (answer) => one.wanted >= 0 && answer.relation === one.wanted;
    const shown = one.answers.map((answer) => build("li", {}, answerButton(answer, isRight(answer))));
    if (one.wanted >= 0 && !one.answers.some((answer) => answer.relation === one.wanted)) {
      shown.push(build("li", { class: "plain" }, `right answer: ${relations[one.wanted]}`));
    }
    if (one.answers.length > 0 && one.answers.every(({ known }) => known)) {
      shown.push(build("li", { class: "plain" }, "No other relation is plausible."));
    }
    return shown;
  }

  function answerButton(answer, right) {
    const tag = right ? build("span", { class: "tag" }, "right answer") : null;
    const inGraph = answer.known ? build("span", { class: "tag" }, "in the graph") : null;
    const label = measure === "P(fact)" ? "P(fact) " : "";
    const sure = answer.sure === null || answer.known ? "" : label + answer.sure.toFixed(3);
    const button = build(
      "button",
      { type: "button", "aria-pressed": "false" },
      build("span", { class: "name" }, relations[answer.relation] ?? "cannot say", inGraph, tag),
      build("span", { class: "sure" }, sure),
      answer.sure === null || answer.sure > 1 || answer.known ? null : bar(answer.sure),
    );
    button.addEventListener("click", () => pick(answer));
    return button;
  }

  function bar(share) {
    const full = draw("rect", { width: Math.max(0.5, 100 * share), height: 4, rx: 2, class: "bar" });
    const track = draw("rect", { width: 100, height: 4, rx: 2, class: "track" });
    const looks = { viewBox: "0 0 100 4", preserveAspectRatio: "none", class: "share", "aria-hidden": "true" };
    return draw("svg", looks, track, full);
  }

  // Show the derivation of one answer.
  function pick(answer) {
    state.answer = answer;
    [...byId("case-answers").querySelectorAll("button")].forEach((button, n) => {
      button.setAttribute("aria-pressed", String(state.one.answers[n] === answer));
    });
    byId("case-notes").replaceChildren(...notes());
    byId("case-steps").replaceChildren(...steps());
    const facts = factsOf(view(), relations);
    const size = `${counted(facts.length)} facts about ${counted(view().entities.length)} entities`;
    byId("case-facts-summary").textContent = `${size} are drawn`;
    byId("case-facts").replaceChildren(...facts.map((told) => build("li", {}, told)));
    go(stepCount());
  }

  function notes() {
    const { reason, truth, answers: all } = state.one;
    const { entities, walk, observed } = view();
    const told = reason ? [build("p", { class: "reason" }, `Why: ${reason}.`)] : [];
    const inGraph = all.filter(({ known }) => known).map(({ relation }) => relations[relation]);
    if (inGraph.length > 0) told.unshift(build("p", { class: "known" }, `The graph says: ${inGraph.join(", ")}`));
    for (const [place, relation, belief] of state.answer?.doubts ?? []) {
      const seen = factOf(entities[walk[place]], relations[observed[place]], entities[walk[place + 1]]);
      const sure = belief === null ? "" : ` (${belief.toFixed(2)})`;
      told.push(build("p", { class: "doubt" }, `Observed ${seen}, taken to be ${relations[relation]}${sure}.`));
    }
    if (truth) {
      const [names, kinds] = truth;
      const chain = kinds.map((number, n) => `–${relations[number]}→ ${names[n + 1]}`).join(" ");
      told.push(build("p", { class: "truth" }, `As the data tells it: ${names[0]} ${chain}.`));
    }
    return told;
  }

  function steps() {
    const items = spans(view(), state.answer);
    const { entities, walk, observed } = view();
    const shown = (item) => factOf(entities[walk[item.from]], relations[item.relation], entities[walk[item.to]]);
    const start = observed.some((number) => number >= 0) ? "The path as it was observed" : "No path is known";
    const rest = items.slice(observed.length).map((item, n) => {
      const reasons = [item.left, item.right].filter((number) => number >= 0).map((number) => items[number]);
      const rule = `${relations[item.relation]} ⇐ ${reasons.map((reason) => relations[reason.relation]).join(", ")}`;
      // A rule with a long body is drawn in several steps without figures of their own.
      const score = item.score === null ? "" : ` · ${measure === "score" ? "score" : "probability"} of the rule ${figure(item.score)}`;
      const because = build("span", {}, `because ${reasons.map(shown).join(", ")}`);
      return stepItem(n + 1, build("b", {}, shown(item)), because, build("span", {}, `${rule}${score}`));
    });
    return [stepItem(0, start), ...rest];
  }

  function stepItem(number, ...children) {
    const button = build("button", { type: "button" }, ...children);
    button.addEventListener("click", () => go(number));
    return build("li", {}, button);
  }

  function go(step) {
    state.step = Math.min(Math.max(step, 0), stepCount());
    redraw();
    byId("stepper").hidden = stepCount() === 0;
    byId("step-count").textContent = `step ${state.step} of ${stepCount()}`;
    [...byId("case-steps").querySelectorAll("button")].forEach((button, n) => {
      if (n === state.step) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      button.classList.toggle("ahead", n > state.step);
    });
    // Buttons stay focusable at both ends, so that the focus is not lost.
    for (const button of byId("stepper").querySelectorAll("button")) {
      const atEnd = ["first", "back"].includes(button.dataset.move) ? state.step === 0 : state.step === stepCount();
      button.setAttribute("aria-disabled", String(atEnd));
    }
    picked(state.answer, state.step);
  }

  function redraw() {
    const scroll = box.scrollLeft;
    const path = factsOf({ ...view(), edges: [] }, relations);
    const label = [`How is ${state.one.source} related to ${state.one.target}?`, ...path].join(" ");
    box.replaceChildren(drawCase(view(), state.answer, state.step, relations, label, box.clientWidth - 24));
    box.scrollLeft = scroll;
  }

  const moves = { first: () => 0, back: () => state.step - 1, forward: () => state.step + 1, last: () => Infinity };
  const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
  byId("stepper").addEventListener("click", (event) => {
    const move = event.target.closest("button")?.dataset.move;
    if (move) go(moves[move]());
  });
  byId("case").addEventListener("keydown", (event) => {
    const move = keys[event.key];
    if (!move || event.altKey || event.ctrlKey || event.metaKey) return;
    // These keys scroll a drawing that is wider than its box.
    if (event.target === box && box.scrollWidth > box.clientWidth) return;
    event.preventDefault();
    go(moves[move]());
  });
  addEventListener("resize", () => state.one !== null && redraw());
  return { show };
}
