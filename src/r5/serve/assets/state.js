// The state is the part of the address after the #: what is shown can be bookmarked, shared, and gone back to.
const LISTS = { edits: [], off: [] };
const listeners = [];

export function read() {
  const [view, query = ""] = location.hash.replace(/^#/, "").split("?");
  const state = { view: view || "ask", edits: [], off: [] };
  for (const [name, value] of new URLSearchParams(query)) state[name] = name in LISTS ? list(value) : value;
  return state;
}

function list(text) {
  try {
    const found = JSON.parse(text);
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

export function address(state) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) {
    if (name === "view" || value === undefined || value === null || value === "") continue;
    if (name in LISTS) {
      if (value.length > 0) parameters.set(name, JSON.stringify(value));
    } else parameters.set(name, value);
  }
  const query = parameters.toString();
  return `#${state.view}${query ? "?" + query : ""}`;
}

// What goes with a question from view to view: the graph, what was changed in it, and the rules switched off.
export const kept = ({ graph, edits, off }) => ({ graph, edits, off });

export function go(changes, { replace = false } = {}) {
  const target = address({ ...read(), ...changes });
  if (target === location.hash) return;
  if (replace) history.replaceState(null, "", target);
  else history.pushState(null, "", target);
  tell();
}

export const onChange = (listener) => listeners.push(listener);

export function tell() {
  const state = read();
  for (const listener of listeners) listener(state);
}

addEventListener("popstate", tell);
