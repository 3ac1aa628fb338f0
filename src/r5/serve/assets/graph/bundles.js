// Facts between the same two entities: one line with a count, except those that are marked.
import { baseOf, keyOf } from "../parts/facts.js";

// Lines are { key, ends: [a, b], edges, kind }; a marked fact (of the path, doubtful, added) has a line of its own.
export function bundle(edges) {
  const lines = new Map();
  for (const edge of edges) {
    const [source, , target] = edge.fact;
    const kind = edge.doubt ? "doubtful" : edge.path ? "on-path" : edge.added ? "added" : "plain";
    const ends = source < target ? [source, target] : [target, source];
    const key = kind === "plain" ? `bundle ${ends.join("\n")}` : `fact ${keyOf(edge.fact)}`;
    const line = lines.get(key) ?? { key, ends, edges: [], kind };
    line.edges.push(edge);
    lines.set(key, line);
  }
  const found = [...lines.values()];
  for (const line of found) {
    if (line.edges.length === 1) {
      const [source, , target] = line.edges[0].fact;
      line.ends = [source, target];
    }
    line.relations = [...new Set(line.edges.map(({ fact }) => baseOf(fact[1])))];
    line.tips = [line.edges.some(({ fact }) => fact[2] === line.ends[0]), line.edges.some(({ fact }) => fact[2] === line.ends[1])];
  }
  return spread(found);
}

// Lines between the same two entities are bent away from each other.
function spread(lines) {
  const groups = new Map();
  for (const line of lines) {
    const key = [...line.ends].sort().join("\n");
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(line);
  }
  for (const group of groups.values()) {
    group.forEach((line, n) => {
      const side = line.ends[0] < line.ends[1] ? 1 : -1;
      line.bend = group.length < 2 ? 0 : side * 30 * (n - (group.length - 1) / 2);
      line.place = n;
    });
  }
  return lines;
}
