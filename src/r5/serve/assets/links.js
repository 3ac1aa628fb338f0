// The missing links of an entity, most likely first, each with the rules and facts that speak for it and against it.
import { build, byId, counted, draw, factOf } from "./report.js";
import { call } from "./api.js";
import { address, go, kept, read } from "./state.js";
import { suggest, typed } from "./suggest.js";

export function startLinks(about) {
  const entity = byId("links-entity");
  const relation = byId("links-relation");
  const known = byId("links-known");
  const sides = [...document.querySelectorAll("#links-form input[name=side]")];
  suggest(entity);
  relation.append(...about.model.relations.map((name) => build("option", { value: name }, name)));

  async function show(state) {
    document.title = "Missing links · r5 explorer";
    entity.value = state.entity ?? "";
    relation.value = state.relation ?? "";
    known.checked = state.known === "yes";
    for (const side of sides) side.checked = side.value === (state.side ?? "head");
    byId("links-list").replaceChildren();
    byId("links-count").textContent = "";
    if (!state.entity) return;
    byId("links-count").textContent = "Looking …";
    const asked = {
      ...kept(state),
      [state.side ?? "head"]: state.entity,
      relation: state.relation || undefined,
      known: known.checked,
      explain: true,
      top: 20,
    };
    let found = null;
    try {
      found = await call("complete", asked);
    } finally {
      byId("links-count").textContent = "";
    }
    if (found === null) return;
    byId("links-count").textContent =
      found.length === 0 ? "The model has no reason for a missing fact." : `${counted(found.length)} facts, most probable first`;
    byId("links-list").replaceChildren(...found.map(candidate));
  }

  function candidate({ fact, probability, share, existing, known: is, reasons }) {
    const figures = [`P(fact) ${probability.toFixed(3)}`];
    if (share !== null) figures.push(`share ${share.toFixed(3)}`);
    if (existing > 0) figures.push(`${counted(existing)} known answer${existing > 1 ? "s" : ""}`);
    const summary = build(
      "summary",
      {},
      build("span", { class: "name" }, factOf(...fact), is ? build("span", { class: "tag" }, "known") : null),
      build("span", { class: "sure" }, figures.join(" · ")),
      bar(probability),
    );
    const most = Math.max(...reasons.map(({ weight }) => Math.abs(weight)), 1e-9);
    const rows = reasons.slice(0, 12).map((reason) => row(reason, most));
    const rest = reasons.length - rows.length;
    const look = build("a", { href: address({ view: "ask", ...kept(read()), source: fact[0], target: fact[2] }) }, "See the two in the graph");
    return build(
      "li",
      {},
      build(
        "details",
        {},
        summary,
        build("ul", { class: "reasons" }, ...rows, rest > 0 ? build("li", { class: "more" }, `${counted(rest)} further reasons`) : null),
        build("p", {}, look),
      ),
    );
  }

  function row({ text, weight, facts, groundings }, most) {
    const [sentence, figures] = text.split("   ");
    const speaks = weight < 0 ? "against" : "for";
    const size = (48 * Math.abs(weight)) / most;
    const looks = { viewBox: "0 0 100 10", class: "weight", "aria-hidden": "true", preserveAspectRatio: "none" };
    return build(
      "li",
      { class: speaks },
      draw("svg", looks, draw("rect", { x: weight < 0 ? 50 - size : 50, y: 1, width: size, height: 8, rx: 2 }), draw("path", { d: "M50 0V10" })),
      build("span", { class: "figure" }, `${weight < 0 ? "−" : "+"}${Math.abs(weight).toFixed(2)}`),
      build(
        "span",
        { class: "because" },
        build("b", {}, sentence),
        figures ? build("span", {}, figures) : null,
        facts.length > 0 ? build("span", {}, facts.map((fact) => factOf(...fact)).join(", ")) : null,
        groundings > 1 ? build("span", {}, `${counted(groundings)} groundings`) : null,
      ),
    );
  }

  byId("links-form").addEventListener("submit", (event) => {
    event.preventDefault();
    go({
      view: "links",
      entity: typed(entity),
      relation: relation.value,
      side: sides.find((side) => side.checked).value,
      known: known.checked ? "yes" : undefined,
    });
  });
  return { show };
}

function bar(share) {
  const looks = { viewBox: "0 0 100 4", preserveAspectRatio: "none", class: "share", "aria-hidden": "true" };
  const full = draw("rect", { width: Math.max(0.5, 100 * share), height: 4, class: "bar" });
  return draw("svg", looks, draw("rect", { width: 100, height: 4, class: "track" }), full);
}
