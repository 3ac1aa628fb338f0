// Reasons for and against a fact, as `r5 complete --format svg` draws them: weights as bars, facts as arrows, and their sum.
import { build, counted, draw, shortened } from "../report.js";
import { carried, go, link, read } from "../state.js";
import { scrollable } from "./scrollable.js";
import { baseOf, colourClass, entityLink, figureOf, relationLink, several } from "./facts.js";

const SHOWN = 8;
const [LETTER, BOLD, ROW, MOST] = [6.6, 7.7, 50, 24];
const [STEP, PHONE_MARGIN] = [44, 160]; // heights of a fact from top to bottom, and what is beside a picture on a phone
const LEAST = 0.72; // a wide picture is made this much smaller at most, then its box scrolls

// All reasons of a completion; `switches` tells whether rules can be switched off.
export function reasonsOf(completion, { switches }) {
  const { reasons, score, probability, known } = completion;
  const most = Math.max(...reasons.map(({ weight }) => Math.abs(weight)), 1e-9);
  const list = build("ul", { class: "reasons" });
  const add = (some) => list.append(...some.map((reason) => row(reason, most, switches)));
  add(reasons.slice(0, SHOWN));
  const rest = reasons.slice(SHOWN);
  const sum = rest.reduce((total, { weight }) => total + weight, 0);
  const more = build("button", { type: "button" }, `Show ${several(rest.length, "further reason")} (${signed(sum)})`);
  more.addEventListener("click", () => {
    more.remove();
    add(rest);
  });
  const without = known ? ", without the fact itself" : "";
  return build(
    "div",
    { class: "reasoning" },
    reasons.length === 0 ? build("p", { class: "empty" }, "No rule speaks for it or against it.") : list,
    rest.length > 0 ? more : null,
    build("p", { class: "sum" }, "Sum ", build("b", {}, signed(score)), ` → P(fact) `, build("b", {}, figureOf(probability)), without),
  );
}

const signed = (weight) => `${weight < 0 ? "−" : "+"}${Math.abs(weight).toFixed(2)}`;

function row(reason, most, switches) {
  const { weight, row: laid } = reason;
  const size = (48 * Math.abs(weight)) / most;
  const looks = { viewBox: "0 0 100 10", class: "weight", "aria-hidden": "true", preserveAspectRatio: "none" };
  return build(
    "li",
    { class: weight < 0 ? "against" : "for" },
    draw("svg", looks, draw("path", { d: "M50 0V10" }), draw("rect", { x: weight < 0 ? 50 - size : 50, y: 1, width: size, height: 8, rx: 2 })),
    build("span", { class: "figure" }, signed(weight), build("span", { class: "unseen" }, weight < 0 ? " against" : " for")),
    build(
      "div",
      { class: "because" },
      laid.places.length > 0 ? picture(reason) : null,
      build("p", { class: "told" }, ...sentence(reason), ...more(reason, switches)),
    ),
  );
}

// A rule leads to its page with examples, its constants and the similar entities to theirs.
function sentence({ kind, rule, facts, sentence: told, number, groundings }) {
  if (kind === "similar") return similarNames(told, facts);
  if (kind !== "rule" && kind !== "constant") return [told];
  const words = number === null || number === undefined ? build("span", {}, told) : build("a", { href: link("rules", { rule: number }) }, told);
  const constants = [rule.target, rule.ending].filter((name) => name !== undefined && name !== null);
  const named = constants.length === 0 ? [] : [" with ", ...constants.flatMap((name, n) => [n > 0 ? ", " : "", entityLink(name)])];
  return [words, ...named, groundings > 1 ? ` · one of ${counted(groundings)} groundings` : ""];
}

// Each fact has one of the similar entities, in the order of the sentence: "similar to Ann: Eve (0.41), Tom (0.30)".
function similarNames(told, facts) {
  const parts = [];
  let rest = told;
  for (const [source, , target] of facts) {
    const places = [source, target].map((name) => ({ name, at: rest.indexOf(` ${name} (`) + 1 })).filter(({ at }) => at > 0);
    if (places.length === 0) continue;
    const { name, at } = places.sort((one, two) => one.at - two.at)[0];
    parts.push(rest.slice(0, at), entityLink(name));
    rest = rest.slice(at + name.length);
  }
  return [...parts, rest];
}

function more({ number }, switches) {
  if (!switches || number === null || number === undefined) return [];
  const off = build("button", { type: "button", class: "small" }, "Switch off");
  off.addEventListener("click", () => go({ off: [...read().off.filter((other) => other !== number), number] }));
  return [" ", off];
}

