// Example browser: a list of queries with filters, search and order; the selected one is shown beside it.
function startBrowser(cases, relations, measure) {
  const named = (number) => relations[number] ?? "cannot say";
  const words = new Map(cases.map((one) => [one, searchable(one)]));
  const state = { one: null, pair: null };
  const list = byId("case-list");
  const chip = byId("case-pair");
  const search = byId("case-search");
  const question = startQuestion(relations, measure);
  const pager = startPager(byId("case-pager"), 50, (page) => list.replaceChildren(...page.map(entry)));

  function searchable(one) {
    const { entities, walk, observed } = one.views[0];
    const names = [one.wanted, one.said, ...observed].map((number) => relations[number] ?? "");
    const people = walk.map((node) => entities[node]);
    return [`#${one.number}`, one.source, one.target, ...people, ...names].join("\n").toLowerCase();
  }

  function entry(one) {
    const kind = kindOf(one);
    const told = {
      right: named(one.said),
      wrong: `${named(one.said)}, not ${named(one.wanted)}`,
      silent: `cannot say: ${named(one.wanted)}`,
    };
    const button = build(
      "button",
      { type: "button", class: kind, "data-number": one.number, "aria-current": one === state.one ? "true" : null },
      build("span", { class: "mark", "aria-hidden": "true" }, VERDICTS[kind][0]),
      build("span", { class: "who" }, `${one.source} → ${one.target}`),
      build("span", { class: "told" }, told[kind]),
      build("span", { class: "hops" }, one.hops > 0 ? `${one.hops} hops` : ""),
    );
    button.addEventListener("click", () => choose(one));
    return build("li", {}, button);
  }

  function fits(one, kind, wanted) {
    const { pair } = state;
    return (
      (kind === "all" || kindOf(one) === kind) &&
      (pair === null || (named(one.wanted) === pair.wanted && named(one.said) === pair.said)) &&
      wanted.every((word) => words.get(one).includes(word))
    );
  }

  function update() {
    const kind = document.querySelector("#case-kinds input:checked").value;
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = cases.filter((one) => fits(one, kind, wanted));
    if (byId("case-order").value === "data") found.sort((a, b) => a.number - b.number);
    byId("case-count").textContent = `${counted(found.length)} of ${counted(cases.length)} questions`;
    chip.hidden = state.pair === null;
    if (state.pair !== null) {
      chip.textContent = `${state.pair.said} for ${state.pair.wanted} ✕`;
      chip.setAttribute("aria-label", `No longer only ${state.pair.said} for ${state.pair.wanted}`);
    }
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
    question.show(one);
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
    const count = cases.filter((one) => input.value === "all" || kindOf(one) === input.value).length;
    input.parentElement.querySelector("b").textContent = counted(count);
    input.disabled = count === 0;
    input.addEventListener("input", update);
  }
  search.addEventListener("input", update);
  byId("case-order").addEventListener("input", update);
  chip.addEventListener("click", () => {
    state.pair = null;
    update();
    search.focus();
  });
  update();

  return {
    showPair(wanted, said) {
      state.pair = { wanted, said };
      document.querySelector("#case-kinds input[value=all]").checked = true;
      search.value = "";
      update();
      byId("examples").scrollIntoView();
      chip.focus({ preventScroll: true });
    },
    showNumber(number) {
      const one = cases.find((entry) => entry.number === number);
      if (!one) return;
      pager.reveal(one);
      choose(one);
    },
  };
}
