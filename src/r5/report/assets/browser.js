// Example browser: a list of queries with filters, search and order; the selected one is shown beside it.
// An entry has a number, a kind (right, wrong or silent), words to search, and the texts of its line in the list.
function startBrowser(entries, show) {
  const words = new Map(entries.map((one) => [one, one.words.toLowerCase()]));
  const state = { one: null, test: null };
  const list = byId("case-list");
  const search = byId("case-search");
  const chip = makeChip(search, "case-pair", () => {
    state.test = null;
    update();
  });
  const pager = startPager(byId("case-pager"), 50, (page) => list.replaceChildren(...page.map(line)));

  function line(one) {
    const button = build(
      "button",
      { type: "button", class: one.kind, "data-number": one.number, "aria-current": one === state.one ? "true" : null },
      build("span", { class: "mark", "aria-hidden": "true" }, one.mark),
      build("span", { class: "who" }, one.who),
      build("span", { class: "told" }, one.told),
      build("span", { class: "hops" }, one.aside),
    );
    button.addEventListener("click", () => choose(one));
    return build("li", {}, button);
  }

  function update() {
    const kind = document.querySelector("#case-kinds input:checked").value;
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = entries.filter(
      (one) =>
        (kind === "all" || one.kind === kind) &&
        (state.test?.(one) ?? true) &&
        wanted.every((word) => words.get(one).includes(word)),
    );
    if (byId("case-order").value === "data") found.sort((a, b) => a.number - b.number);
    byId("case-count").textContent = `${counted(found.length)} of ${counted(entries.length)} questions`;
    pager.set(found);
    byId("case").hidden = found.length === 0;
    if (found.length > 0 && !found.includes(state.one)) choose(found[0]);
  }

  function choose(one) {
    state.one = one;
    for (const button of list.querySelectorAll("button")) {
      if (Number(button.dataset.number) === one.number) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    show(one);
  }

  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const buttons = [...list.querySelectorAll("button")];
    const next = buttons[buttons.indexOf(document.activeElement) + step];
    next?.focus();
    next?.click();
  });
  for (const input of document.querySelectorAll("#case-kinds input")) {
    const count = entries.filter((one) => input.value === "all" || one.kind === input.value).length;
    input.parentElement.querySelector("b").textContent = counted(count);
    input.disabled = count === 0;
    input.addEventListener("input", update);
  }
  search.addEventListener("input", update);
  byId("case-order").addEventListener("input", update);
  update();

  return {
    showOnly(test, told) {
      state.test = test;
      document.querySelector("#case-kinds input[value=all]").checked = true;
      search.value = "";
      chip.tell(told);
      update();
      byId("examples").scrollIntoView();
      chip.focus();
    },
    showNumber(number) {
      const one = entries.find((entry) => entry.number === number);
      if (!one) return;
      pager.reveal(one);
      choose(one);
    },
  };
}

// A link to report.html#example-17 opens that example.
function openLinked(browser) {
  const linked = /^#example-(\d+)$/.exec(location.hash);
  if (!linked) return;
  browser.showNumber(Number(linked[1]));
  byId("examples").scrollIntoView();
}
