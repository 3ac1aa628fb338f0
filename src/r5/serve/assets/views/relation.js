// One relation: statistics, its best rules, how well P(fact) is calibrated, and facts that look wrong.
import { build, byId, counted, draw, figure } from "../report.js";
import { call } from "../api.js";
import { factItem } from "../parts/answers.js";
import { colourClass, factLinks, figureOf, several } from "../parts/facts.js";
import { searchInto } from "../parts/searching.js";
import { empty, fill, skeleton } from "../parts/status.js";
import { go, kept, link } from "../state.js";
import { AUDITED, suspectList, suspectNotes } from "./start.js";

const [RULES, EXCEPTIONS] = [10, 6];

export function startRelation(about) {
  const choice = byId("relation-name");
  choice.append(build("option", { value: "" }, "choose …"), ...about.model.relations.map((name) => build("option", { value: name }, name)));
  choice.addEventListener("input", () => choice.value && go({ view: "relation", name: choice.value }));

  async function show(state) {
    const { name } = state;
    choice.value = name ?? "";
    document.title = `${name ?? "Relations"} · r5 explorer`;
    byId("relation-title").replaceChildren(...(name ? [build("span", { class: `swatch ${colourClass(name)}`, "aria-hidden": "true" }), name] : ["Relations"]));
    for (const part of ["figures", "rules", "calibration", "exceptions"]) byId(`relation-${part}-part`).hidden = !name || (part === "calibration" && !held()) || (["calibration", "exceptions"].includes(part) && !about.model.completes);
    if (!name) return;
    for (const part of ["figures", "rules"]) byId(`relation-${part}`).replaceChildren(skeleton(3));
    await fill(byId("relation-figures"), async () => {
      const found = await call("relation", { graph: state.graph, edits: state.edits, name });
      return found && figures(found);
    });
    await fill(byId("relation-rules"), async () => {
      const found = await call("rules", { head: name, sort: "strength", limit: RULES }, "relation rules");
      return found && rules(found, name);
    });
    if (!about.model.completes) return;
    const fields = { ...kept(state), relation: name };
    await searchInto(byId("relation-exceptions"), "audit", "Looking for facts that look wrong", { ...fields, limit: AUDITED }, exceptions, "relation audit");
    if (held() && !byId("view-relation").hidden) await searchInto(byId("relation-calibration"), "calibration", "Judging new facts", fields, calibration);
  }

  const held = () => about.data.one_graph && about.data.splits.valid + about.data.splits.test > 0;

  function figures(found) {
    const share = (value) => `${(100 * value).toFixed(0)} %`;
    const rows = [
      ["facts", counted(found.facts)],
      ["heads", counted(found.heads)],
      ["tails", counted(found.tails)],
      ["tails of a head", found.tails_per_head === null ? "–" : figure(found.tails_per_head)],
      ["heads of a tail", found.heads_per_tail === null ? "–" : figure(found.heads_per_tail)],
      ["hold both ways", found.symmetric === null ? "–" : share(found.symmetric)],
      ["rules for it", counted(found.rules)],
      ["rules that use it", counted(found.used_in)],
    ];
    const examples = found.examples.map((fact) => build("li", {}, factLinks(fact)));
    return [
      build("dl", { class: "about" }, ...rows.map(([term, value]) => build("div", {}, build("dt", {}, term), build("dd", {}, value)))),
      build("p", {}, build("a", { href: link("map", { relation: found.relation }) }, "Its place in the map of rules")),
      ...(examples.length > 0 ? [build("h2", {}, "Examples"), build("ul", { class: "rule-list" }, ...examples)] : []),
    ];
  }

  function rules({ rules: found, total }, name) {
    if (found.length === 0) return [empty("The model lists no rule for it.")];
    const items = found.map((rule) => build("li", {}, build("a", { href: link("rules", { rule: rule.number, head: name }) }, rule.text), build("span", { class: "muted" }, ` · ${measures(rule)}`)));
    return [
      build("ol", { class: "rule-list" }, ...items),
      build("p", {}, build("a", { href: link("rules", { head: name, sort: "strength" }) }, `All ${several(total, "rule")}`)),
    ];
  }

  const measures = ({ probability, support, weight }) =>
    [
      probability === undefined ? null : `confidence ${figure(probability)}`,
      support === undefined ? null : `support ${figure(support)}`,
      weight === undefined ? null : `weight ${figure(weight)}`,
    ]
      .filter(Boolean)
      .join(", ");

  const exceptions = ({ facts }) => suspectList([...facts].sort((a, b) => a.probability - b.probability), (one) => factItem(one, { switches: about.model.switches, notes: suspectNotes(one) }), "No fact of it looks wrong.", EXCEPTIONS);

  // New facts by P(fact), and how many of them the held-out facts confirm.
  function calibration({ bins, held_out: count, calibration_error: error }) {
    if (count === 0) return [empty("The held-out facts have none of this relation.")];
    if (bins.length === 0) return [empty("The search found no new fact with P(fact) of 0.1 or more.")];
    const rows = bins.map((bin) =>
      build("tr", {}, build("th", { scope: "row" }, `${bin.from.toFixed(1)} to ${bin.to.toFixed(1)}`), ...[counted(bin.facts), figureOf(bin.probability), figureOf(bin.found)].map((text) => build("td", { class: "number" }, text)), build("td", {}, compared(bin))),
    );
    const heads = ["P(fact)", "facts", "mean P(fact)", "held-out", "predicted and found"].map((text, n) => build("th", { scope: "col", class: n > 0 && n < 4 ? "number" : null }, text));
    return [
      build("div", { class: "scroller", role: "region", "aria-label": "Calibration", tabindex: 0 }, build("table", {}, build("caption", {}, `New facts by P(fact), and the share of them among ${several(count, "held-out fact")}; calibration error ${figure(error)}. Where the data lack true facts, the share is a lower bound.`), build("thead", {}, build("tr", {}, ...heads)), build("tbody", {}, ...rows))),
    ];
  }

  function compared({ probability, found }) {
    const looks = { viewBox: "0 0 100 12", class: "compared", preserveAspectRatio: "none", "aria-hidden": "true" };
    return draw("svg", looks, draw("rect", { width: 100 * probability, height: 5, class: "bar" }), draw("rect", { y: 7, width: 100 * found, height: 5, class: "count" }));
  }

  return { show };
}
