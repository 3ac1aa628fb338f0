// The picture of the graph: elements for what matters, a canvas below them for the rest of a large graph.
import { draw } from "../report.js";
import { paintCanvas } from "./canvas.js";
import { conclusionItem, entityItem, factItem } from "./items.js";
import { choose } from "./labels.js";

const FEW = 700; // entities and lines of a graph that is drawn by elements alone
const [NODES, LINES] = [250, 250]; // elements of a larger graph; more entities, and more lines, are on the canvas
const NEAR = 7; // pixels around a press
const NAMED = 0.8; // where entities are smaller than by this factor, only those that were asked about or opened are named

// `act` has what presses do: { pressNode, pressLine, hold }.
export function makeScene(box, act) {
  const canvas = document.createElement("canvas");
  canvas.setAttribute("aria-hidden", "true");
  const layers = ["lines", "conclusions", "entities"].map(() => draw("g"));
  const svg = draw("svg", { class: "network", role: "group" }, ...layers);
  let items = new Map();
  let drawn = new Set(); // those that have an element
  let painted = [];
  let pinned = null; // key of the one with the focus, which keeps its element
  let [size, small, dims] = [[0, 0], 1, false];

  // What has not changed keeps its element.
  function update({ nodes, lines, derived, ends }, label) {
    dims = lines.some(({ kind }) => kind === "on-path");
    svg.setAttribute("class", `network${dims ? " has-path" : ""}`);
    svg.setAttribute("aria-label", label);
    const before = items;
    const made = [
      ...lines.map((line) => [factItem(line, act), line]),
      ...derived.map((one) => [conclusionItem(one), null]),
      ...nodes.map((node) => [entityItem(node, ends, act), null]),
    ];
    items = new Map();
    for (const [item, line] of made) {
      const old = before.get(item.key);
      const kept = old !== undefined && old.version === item.version ? old : item;
      if (line !== null) kept.line = line;
      items.set(item.key, kept);
    }
    for (const one of [...drawn]) if (items.get(one.key) !== one) withdraw(one);
    if (!items.has(pinned)) pinned = null;
    if (svg.parentElement !== box) box.replaceChildren(canvas, svg);
  }

  // `at` maps a name to pixels; far away, the entities of a large graph are smaller. With `all`, everything that is
  // seen has an element, as in a file.
  function place(at, shownSize, scale, all = false) {
    size = shownSize;
    const [width, height] = size;
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) svg.setAttribute(name, value);
    small = items.size <= FEW ? 1 : Math.max(0.35, Math.min(1, 1.6 * scale));
    for (const item of items.values()) item.move(at, small);
    const chosen = all ? new Set([...items.values()].filter((one) => one.seen(size))) : select();
    for (const one of [...drawn]) if (!chosen.has(one)) withdraw(one);
    for (const one of chosen) add(one);
    painted = items.size > chosen.size ? [...items.values()].filter((one) => !chosen.has(one) && one.seen(size)) : [];
    paintCanvas(canvas, size, painted, dims);
    showLabels();
    if (!svg.querySelector('[tabindex="0"]')) makeStop([...drawn].find(({ isNode }) => isNode));
  }

  function select() {
    if (items.size <= FEW) return new Set(items.values());
    const visible = [...items.values()].filter((one) => one.seen(size));
    const [nodes, lines] = [visible.filter(({ isNode }) => isNode), visible.filter(({ isNode }) => !isNode)];
    const best = nodes.length > NODES ? nodes.sort((a, b) => b.priority - a.priority).slice(0, NODES) : nodes;
    // Lines of one kind look alike: plain ones are all elements, or all on the canvas.
    const marked = lines.length > LINES ? lines.filter(({ plain }) => !plain) : lines;
    const found = new Set([...marked, ...best]);
    if (items.has(pinned)) found.add(items.get(pinned));
    return found;
  }

  function add(one) {
    if (!drawn.has(one)) {
      drawn.add(one);
      layers[one.isNode ? 2 : one.line.arch ? 1 : 0].append(one.element());
    }
    one.settle();
  }

  function withdraw(one) {
    drawn.delete(one);
    one.element().remove();
  }

  function showLabels() {
    const inside = ({ at: [x, y] }) => x > -20 && y > -20 && x < size[0] + 20 && y < size[1] + 20;
    const far = small < NAMED;
    const labels = [...drawn].filter((one) => inside(one) && !(far && one.plain)).map((one) => ({ ...one.label(), one }));
    const nodes = [...items.values()].filter((one) => one.isNode && inside(one) && !(far && one.plain));
    const chosen = choose(labels, nodes.map(({ at: [x, y], radius: r }) => [x - r, y - r, x + r, y + r]));
    const shown = new Set([...chosen].map(({ one }) => one));
    for (const one of drawn) one.element().classList.toggle("unlabelled", !shown.has(one));
  }

  function makeStop(one) {
    for (const other of svg.querySelectorAll('[tabindex="0"]')) other.setAttribute("tabindex", -1);
    one?.element().setAttribute("tabindex", 0);
  }

  // Give an item an element and make it the stop of the Tab key.
  function pin(one) {
    pinned = one.key;
    add(one);
    makeStop(one);
    return one.element();
  }

  // The thing on the canvas at some pixels: entities first.
  function hit([x, y], nodesOnly = false) {
    const near = (one) => {
      if (one.isNode) return Math.hypot(one.at[0] - x, one.at[1] - y) <= one.radius + 3 ? Math.hypot(one.at[0] - x, one.at[1] - y) - 100 : Infinity;
      return nodesOnly ? Infinity : distance(one, [x, y]);
    };
    let [least, found] = [NEAR, null];
    for (const one of painted) {
      const far = near(one);
      if (far < least) [least, found] = [far, one];
    }
    return found;
  }

  // The next item in a direction.
  function next(from, [dx, dy]) {
    const [x, y] = from.at;
    let [least, found] = [Infinity, null];
    for (const one of items.values()) {
      if (one === from || one.line?.arch) continue;
      const along = (one.at[0] - x) * dx + (one.at[1] - y) * dy;
      const far = along < 4 ? Infinity : along + 2 * Math.abs((one.at[0] - x) * dy + (one.at[1] - y) * dx);
      if (far < least) [least, found] = [far, one];
    }
    return found;
  }

  return { svg, update, place, pin, add, hit, next, item: (key) => items.get(key) };
}

// From a point to a line, which is bent: to the nearest of some points on it.
function distance({ from: [x, y], to: [u, v], at: [p, q] }, [s, t]) {
  let least = Infinity;
  for (const [[a, b], [c, d]] of [[[x, y], [p, q]], [[p, q], [u, v]]]) {
    const [dx, dy] = [c - a, d - b];
    const part = Math.max(0, Math.min(1, ((s - a) * dx + (t - b) * dy) / (dx * dx + dy * dy || 1)));
    least = Math.min(least, Math.hypot(a + part * dx - s, b + part * dy - t));
  }
  return least;
}
