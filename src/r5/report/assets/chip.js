// Button after the controls of a search field that tells a filter set elsewhere on the page, and removes it.
function makeChip(search, id, remove) {
  const button = build("button", { type: "button", class: "chip", id });
  const tell = (told) => {
    button.hidden = told === "";
    button.textContent = `${told} ✕`;
    button.setAttribute("aria-label", `No longer only ${told}`);
  };
  button.addEventListener("click", () => {
    remove();
    tell("");
    search.focus();
  });
  search.closest(".controls").append(button);
  tell("");
  return { tell, focus: () => button.focus({ preventScroll: true }) };
}
