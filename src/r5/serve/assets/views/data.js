// What is served: the model, the data, its questions, and a graph of one's own.
import { build, byId, counted } from "../report.js";
import { calm, call, complain, Problem, upload } from "../api.js";
import { several } from "../parts/facts.js";
import { pages } from "../parts/pages.js";
import { empty, fill, skeleton } from "../parts/status.js";
import { address, go } from "../state.js";

const PAGE = 50;
const MOST = 2 * 1024 * 1024;

export function startData(about) {
  const query = byId("questions-query");
  const split = byId("questions-split");
  const pager = pages(byId("questions-pager"), (page) => go({ page: page || undefined }));
  const splits = Object.entries(about.data.splits).filter(([, size]) => size > 0);
  let timer = 0;
  split.append(...splits.map(([name, size]) => build("option", { value: name }, `${name} (${counted(size)})`)));
  byId("questions").hidden = splits.length === 0;
  byId("about").replaceChildren(...told(about).map(([name, value]) => build("div", {}, build("dt", {}, name), build("dd", {}, value))));
  byId("upload-state").textContent = `Up to ${MOST / 1024 / 1024} MB and 50,000 facts; it stays in this server's memory until it ends.`;

  async function show(state) {
    document.title = "Data · r5 explorer";
    if (splits.length === 0) return;
    split.value = state.split ?? (about.data.splits.test > 0 ? "test" : splits[0][0]);
    if (document.activeElement !== query) query.value = state.query ?? "";
    const box = byId("questions-results");
    if (box.childElementCount === 0) box.append(skeleton(6));
    await fill(box, async () => {
      const asked = { split: split.value, query: state.query ?? "", limit: PAGE };
      const [found, page] = await pager.load(Number(state.page), PAGE, (offset) => call("questions", { ...asked, offset }));
      if (found === null) return null;
      byId("questions-count").textContent = several(found.total, "query", "queries");
      if (found.total === 0) return [empty("No query has these words.")];
      return [build("ol", { class: "question-list", start: 1 + PAGE * page }, ...found.questions.map(question))];
    });
  }

  function question({ graph, source, target, answer, hops, number }) {
    const link = build("a", { href: address({ view: "ask", graph, source, target }) }, `${source} → ${target}`);
    const rest = [answer, hops > 0 ? several(hops, "hop") : null].filter(Boolean).join(", ");
    return build("li", { value: number + 1 }, link, build("span", { class: "muted" }, ` ${rest}`));
  }

  byId("upload").addEventListener("change", () => take(byId("upload").files[0]).catch(complain));

  async function take(file) {
    if (!file) return;
    calm();
    if (file.size > MOST) throw new Problem(`${file.name} has ${counted(file.size)} bytes; up to ${counted(MOST)} can be uploaded.`);
    const found = await upload(await file.text()).catch((error) => {
      throw error instanceof Problem ? new Problem(error.message.replace(/^upload\.tsv(?=:)/, () => file.name)) : error;
    });
    const strange = found.unknown_relations;
    byId("upload-state").replaceChildren(
      `${file.name}: ${several(found.entities, "entity", "entities")}, ${several(found.edges, "fact")}. `,
      strange.length > 0 ? `The model does not know ${strange.length === 1 ? "the relation" : "the relations"} ${strange.slice(0, 5).map((name) => `“${name}”`).join(", ")}${strange.length > 5 ? " …" : ""}. ` : "",
      build("a", { href: address({ view: "ask", graph: found.graph, file: file.name }) }, "Ask about it"),
    );
  }

  query.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => go({ query: query.value, page: undefined }, { replace: true }), 150);
  });
  split.addEventListener("input", () => go({ split: split.value, page: undefined }));
  byId("questions-form").addEventListener("submit", (event) => event.preventDefault());
  return { show };
}

function told({ model, data, version }) {
  const graph = data.entities === null ? "a graph for each query" : `${several(data.entities, "entity", "entities")}, ${several(data.edges, "fact")}`;
  return [
    ["model", model.name],
    ["engine", model.engine],
    ["rules", counted(model.rules) + (model.listed_rules < model.rules ? ` (${counted(model.listed_rules)} listed)` : "")],
    ["relations", counted(model.relations.length)],
    ["data", data.name || "none"],
    ["graph", data.graph === null ? "none yet" : graph],
    ["r5", version],
  ];
}
