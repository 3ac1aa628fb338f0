// A search of the whole graph in a box: its progress, a button that ends it, and what it found.
import { build } from "../report.js";
import { cancelSearch, search } from "../api.js";
import { fill, progress } from "./status.js";

// Resolves when the search is done, ended or called off.
export function searchInto(box, name, title, fields, show, kind = name) {
  return fill(box, async () => {
    const bar = progress(title, () => {
      cancelSearch(name, fields, kind).catch(() => {});
      const again = build("button", { type: "button" }, "Search again");
      again.addEventListener("click", () => searchInto(box, name, title, fields, show, kind));
      box.replaceChildren(build("p", { class: "empty" }, `${title}: cancelled. `, again));
    });
    box.replaceChildren(bar.box);
    const found = await search(name, fields, bar.report, kind);
    return found === null ? null : show(found);
  });
}
