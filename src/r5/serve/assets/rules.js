// The rules: filtered and sorted by the server, each with where it holds and where it fails, and a switch.
import { build, byId, counted, factOf, figure } from "./report.js";
import { call, complain } from "./api.js";
import { address, go, kept, read } from "./state.js";

const PAGE = 25;

export function startRules(about) {
  const table = byId("rules-table").tBodies[0];
  const query = byId("rules-query");
  const head = byId("rules-head");
  const sort = byId("rules-sort");
  const pager = pages(byId("rules-pager"), (page) => go({ page: page || undefined }));
  const hasQuestions = about.data.splits.test > 0;
  let whole = null;
  let timer = 0;
  head.append(...about.model.relations.map((name) => build("option", { value: name }, name)));

  async function show(state) {
    document.title = "Rules · r5 explorer";
    if (document.activeElement !== query) query.value = state.query ?? "";
    head.value = state.head ?? "";
    sort.value = state.sort ?? "model";
    const page = Number(state.page ?? 0) || 0;
    const asked = { query: state.query ?? "", head: state.head || undefined, sort: sort.value, offset: PAGE * page, limit: PAGE };
    const found = await call("rules", asked);
    if (found === null) return;
    byId("rules-count").textContent = `${counted(found.total)} of ${counted(found.of)} rules${found.of < about.model.rules ? ` listed, ${counted(about.model.rules)} in all` : ""}`;
    table.replaceChildren(...found.rules.map((rule) => row(rule, state)));
    pager(page, Math.ceil(found.total / PAGE));
    details(state).catch(complain);
    accuracy(state).catch(complain);
  }

  function row(rule, state) {
    const on = build("input", { type: "checkbox", "aria-label": `Use ${rule.text}` });
    on.disabled = !about.model.switches;
    on.checked = !state.off.includes(rule.number);
    on.addEventListener("change", () => {
      const off = read().off.filter((number) => number !== rule.number);
      go({ off: on.checked ? off : [...off, rule.number] });
    });
    const open = build(
      "button",
      { type: "button", class: "rule-name", "aria-expanded": String(state.rule === String(rule.number)) },
      build("b", {}, rule.target ? `${rule.head} (…, ${rule.target})` : rule.head),
      ` ⇐ ${rule.body.join(", ") || "always"}`,
      rule.invented ? build("span", { class: "tag" }, "invented") : null,
    );
    open.addEventListener("click", () => go({ rule: state.rule === String(rule.number) ? undefined : rule.number }));
    const strength = rule.weight ?? rule.probability ?? rule.score ?? rule.possibility ?? null;
    return build(
      "tr",
      { class: on.checked ? null : "off" },
      build("td", {}, on),
      build("th", { scope: "row" }, open),
      build("td", { class: "number" }, figure(strength)),
      build("td", { class: "number" }, figure(rule.support ?? null)),
    );
  }

  async function details(state) {
    const box = byId("rule-details");
    if (state.rule === undefined) return box.replaceChildren(build("p", { class: "note" }, "Press a rule to see examples and counterexamples."));
    box.replaceChildren(build("p", { class: "status" }, "Looking …"));
    const found = await call("rule-examples", { rule: Number(state.rule), graph: state.graph, edits: state.edits, limit: 12 });
    if (found === null) return undefined;
    const questions = found.kind === "questions";
    const counts = questions
      ? `Used for ${counted(found.right + found.wrong)} of ${counted(found.asked)} questions: ${counted(found.right)} correct, ${counted(found.wrong)} wrong.`
      : "";
    return box.replaceChildren(
      build("h2", {}, found.text),
      counts ? build("p", { class: "status" }, counts) : "",
      ...part(questions ? "Correct answers" : "Holds", found.holds, "right"),
      ...part(questions ? "Wrong answers" : "Not in the graph", found.fails, "wrong"),
    );
  }

  function part(title, rows, kind) {
    if (rows.length === 0) return [build("h3", { class: kind }, title), build("p", { class: "note" }, "none found")];
    return [build("h3", { class: kind }, title), build("ul", { class: "witnesses" }, ...rows.map(witness))];
  }

  function witness({ head: fact, because, graph, source, target, said, answer }) {
    const asked = graph ? { graph, source, target } : { source: fact[0], target: fact[2] };
    const told = graph ? `${source} → ${target}: ${said}${said === answer ? "" : `, not ${answer}`}` : factOf(...fact);
    const state = read();
    return build(
      "li",
      {},
      build("a", { href: address({ view: "ask", ...kept(state), edits: graph ? [] : state.edits, ...asked }) }, told),
      build("span", {}, `${graph ? factOf(...fact) + " " : ""}because ${because.map((one) => factOf(...one)).join(", ")}`),
    );
  }

  async function accuracy({ off }) {
    const box = byId("accuracy");
    if (!hasQuestions) return box.replaceChildren();
    if (whole === null) box.replaceChildren("Measuring accuracy …");
    if (whole === null) whole = await call("accuracy", {}, "accuracy of all");
    const part = off.length === 0 ? whole : await call("accuracy", { off });
    if (part === null || whole === null) return undefined;
    const moved = part.accuracy - whole.accuracy;
    const clear = build("button", { type: "button" }, "Switch all on");
    clear.addEventListener("click", () => go({ off: [] }));
    return box.replaceChildren(
      build("span", { class: "large" }, `${(100 * part.accuracy).toFixed(1)} %`),
      build("span", {}, ` of ${counted(part.n)} queries of ${about.data.name} correct`),
      off.length === 0
        ? ""
        : build("span", { class: moved < 0 ? "worse" : "better" }, ` ${moved < 0 ? "−" : "+"}${(100 * Math.abs(moved)).toFixed(1)} with ${counted(off.length)} off`),
      off.length === 0 ? "" : clear,
    );
  }

  query.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => go({ query: query.value, page: undefined }, { replace: true }), 150);
  });
  head.addEventListener("input", () => go({ head: head.value, page: undefined }));
  sort.addEventListener("input", () => go({ sort: sort.value === "model" ? undefined : sort.value, page: undefined }));
  byId("rules-form").addEventListener("submit", (event) => event.preventDefault());
  return { show };
}

export function pages(box, turn) {
  const back = build("button", { type: "button" }, "Previous");
  const forward = build("button", { type: "button" }, "Next");
  const place = build("span", { role: "status" });
  let page = 0;
  box.append(back, place, forward);
  back.addEventListener("click", () => turn(page - 1));
  forward.addEventListener("click", () => turn(page + 1));
  return (now, count) => {
    page = now;
    box.hidden = count < 2;
    back.disabled = page <= 0;
    forward.disabled = page >= count - 1;
    place.textContent = `page ${counted(page + 1)} of ${counted(Math.max(count, 1))}`;
  };
}
