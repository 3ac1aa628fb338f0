// The rules: filtered and sorted by the server, each with where it holds and where it fails, and a switch.
import { build, byId, counted, factOf, figure } from "../report.js";
import { call, callOff } from "../api.js";
import { entityLink, several } from "../parts/facts.js";
import { pages } from "../parts/pages.js";
import { empty, fill, progress, skeleton } from "../parts/status.js";
import { address, carried, go, read } from "../state.js";

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
  let opened; // the rule whose examples are shown
  head.append(...about.model.relations.map((name) => build("option", { value: name }, name)));

  async function show(state) {
    document.title = "Rules · r5 explorer";
    if (document.activeElement !== query) query.value = state.query ?? "";
    head.value = state.head ?? "";
    sort.value = state.sort ?? "model";
    byId("rules-body").textContent = state.body ? `with ${state.body} in the body` : "";
    await Promise.all([list(state), details(state), accuracy(state)]);
  }

  async function list(state) {
    const asked = { query: state.query ?? "", head: state.head || undefined, body: state.body || undefined, sort: sort.value, limit: PAGE };
    const box = byId("rules-state");
    await fill(box, async () => {
      if (table.childElementCount === 0) box.replaceChildren(skeleton(6));
      const [found, page] = await pager.load(Number(state.page), PAGE, (offset) => call("rules", { ...asked, offset }));
      if (found === null) return null;
      const all = found.of < about.model.rules ? `; the model has ${counted(about.model.rules)}, those with the greatest weights are listed` : "";
      byId("rules-count").textContent = `${counted(found.total)} of ${several(found.of, "rule")}${all}`;
      table.replaceChildren(...found.rules.map((rule) => row(rule, state)));
      byId("rules-table").hidden = found.total === 0;
      return found.total === 0 ? [empty("No rule has these words.")] : [];
    });
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
      rule.text,
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
    if (state.rule === undefined) opened = undefined;
    if (state.rule === undefined) return box.replaceChildren(build("p", { class: "note" }, "Press a rule to see examples and counterexamples."));
    const bar = progress("Looking for examples", () => {
      callOff("rule-examples");
      box.replaceChildren(empty("Cancelled."));
    });
    box.replaceChildren(bar.box);
    return fill(box, async () => {
      const found = await call("rule-examples", { rule: Number(state.rule), graph: state.graph, edits: state.edits, limit: 12 });
      return found && examples(found);
    }).then(() => {
      if (state.rule !== opened && matchMedia("(max-width: 46rem)").matches) box.scrollIntoView({ block: "start" });
      opened = state.rule;
    });
  }

  function examples(found) {
    const questions = found.kind === "questions";
    const counts = questions
      ? `Used for ${counted(found.right + found.wrong)} of ${several(found.asked, "query", "queries")}: ${counted(found.right)} correct, ${counted(found.wrong)} wrong.`
      : "";
    const constants = [found.target, found.ending].filter((name) => name !== undefined && name !== null);
    return [
      build("h2", {}, found.text),
      constants.length > 0 ? build("p", { class: "status" }, "About ", ...constants.flatMap((name, n) => [n > 0 ? ", " : "", entityLink(name)])) : "",
      counts ? build("p", { class: "status" }, counts) : "",
      ...part(questions ? "Correct answers" : "Holds", found.holds, "right"),
      ...part(questions ? "Wrong answers" : "Not in the graph", found.fails, "wrong"),
    ];
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
      build("a", { href: address({ view: "ask", ...carried(state), edits: graph ? [] : state.edits, ...asked }) }, told),
      build("span", {}, `${graph ? factOf(...fact) + " " : ""}because ${because.map((one) => factOf(...one)).join(", ")}`),
    );
  }

  // Accuracy with all rules is measured once; a failure can be tried again.
  async function accuracy({ off }) {
    const box = byId("accuracy");
    if (!hasQuestions) return box.replaceChildren();
    const clear = build("button", { type: "button" }, "Switch all on");
    clear.addEventListener("click", () => go({ off: [] }));
    return fill(box, async () => {
      if (whole === null || off.length > 0) {
        const bar = progress("Measuring accuracy", () => {
          for (const kind of ["accuracy", "accuracy of all"]) callOff(kind);
          const again = build("button", { type: "button" }, "Measure");
          again.addEventListener("click", () => accuracy(read()));
          box.replaceChildren("Accuracy is not measured. ", again, ...(off.length > 0 ? [clear] : []));
        });
        box.replaceChildren(bar.box);
      }
      whole = whole ?? (await call("accuracy", {}, "accuracy of all"));
      const part = off.length === 0 || whole === null ? whole : await call("accuracy", { off });
      return part === null ? null : measured(part, off, clear);
    });
  }

  function measured(part, off, clear) {
    const moved = part.accuracy - whole.accuracy;
    const change = build("span", { class: moved < 0 ? "worse" : "better" }, ` ${moved < 0 ? "−" : "+"}${(100 * Math.abs(moved)).toFixed(1)} with ${counted(off.length)} off`);
    return [
      build("span", { class: "large" }, `${(100 * part.accuracy).toFixed(1)} %`),
      build("span", {}, ` of ${several(part.n, "query", "queries")} of ${about.data.name} correct`),
      ...(off.length === 0 ? [] : [change, clear]),
    ];
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
