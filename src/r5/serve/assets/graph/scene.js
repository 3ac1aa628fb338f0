// Elements of the graph: made once for what is shown, placed again with each zoom, pan and drag.
import { draw, factOf, shortened } from "../report.js";
import { colourClass, several, stored } from "../parts/facts.js";
import { choose } from "./labels.js";
import { lineShape, loopShape } from "./shapes.js";

const LETTER = { entity: 6.3, end: 7, fact: 5.7 };
const PRIORITY = { end: 100, path: 80, centre: 60, other: 10 };

// `shown` has the nodes, lines and derived facts; `act` what presses do.
export function makeScene(shown, act) {
  const nodes = shown.nodes.map((node) => entity(node, shown, act));
  const lines = shown.lines.map((line) => fact(line, act));
  const derived = shown.derived.map(conclusion);
  const drawn = [...lines, ...derived, ...nodes];
  const degrees = new Map(shown.nodes.map(({ name, edges }) => [name, edges]));

  // `at` maps a name to pixels.
  function place(at, size) {
    for (const one of drawn) one.move(at);
    const inside = ([x, y]) => x > -20 && y > -20 && x < size[0] + 20 && y < size[1] + 20;
    const labels = drawn.filter(({ label, at: spot }) => label && inside(spot)).map((one) => ({ ...one.label(degrees), one }));
    const obstacles = nodes.filter(({ at: spot }) => inside(spot)).map(({ at: [x, y] }) => [x - 7, y - 7, x + 7, y + 7]);
    const chosen = choose(labels, obstacles);
    for (const label of labels) label.one.group.classList.toggle("unlabelled", !chosen.has(label));
  }
  return { groups: drawn.map(({ group }) => group), place };
}

function entity(node, { ends }, { pressNode, hold }) {
  const { name } = node;
  const kind = ends.includes(name) ? "end" : node.walked ? "path" : node.centre || node.opened ? "centre" : "other";
  const hidden = node.hidden > 0 && (node.opened > 0 || node.centre) ? `and ${node.hidden.toLocaleString("en")} more` : "";
  const told = `${name}, ${several(node.edges, "fact")}${node.hidden > 0 ? `, ${several(node.hidden, "neighbour")} not drawn` : ""}`;
  const circle = draw("circle", { r: kind === "other" ? 6 : 8.5 });
  const text = draw("text", { class: "name" }, shortened(name, 24));
  const more = draw("text", { class: "more" }, hidden);
  const group = draw(
    "g",
    { class: `node ${kind}`, tabindex: -1, role: "button", "aria-label": `${told}; press to show neighbours`, "data-key": `node ${name}` },
    draw("title", {}, told),
    circle,
    text,
    more,
  );
  group.addEventListener("pointerdown", (event) => hold(event, name, group));
  group.addEventListener("keydown", (event) => pressed(event, () => pressNode(name)));
  const self = {
    group,
    at: [0, 0],
    move(at) {
      self.at = at(name);
      const [x, y] = self.at;
      set(circle, { cx: x, cy: y });
      set(text, { x, y: y + 22 });
      set(more, { x, y: y + 35 });
    },
    label: (degrees) => ({
      x: self.at[0],
      y: self.at[1] + (hidden ? 36 : 23),
      width: (kind === "end" ? LETTER.end : LETTER.entity) * Math.max(Math.min(name.length, 24), hidden.length),
      height: hidden ? 26 : 13,
      priority: PRIORITY[kind] + Math.min(9, Math.log2(1 + degrees.get(name))),
      always: kind === "end",
    }),
  };
  return self;
}

function fact(line, { pressLine }) {
  const [edge] = line.edges;
  const single = line.edges.length === 1;
  const facts = line.edges.map(({ fact: one }) => factOf(...one));
  const doubt = edge.doubt ? `, probably ${edge.doubt.believed} instead` : "";
  const told = single ? facts[0] + doubt : `${several(facts.length, "fact")} between ${line.ends[0]} and ${line.ends[1]}: ${facts.slice(0, 8).join("; ")}${facts.length > 8 ? " …" : ""}`;
  const tinted = line.relations.length === 1 ? colourClass(line.relations[0]) : "mixed";
  const words = single ? stored(edge.fact)[1] : line.relations.length === 1 ? `${line.relations[0]} ×${facts.length}` : several(facts.length, "fact");
  const kind = `${line.kind}${line.kind !== "added" && edge.added ? " added" : ""}${single ? "" : " bundle"}`;
  return shape(line, `fact ${kind} ${tinted}`, words, told, {
    priority: { "on-path": 70, doubtful: 65, added: 65, plain: single ? 5 : 6 }[line.kind],
    press: () => pressLine(line),
  });
}

// A fact that a rule concludes: dashed, higher the further apart its ends are.
function conclusion({ fact: [source, relation, target], last }) {
  const [from, name, to] = stored([source, relation, target]);
  const line = { ends: [from, to], tips: [false, true], arch: true, key: `derived ${from} ${name} ${to}` };
  const looks = `fact ${last ? "result" : "derived"} ${colourClass(name)}`;
  return shape(line, looks, name, `concluded: ${factOf(source, relation, target)}`, { priority: last ? 95 : 75 });
}

function shape(line, looks, words, told, { priority, press }) {
  const [path, reach, tips, text] = [draw("path", { class: "line" }), draw("path", { class: "reach" }), draw("path", { class: "tip" }), draw("text", {}, shortened(words, 26))];
  const pressable = press ? { tabindex: -1, role: "button", "aria-label": told, "data-key": line.key } : {};
  const group = draw("g", { class: looks, ...pressable }, draw("title", {}, told), reach, path, tips, text);
  if (press) {
    group.addEventListener("click", press);
    group.addEventListener("keydown", (event) => pressed(event, press));
  }
  const self = {
    group,
    at: [0, 0],
    move(at) {
      const [from, to] = line.ends.map(at);
      const far = Math.hypot(to[0] - from[0], to[1] - from[1]);
      const bend = line.arch ? (from[0] <= to[0] ? -1 : 1) * (12 + 0.16 * far) : line.bend;
      const found = line.ends[0] === line.ends[1] ? loopShape(from, line.place ?? 0) : lineShape(from, to, bend, line.tips);
      self.at = found.at;
      path.setAttribute("d", found.d);
      reach.setAttribute("d", found.d);
      tips.setAttribute("d", found.tips);
      set(text, { x: found.at[0], y: found.at[1] - 4 });
    },
    label: () => ({ x: self.at[0], y: self.at[1] - 3, width: LETTER.fact * Math.min(words.length, 26), height: 12, priority, always: false }),
  };
  return self;
}

function set(element, values) {
  for (const [name, value] of Object.entries(values)) element.setAttribute(name, value.toFixed(1));
}

function pressed(event, act) {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  act();
}
