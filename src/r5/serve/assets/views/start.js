// The first page: what the model is, search, queries to press, the most probable missing facts and facts that look wrong.
import { build, byId, counted } from "../report.js";
import { call } from "../api.js";
import { factItem } from "../parts/answers.js";
import { factLinks, figureOf, relationLink, several } from "../parts/facts.js";
import { searchInto } from "../parts/searching.js";
import { empty, fill, skeleton } from "../parts/status.js";
import { go, kept, link } from "../state.js";
import { suggest, typed } from "../suggest.js";

const SHOWN = 8;
const DOUBTED = 20; // facts with less support than usual that are listed on demand
export const AUDITED = 200; // a relation whose facts have high P(fact) takes the first places with facts that are rather right

export function startStart(about) {
  const field = byId("start-entity");
  const hasGraph = about.data.one_graph;
  byId("start-title").textContent = about.data.name || about.model.name;
  byId("start-lead").textContent = lead(about);
  byId("start-search").hidden = !hasGraph;
  byId("start-findings").hidden = !about.model.completes;
  byId("start-relations-part").hidden = !hasGraph || about.model.relations.length === 0;
  byId("start-relations").append(...about.model.relations.slice(0, 60).map((name) => build("li", {}, relationLink(name))));
  if (about.model.relations.length > 60) byId("start-relations").append(build("li", {}, build("a", { href: link("map") }, `and ${counted(about.model.relations.length - 60)} more`)));
  if (hasGraph) suggest(field, (name) => name && open(name));
  const open = (name) => go({ view: "entity", name });

  async function show(state) {
    document.title = `${about.data.name || about.model.name} · r5 explorer`;
    const box = byId("start-queries");
    box.replaceChildren(skeleton(2));
    await fill(box, async () => queries(await call("queries")));
    if (!about.model.completes) return;
    // One after the other, so that a machine with few processors answers other queries meanwhile.
    await searchInto(byId("start-new"), "new-facts", "Searching for missing facts", { ...kept(state), limit: 30 }, missing);
    if (!byId("view-start").hidden) await searchInto(byId("start-audit"), "audit", "Looking for facts that look wrong", { ...kept(state), limit: AUDITED }, suspicious);
  }

  function queries(found) {
    if (found === null) return [];
    const family = about.model.wording === "family";
    const words = ({ source, target }) => (family ? `Who is ${target} to ${source}?` : `How are ${source} and ${target} related?`);
    const pairs = found.pairs.map(({ graph, source, target }) => build("li", {}, build("a", { class: "query", href: link("ask", { graph, source, target }) }, words({ source, target }))));
    const ends = found.ends.map(({ head, relation }) => build("li", {}, build("a", { class: "query", href: link("links", { entity: head, relation, side: "head" }) }, `${head} –${relation}→ ?`)));
    if (pairs.length + ends.length === 0) return [empty("There is no graph yet. Upload one under ", build("a", { href: link("data") }, "Data"), " or add facts under ", build("a", { href: link("ask") }, "Ask"), ".")];
    return [build("ul", { class: "queries" }, ...pairs, ...ends)];
  }

  const missing = ({ facts, notes }) => listed(facts, notes, (one) => factItem(one, { switches: about.model.switches }), "The graph lacks no fact that the model finds plausible.");

  const suspicious = ({ facts, notes }) => [...notes.map((note) => build("p", { class: "note" }, `${note}.`)), ...suspectList(facts, suspect, "No fact of the graph looks wrong.", SHOWN)];

  function listed(facts, notes, item, nothing) {
    if (facts.length === 0) return [empty(nothing)];
    const list = build("ol", { class: "links" }, ...facts.slice(0, SHOWN).map(item));
    const more = build("button", { type: "button" }, `Show ${several(facts.length - SHOWN, "more", "more")}`);
    more.addEventListener("click", () => {
      list.append(...facts.slice(SHOWN).map(item));
      more.remove();
    });
    return [...notes.map((note) => build("p", { class: "note" }, `${note}.`)), list, ...(facts.length > SHOWN ? [more] : [])];
  }

  const suspect = (one) => factItem(one, { switches: about.model.switches, notes: suspectNotes(one) });

  byId("start-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (typed(field)) open(typed(field));
  });
  return { show };
}

// Facts that are rather wrong than right, or contradict others; those with less support than usual are shown on demand.
export function suspectList(facts, item, nothing, most) {
  const wrong = facts.filter(({ probability, contradictions }) => probability < 0.5 || contradictions.length > 0);
  const first = wrong.slice(0, most);
  const list = build("ol", { class: "links" }, ...first.map(item));
  const rest = [...wrong.slice(most), ...facts.filter((one) => !wrong.includes(one)).slice(0, DOUBTED)];
  const words = first.length < wrong.length ? `Show ${several(rest.length, "more", "more")}` : `Show ${several(rest.length, "fact")} with less support than usual`;
  const more = build("button", { type: "button" }, words);
  more.addEventListener("click", () => {
    list.append(...rest.map(item));
    more.remove();
  });
  return [...(first.length === 0 ? [empty(nothing)] : []), list, ...(rest.length > 0 ? [more] : [])];
}

// Facts that look wrong come with what is usual, what fits better and what they contradict.
export function suspectNotes({ usual_probability: usual, better, contradictions, fact }) {
  const told = [build("p", { class: "muted small-note" }, `Facts of ${fact[1]} usually have P(fact) ${figureOf(usual)}.`)];
  if (better) told.push(build("p", { class: "small-note" }, "Would fit better: ", factLinks(better.fact)));
  return [...told, ...contradictions.map((text) => build("p", { class: "small-note doubt-note" }, text))];
}

function lead({ model, data }) {
  const rules = several(model.rules, "rule");
  const what = model.completes ? "completes a knowledge graph" : "says how two of a graph are related";
  const graph = data.entities === null ? "" : `, on ${several(data.entities, "entity", "entities")} and ${several(data.edges, "fact")}`;
  return `The model ${model.name} ${what} with ${rules} about ${several(model.relations.length, "relation")}${graph}.`;
}
