// Entities and facts of the graph: where they are, their labels, and their elements, which are made when they are drawn.
import { draw, factOf, shortened } from "../report.js";
import { colourClass, several, stored } from "../parts/facts.js";
import { lineShape, loopShape } from "./shapes.js";

const LETTER = { entity: 6.3, end: 7, fact: 5.7 };
const PRIORITY = { end: 100, path: 80, centre: 60, other: 10 };
const EDGE = 40; // pixels around the picture in which a thing still counts as seen

// An item has { key, isNode, priority, plain, looks, at, move, seen, label, element, settle }.
export function entityItem(node, ends, { pressNode, hold }) {
  const { name } = node;
  const kind = ends.includes(name) ? "end" : node.walked ? "path" : node.centre || node.opened ? "centre" : "other";
  const hidden = node.hidden > 0 && (node.opened > 0 || node.centre) ? `and ${node.hidden.toLocaleString("en")} more` : "";
  const told = `${name}, ${several(node.edges, "fact")}${node.hidden > 0 ? `, ${several(node.hidden, "neighbour")} not drawn` : ""}`;
  const radius = kind === "other" ? 6 : 8.5;
  const circle = once(() => draw("circle", { r: radius }));
  const self = {
    key: `node ${name}`,
    name,
    isNode: true,
    kind,
    radius,
    priority: PRIORITY[kind] + Math.min(9, Math.log2(1 + node.edges)),
    plain: kind === "other",
    version: `${kind} ${told} ${hidden}`,
    at: [0, 0],
    move(at, small) {
      [self.at, self.small, self.radius] = [at(name), small, small * radius];
    },
    seen: ([width, height]) => self.at[0] > -EDGE && self.at[1] > -EDGE && self.at[0] < width + EDGE && self.at[1] < height + EDGE,
    element: once(() => {
      const group = draw(
        "g",
        { class: `node ${kind}`, tabindex: -1, role: "button", "aria-label": `${told}; press to show neighbours`, "data-key": self.key },
        draw("title", {}, told),
        circle(),
        draw("text", { class: "name", y: 22 }, shortened(name, 24)),
        draw("text", { class: "more", y: 35 }, hidden),
      );
      group.addEventListener("pointerdown", (event) => hold(event, self));
      group.addEventListener("keydown", (event) => pressed(event, () => pressNode(name)));
      return group;
    }),
    settle() {
      circle().setAttribute("r", self.radius.toFixed(1));
      self.element().setAttribute("transform", `translate(${self.at[0].toFixed(1)} ${self.at[1].toFixed(1)})`);
    },
    label: () => ({
      x: self.at[0],
      y: self.at[1] + (hidden ? 36 : 23),
      width: (kind === "end" ? LETTER.end : LETTER.entity) * Math.max(Math.min(name.length, 24), hidden.length),
      height: hidden ? 26 : 13,
      priority: self.priority,
      always: kind === "end",
    }),
  };
  return self;
}

export function factItem(line, { pressLine }) {
  const [edge] = line.edges;
  const single = line.edges.length === 1;
  const count = line.edges.length;
  const doubt = edge.doubt ? `, probably ${edge.doubt.believed} instead` : "";
  const tell = () => {
    if (single) return factOf(...edge.fact) + doubt;
    const facts = line.edges.slice(0, 8).map(({ fact }) => factOf(...fact));
    return `${several(count, "fact")} between ${line.ends[0]} and ${line.ends[1]}: ${facts.join("; ")}${count > 8 ? " …" : ""}`;
  };
  const tinted = line.relations.length === 1 ? colourClass(line.relations[0]) : "mixed";
  const words = single ? stored(edge.fact)[1] : line.relations.length === 1 ? `${line.relations[0]} ×${count}` : several(count, "fact");
  const kind = `${line.kind}${line.kind !== "added" && edge.added ? " added" : ""}${single ? "" : " bundle"}`;
  const self = lineItem(line, {
    looks: `fact ${kind} ${tinted}`,
    tinted,
    words,
    tell,
    priority: { "on-path": 70, doubtful: 65, added: 65, plain: single ? 5 : 6 }[line.kind],
    plain: line.kind === "plain",
    press: () => pressLine(self.line),
  });
  self.version = JSON.stringify([kind, words, doubt, line.ends, line.tips, line.bend, line.place, count, line.edges.slice(0, 8).map(({ fact }) => fact)]);
  return self;
}

