// The explorer: one view at a time, chosen by the address.
import { byId, startTheme } from "./report.js";
import { calm, call, complain, onRetry } from "./api.js";
import { startAsk } from "./views/ask.js";
import { startData } from "./views/data.js";
import { startEntity } from "./views/entity.js";
import { startLinks } from "./views/links.js";
import { startMap } from "./views/map.js";
import { startRelation } from "./views/relation.js";
import { startRules } from "./views/rules.js";
import { startStart } from "./views/start.js";
import { address, carried, onChange, read, tell } from "./state.js";

const VIEWS = { start: startStart, ask: startAsk, links: startLinks, entity: startEntity, relation: startRelation, rules: startRules, map: startMap, data: startData };

startTheme();

async function start() {
  const about = await call("about");
  if (about === null) return;
  const can = { completes: about.model.completes, graph: about.data.one_graph };
  const offered = (name) => can[document.querySelector(`[data-view=${name}]`)?.dataset.needs] !== false;
  for (const one of document.querySelectorAll("[data-view]")) one.parentElement.hidden = !offered(one.dataset.view);
  byId("loading").hidden = true;
  byId("footer").prepend(`r5 ${about.version}, model ${about.model.name}. `);
  const started = new Map(); // a view begins when it is first shown
  let asked = {};

  function show(state) {
    const chosen = state.view in VIEWS && offered(state.view) ? state.view : "start";
    for (const name of Object.keys(VIEWS)) byId(`view-${name}`).hidden = name !== chosen;
    if (chosen === "ask") asked = { source: state.source, target: state.target, graph: state.graph };
    for (const link of document.querySelectorAll("#views a")) {
      if (link.dataset.view === chosen) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
      // A view keeps the graph and what was changed in it; the query itself is kept for coming back.
      link.href = address({ view: link.dataset.view, ...carried(state), ...(link.dataset.view === "ask" ? asked : {}) });
    }
    closeMenu();
    calm();
    if (!started.has(chosen)) started.set(chosen, VIEWS[chosen](about));
    onRetry(tell);
    Promise.resolve(started.get(chosen).show(state)).catch(complain);
  }

  onChange(show);
  if (location.hash === "") history.replaceState(null, "", address(read()));
  tell();
}

const menu = byId("menu");
menu.addEventListener("click", () => menu.setAttribute("aria-expanded", String(menu.getAttribute("aria-expanded") !== "true")));

function closeMenu() {
  menu.setAttribute("aria-expanded", "false");
}

function begin() {
  onRetry(begin);
  start().catch((error) => {
    byId("loading").hidden = true;
    complain(error);
  });
}

begin();
