// The view in which two entities are asked about: the answer step by step, the graph around it, and what if.
import { build, byId, counted, factOf, startQuestion } from "./report.js";
import { calm, call, complain } from "./api.js";
import { startGraph } from "./graph.js";
import { address, go, kept, read } from "./state.js";
import { suggest, typed } from "./suggest.js";

const LIKELY = 0.5; // from here on a fact is more likely wrong than right

export function startAsk(about) {
  const relations = [];
  const measure = { r5: "score", chains: "P(fact)" }[about.model.engine] ?? "probability";
  const question = startQuestion(relations, measure, picked);
  const graph = startGraph({ box: byId("graph-box"), legend: byId("graph-legend"), expand, chooseFact });
  let answered = null; // what was asked last, and what came back
  let around = null;
  let shownAnswer = null;
  let doubts = [];

  const source = byId("ask-source");
  const target = byId("ask-target");
  for (const id of ["ask-source", "ask-target", "fact-source", "fact-target"]) suggest(byId(id));
  byId("relation-names").append(...about.model.relations.map((name) => build("option", { value: name })));
  byId("why-relation").append(...about.model.relations.map((name) => build("option", { value: name }, name)));

  async function show(state) {
    changes(state);
    if (!state.source || !state.target) {
      source.value = state.source ?? "";
      target.value = state.target ?? "";
      byId("answer").hidden = true;
      return start(state);
    }
    source.value = state.source;
    target.value = state.target;
    const asked = { ...kept(state), source: state.source, target: state.target };
    const key = JSON.stringify(asked);
    if (answered?.key !== key) {
      byId("answer").setAttribute("aria-busy", "true");
      const [found, likely] = await Promise.all([
        call("ask", { ...asked, top: 10, drawing: true }),
        about.model.doubts ? call("suspicious", asked) : [],
      ]);
      if (found === null) return undefined;
      byId("answer").removeAttribute("aria-busy");
      answered = { key, asked, found };
      doubts = likely ?? [];
      relations.splice(0, relations.length, ...found.drawing.relations);
      byId("answer").hidden = false;
      byId("why").replaceChildren();
      question.show(found.drawing.case);
      pickedUp(found);
    }
    await neighbourhood(state);
    if (state.other) await whyNot(state.other);
    return undefined;
  }

  function pickedUp(found) {
    document.title = `${found.source} → ${found.target}: ${found.relation ?? "cannot say"}${found.known ? " (in the graph)" : ""} · r5 explorer`;
    // A chain is one rule, however many steps it is drawn in.
    const chain = { head: found.relation, body: found.path.map(([, relation]) => relation) };
    const steps = about.model.engine === "chains" ? (found.path.length > 0 ? [chain] : []) : found.derivation.map(({ rule }) => rule);
    const used = new Map(steps.map((rule) => [`${rule.head} ⇐ ${rule.body.join(", ")}`, rule]));
    byId("rules-used").replaceChildren(
      ...(used.size === 0 ? [] : ["Rules used: "]),
      ...[...used].flatMap(([text, { head, body }], number) => [
        number > 0 ? "; " : "",
        build("a", { href: address({ view: "rules", ...kept(read()), query: [head, ...body].join(" "), from: answered.key }) }, text),
      ]),
    );
    const likely = doubts.filter(({ probability }) => probability >= LIKELY);
    byId("doubts").replaceChildren(
      ...likely.map(({ fact, believed, probability }) =>
        build("p", { class: "doubt" }, `${factOf(...fact)} is likely wrong (${probability.toFixed(2)}): ${believed}?`),
      ),
    );
  }

  // Without a question: the graph, from its first entity on, and a hint where to begin.
  async function start(state) {
    document.title = "r5 explorer";
    answered = null;
    shownAnswer = null;
    const none = !(state.graph ?? about.data.graph) && state.edits.length === 0;
    byId("ask-about").textContent = none
      ? "There is no graph yet: upload one under Data, or add a fact below."
      : "Type two names, or choose a query under Data.";
    byId("around").hidden = false;
    if (none) graph.clear();
    else await neighbourhood(state);
  }

  async function neighbourhood(state) {
    const path = answered === null ? [] : answered.found.path.flatMap(([from, , to]) => [from, to]);
    const ends = state.source && state.target ? [state.source, state.target] : [];
    const opened = list(state.open);
    const nodes = [...new Set([...path, ...ends, ...opened])].slice(0, 60);
    const most = Math.min(100, 8 + 8 * opened.length + (nodes.length < 3 ? 8 : 0));
    around = await call("neighbourhood", { graph: state.graph, edits: state.edits, nodes, most });
    if (around === null) return;
    byId("around").hidden = false;
    const { entities, edges } = around.graph;
    byId("graph-size").textContent =
      `${counted(around.nodes.length)} of ${counted(entities)} entities, ${counted(around.edges.length)} of ${counted(edges)} edges`;
    paint();
    facts();
  }

  function paint(step = Infinity) {
    if (around === null) return;
    const state = read();
    const path = new Set((shownAnswer?.path ?? []).map((fact) => JSON.stringify(asStored(fact))));
    const wrong = new Map(doubts.filter(({ probability }) => probability >= LIKELY).map((one) => [JSON.stringify(one.fact), one]));
    const edges = around.edges.map((edge) => {
      const key = JSON.stringify(edge.fact);
      return { ...edge, path: path.has(key), doubt: wrong.get(key) };
    });
    const steps = (shownAnswer?.derivation ?? []).slice(0, step);
    const derived = steps.map(({ result }, number) => ({ fact: result, last: number === shownAnswer.derivation.length - 1 }));
    const walk = (shownAnswer?.path ?? []).flatMap(([from, , to], n) => (n === 0 ? [from, to] : [to]));
    graph.show({ ...around, edges, derived, walk, ends: [state.source, state.target] });
  }

  // Told by the picture of the derivation: which answer is looked at, and how far.
  function picked(answer, step) {
    const found = answered?.found;
    if (!found) return;
    const number = found.drawing.case.answers.indexOf(answer);
    shownAnswer = number <= 0 ? found : (found.alternatives[number - 1] ?? found);
    paint(step);
  }

  function facts() {
    byId("graph-facts-summary").textContent = `${counted(around.edges.length)} facts are drawn`;
    byId("graph-facts").replaceChildren(
      ...around.edges.map((edge) => {
        const told = factOf(...edge.fact);
        const button = build("button", { type: "button", "aria-label": `Remove ${told}` }, "Remove");
        button.addEventListener("click", () => change("-", edge.fact));
        return build("li", {}, build("span", {}, told), button);
      }),
    );
  }

  function expand(name) {
    const opened = list(read().open);
    const next = opened.includes(name) ? opened.filter((other) => other !== name) : [...opened, name];
    go({ open: JSON.stringify(next) }, { replace: true });
  }

  function chooseFact(edge) {
    const panel = byId("edge-panel");
    const remove = build("button", { type: "button" }, "Remove this fact");
    remove.addEventListener("click", () => {
      panel.hidden = true;
      change("-", edge.fact);
    });
    const ask = build("button", { type: "button" }, "Ask about these two");
    ask.addEventListener("click", () => go({ source: edge.fact[0], target: edge.fact[2], other: undefined }));
    const doubt = edge.doubt ? build("span", { class: "doubt-note" }, `likely ${edge.doubt.believed}`) : null;
    panel.replaceChildren(build("strong", {}, factOf(...edge.fact)), ...[doubt, remove, ask].filter(Boolean));
    panel.hidden = false;
  }

  // A change that undoes one that was made takes that back.
  function change(sign, fact) {
    const { edits } = read();
    const opposite = JSON.stringify([sign === "+" ? "-" : "+", ...fact]);
    const others = edits.filter((edit) => JSON.stringify(edit) !== opposite);
    go({ edits: others.length < edits.length ? others : [...edits, [sign, ...fact]] });
  }

  function changes({ edits, graph: name, off }) {
    byId("changes").hidden = edits.length === 0 && off.length === 0;
    const undo = edits.map((edit, number) => {
      const [sign, ...fact] = edit;
      const told = `${sign === "+" ? "with" : "without"} ${factOf(...fact)}`;
      const button = build("button", { type: "button", class: "chip", "aria-label": `Undo: ${told}` }, `${told} ✕`);
      button.addEventListener("click", () => go({ edits: edits.filter((_, other) => other !== number) }));
      return build("li", {}, button);
    });
    const rules = off.length === 0 ? [] : [build("li", { class: "chip" }, `${counted(off.length)} rules switched off`)];
    byId("change-list").replaceChildren(...undo, ...rules);
    const shown = name ?? about.data.graph;
    byId("ask-about").textContent = shown ? `Asked about ${shown === "data" ? about.data.name || "the model's graph" : shown}.` : "";
  }

  async function whyNot(relation) {
    const state = read();
    byId("why-relation").value = relation;
    const asked = { ...kept(state), source: state.source, target: state.target, relation };
    const found = await call("why-not", asked);
    if (found === null) return;
    const steps = found.other.derivation.map(({ because, result, score }) =>
      build(
        "li",
        {},
        build("b", {}, factOf(...result)),
        build("span", {}, `because ${because.map((fact) => factOf(...fact)).join(", ")}`),
        score === null ? null : build("span", {}, `p ${Number(score.toPrecision(3))}`),
      ),
    );
    byId("why").replaceChildren(
      build("h4", {}, `Why not ${relation}?`),
      ...found.loses.map((text) => build("p", { class: "loses" }, text)),
      steps.length > 0 ? build("ol", { class: "why-steps" }, ...steps) : "",
    );
  }

  byId("ask-form").addEventListener("submit", (event) => {
    event.preventDefault();
    go({ view: "ask", source: typed(source), target: typed(target), other: undefined, open: undefined });
  });
  byId("ask-swap").addEventListener("click", () => {
    [source.value, target.value] = [target.value, source.value];
    if (source.value && target.value) byId("ask-form").requestSubmit();
  });
  byId("why-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const relation = byId("why-relation").value;
    if (read().other === relation) whyNot(relation).catch(complain);
    else go({ other: relation });
  });
  byId("fact-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const fact = ["fact-source", "fact-relation", "fact-target"].map((id) => typed(byId(id)));
    if (fact.every(Boolean)) change("+", fact);
  });
  byId("change-clear").addEventListener("click", () => go({ edits: [], off: [] }));
  byId("change-export").addEventListener("click", () => exported().catch(complain));

  async function exported() {
    const { graph: name, edits } = read();
    const text = await call("export", { graph: name, edits });
    const link = build("a", { href: URL.createObjectURL(new Blob([text], { type: "text/tab-separated-values" })), download: "graph.tsv" });
    link.click();
    URL.revokeObjectURL(link.href);
    calm();
  }

  return { show };
}

// A path may walk a fact against its direction, under the name of the inverse relation.
function asStored([source, relation, target]) {
  return relation.endsWith("^-1") ? [target, relation.slice(0, -3), source] : [source, relation, target];
}

function list(text) {
  try {
    const found = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}
