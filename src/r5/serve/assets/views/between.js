// The relations between two entities of a knowledge graph: known ones, then new ones, each with its reasons.
import { build, byId } from "../report.js";
import { call } from "../api.js";
import { kept, read } from "../state.js";
import { bar } from "../parts/answers.js";
import { colourClass, figureOf } from "../parts/facts.js";
import { reasonsOf } from "../parts/reasons.js";
import { fill, skeleton } from "../parts/status.js";

// `picked` is told which answer is looked at, and the reasons for it when they are there.
export function startBetween({ switches, picked }) {
  let asked = null;

  function show(found, query) {
    asked = query;
    const answers = found.relation === null ? [] : [found, ...found.alternatives];
    byId("case-answers").replaceChildren(...answers.map((answer) => build("li", {}, button(answer, answers))));
    if (found.relation !== null && answers.every(({ known }) => known)) {
      byId("case-answers").append(build("li", { class: "plain" }, "No other relation is plausible."));
    }
    for (const id of ["reasons-part", "case-answers-heading"]) byId(id).hidden = answers.length === 0;
    byId("case-answers").closest(".answer-body").classList.toggle("bare", answers.length === 0);
    return answers.length > 0 ? pick(answers[0]) : undefined;
  }

  function button(answer) {
    const { relation, known, probability } = answer;
    const one = build(
      "button",
      { type: "button", "aria-pressed": "false", "data-relation": relation },
      build("span", { class: "name" }, build("span", { class: `swatch ${colourClass(relation)}${known ? "" : " concluded"}`, "aria-hidden": "true" }), relation, known ? build("span", { class: "tag" }, "in the graph") : null),
      build("span", { class: "sure" }, probability === null ? "" : `P(fact) ${figureOf(probability)}`),
      probability === null ? null : bar(probability),
    );
    one.addEventListener("click", () => pick(answer));
    return one;
  }

  function pick(answer) {
    for (const one of byId("case-answers").querySelectorAll("button")) one.setAttribute("aria-pressed", String(one.dataset.relation === answer.relation));
    const box = byId("case-reasons");
    byId("reasons-heading").textContent = `Reasons for and against ${answer.relation}`;
    if (answer.probability === null) {
      box.replaceChildren(build("p", { class: "empty" }, `The model has never seen ${answer.relation}: it cannot judge it.`));
      return picked(answer, []);
    }
    if (box.childElementCount === 0) box.append(skeleton(3));
    return fill(box, async () => {
      const fields = { ...kept(read()), head: asked.source, relation: answer.relation, tail: asked.target, explain: true, drawing: true };
      const found = await call("complete", fields, "reasons");
      if (found === null) return null;
      picked(answer, found[0].reasons);
      return [reasonsOf(found[0], { switches })];
    });
  }
  return { show };
}
