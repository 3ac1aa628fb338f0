// Queries for one end of facts: the most probable missing facts of an entity, with reasons for and against each.
import { build, byId } from "../report.js";
import { call } from "../api.js";
import { factItem } from "../parts/answers.js";
import { several } from "../parts/facts.js";
import { empty, fill, skeleton } from "../parts/status.js";
import { go, kept } from "../state.js";
import { suggest, typed } from "../suggest.js";

// Of improbable facts the first ones are shown; the others are listed on demand.
const [FIRST, PLAUSIBLE] = [3, 0.01];

export function startLinks(about) {
  const entity = byId("links-entity");
  const relation = byId("links-relation");
  const known = byId("links-known");
  const sides = [...document.querySelectorAll("#links-form input[name=side]")];
  const box = byId("links-results");
  suggest(entity);
  relation.append(...about.model.relations.map((name) => build("option", { value: name }, name)));

  async function show(state) {
    document.title = "Missing links · r5 explorer";
    entity.value = state.entity ?? "";
    relation.value = state.relation ?? "";
    known.checked = state.known === "yes";
    for (const side of sides) side.checked = side.value === (state.side ?? "head");
    byId("links-count").textContent = "";
    if (!state.entity) return box.replaceChildren(empty("Type the name of an entity: the facts that the graph lacks about it are searched for."));
    document.title = `${state.entity} ${state.relation ?? ""}: missing links · r5 explorer`;
    box.replaceChildren(skeleton(5));
    return fill(box, async () => {
      const asked = { ...kept(state), [state.side ?? "head"]: state.entity, relation: state.relation || undefined, known: known.checked };
      const found = await call("complete", { ...asked, explain: true, drawing: true, top: 20 });
      return found === null ? null : results(found, state);
    });
  }

  function results(found, state) {
    if (found.length === 0) return [empty("The model has no reason for a missing fact. Try another relation, the other side, or “also known facts”.")];
    byId("links-count").textContent = `${several(found.length, "fact")}, most probable first`;
    if (state.relation && found[0].existing > 0) byId("links-count").textContent += `; the graph has ${several(found[0].existing, "other answer")}`;
    const item = (one, n) => factItem(one, { switches: about.model.switches, opened: n === 0 });
    const shown = found.filter(({ probability, known: inGraph }, n) => n < FIRST || inGraph || probability >= PLAUSIBLE);
    const rest = found.filter((one) => !shown.includes(one));
    const list = build("ol", { class: "links" }, ...shown.map(item));
    if (rest.length === 0) return [list];
    const more = build("button", { type: "button" }, `Show ${several(rest.length, "fact")} with P(fact) below ${PLAUSIBLE}`);
    more.addEventListener("click", () => {
      list.append(...rest.map((one) => item(one)));
      more.remove();
    });
    return [list, more];
  }

  byId("links-form").addEventListener("submit", (event) => {
    event.preventDefault();
    go({
      view: "links",
      entity: typed(entity),
      relation: relation.value,
      side: sides.find((side) => side.checked).value,
      known: known.checked ? "yes" : undefined,
    });
  });
  return { show };
}
