// The explorer: one view at a time, chosen by the address.
import { byId, startTheme } from "./report.js";
import { calm, call, complain } from "./api.js";
import { startAsk } from "./ask.js";
import { startData } from "./data.js";
import { startLinks } from "./links.js";
import { startRules } from "./rules.js";
import { address, kept, onChange, read, tell } from "./state.js";

async function start() {
  startTheme();
  const about = await call("about");
  document.querySelector("[data-view=links]").parentElement.hidden = !about.model.completes;
  byId("footer").prepend(`r5 ${about.version}, model ${about.model.name}. `);
  const views = { ask: startAsk(about), links: startLinks(about), rules: startRules(about), data: startData(about) };

  function show(state) {
    const chosen = state.view in views && (state.view !== "links" || about.model.completes) ? state.view : "ask";
    for (const name of Object.keys(views)) byId(`view-${name}`).hidden = name !== chosen;
    for (const link of document.querySelectorAll("#views a")) {
      if (link.dataset.view === chosen) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
      // A view keeps the graph and what was changed in it; the question itself is kept for coming back.
      const question = link.dataset.view === "ask" ? asked : {};
      link.href = address({ view: link.dataset.view, ...kept(state), ...question });
    }
    if (chosen === "ask") asked = { source: state.source, target: state.target, graph: state.graph };
    calm();
    views[chosen].show(state).catch(complain);
  }

  let asked = {};
  onChange(show);
  if (location.hash === "") history.replaceState(null, "", address(read()));
  tell();
}

start().catch(complain);