// A fact that a rule concludes: dashed, higher the further apart its ends are.
export function conclusionItem({ fact: [source, relation, target], last }) {
  const [from, name, to] = stored([source, relation, target]);
  const line = { ends: [from, to], tips: [false, true], arch: true, key: `derived ${from} ${name} ${to}` };
  const looks = `fact ${last ? "result" : "derived"} ${colourClass(name)}`;
  const tell = () => `concluded: ${factOf(source, relation, target)}`;
  const self = lineItem(line, { looks, tinted: colourClass(name), words: name, tell, priority: last ? 95 : 75, plain: false, press: null });
  self.version = looks;
  return self;
}

function lineItem(line, { looks, tinted, words, tell, priority, plain, press }) {
  const parts = once(() => ({
    path: draw("path", { class: "line" }),
    reach: draw("path", { class: "reach" }),
    tips: draw("path", { class: "tip" }),
    text: draw("text", {}, shortened(words, 26)),
  }));
  const isLoop = line.ends[0] === line.ends[1];
  const self = {
    key: line.key,
    line,
    isNode: false,
    isLoop,
    priority,
    plain,
    tinted,
    at: [0, 0],
    from: [0, 0],
    to: [0, 0],
    bend: 0,
    move(at, small) {
      self.small = small;
      [self.from, self.to] = self.line.ends.map(at);
      const [[x, y], [u, v]] = [self.from, self.to];
      const far = Math.hypot(u - x, v - y) || 1;
      self.bend = line.arch ? (x <= u ? -1 : 1) * (12 + 0.16 * far) : small * line.bend;
      self.at = isLoop ? [x, y - 28] : [(x + u) / 2 - (self.bend * (v - y)) / far, (y + v) / 2 + (self.bend * (u - x)) / far];
    },
    seen([width, height]) {
      const room = EDGE + Math.abs(self.bend);
      const [[x, y], [u, v]] = [self.from, self.to];
      return Math.max(x, u) > -room && Math.max(y, v) > -room && Math.min(x, u) < width + room && Math.min(y, v) < height + room;
    },
    element: once(() => {
      const told = tell();
      const { path, reach, tips, text } = parts();
      const pressable = press ? { tabindex: -1, role: "button", "aria-label": told, "data-key": line.key } : {};
      const group = draw("g", { class: looks, ...pressable }, draw("title", {}, told), reach, path, tips, text);
      if (press) {
        group.addEventListener("click", press);
        group.addEventListener("keydown", (event) => pressed(event, press));
      }
      return group;
    }),
    shape: () => (isLoop ? loopShape(self.from, line.place ?? 0) : lineShape(self.from, self.to, self.bend, line.tips, self.small)),
    settle() {
      self.element();
      const { path, reach, tips, text } = parts();
      const found = self.shape();
      self.at = found.at;
      path.setAttribute("d", found.d);
      reach.setAttribute("d", found.d);
      tips.setAttribute("d", found.tips);
      text.setAttribute("x", found.at[0].toFixed(1));
      text.setAttribute("y", (found.at[1] - 4).toFixed(1));
    },
    label: () => ({ x: self.at[0], y: self.at[1] - 3, width: LETTER.fact * Math.min(words.length, 26), height: 12, priority, always: false }),
  };
  return self;
}

function once(make) {
  let made = null;
  return () => (made ??= make());
}

function pressed(event, act) {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  act();
}
