// Where entities are drawn: those that have a place stay there, new ones find theirs beside them.
// The forces are those of d3-force (ISC licence, vendor/LICENSE-d3.txt).
import "../vendor/d3-dispatch.min.js";
import "../vendor/d3-quadtree.min.js";
import "../vendor/d3-timer.min.js";
import "../vendor/d3-force.min.js";

const { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } = globalThis.d3;
const LENGTH = 120;
const RADIUS = 36; // half the room that an entity with its name needs
const REACH = 420; // entities further away from all new ones take no part
const SECTORS = 24; // directions in which a hub looks for room

// `places` maps names to [x, y] and keeps them from call to call; `walk` is laid out as a line if nothing has a place.
export function arrange(names, pairs, places, walk, wide) {
  const kept = new Set(names);
  for (const name of [...places.keys()]) if (!kept.has(name)) places.delete(name);
  if (places.size === 0) {
    const line = [...new Set(walk)];
    line.forEach((name, n) => places.set(name, [LENGTH * (n - (line.length - 1) / 2), 18 * ((n % 2) - 0.5)]));
  }
  const fresh = names.filter((name) => !places.has(name));
  if (fresh.length === 0) return;
  const starts = begin(fresh, pairs, places);
  const all = names.map((name) => ({ name, ...(starts.get(name) ?? fixedAt(places.get(name))) }));
  const nodes = near(all, [...starts.values()]);
  const at = new Map(nodes.map((node, n) => [node.name, n]));
  const links = distinct(pairs.filter(([a, b]) => (starts.has(a) || starts.has(b)) && at.has(a) && at.has(b)));
  const simulation = forceSimulation(nodes)
    .force("link", forceLink(links.map(([a, b]) => ({ source: at.get(a), target: at.get(b) }))).distance(LENGTH).strength(0.25))
    .force("charge", forceManyBody().strength(-420).distanceMax(700))
    .force("collide", forceCollide(RADIUS).iterations(2))
    .force("x", forceX().strength(0.035 / wide))
    .force("y", forceY().strength(0.035 * wide))
    .stop();
  simulation.tick(nodes.length > 250 ? 90 : 220);
  for (const { name, x, y } of nodes) places.set(name, [x, y]);
}

const fixedAt = ([x, y]) => ({ x, y, fx: x, fy: y });

// The new entities, and those that have a place near one of them.
function near(nodes, starts) {
  const [left, top] = ["x", "y"].map((axis) => Math.min(...starts.map((one) => one[axis])) - REACH);
  const [right, bottom] = ["x", "y"].map((axis) => Math.max(...starts.map((one) => one[axis])) + REACH);
  return nodes.filter(({ x, y, fx }) => fx === undefined || (x > left && x < right && y > top && y < bottom));
}

// New entities begin beside a neighbour, where it has room, each in another direction.
function begin(fresh, pairs, places) {
  const anchors = new Map();
  for (const [a, b] of pairs) {
    if (!places.has(a) && places.has(b)) anchors.set(a, b);
    if (!places.has(b) && places.has(a)) anchors.set(b, a);
  }
  const groups = new Map();
  for (const name of fresh) groups.set(anchors.get(name), [...(groups.get(anchors.get(name)) ?? []), name]);
  const starts = new Map();
  for (const [anchor, names] of groups) {
    const [x, y] = places.get(anchor) ?? [0, 0];
    const open = places.size > names.length ? room(x, y, places) : null;
    names.forEach((name, n) => {
      // The golden angle goes all around; where others are, new ones keep to the side that has room.
      const angle = open === null ? 2.4 * n : open + ((n % 7) - 3) * 0.3;
      const far = 50 + 6 * Math.sqrt(n) + (open === null ? 0 : 40 * Math.floor(n / 7));
      starts.set(name, { x: x + far * Math.cos(angle), y: y + far * Math.sin(angle) });
    });
  }
  return starts;
}

// The direction from a place in which the fewest entities are, and those are far.
function room(x, y, places) {
  const crowd = new Array(SECTORS).fill(0);
  for (const [u, v] of places.values()) {
    const far = Math.hypot(u - x, v - y);
    if (far < 1 || far > 4 * REACH) continue;
    const sector = Math.floor((SECTORS * (Math.atan2(v - y, u - x) / (2 * Math.PI) + 1)) % SECTORS);
    for (let side = -3; side <= 3; side += 1) crowd[(sector + side + SECTORS) % SECTORS] += (4 - Math.abs(side)) / (50 + far);
  }
  return (2 * Math.PI * (crowd.indexOf(Math.min(...crowd)) + 0.5)) / SECTORS;
}

function distinct(pairs) {
  const seen = new Map(pairs.filter(([a, b]) => a !== b).map(([a, b]) => [a < b ? `${a}\n${b}` : `${b}\n${a}`, [a, b]]));
  return [...seen.values()];
}
