// The graph around the entities asked about: facts by relation, the path and what was derived from it, doubtful facts.
import { build, counted, draw, factOf, shortened } from "./report.js";
import { arrange } from "./layout.js";

const SVG_MARGIN = 46;
const LARGEST = 1.25;
const COLOURS = 8;
const DENSE = 24; // with more facts, their relations are told by colour, and by name where one points

export function startGraph({ box, legend, expand, chooseFact }) {
  const places = new Map();
  const held = new Set();
  let shown = null;
  let drag = null;
  let frame = null;

  function show(found) {
    shown = found;
    const names = found.nodes.map((node) => node.name);
    const pairs = found.edges.map(({ fact: [source, , target] }) => [source, target]);
    seed(found.walk ?? []);
    arrange(names, pairs, places, held, Math.max(1, Math.min(2.2, box.clientWidth / 480)));
    redraw();
  }

  // A path that is new begins as a line from left to right.
  function seed(walk) {
    const fresh = walk.filter((name) => !places.has(name)).length;
    if (fresh < walk.length / 2) return;
    places.clear();
    held.clear();
    walk.forEach((name, n) => places.has(name) || places.set(name, [130 * (n - (walk.length - 1) / 2), 24 * ((n % 2) - 0.5)]));
  }

  function redraw() {
    if (shown === null) return;
    const focused = document.activeElement?.dataset?.key;
    const names = shown.nodes.map((node) => node.name);
    // While something is dragged the frame stays, or the picture would run away from under the pointer.
    if (drag === null || frame === null) frame = framed(names);
    const { left, top, width, height } = frame;
    const relations = [...new Set(shown.edges.map(({ fact }) => fact[1]))].sort();
    const colour = new Map(relations.map((name, number) => [name, number % COLOURS]));
    const tall = Math.max(260, Math.min(560, (box.clientWidth * height) / width));
    const picture = draw(
      "svg",
      {
        viewBox: `${left} ${top} ${width} ${height}`,
        width: box.clientWidth,
        height: tall,
        class: shown.edges.length > DENSE ? "network dense" : "network",
        role: "group",
        "aria-label": `Graph of ${names.length} entities and ${shown.edges.length} facts`,
      },
      ...[...Array(COLOURS).keys()].map((number) => arrow(`tint-${number}`)),
      ...["on-path", "derived", "doubtful", "result"].map(arrow),
      ...shown.edges.map((edge, number) => fact(edge, number, colour.get(edge.fact[1]))),
      ...(shown.derived ?? []).map(derived),
      ...shown.nodes.map(entity),
    );
    box.replaceChildren(picture);
    legend.replaceChildren(...keys(relations, colour));
    if (focused) box.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  function framed(names) {
    const there = (shown.derived ?? []).filter(({ fact: [a, , b] }) => places.has(a) && places.has(b));
    const tops = there.map(({ fact: [source, , target] }) => over(source, target).at);
    const points = [...names.map((name) => places.get(name)), ...tops];
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    const [width, height] = [xs, ys].map((all) => Math.max(...all) - Math.min(...all) + 2 * SVG_MARGIN);
    // A few entities are not drawn larger than they need to be.
    const [wide, tall] = [Math.max(width, box.clientWidth / LARGEST), Math.max(height, 260 / LARGEST)];
    const [left, top] = [Math.min(...xs) - SVG_MARGIN - (wide - width) / 2, Math.min(...ys) - SVG_MARGIN - (tall - height) / 2];
    return { left, top, width: wide, height: tall };
  }

  function keys(relations, colour) {
    const plain = new Set(shown.edges.filter((edge) => !edge.path && !edge.doubt).map(({ fact }) => fact[1]));
    const tinted = relations.filter((name) => plain.has(name));
    const named = tinted.map((name) => build("span", { class: `key tint-${colour.get(name)}` }, name));
    if (shown.edges.some((edge) => edge.path)) named.unshift(build("span", { class: "key on-path" }, "the path"));
    if (shown.edges.some((edge) => edge.doubt)) named.push(build("span", { class: "key doubtful" }, "likely wrong"));
    if ((shown.derived ?? []).length > 0) named.push(build("span", { class: "key derived" }, "derived"));
    return named;
  }

  function arrow(kind) {
    const size = { viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse" };
    return draw("marker", { id: `tip-${kind}`, ...size, orient: "auto" }, draw("path", { d: "M0 0L8 4L0 8Z", class: `tip ${kind}` }));
  }

  // Facts between the same two entities are bent away from each other.
  function bend(source, target, number) {
    const same = shown.edges.filter(({ fact: [a, , b] }) => (a === source && b === target) || (a === target && b === source));
    if (same.length < 2) return 0;
    const own = same.indexOf(shown.edges[number]);
    const side = source < target ? 1 : -1;
    return side * 26 * (own - (same.length - 1) / 2);
  }

  function curve(source, target, bent) {
    const [[x, y], [u, v]] = [places.get(source), places.get(target)];
    const length = Math.hypot(u - x, v - y) || 1;
    const [nx, ny] = [-(v - y) / length, (u - x) / length];
    const [mx, my] = [(x + u) / 2 + 2 * bent * nx, (y + v) / 2 + 2 * bent * ny];
    const short = (ax, ay, bx, by) => {
      const far = Math.hypot(bx - ax, by - ay) || 1;
      return [ax + (11 * (bx - ax)) / far, ay + (11 * (by - ay)) / far];
    };
    const [sx, sy] = short(x, y, mx, my);
    const [ex, ey] = short(u, v, mx, my);
    return { d: `M${sx} ${sy}Q${mx} ${my} ${ex} ${ey}`, at: [(x + u) / 2 + bent * nx, (y + v) / 2 + bent * ny] };
  }

  function fact(edge, number, tint) {
    const [source, relation, target] = edge.fact;
    const { d, at } = curve(source, target, bend(source, target, number));
    const kind = edge.doubt ? "doubtful" : edge.path ? "on-path" : `tint-${tint}`;
    const told = factOf(source, relation, target) + (edge.doubt ? `, likely ${edge.doubt.believed}` : "");
    const group = draw(
      "g",
      { class: `fact ${kind}${edge.added ? " added" : ""}`, tabindex: 0, role: "button", "aria-label": told, "data-key": told },
      draw("title", {}, told),
      draw("path", { d, class: "reach" }),
      draw("path", { d, class: "line", "marker-end": `url(#tip-${kind})` }),
      draw("text", { x: at[0], y: at[1] - 4 }, shortened(relation, 20)),
    );
    const choose = () => chooseFact(edge);
    group.addEventListener("click", choose);
    group.addEventListener("keydown", (event) => pressed(event, choose));
    return group;
  }

  // The further apart its ends, the higher the curve: one over another does not run through it.
  function over(source, target) {
    const [[x, y], [u, v]] = [places.get(source), places.get(target)];
    return curve(source, target, -8 - 0.13 * Math.hypot(u - x, v - y));
  }

  function derived({ fact: [source, relation, target], last }) {
    if (!places.has(source) || !places.has(target)) return null;
    const { d, at } = over(source, target);
    const kind = last ? "result" : "derived";
    return draw(
      "g",
      { class: `fact ${kind}` },
      draw("title", {}, `derived: ${factOf(source, relation, target)}`),
      draw("path", { d, class: "line", "marker-end": `url(#tip-${kind})` }),
      draw("text", { x: at[0], y: at[1] - 4 }, shortened(relation, 20)),
    );
  }

  function entity({ name, edges, centre }) {
    const [x, y] = places.get(name);
    const ends = shown.ends ?? [];
    const kind = ends.includes(name) ? "end" : centre ? "path" : "other";
    const label = `${name}, ${counted(edges)} facts; press to see what is around`;
    const group = draw(
      "g",
      { class: `node ${kind}`, tabindex: 0, role: "button", "aria-label": label, "data-key": `node ${name}` },
      draw("title", {}, `${name}: ${counted(edges)} facts`),
      draw("circle", { cx: x, cy: y, r: kind === "other" ? 6 : 8.5 }),
      draw("text", { x, y: y + 22 }, shortened(name, 22)),
    );
    group.addEventListener("pointerdown", (event) => hold(event, name, group));
    group.addEventListener("keydown", (event) => pressed(event, () => expand(name)));
    return group;
  }

  function pressed(event, act) {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act();
  }

  // A press that does not move expands; one that does takes the entity along.
  function hold(event, name, group) {
    if (event.button !== 0) return;
    event.preventDefault();
    group.focus({ preventScroll: true });
    const point = ({ clientX, clientY }) =>
      new DOMPoint(clientX, clientY).matrixTransform(box.firstElementChild.getScreenCTM().inverse());
    drag = { name, moved: false, from: point(event), at: places.get(name), point };
  }

  addEventListener("pointermove", (event) => {
    if (drag === null) return;
    const now = drag.point(event);
    const [dx, dy] = [now.x - drag.from.x, now.y - drag.from.y];
    if (!drag.moved && Math.hypot(dx, dy) < 5) return;
    drag.moved = true;
    held.add(drag.name);
    places.set(drag.name, [drag.at[0] + dx, drag.at[1] + dy]);
    redraw();
  });
  addEventListener("pointerup", () => {
    const done = drag;
    drag = null;
    if (done !== null && !done.moved) expand(done.name);
  });
  addEventListener("resize", redraw);

  return {
    show,
    clear() {
      places.clear();
      held.clear();
      shown = null;
      box.replaceChildren();
    },
  };
}
