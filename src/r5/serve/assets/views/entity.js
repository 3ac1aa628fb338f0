// One entity: its facts, the facts that it probably lacks, and the rules that apply to it.
import { build, byId, counted } from "../report.js";
import { call } from "../api.js";
import { factItem } from "../parts/answers.js";
import { entityLink, relationLink, several } from "../parts/facts.js";
import { ruleItem, rulesThatApply } from "../parts/reasons.js";
import { empty, fill, skeleton } from "../parts/status.js";
import { go, kept, link, read } from "../state.js";
import { suggest, typed } from "../suggest.js";

const [MISSING, RULES, PAGE] = [12, 12, 100];

export function startEntity(about) {
  const field = byId("entity-name");
  suggest(field, (name) => go({ view: "entity", name }));

  async function show(state) {
    const { name } = state;
    field.value = name ?? "";
    document.title = `${name ?? "Entity"} · r5 explorer`;
    byId("entity-title").textContent = name ?? "Entities";
    for (const part of ["facts", "missing", "rules"]) byId(`entity-${part}-part`).hidden = !name || (part !== "facts" && !about.model.completes);
    byId("entity-links").replaceChildren();
    byId("entity-count").textContent = "";
    if (!name) return;
    byId("entity-links").append(
      build("a", { href: link("ask", { open: [name] }) }, "Show in the graph"),
      ...(about.model.completes ? [build("a", { href: link("links", { entity: name }) }, "Ask for missing links")] : []),
    );
    const boxes = ["facts", "missing", "rules"].map((part) => byId(`entity-${part}`));
    for (const box of boxes) box.replaceChildren(skeleton(3));
    await fill(boxes[0], async () => {
      const found = await call("entity", { graph: state.graph, edits: state.edits, name });
      return found && facts(found, state);
    });
    if (about.model.completes && byId("entity-count").textContent) await probable(state, boxes);
    else for (const box of boxes.slice(1)) box.replaceChildren();
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
      all = both.flat().sort((a, b) => b.probability - a.probability).slice(0, MISSING);
      return all.length === 0 ? [empty("The model has no reason for a missing fact.")] : [build("ol", { class: "links" }, ...all.map((one) => factItem(one, { switches: about.model.switches })))];
    });
    const rules = rulesThatApply(all).slice(0, RULES);
    rulesBox.replaceChildren(rules.length === 0 ? empty("No rule speaks for a missing fact.") : build("ul", { class: "rule-list" }, ...rules.map(ruleItem)));
  }

  byId("entity-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (typed(field) && typed(field) !== read().name) go({ view: "entity", name: typed(field) });
  });
  return { show };
}
