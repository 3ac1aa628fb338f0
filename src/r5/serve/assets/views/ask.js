// The view in which two entities are asked about: the answer with its reasons or steps, the graph around it, and what if.
import { build, byId, startQuestion } from "../report.js";
import { call, complain } from "../api.js";
import { address, carried, go, kept, read } from "../state.js";
import { keyOf } from "../parts/facts.js";
import { fill } from "../parts/status.js";
import { suggest, typed } from "../suggest.js";
import { startAround } from "./around.js";
import { startBetween } from "./between.js";
import { askedWords, headlineOf, LABELS } from "./headline.js";
import { startWhatIf } from "./whatif.js";
import { startWhyNot } from "./whynot.js";

const LIKELY = 0.5; // from here on a fact is more likely wrong than right

export function startAsk(about) {
  const family = about.model.wording === "family";
  const graphs = about.model.completes;
  const relations = [];
  const measure = about.model.engine === "r5" ? "score" : "probability";
  const stepped = graphs ? null : startQuestion(relations, measure, pickedStep, (one) => titled(one));
  const between = graphs ? startBetween({ switches: about.model.switches, picked: pickedReasons }) : null;
  const around = startAround(about);
  const whatIf = startWhatIf(about);
  const whyNot = startWhyNot(about);
  let answered = null; // what was asked last, and what came back
  let walked = { path: [], derived: [] }; // of the answer that is looked at
  let doubts = [];

  const source = byId("ask-source");
  const target = byId("ask-target");
  for (const id of ["ask-source", "ask-target"]) suggest(byId(id));
  document.body.classList.toggle("stepped", !graphs);
  byId("answer").classList.toggle("family", family);
  const words = LABELS[family ? "family" : "graph"];
  document.querySelector('label[for="ask-source"]').textContent = words.source;
  document.querySelector('label[for="ask-target"]').textContent = words.target;
  byId("ask-heading").textContent = words.heading;
  // A family is asked from the end: Who is Hannah to George?
  if (family) byId("ask-form").prepend(target.parentElement, byId("ask-swap"));

  async function show(state) {
    whatIf.show(state);
    source.value = state.source ?? "";
    target.value = state.target ?? "";
    const shown = state.graph ?? about.data.graph;
    byId("ask-about").textContent = shown ? `In ${state.file ?? (shown === "data" ? about.data.name || "the model's graph" : shown)}.` : "";
    if (!state.source || !state.target) return start(state);
    const asked = { ...kept(state), source: state.source, target: state.target };
    const key = JSON.stringify(asked);
    if (answered?.key !== key) {
      try {
        const found = await ask(asked);
        if (found === null) return undefined;
        answered = { key, asked, found };
      } catch (error) {
        // An answer to something else must not stay.
        forget();
        throw error;
      }
      await present(answered);
    }
    await around.show(state, scene());
    if (state.other) await whyNot.show(state);
    return undefined;
  }

  async function ask(asked) {
    byId("answer").hidden = false;
    byId("answer").setAttribute("aria-busy", "true");
    try {
      const [found, likely] = await Promise.all([call("ask", { ...asked, top: 10, drawing: !graphs }), about.model.doubts ? call("suspicious", asked) : []]);
      if (found !== null) doubts = likely ?? [];
      return found;
    } finally {
      byId("answer").removeAttribute("aria-busy");
    }
  }

  async function present({ found, asked }) {
    byId("why").replaceChildren();
    byId("case-asked").replaceChildren(...askedWords(found, family));
    if (stepped) {
      relations.splice(0, relations.length, ...found.drawing.relations);
      stepped.show(found.drawing.case);
      byId("case-answers-heading").textContent = "Answers";
    } else {
      byId("case-verdict").textContent = found.known ? "✓ In the graph" : found.relation === null ? "– Cannot say" : "New";
      byId("case-verdict").className = `verdict ${found.known ? "known" : found.relation === null ? "silent" : "open"}`;
      byId("case-title").replaceChildren(...headlineOf(found, about));
      byId("case-notes").replaceChildren(...(found.relation === null && found.reason ? [build("p", { class: "reason" }, `Why: ${found.reason}.`)] : []));
      walked = { path: [], derived: [] };
    }
    document.title = `${found.source} → ${found.target}: ${found.relation ?? "cannot say"}${found.known ? " (in the graph)" : ""} · r5 explorer`;
    rulesUsed(found);
    doubtful(found);
    // The reasons come before the graph, which begins with their facts.
    await Promise.all([whatIf.compare(asked, found), otherModel(asked, found), between?.show(found, asked)]);
  }

  // What the second model says about the same query.
  async function otherModel(asked, found) {
    const box = byId("other-model");
    box.hidden = !about.model.other;
    if (box.hidden) return;
    box.replaceChildren(build("span", { class: "muted" }, `Asking ${about.model.other} …`));
    await fill(box, async () => {
      const other = await call("ask", { ...asked, off: [], top: 1, model: "other" }, "ask other");
      if (other === null) return null;
      const agrees = other.relation === found.relation ? "agrees" : "differs";
      return [build("span", { class: "muted" }, `${about.model.other} ${agrees}: `), ...headlineOf(other, about)];
    });
  }

  const titled = () => headlineOf(answered?.found ?? {}, about);

  function rulesUsed(found) {
    const used = new Map((graphs ? [] : found.derivation).map(({ rule }) => [`${rule.head} ⇐ ${rule.body.join(", ")}`, rule]));
    byId("rules-used").replaceChildren(
      ...(used.size === 0 ? [] : ["Rules used: "]),
      ...[...used].flatMap(([text, { head, body }], number) => [
        number > 0 ? "; " : "",
        build("a", { href: address({ view: "rules", ...carried(read()), query: [head, ...body].join(" ") }) }, text),
      ]),
    );
  }

  // Facts that are likely wrong, without those that the answer itself takes to be another relation.
  function doubtful(found) {
    const told = new Set((found.doubts ?? []).map(({ observed }) => keyOf(observed)));
    const likely = doubts.filter(({ fact, probability }) => probability >= LIKELY && !told.has(keyOf(fact)));
    byId("doubts").replaceChildren(
      ...likely.map(({ fact: [a, relation, b], believed, probability }) =>
        build("p", { class: "doubt" }, `${a} –${relation}→ ${b} is wrong with probability ${probability.toFixed(2)}; ${believed} fits better.`),
      ),
    );
  }

  function forget() {
    answered = null;
    walked = { path: [], derived: [] };
    doubts = [];
    byId("answer").hidden = true;
    byId("around").hidden = true;
    whatIf.clear();
  }

  // Without a query: the graph, from its first entity on, and a hint where to begin.
  async function start(state) {
    document.title = "Ask · r5 explorer";
    forget();
    const none = !(state.graph ?? about.data.graph) && state.edits.length === 0;
    if (none) byId("ask-about").textContent = "There is no graph yet: upload one under Data, or add a fact below.";
    byId("around").hidden = false;
    if (none) around.clear();
    else await around.show(state, scene());
  }

  // What the graph marks: the path and its conclusions, doubtful facts, the two ends.
  function scene() {
    const wrong = new Map(doubts.filter(({ probability }) => probability >= LIKELY).map((one) => [keyOf(one.fact), one]));
    const asked = answered?.asked;
    const subject = asked ? JSON.stringify([asked.graph, asked.source, asked.target]) : "";
    return { ...walked, wrong, ends: asked ? [asked.source, asked.target] : [], subject };
  }

  // Told by the picture of the derivation: which answer is looked at, and how far.
  function pickedStep(answer, step) {
    const found = answered?.found;
    if (!found) return;
    const number = found.drawing.case.answers.indexOf(answer);
    const one = number <= 0 ? found : (found.alternatives[number - 1] ?? found);
    const count = one.derivation.length;
    walked = { path: one.path, derived: one.derivation.slice(0, step).map(({ result }, n) => ({ fact: result, last: n === count - 1 })) };
    around.mark(scene()).catch(complain);
  }

  // The facts of the strongest reasons for the relation that is looked at, and that relation itself if it is new.
  function pickedReasons(answer, reasons) {
    const [best] = reasons.filter(({ weight, facts }) => weight > 0 && facts.length > 0);
    const others = reasons.slice(0, 4).flatMap(({ facts }) => facts);
    const derived = answer.known ? [] : [{ fact: [answered.asked.source, answer.relation, answered.asked.target], last: true }];
    walked = { path: best?.facts ?? [], facts: others, derived };
    around.mark(scene()).catch(complain);
  }

  byId("ask-form").addEventListener("submit", (event) => {
    event.preventDefault();
    go({ view: "ask", source: typed(source), target: typed(target), other: undefined, open: [] });
  });
  byId("ask-swap").addEventListener("click", () => {
    [source.value, target.value] = [target.value, source.value];
    if (source.value && target.value) byId("ask-form").requestSubmit();
  });
  return { show, forget };
}
