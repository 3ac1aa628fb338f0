// The graph below an answer: what is around its facts, filters by relation, and facts to remove or add.
import { build, byId, counted, factOf } from "../report.js";
import { call, complain } from "../api.js";
import { startGraph } from "../graph/graph.js";
import { go, link, read } from "../state.js";
import { baseOf, colourClass, keyOf, several, stored } from "../parts/facts.js";
import { startFactForm } from "./factform.js";

const NEAR = 12; // entities drawn around those of the answer
const OPENED = 500; // openings of entities in one picture
const LISTED = 200; // facts that the list shows at a time

export function startAround(about) {
  const graph = startGraph({ box: byId("graph-box"), controls: byId("graph-controls"), pressNode, pressLine });
  const panel = byId("edge-panel");
  let around = null;
  let marks = null;
  let fetched = "";
  let listed = [];
  startFactForm(about, change);

  async function show(state, scene) {
    const path = scene.path.map(stored);
    const facts = unique([...path, ...(scene.facts ?? []).map(stored), ...[...scene.wrong.values()].map(({ fact }) => fact)]).slice(0, 200);
    const nodes = [...new Set([...scene.ends, ...facts.flatMap(([source, , target]) => [source, target])])].slice(0, 150);
    const open = state.open.filter((name) => typeof name === "string").slice(0, OPENED);
    const asked = { graph: state.graph, edits: state.edits, nodes, facts, open, most: NEAR };
    const key = JSON.stringify(asked);
    if (key !== fetched || around === null) {
      const found = await call("neighbourhood", asked);
      if (found === null) return;
      [around, fetched] = [found, key];
    }
    byId("around").hidden = false;
    paint(state, scene);
  }

  // Another answer or step of the same query.
  async function mark(scene) {
    if (around === null || scene.subject !== marks?.subject) {
      marks = scene;
      return;
    }
    await show(read(), scene);
  }

  function paint(state, scene) {
    marks = scene;
    const path = new Set(scene.path.map(keyOf));
    const walk = scene.path.flatMap(([from, , to], n) => (n === 0 ? [from, to] : [to]));
    const walked = new Set(walk);
    const hidden = new Set(state.hide);
    const marked = around.edges.map((edge) => ({ ...edge, path: path.has(keyOf(edge.fact)), doubt: scene.wrong.get(keyOf(edge.fact)) }));
    const edges = marked.filter((edge) => edge.path || edge.doubt || edge.added || !hidden.has(baseOf(edge.fact[1])));
    const nodes = around.nodes.map((node) => ({ ...node, walked: walked.has(node.name) }));
    graph.show({ nodes, edges, derived: scene.derived, walk, ends: scene.ends }, scene.subject + (state.graph ?? ""));
    const left = around.left_out > 0 ? `; ${several(around.left_out, "further fact")} between them left out` : "";
    byId("graph-size").textContent =
      `${counted(nodes.length)} of ${several(around.graph.entities, "entity", "entities")}, ${counted(edges.length)} of ${several(around.graph.edges, "fact")}${left}`;
    keys(marked, scene, hidden);
    list(edges);
  }

  // The legend: a switch for each relation, and what lines and colours mean.
  function keys(edges, scene, hidden) {
    const counts = new Map();
    for (const { fact } of edges) counts.set(baseOf(fact[1]), (counts.get(baseOf(fact[1])) ?? 0) + 1);
    const focused = document.activeElement?.dataset?.filter;
    const switches = [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).map(([name, count]) => {
      const on = !hidden.has(name);
      const button = build("button", { type: "button", class: `key ${colourClass(name)}`, "aria-pressed": String(on), "data-filter": name }, `${name} `, build("span", { class: "muted" }, counted(count)));
      button.addEventListener("click", () => go({ hide: on ? [...read().hide, name] : read().hide.filter((other) => other !== name) }, { replace: true }));
      return button;
    });
    byId("graph-filter").replaceChildren(...switches);
    if (focused) byId("graph-filter").querySelector(`[data-filter="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    const named = [
      scene.path.length > 0 ? build("span", { class: "sample on-path" }, scene.facts === undefined ? "the path of the answer" : "the strongest reason") : null,
      scene.derived.length > 0 ? build("span", { class: "sample concluded" }, "concluded by rules") : null,
      edges.some(({ doubt }) => doubt) ? build("span", { class: "sample doubtful" }, "probably wrong") : null,
      edges.some(({ added }) => added) ? build("span", { class: "sample added" }, "added by you") : null,
    ];
    byId("graph-legend").replaceChildren(...named.filter(Boolean));
  }

  // The list is made when it is opened, a part at a time.
  function list(edges) {
    listed = edges;
    byId("graph-facts-summary").textContent = `${several(edges.length, "fact")} drawn`;
    byId("graph-facts").replaceChildren();
    if (byId("graph-facts-part").open) listMore();
  }

  function listMore() {
    const box = byId("graph-facts");
    const from = box.children.length;
    const items = listed.slice(from, from + LISTED).map(({ fact }) => build("li", {}, build("span", {}, factOf(...fact)), remover(fact, "Remove")));
    box.append(...items);
    byId("graph-facts-more").hidden = box.children.length >= listed.length;
    return items[0];
  }

  function remover(fact, words) {
    const told = factOf(...fact);
    const button = build("button", { type: "button", class: "small", "aria-label": words === "Remove" ? `Remove ${told}` : null }, words);
    button.addEventListener("click", () => {
      close();
      change("-", stored(fact));
    });
    return button;
  }

  // A press opens an entity; pressed again, it shows more of its neighbours.
  function pressNode(name) {
    const { open } = read();
    const node = around.nodes.find((one) => one.name === name);
    const times = open.filter((other) => other === name).length;
    const shut = build("button", { type: "button" }, "Hide its neighbours");
    shut.addEventListener("click", () => {
      close();
      go({ open: read().open.filter((other) => other !== name) }, { replace: true });
    });
    const page = build("a", { href: link("entity", { name }) }, "All its facts");
    panel.replaceChildren(build("strong", {}, name), build("span", { class: "muted" }, several(node?.edges ?? 0, "fact")), ...(times > 0 ? [shut] : []), page);
    panel.hidden = false;
    if (open.length < OPENED && (times === 0 || (node?.hidden ?? 0) > 0)) go({ open: [...open, name] }, { replace: true });
  }

  // One fact, or all facts between two entities.
  function pressLine({ edges, ends }) {
    const items = edges.map((edge) =>
      build(
        "li",
        {},
        build("strong", {}, factOf(...edge.fact)),
        edge.doubt ? build("span", { class: "doubt-note" }, `probably ${edge.doubt.believed}`) : null,
        remover(edge.fact, edges.length === 1 ? "Remove this fact" : "Remove"),
      ),
    );
    const [source, , target] = stored(edges[0].fact);
    const ask = build("button", { type: "button" }, "Ask about these two");
    ask.addEventListener("click", () => {
      close();
      go({ source, target, other: undefined });
    });
    const title = edges.length === 1 ? null : build("p", { class: "muted" }, `${several(edges.length, "fact")} between ${ends[0]} and ${ends[1]}`);
    panel.replaceChildren(...[title, build("ul", { class: "panel-list" }, ...items), ask].filter(Boolean));
    panel.hidden = false;
  }

  function close() {
    panel.hidden = true;
    byId("graph-box").querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
  }

  // A change that undoes one that was made takes that back.
  function change(sign, fact) {
    const { edits } = read();
    const opposite = JSON.stringify([sign === "+" ? "-" : "+", ...fact]);
    const others = edits.filter((edit) => JSON.stringify(edit) !== opposite);
    go({ edits: others.length < edits.length ? others : [...edits, [sign, ...fact]] });
  }

  function clear() {
    [around, marks, fetched, listed] = [null, null, "", []];
    graph.clear();
    for (const id of ["graph-filter", "graph-legend", "graph-facts"]) byId(id).replaceChildren();
    byId("graph-size").textContent = "";
  }

  byId("graph-facts-part").addEventListener("toggle", () => byId("graph-facts").children.length === 0 && listMore());
  byId("graph-facts-more").addEventListener("click", () => listMore()?.querySelector("button").focus());
  byId("graph-skip").addEventListener("click", (event) => {
    event.preventDefault();
    byId("graph-after").focus();
  });
  addEventListener("keydown", (event) => event.key === "Escape" && !panel.hidden && close());
  return { show: (state, scene) => show(state, scene).catch(complain), mark, clear };
}

function unique(facts) {
  return [...new Map(facts.map((fact) => [JSON.stringify(fact), fact])).values()];
}
