// Facts, relations and entities as elements: in their stored direction, in the colour of the relation, as links.
import { build, colourOf, counted } from "../report.js";
import { link } from "../state.js";

export const isInverse = (relation) => relation.endsWith("^-1") && !relation.includes(", ");
export const baseOf = (relation) => (isInverse(relation) ? relation.slice(0, -3) : relation);

// A path may walk a fact against its direction, under the name of the inverse relation.
export const stored = ([source, relation, target]) =>
  isInverse(relation) ? [target, baseOf(relation), source] : [source, relation, target];

export const keyOf = (fact) => JSON.stringify(stored(fact));

export const several = (number, one, many = `${one}s`) => `${counted(number)} ${number === 1 ? one : many}`;

export const colourClass = (relation) => `r${colourOf(relation)}`;

export const entityLink = (name, fields = {}) => build("a", { class: "entity-link", href: link("entity", { name, ...fields }) }, name);

export const relationLink = (name) => build("a", { class: `relation-link ${colourClass(name)}`, href: link("relation", { name: baseOf(name) }) }, baseOf(name));

// A fact whose entities and relation are links.
export function factLinks(fact) {
  const [source, relation, target] = stored(fact);
  return build("span", { class: "fact-links" }, entityLink(source), " ", relationLink(relation), " → ", entityLink(target));
}

// Measures of how sure the model is have one name each everywhere.
export const figureOf = (value) => value.toFixed(3);
