// A text field that offers names as one types: a combobox, by mouse, by keyboard and for screen readers.
import { build } from "./report.js";
import { call } from "./api.js";
import { kept, read } from "./state.js";

let count = 0;

// What was typed, without the spaces that slip in around it; `trim` takes more, which a name may end in.
export const typed = (input) => input.value.replace(/^[ \t]+|[ \t]+$/g, "");

export function suggest(input, chosen = () => {}) {
  const id = `suggestions-${(count += 1)}`;
  const list = build("ul", { id, role: "listbox", class: "suggestions", hidden: true, "aria-label": "Names" });
  input.parentElement.classList.add("suggesting");
  input.parentElement.append(list);
  for (const [name, value] of Object.entries({
    role: "combobox",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": id,
  }))
    input.setAttribute(name, value);
  let place = -1;
  let timer = 0;

  function close() {
    list.hidden = true;
    place = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function option(name, number) {
    const item = build("li", { role: "option", id: `${id}-${number}`, "aria-selected": "false" }, name);
    // The field keeps the focus, so that it can be typed on.
    item.addEventListener("pointerdown", (event) => event.preventDefault());
    item.addEventListener("click", () => take(name));
    return item;
  }

  function take(name) {
    input.value = name;
    close();
    chosen(name);
  }

  async function look() {
    const { graph, edits } = kept(read());
    let found = null;
    try {
      found = await call("entities", { query: input.value, graph, edits, limit: 12 }, `entities ${id}`);
    } catch {
      return; // Names are a help; whoever asks without them is told what is wrong.
    }
    if (found === null || document.activeElement !== input) return;
    const rest = found.total - found.entities.length;
    list.replaceChildren(...found.entities.map(option));
    if (rest > 0) list.append(build("li", { class: "more", "aria-hidden": "true" }, `and ${rest.toLocaleString("en")} more`));
    list.hidden = found.entities.length === 0;
    place = -1;
    input.setAttribute("aria-expanded", String(!list.hidden));
  }

  function move(step) {
    const options = [...list.querySelectorAll("[role=option]")];
    if (options.length === 0) return;
    place = (place + step + options.length) % options.length;
    options.forEach((item, number) => item.setAttribute("aria-selected", String(number === place)));
    input.setAttribute("aria-activedescendant", options[place].id);
    options[place].scrollIntoView({ block: "nearest" });
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, 120);
  });
  input.addEventListener("focus", look);
  input.addEventListener("blur", () => {
    clearTimeout(timer);
    close();
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      close();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) look();
      else move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && place >= 0) {
      event.preventDefault();
      take(list.querySelectorAll("[role=option]")[place].textContent);
    }
  });
}
