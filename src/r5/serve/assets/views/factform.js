// The form that adds a fact: a name that the graph does not have is asked about before it becomes a new entity.
import { build, byId } from "../report.js";
import { call, complain } from "../api.js";
import { read } from "../state.js";
import { suggest, typed } from "../suggest.js";

const IDS = ["fact-source", "fact-relation", "fact-target"];

export function startFactForm(about, change) {
  for (const id of ["fact-source", "fact-target"]) suggest(byId(id));
  byId("relation-names").append(...about.model.relations.map((name) => build("option", { value: name })));
  const note = byId("fact-note");

  async function submit() {
    const fact = IDS.map((id) => typed(byId(id)));
    if (!fact.every(Boolean)) return;
    note.replaceChildren();
    const { graph, edits } = read();
    const [source, relation, target] = fact;
    const found = await call("names", { graph, edits, entities: [source, target], relations: [relation] });
    if (found === null) return;
    const all = [found.entities[0], found.relations[0], found.entities[1]];
    const strange = all.map((one, n) => ({ ...one, id: IDS[n], kind: n === 1 ? "relation" : "entity" })).filter(({ exists }) => !exists);
    if (strange.length === 0) return add(fact);
    ask(fact, strange);
  }

  function ask(fact, strange) {
    const sure = build("button", { type: "button" }, `Add with ${strange.map(({ name, kind }) => `the new ${kind} ${name}`).join(" and ")}`);
    sure.addEventListener("click", () => add(fact));
    note.replaceChildren(
      ...strange.map(({ name, kind, similar, id }) =>
        build("p", {}, `There is no ${kind} ${name}. `, ...(similar.length > 0 ? ["Did you mean ", ...similar.flatMap((one, n) => [n > 0 ? " or " : "", correct(one, id)]), "?"] : [])),
      ),
      sure,
    );
    note.querySelector("button").focus();
  }

  function correct(name, id) {
    const button = build("button", { type: "button", class: "small" }, name);
    button.addEventListener("click", () => {
      byId(id).value = name;
      submit().catch(complain);
    });
    return button;
  }

  function add(fact) {
    note.replaceChildren();
    change("+", fact);
  }

  byId("fact-form").addEventListener("submit", (event) => {
    event.preventDefault();
    submit().catch(complain);
  });
}