// The facts of a reason from left to right, each arrow in the direction of the stored fact; squares are constants.
function picture({ row: { places, links }, weight }) {
  const half = (n) => ((places[n].kind === "between" ? LETTER : BOLD) * Math.min(places[n].name.length, MOST)) / 2;
  const room = (one) => (one ? LETTER * Math.min(one.relation.length, MOST) + 34 : 0);
  const x = [half(0) + 4];
  links.forEach((one, n) => x.push(x[n] + Math.max(half(n) + half(n + 1) + 14, room(one), 60)));
  const width = x.at(-1) + half(places.length - 1) + 4;
  if (LEAST * width > innerWidth - PHONE_MARGIN) return upright(places, links, weight);
  const told = links.map((one, n) => (one ? factText(one, places[n].name, places[n + 1].name) : "")).filter(Boolean).join("; ");
  const drawing = draw(
    "svg",
    { class: "row-picture", width, height: ROW, viewBox: `0 0 ${width} ${ROW}`, role: "img", "aria-label": told },
    ...links.map((one, n) => one && arrow(one, x[n] + 7, x[n + 1] - 7, weight < 0)),
    ...places.map(({ name, kind }, n) => spot(name, kind, x[n])),
  );
  drawing.style.minWidth = `${LEAST * width}px`;
  return scrollable(build("div", { class: "scroller" }, drawing), told);
}

// The same from top to bottom, for a screen that is too narrow.
function upright(places, links, weight) {
  const told = links.map((one, n) => (one ? factText(one, places[n].name, places[n + 1].name) : "")).filter(Boolean).join("; ");
  const [width, height] = [16 + BOLD * Math.max(MOST, 12), STEP * (places.length - 1) + 20];
  const arrows = links.map((one, n) => one && arrow(one, STEP * n + 17, STEP * (n + 1) + 3, weight < 0, true));
  const spots = places.map(({ name, kind }, n) => spot(name, kind, STEP * n + 10, true));
  return draw("svg", { class: "row-picture upright", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": told }, ...arrows, ...spots);
}

function factText({ relation, backwards, derived }, left, right) {
  const [source, target] = backwards ? [right, left] : [left, right];
  return `${derived ? "concludes " : ""}${source} –${relation}→ ${target}`;
}

function arrow({ relation, backwards, derived }, from, to, against, down = false) {
  const y = down ? 8 : 22;
  const [start, end] = backwards ? [from + 6, to] : [from, to - 6];
  const ends = backwards ? [from, 8] : [to, -8];
  const tip = down ? `M${y} ${ends[0]}l-4 ${ends[1]}h8z` : `M${ends[0]} ${y}l${ends[1]} -4v8z`;
  const shaft = down ? `M${y} ${start}V${end}` : `M${start} ${y}H${end}`;
  const label = down ? { x: 20, y: (from + to) / 2 + 4 } : { x: (from + to) / 2, y: y - 7 };
  const looks = derived ? (against ? " concluded against" : " concluded") : "";
  return draw(
    "g",
    { class: `link ${colourClass(relation)}${looks}` },
    draw("title", {}, relation),
    draw("path", { d: shaft, class: "line" }),
    draw("path", { d: tip, class: "tip" }),
    draw("text", { ...label, class: "relation" }, shortened(relation, MOST)),
  );
}

function spot(name, kind, place, down = false) {
  const [x, y] = down ? [8, place] : [place, 22];
  const mark = kind === "constant" ? draw("rect", { x: x - 4.5, y: y - 4.5, width: 9, height: 9 }) : draw("circle", { cx: x, cy: y, r: 4.5 });
  const label = down ? { x: 20, y: y + 4 } : { x, y: y + 21 };
  return draw("g", { class: `place ${kind}` }, draw("title", {}, name), mark, draw("text", label, shortened(name, MOST)));
}

// The rules among the reasons of some completions, those of most facts first.
export function rulesThatApply(completions) {
  const found = new Map();
  for (const { reasons } of completions) {
    for (const { kind, weight, sentence: told, number, rule } of reasons) {
      if ((kind !== "rule" && kind !== "constant") || weight <= 0) continue;
      const one = found.get(told) ?? { told, number, head: baseOf(rule.head), facts: 0, weight: 0 };
      one.facts += 1;
      one.weight += weight;
      found.set(told, one);
    }
  }
  return [...found.values()].sort((a, b) => b.facts - a.facts || b.weight - a.weight);
}

export const ruleItem = ({ told, number, head, facts }) =>
  build("li", {}, number === null || number === undefined ? build("span", {}, told) : build("a", { href: link("rules", { ...carried(read()), rule: number }) }, told), build("span", { class: "muted" }, ` · for ${several(facts, "fact")} of `), relationLink(head));
