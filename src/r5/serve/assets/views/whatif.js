// What if: the edits that were made, and the answer before and after them, side by side and always in sight.
import { build, byId, factOf } from "../report.js";
import { call, complain } from "../api.js";
import { saveText } from "../graph/export.js";
import { go, read } from "../state.js";
import { figureOf, several } from "../parts/facts.js";

export function startWhatIf(about) {
  function show({ edits, off }) {
    byId("changes").hidden = edits.length === 0 && off.length === 0;
    const undo = edits.map((edit, number) => {
      const [sign, ...fact] = edit;
      const told = `${sign === "+" ? "with" : "without"} ${factOf(...fact)}`;
      return chip(told, () => go({ edits: edits.filter((_, other) => other !== number) }));
    });
    const rules = off.length === 0 ? [] : [chip(`${several(off.length, "rule")} switched off`, () => go({ off: [] }))];
    byId("change-list").replaceChildren(...undo, ...rules);
    byId("change-export").hidden = edits.length === 0;
    if (byId("changes").hidden) clear();
  }

  function chip(told, act) {
    const button = build("button", { type: "button", class: "chip", "aria-label": `Undo: ${told}` }, `${told} ✕`);
    button.addEventListener("click", act);
    return build("li", {}, button);
  }

  function clear() {
    byId("what-if").replaceChildren();
  }

  // The same query on the graph as it is, with all rules.
  async function compare(asked, after) {
    if (asked.edits.length === 0 && asked.off.length === 0) return clear();
    let before = null;
    try {
      before = await call("ask", { ...asked, edits: [], off: [], top: 1 }, "ask before");
    } catch {
      // An entity may be there only with the edits.
    }
    const same = before !== null && before.relation === after.relation && before.known === after.known && chance(before) === chance(after);
    return byId("what-if").replaceChildren(
      cell("Before", before),
      build("span", { class: "arrow", "aria-hidden": "true" }, "→"),
      cell("After", after),
      build("span", { class: "muted" }, same ? "no change" : ""),
    );
  }

  const cell = (title, answer) =>
    build("span", { class: "outcome" }, build("span", { class: "muted" }, title), " ", build("b", {}, answer === null ? "not in the graph" : (answer.relation ?? "cannot say")), answer === null ? "" : ` ${chance(answer)}`);

  function chance({ relation, probability, score, known }) {
    if (relation === null) return "";
    if (known) return about.model.completes && probability !== null ? `in the graph, P(fact) ${figureOf(probability)}` : "in the graph";
    const label = about.model.completes ? "P(fact) " : "";
    return probability !== null ? `${label}${figureOf(probability)}` : score !== null ? `score ${score.toPrecision(3)}` : "";
  }

  async function exported() {
    const { graph, edits } = read();
    saveText(await call("export", { graph, edits }), "text/tab-separated-values", "graph.tsv");
  }

  byId("change-clear").addEventListener("click", () => go({ edits: [], off: [] }));
  byId("change-export").addEventListener("click", () => exported().catch(complain));
  return { show, compare, clear };
}
