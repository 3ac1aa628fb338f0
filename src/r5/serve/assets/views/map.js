// The map of the rule base: relations, and an arrow from each relation of a body to the head of its rules.
import { build, byId, draw, figure, shortened } from "../report.js";
import { call } from "../api.js";
import { baseOf, colourClass, relationLink, several } from "../parts/facts.js";
import { empty, fill, skeleton } from "../parts/status.js";
import { arrange } from "../graph/layout.js";
import { choose } from "../graph/labels.js";
import { lineShape, loopShape } from "../graph/shapes.js";
import { startViewport } from "../graph/viewport.js";
import { go, link, read } from "../state.js";

export function startMap(about) {
  const box = byId("map-box");
  const choice = byId("map-relation");
  const count = byId("map-count-choice");
  const places = new Map();
  const usual = about.model.relations.length > 12 ? "60" : "30"; // more arrows among few relations hide each other
  let drawn = null;
  const viewport = startViewport(box, () => drawn?.());
  choice.append(build("option", { value: "" }, "all relations"), ...about.model.relations.map((name) => build("option", { value: name }, name)));
  choice.addEventListener("input", () => go({ relation: choice.value }));
  count.addEventListener("input", () => go({ edges: count.value }));
  byId("map-controls").addEventListener("click", (event) => {
    const act = { in: () => viewport.zoom(viewport.STEP), out: () => viewport.zoom(1 / viewport.STEP), fit };
    act[event.target.closest("button")?.dataset.act]?.();
  });

  async function show(state) {
    document.title = "Map of rules · r5 explorer";
    choice.value = state.relation ?? "";
    count.value = state.edges ?? usual;
    if (drawn === null) box.replaceChildren(skeleton(4));
    await fill(byId("map-table"), async () => {
      const found = await call("rule-map", { relation: state.relation || undefined, limit: Number(count.value) || Number(usual) });
      return found && paint(found);
    });
  }

  function paint({ relations, edges, total }) {
    byId("map-status").textContent = `${several(edges.length, "connection")} of ${total.toLocaleString("en")}, the strongest first`;
    if (edges.length === 0) {
      drawn = null;
      box.replaceChildren(empty("No rule leads from one relation to another."));
      return [];
    }
    const names = relations.map(({ name }) => name);
    places.clear();
    arrange(names, edges.map(({ body, head }) => [body, head]), places, [], 1.6);
    const most = Math.max(...relations.map(({ rules }) => rules), 1);
    const radius = new Map(relations.map(({ name, rules }) => [name, 6 + 8 * Math.sqrt(rules / most)]));
    const nodes = relations.map((one) => relationSpot(one, radius.get(one.name)));
    const lines = edges.map(arrow);
    box.replaceChildren(draw("svg", { class: "network map", role: "group", "aria-label": `Map of ${names.length} relations` }, ...lines.map(({ group }) => group), ...nodes.map(({ group }) => group)));
    drawn = () => place(nodes, lines);
    fit();
    return [table(edges)];
  }

  function fit() {
    const points = [...places.values()];
    const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
    viewport.fit([Math.min(...xs) - 70, Math.min(...ys) - 40, Math.max(...xs) + 70, Math.max(...ys) + 40], 2.2);
  }

  function place(nodes, lines) {
    const [width, height] = [box.clientWidth, box.clientHeight];
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) box.firstElementChild.setAttribute(name, value);
    const at = (name) => viewport.at(places.get(name));
    for (const one of [...lines, ...nodes]) one.move(at);
    const labels = nodes.map((one) => one.label());
    const shown = choose(labels, []);
    for (const label of labels) label.group.classList.toggle("unlabelled", !shown.has(label));
  }

  function relationSpot({ name, rules }, r) {
    const [circle, text] = [draw("circle", { r }), draw("text", { class: "name" }, shortened(name, 26))];
    const told = `${name}: ${several(rules, "rule")}`;
    const group = draw("a", { href: link("relation", { name }), class: `node ${colourClass(name)}`, "aria-label": told, "data-key": name }, draw("title", {}, told), circle, text);
    let spot = [0, 0];
    return {
      group,
      move(at) {
        spot = at(name);
        for (const [key, value] of Object.entries({ cx: spot[0], cy: spot[1] })) circle.setAttribute(key, value.toFixed(1));
        for (const [key, value] of Object.entries({ x: spot[0], y: spot[1] + r + 13 })) text.setAttribute(key, value.toFixed(1));
      },
      label: () => ({ group, x: spot[0], y: spot[1] + r + 13, width: 6.3 * Math.min(name.length, 26), height: 13, priority: rules, always: false }),
    };
  }

  function arrow({ body, head, rules, strength, best }) {
    const [path, tips] = [draw("path", { class: "line" }), draw("path", { class: "tip" })];
    path.style.strokeWidth = `${(1 + Math.min(4, Math.log2(rules))).toFixed(1)}px`;
    const group = draw("g", { class: `fact ${colourClass(head)}` }, draw("title", {}, `${several(rules, "rule")} from ${body} to ${head}; strength up to ${figure(strength)}. The strongest: ${best}`), path, tips);
    return {
      group,
      move(at) {
        const [from, to] = [at(body), at(head)];
        const shape = body === head ? loopShape(from, 0) : lineShape(from, to, 14, [false, true]);
        path.setAttribute("d", shape.d);
        tips.setAttribute("d", shape.tips);
      },
    };
  }

  function table(edges) {
    const rows = edges.map(({ body, head, rules, strength, best }) =>
      build("tr", {}, build("td", {}, relationLink(body)), build("td", {}, relationLink(head)), build("td", { class: "number" }, build("a", { href: link("rules", { head, body: baseOf(body) }) }, several(rules, "rule"))), build("td", { class: "number" }, figure(strength)), build("td", {}, best.split("   ")[0])),
    );
    const heads = ["relation in the body", "head", "rules", "strength", "the strongest rule"].map((text, n) => build("th", { scope: "col", class: n === 2 || n === 3 ? "number" : null }, text));
    return build("details", {}, build("summary", {}, "As a table"), build("div", { class: "scroller", role: "region", "aria-label": "Connections", tabindex: 0 }, build("table", {}, build("caption", {}, "Rules from one relation to another"), build("thead", {}, build("tr", {}, ...heads)), build("tbody", {}, ...rows))));
  }

  new ResizeObserver(() => drawn !== null && read().view === "map" && (viewport.view.moved ? drawn() : fit())).observe(box);
  return { show };
}
