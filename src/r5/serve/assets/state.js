// The state is the part of the address after the #: what is shown can be bookmarked, shared, and gone back to.
const LISTS = ["edits", "off", "open", "hide"];
const listeners = [];

export function read() {
  const [view, query = ""] = location.hash.replace(/^#/, "").split("?");
  const state = { view: view || "start", ...Object.fromEntries(LISTS.map((name) => [name, []])) };
  for (const [name, value] of new URLSearchParams(query)) state[name] = LISTS.includes(name) ? list(value) : value;
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
    if (LISTS.includes(name)) {
      if (value.length > 0) parameters.set(name, JSON.stringify(value));
    } else parameters.set(name, value);
  }
  const query = parameters.toString();
  return `#${state.view}${query ? "?" + query : ""}`;
}

// What goes with a query from view to view and to the server: the graph, its edits, and the rules switched off.
export const kept = ({ graph, edits, off }) => ({ graph, edits, off });

// The same for addresses, with the name of an uploaded file.
export const carried = (state) => ({ ...kept(state), file: state.file });

export const link = (view, fields = {}) => address({ view, ...carried(read()), ...fields });

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
