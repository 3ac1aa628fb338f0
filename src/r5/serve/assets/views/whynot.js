// Why another relation is not the answer: the best case for it, and where it loses.
import { build, byId, factOf } from "../report.js";
import { call, complain } from "../api.js";
import { go, kept, read } from "../state.js";

export function startWhyNot(about) {
  byId("why-relation").append(...about.model.relations.map((name) => build("option", { value: name }, name)));
  const measure = about.model.engine === "r5" ? "score" : "probability";

  async function show(state) {
    byId("why-relation").value = state.other;
    const asked = { ...kept(state), source: state.source, target: state.target, relation: state.other };
    const found = await call("why-not", asked);
    if (found === null) return;
    const steps = (about.model.completes ? [] : found.other.derivation).map(({ because, result, score }) =>
      build(
        "li",
        {},
        build("b", {}, factOf(...result)),
        build("span", {}, `because ${because.map((fact) => factOf(...fact)).join(", ")}`),
        score === null ? null : build("span", {}, `${measure} of the rule ${Number(score.toPrecision(3))}`),
      ),
    );
    byId("why").replaceChildren(
      build("h4", {}, `Why not ${state.other}?`),
      ...found.loses.map((text) => build("p", { class: "loses" }, text)),
      steps.length > 0 ? build("ol", { class: "why-steps" }, ...steps) : "",
    );
  }

  byId("why-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const relation = byId("why-relation").value;
    if (read().other === relation) show(read()).catch(complain);
    else go({ other: relation });
  });
  return { show };
}
