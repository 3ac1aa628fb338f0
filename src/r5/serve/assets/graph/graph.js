// The graph around the entities asked about: zoom, pan, drag, and keys; entities stay where they are.
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
  let drag = null;
  const scene = makeScene(box, { pressNode, pressLine, hold });
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
    const grown = names.filter((name) => !before.has(name));
    // A view that was moved stays, as long as it has the new entities.
    const wanted = grown.length > 0 && viewport.view.moved ? bounds(grown) : bounds();
    if (fresh || (grown.length > 0 && !viewport.shows(wanted))) fit();
    else place();
  }

  function redraw() {
    const focused = document.activeElement?.closest?.("#graph-box [data-key]")?.dataset.key;
    scene.update(shown, `Graph of ${shown.nodes.length} entities and ${shown.edges.length} facts`);
    const again = focused === undefined ? undefined : scene.item(focused);
    if (again) scene.pin(again).focus({ preventScroll: true });
  }

  const place = (all = false) => shown !== null && scene.place((name) => viewport.at(places.get(name)), [box.clientWidth, box.clientHeight], viewport.view.scale, all);

  function bounds(names = [...places.keys()]) {
    const points = names.map((name) => places.get(name));
    if (points.length === 0) return [0, 0, 1, 1];
    const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
    const arches = shown.derived.map(({ fact: [a, , b] }) => 0.2 * Math.hypot(places.get(a)[0] - places.get(b)[0], places.get(a)[1] - places.get(b)[1]) + 24);
    const above = Math.max(MARGIN / 2, ...arches);
    return [Math.min(...xs) - MARGIN, Math.min(...ys) - above, Math.max(...xs) + MARGIN, Math.max(...ys) + BELOW];
  }

  const fit = () => viewport.fit(bounds());

  // A press that does not move opens; one that does takes the entity along.
  function hold(event, item) {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    focusOn(item);
    drag = { name: item.name, id: event.pointerId, moved: false, from: viewport.spot(event), at: places.get(item.name) };
  }

  // What is on the canvas gets an element when the pointer is over it, or presses it.
  let [pressedAt, over] = [[0, 0], null];
  const onCanvas = (event) => shown !== null && !event.target.closest("[data-key]");
  box.addEventListener(
    "pointerdown",
    (event) => {
      pressedAt = viewport.spot(event);
      const found = onCanvas(event) ? scene.hit(pressedAt, true) : null;
      if (found) hold(event, found);
    },
    { capture: true },
  );
  box.addEventListener("click", (event) => {
    const [x, y] = viewport.spot(event);
    if (!onCanvas(event) || Math.hypot(x - pressedAt[0], y - pressedAt[1]) > 4) return;
    const found = scene.hit([x, y]);
    if (found && !found.isNode) pressLine(found.line);
  });
  box.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "mouse" || event.buttons !== 0 || !onCanvas(event)) return;
    const found = scene.hit(viewport.spot(event));
    if (found === over) return;
    over = found;
    if (found) scene.add(found);
  });

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
      const next = scene.next(scene.item(event.target.dataset.key), ARROWS[event.key]);
      if (next) focusOn(next);
    }
  });

  function focusOn(item) {
    scene.pin(item).focus({ preventScroll: true });
    const [[x, y], room] = [item.at, 24];
    const off = [x, y].map((at, n) => Math.max(room - at, 0) + Math.min([box.clientWidth, box.clientHeight][n] - room - at, 0));
    if (off[0] !== 0 || off[1] !== 0) viewport.pan(...off);
  }

  // A file has an element for all that is seen.
  function saved(save) {
    place(true);
    save(scene.svg);
    place();
  }

  const ACTS = {
    in: () => viewport.zoom(viewport.STEP),
    out: () => viewport.zoom(1 / viewport.STEP),
    fit,
    svg: () => saved(saveSvg),
    png: () => saved(savePng),
  };
  controls.addEventListener("click", (event) => ACTS[event.target.closest("button")?.dataset.act]?.());
  new ResizeObserver(() => shown !== null && box.clientWidth > 0 && (viewport.view.moved ? later(place) : fit())).observe(box);
  // The canvas has no style sheet.
  const tint = () => later(place);
  new MutationObserver(tint).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tint);

  return {
    show,
    clear() {
      places.clear();
      [shown, subject] = [null, null];
      box.replaceChildren();
    },
  };
}
