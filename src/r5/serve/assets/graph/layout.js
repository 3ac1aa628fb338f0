// Where entities are drawn: those that have a place stay there, new ones find theirs beside them.
// The forces are those of d3-force (ISC licence, vendor/LICENSE-d3.txt).
import "../vendor/d3-dispatch.min.js";
import "../vendor/d3-quadtree.min.js";
import "../vendor/d3-timer.min.js";
import "../vendor/d3-force.min.js";

const { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } = globalThis.d3;
const LENGTH = 120;
const RADIUS = 36; // half the room that an entity with its name needs

// `places` maps names to [x, y] and keeps them from call to call; `walk` is laid out as a line if nothing has a place.
export function arrange(names, pairs, places, walk, wide) {
  for (const name of [...places.keys()]) if (!names.includes(name)) places.delete(name);
  if (places.size === 0) {
    const line = [...new Set(walk)];
    line.forEach((name, n) => places.set(name, [LENGTH * (n - (line.length - 1) / 2), 18 * ((n % 2) - 0.5)]));
  }
  const fresh = names.filter((name) => !places.has(name));
  if (fresh.length === 0) return;
  const nodes = names.map((name) => ({ name, ...fixedAt(places.get(name)) }));
  const at = new Map(nodes.map((node, n) => [node.name, n]));
  const links = distinct(pairs).map(([a, b]) => ({ source: at.get(a), target: at.get(b) }));
  begin(nodes, links);
  const simulation = forceSimulation(nodes)
    .force("link", forceLink(links).distance(LENGTH).strength(0.25))
    .force("charge", forceManyBody().strength(-420).distanceMax(700))
    .force("collide", forceCollide(RADIUS).iterations(2))
    .force("x", forceX().strength(0.035 / wide))
    .force("y", forceY().strength(0.035 * wide))
    .stop();
  simulation.tick(nodes.length > 250 ? 90 : 220);
  for (const { name, x, y } of nodes) places.set(name, [x, y]);
}

const fixedAt = (place) => (place ? { x: place[0], y: place[1], fx: place[0], fy: place[1] } : {});

// New entities begin beside a neighbour, each in another direction (the golden angle).
function begin(nodes, links) {
  const near = new Map();
  for (const { source, target } of links) {
    if (nodes[source].fx !== undefined) near.set(target, nodes[source]);
    if (nodes[target].fx !== undefined) near.set(source, nodes[target]);
  }
  nodes.forEach((node, n) => {
    if (node.fx !== undefined) return;
    const { x = 0, y = 0 } = near.get(n) ?? {};
    const [angle, far] = [2.4 * n, 50 + 6 * Math.sqrt(n)];
    node.x = x + far * Math.cos(angle);
    node.y = y + far * Math.sin(angle);
  });
}

function distinct(pairs) {
  const seen = new Map(pairs.filter(([a, b]) => a !== b).map(([a, b]) => [a < b ? `${a}\n${b}` : `${b}\n${a}`, [a, b]]));
  return [...seen.values()];
}
