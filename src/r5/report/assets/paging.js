// Long lists are shown in pages, so that thousands of entries are as fast as a few dozen.
function startPager(box, size, show) {
  let entries = [];
  let page = 0;
  const last = () => Math.max(0, Math.ceil(entries.length / size) - 1);
  const back = build("button", { type: "button" }, "Previous");
  const forward = build("button", { type: "button" }, "Next");
  const place = build("span", { role: "status" });
  box.append(back, place, forward);

  function go(to) {
    page = Math.min(Math.max(to, 0), last());
    show(entries.slice(page * size, (page + 1) * size));
    box.hidden = last() === 0;
    back.disabled = page === 0;
    forward.disabled = page === last();
    place.textContent = `page ${page + 1} of ${last() + 1}`;
  }

  back.addEventListener("click", () => go(page - 1));
  forward.addEventListener("click", () => go(page + 1));
  return {
    set(found) {
      entries = found;
      go(0);
    },
    reveal(entry) {
      const number = entries.indexOf(entry);
      if (number >= 0) go(Math.floor(number / size));
    },
  };
}
