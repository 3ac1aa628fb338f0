// The graph around the entities asked about: zoom, pan, drag, and keys; entities stay where they are.
import { draw } from "../report.js";
import { bundle } from "./bundles.js";
import { savePng, saveSvg } from "./export.js";
import { arrange } from "./layout.js";
import { makeScene } from "./scene.js";
import { startViewport } from "./viewport.js";

const [MARGIN, BELOW] = [60, 48];
const SMALL = 10; // entities of a graph that needs less room

export function startGraph({ box, controls, pressNode, pressLine }) {
  const places = new Map();
  let subject = null; // entities keep their places as long as the same query is shown
  let shown = null;
  let scene = null;
  let drag = null;
  const viewport = startViewport(box, () => later(place));
  let waiting = false;

  function later(act) {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      act();
    });
  }

  // `about` says what is asked about: when it changes, the layout begins anew.
  function show(found, about) {
    const fresh = about !== subject;
    if (fresh) places.clear();
    subject = about;
    shown = { ...found, lines: bundle(found.edges) };
    const names = found.nodes.map(({ name }) => name);
    if (fresh) box.classList.toggle("small", names.length <= SMALL);
    const before = new Set(places.keys());
    arrange(names, found.edges.map(({ fact: [a, , b] }) => [a, b]), places, found.walk, Math.max(1, Math.min(2.2, box.clientWidth / 480)));
    shown.derived = found.derived.filter(({ fact: [a, , b] }) => places.has(a) && places.has(b));
    redraw();
    const grown = names.some((name) => !before.has(name));
    if (fresh || (grown && !viewport.shows(bounds()))) fit();
    else place();
  }

  function redraw() {
    const focused = document.activeElement?.dataset?.key;
    scene = makeScene(shown, { pressNode, pressLine, hold });
    const classes = ["network", shown.edges.some(({ path }) => path) ? "has-path" : ""].join(" ").trim();
    const label = `Graph of ${shown.nodes.length} entities and ${shown.edges.length} facts`;
    const picture = draw("svg", { class: classes, role: "group", "aria-label": label }, ...scene.groups);
    box.replaceChildren(picture);
    const first = picture.querySelector(".node");
    const again = focused ? picture.querySelector(`[data-key="${CSS.escape(focused)}"]`) : null;
    (again ?? first)?.setAttribute("tabindex", 0);
    again?.focus({ preventScroll: true });
  }

  function place() {
    if (scene === null) return;
    const [width, height] = [box.clientWidth, box.clientHeight];
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) box.firstElementChild.setAttribute(name, value);
    scene.place((name) => viewport.at(places.get(name)), [width, height]);
  }

  function bounds() {
    const points = [...places.values()];
    if (points.length === 0) return [0, 0, 1, 1];
    const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
    const arches = shown.derived.map(({ fact: [a, , b] }) => 0.2 * Math.hypot(places.get(a)[0] - places.get(b)[0], places.get(a)[1] - places.get(b)[1]) + 24);
    const above = Math.max(MARGIN / 2, ...arches);
    return [Math.min(...xs) - MARGIN, Math.min(...ys) - above, Math.max(...xs) + MARGIN, Math.max(...ys) + BELOW];
  }

  const fit = () => viewport.fit(bounds());

  // A press that does not move opens; one that does takes the entity along.
  function hold(event, name, group) {
    if (event.button !== 0) return;
    event.preventDefault();
    focusOn(group);
    drag = { name, id: event.pointerId, moved: false, from: viewport.spot(event), at: places.get(name) };
  }

  addEventListener("pointermove", (event) => {
    if (drag === null || drag.id !== event.pointerId) return;
    const [x, y] = viewport.spot(event);
    const [dx, dy] = [x - drag.from[0], y - drag.from[1]];
    if (!drag.moved && Math.hypot(dx, dy) < 5) return;
    drag.moved = true;
    places.set(drag.name, [drag.at[0] + dx / viewport.view.scale, drag.at[1] + dy / viewport.view.scale]);
    later(place);
  });
  addEventListener("pointerup", (event) => {
    if (drag === null || drag.id !== event.pointerId) return;
    const done = drag;
    drag = null;
    if (!done.moved) pressNode(done.name);
  });
  // The browser took the pointer, to scroll: nothing was pressed.
  addEventListener("pointercancel", () => (drag = null));

  // One stop for Tab; from there the arrow keys go to the next entity or fact in their direction.
  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const KEYS = { "+": () => viewport.zoom(viewport.STEP), "-": () => viewport.zoom(1 / viewport.STEP), 0: fit };
  box.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key in KEYS) {
      event.preventDefault();
      KEYS[event.key]();
    } else if (event.key in ARROWS && event.target.dataset.key) {
      event.preventDefault();
      const next = nearest(event.target, ARROWS[event.key]);
      if (next) focusOn(next);
    }
  });

  function focusOn(group) {
    for (const one of box.querySelectorAll('[tabindex="0"]')) one.setAttribute("tabindex", -1);
    group.setAttribute("tabindex", 0);
    group.focus({ preventScroll: true });
  }

  function nearest(from, [dx, dy]) {
    const middle = (group) => {
      const frame = (group.querySelector("circle") ?? group.querySelector("text")).getBoundingClientRect();
      return [frame.left + frame.width / 2, frame.top + frame.height / 2];
    };
    const [x, y] = middle(from);
    const far = (group) => {
      const [u, v] = middle(group);
      const along = (u - x) * dx + (v - y) * dy;
      return along < 4 ? Infinity : along + 2 * Math.abs((u - x) * dy + (v - y) * dx);
    };
    const found = [...box.querySelectorAll("[data-key]")].filter((group) => group !== from).map((group) => [far(group), group]);
    const [least, next] = found.reduce((one, other) => (other[0] < one[0] ? other : one), [Infinity, null]);
    return least < Infinity ? next : null;
  }

  const ACTS = {
    in: () => viewport.zoom(viewport.STEP),
    out: () => viewport.zoom(1 / viewport.STEP),
    fit,
    svg: () => saveSvg(box.firstElementChild),
    png: () => savePng(box.firstElementChild),
  };
  controls.addEventListener("click", (event) => ACTS[event.target.closest("button")?.dataset.act]?.());
  new ResizeObserver(() => shown !== null && box.clientWidth > 0 && (viewport.view.moved ? later(place) : fit())).observe(box);

  return {
    show,
    clear() {
      places.clear();
      [shown, scene, subject] = [null, null, null];
      box.replaceChildren();
    },
  };
}
