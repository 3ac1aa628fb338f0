// Facts as a list, each with its probability and, opened, the reasons for and against it.
import { build, draw } from "../report.js";
import { call } from "../api.js";
import { kept, link, read } from "../state.js";
import { factLinks, figureOf } from "./facts.js";
import { reasonsOf } from "./reasons.js";
import { fill, skeleton } from "./status.js";

export function bar(share) {
  const looks = { viewBox: "0 0 100 4", preserveAspectRatio: "none", class: "share", "aria-hidden": "true" };
  const full = draw("rect", { width: Math.max(0.5, 100 * share), height: 4, class: "bar" });
  return draw("svg", looks, draw("rect", { width: 100, height: 4, class: "track" }), full);
}

// One fact; its reasons are asked for when they are opened, unless the completion has them.
export function factItem(completion, { switches, notes = [], opened = false }) {
  const { fact, probability, known, reasons } = completion;
  const box = build("div", { class: "reason-box" });
  const details = build("details", {}, build("summary", {}, "Why"), box, build("p", {}, build("a", { href: link("ask", { source: fact[0], target: fact[2] }) }, "See the two in the graph")));
  const show = () => {
    if (box.childElementCount > 0) return;
    if (reasons.length > 0 && reasons[0].row) box.append(reasonsOf(completion, { switches }));
    else {
      box.append(skeleton(2));
      const [head, relation, tail] = fact;
      const asked = { ...kept(read()), head, relation, tail, explain: true, drawing: true };
      fill(box, async () => {
        const found = await call("complete", asked, `why ${fact.join("\n")}`);
        return found && [reasonsOf(found[0], { switches })];
      });
    }
  };
  details.addEventListener("toggle", () => details.open && show());
  if (opened) {
    details.open = true;
    show();
  }
  return build(
    "li",
    {},
    build(
      "div",
      { class: "fact-head" },
      build("span", { class: "name" }, factLinks(fact), known ? build("span", { class: "tag" }, "in the graph") : null),
      build("span", { class: "sure" }, `P(fact) ${figureOf(probability)}`),
      bar(probability),
    ),
    ...notes,
    details,
  );
}
