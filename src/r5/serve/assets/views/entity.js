// One entity: its facts, the facts that it probably lacks, similar entities, and the rules that apply to it.
import { build, byId, counted } from "../report.js";
import { call } from "../api.js";
import { bar, factItem } from "../parts/answers.js";
import { entityLink, figureOf, relationLink, several } from "../parts/facts.js";
import { ruleItem, rulesThatApply } from "../parts/reasons.js";
import { empty, fill, skeleton } from "../parts/status.js";
import { go, kept, link, read } from "../state.js";
import { suggest, typed } from "../suggest.js";

const PLAUSIBLE = 0.1; // less probable facts are no answers elsewhere either
const [MISSING, RULES, SIMILAR, PAGE] = [12, 12, 10, 100];
const PARTS = ["facts", "missing", "rules", "similar"];

export function startEntity(about) {
  const field = byId("entity-name");
  suggest(field, (name) => go({ view: "entity", name }));

  async function show(state) {
    const { name } = state;
    field.value = name ?? "";
    document.title = `${name ?? "Entity"} · r5 explorer`;
    byId("entity-title").textContent = name ?? "Entities";
    for (const part of PARTS) byId(`entity-${part}-part`).hidden = !name || (part !== "facts" && !about.model.completes);
    byId("entity-links").replaceChildren();
    byId("entity-count").textContent = "";
    if (!name) return;
    byId("entity-links").append(
      build("a", { href: link("ask", { open: [name] }) }, "Show in the graph"),
      ...(about.model.completes ? [build("a", { href: link("links", { entity: name }) }, "Ask for missing links")] : []),
    );
    const boxes = PARTS.map((part) => byId(`entity-${part}`));
    for (const box of boxes) box.replaceChildren(skeleton(3));
    await fill(boxes[0], async () => {
      const found = await call("entity", { graph: state.graph, edits: state.edits, name });
      return found && facts(found, state);
    });
    if (about.model.completes && byId("entity-count").textContent) await Promise.all([probable(state, boxes), similar(state, boxes[3])]);
    else for (const part of PARTS.slice(1)) byId(`entity-${part}-part`).hidden = true;
  }

  function facts(found, state) {
    byId("entity-count").textContent = `${several(found.facts, "fact")}, ${several(found.neighbours, "neighbour")}`;
    if (found.groups.length === 0) return [empty("The graph has no fact about it.")];
    return [build("dl", { class: "fact-groups" }, ...found.groups.map((group) => groupOf(found.entity, group, state)))];
  }

  function groupOf(name, { relation, direction, total, others }, state) {
    const list = build("ul", { class: "names" }, ...others.map((other) => build("li", {}, entityLink(other))));
    const box = build("dd", {}, list);
    let shown = others.length;
    if (total > shown) {
      const more = build("button", { type: "button", class: "small" }, `and ${counted(total - shown)} more`);
      more.addEventListener("click", async () => {
        const found = await call("entity", { graph: state.graph, edits: state.edits, name, relation, direction, offset: shown, limit: PAGE }, `more ${relation}`);
        if (found === null || found.groups.length === 0) return;
        const next = found.groups[0].others.map((other) => build("li", {}, entityLink(other)));
        list.append(...next);
        shown += next.length;
        next[0]?.querySelector("a").focus();
        if (shown >= total) more.remove();
        else more.textContent = `and ${counted(total - shown)} more`;
      });
      box.append(more);
    }
    return build("div", {}, build("dt", {}, relationLink(relation), direction === "out" ? " →" : " ←", build("span", { class: "muted" }, ` ${counted(total)}`)), box);
  }

  async function probable(state, [, missingBox, rulesBox]) {
    let all = [];
    await fill(missingBox, async () => {
      const asked = { ...kept(state), top: MISSING, explain: true, drawing: true };
      const both = await Promise.all(["head", "tail"].map((side) => call("complete", { ...asked, [side]: state.name }, `missing ${side}`)));
      if (both.includes(null)) return null;
      all = both.flat().filter(({ probability }) => probability >= PLAUSIBLE).sort((a, b) => b.probability - a.probability).slice(0, MISSING);
      return all.length === 0 ? [empty("No fact that it lacks is plausible.")] : [build("ol", { class: "links" }, ...all.map((one) => factItem(one, { switches: about.model.switches })))];
    });
    const rules = rulesThatApply(all).slice(0, RULES);
    rulesBox.replaceChildren(rules.length === 0 ? empty("No rule speaks for a missing fact.") : build("ul", { class: "rule-list" }, ...rules.map(ruleItem)));
  }

  async function similar({ graph, edits, name }, box) {
    await fill(box, async () => {
      const found = await call("similar", { graph, edits, name, limit: SIMILAR });
      if (found === null) return null;
      return found.length === 0 ? [empty("No entity has a fact in common with it.")] : [build("ol", { class: "links" }, ...found.map(similarItem))];
    });
  }

  byId("entity-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (typed(field) && typed(field) !== read().name) go({ view: "entity", name: typed(field) });
  });
  return { show };
}

function similarItem({ entity, similarity, shared, shared_count: count }) {
  const facts = shared.map((fact) => build("li", {}, ...sharedFact(fact, entity)));
  const rest = count > shared.length ? [build("li", { class: "muted" }, `and ${counted(count - shared.length)} more`)] : [];
  return build(
    "li",
    {},
    build("div", { class: "fact-head" }, build("span", { class: "name" }, entityLink(entity)), build("span", { class: "sure" }, `similarity ${figureOf(similarity)}`), bar(similarity)),
    build("ul", { class: "names shared" }, ...facts, ...rest),
  );
}

// A fact that two entities have, in its stored direction.
function sharedFact([source, relation, target], entity) {
  return source === entity ? ["both ", relationLink(relation), " → ", entityLink(target)] : [entityLink(source), " ", relationLink(relation), " → both"];
}
