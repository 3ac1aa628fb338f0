// The answer as a sentence, and the query in words.
import { build } from "../report.js";
import { figureOf } from "../parts/facts.js";

export const LABELS = {
  family: { heading: "Who is who to whom?", target: "Who is", source: "to" },
  graph: { heading: "How are two of them related?", source: "How are", target: "and" },
};

const strong = (name) => build("strong", {}, name);
const possessive = (name) => (/s$/i.test(name) ? `${name}’` : `${name}’s`);

export function askedWords({ source, target }, family) {
  return family ? ["Who is ", strong(target), " to ", strong(source), "?"] : ["How are ", strong(source), " and ", strong(target), " related?"];
}

// The headline: known relations as facts, a new one with its probability, or that the model cannot say.
export function headlineOf(found, about) {
  const { source, target, relation, known, probability, score } = found;
  if (source === undefined) return [];
  if (relation === null || relation === undefined) return ["Cannot say how ", strong(source), " and ", strong(target), " are related"];
  const sure = known ? "" : probability !== null ? ` (${figureOf(probability)})` : score !== null ? ` (score ${score.toPrecision(3)})` : "";
  if (about.model.wording === "family") return [strong(target), " is ", possessive(source), " ", strong(relation), sure];
  const all = known ? [found, ...found.alternatives].filter((one) => one.known).map((one) => one.relation) : [relation];
  if (known) return ["The graph says: ", strong(source), ` –${all.join(", ")}→ `, strong(target)];
  const measure = about.model.completes && probability !== null ? `, P(fact) ${figureOf(probability)}` : sure;
  return [strong(source), ` –${relation}→ `, strong(target), measure];
}
