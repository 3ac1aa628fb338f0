// Rule table: sorted by any column, filtered by head, body, words and invented relations.
function startRules({ figures, judged, invented, rows }, relations) {
  const madeUp = new Set(invented);
  const rules = rows.map(([head, body, values, uses, known, atom]) => ({
    head: relations[head],
    shown: relations[atom ?? head],
    body: body.map((number) => relations[number]),
    values,
    invented: uses === 1,
    tagged: madeUp.has(head),
    known: known === 1,
  }));
  const columns = [
    { title: "head", of: (rule) => rule.shown },
    { title: "body", of: (rule) => rule.body.join(", ") },
    ...figures.map((title, n) => ({ title, number: true, of: (rule) => rule.values[n] })),
    ...(judged ? [{ title: "true rule", of: (rule) => (rule.known ? "yes" : "no") }] : []),
  ];
  const state = { column: null, down: false, body: null };
  const table = byId("rule-table");
  const chip = makeChip(byId("rule-search"), "rule-body", () => {
    state.body = null;
    update();
  });

  const pager = startPager(byId("rule-pager"), 50, (page) => {
    table.tBodies[0].replaceChildren(...page.map(row));
  });

  function row(rule) {
    const cells = columns.map(({ of, number }, n) => {
      const value = of(rule);
      if (n === 0) {
        const tag = rule.tagged ? build("span", { class: "tag" }, "invented") : null;
        return build("th", { scope: "row" }, ...atoms([value]), tag);
      }
      if (number) return build("td", { class: "number" }, figure(value));
      if (n === 1) return build("td", { class: "body" }, "⇐ ", ...atoms(rule.body));
      return build("td", { class: value === "no" ? "muted" : null }, value);
    });
    return build("tr", {}, ...cells);
  }

  // Atoms separated by commas; a line breaks between them, inside long ones only.
  function atoms(texts) {
    return texts.flatMap((text, n) => [n > 0 ? ", " : "", build("span", { class: text.length > 40 ? null : "atom" }, text)]);
  }

  function compare(a, b) {
    const { of, number } = columns[state.column];
    const [x, y] = [of(a), of(b)];
    const order = number ? (x ?? -Infinity) - (y ?? -Infinity) : x.localeCompare(y, "en", { numeric: true });
    return state.down ? -order : order;
  }

  function update() {
    const words = byId("rule-search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const head = byId("rule-head").value;
    const any = byId("rule-invented").checked;
    const found = rules.filter((rule) => {
      const names = [rule.shown, ...rule.body].map((name) => name.toLowerCase());
      return (
        (head === "" || relations[head] === rule.head) &&
        (any || !rule.invented) &&
        (state.body === null || state.body.join("\n") === rule.body.join("\n")) &&
        words.every((word) => names.some((name) => name.includes(word)))
      );
    });
    if (state.column !== null) found.sort(compare);
    const size = `${counted(found.length)} of ${counted(rules.length)} rules`;
    byId("rule-count").textContent = rules.length === 0 ? "The model has no rules." : size;
    chip.tell(state.body === null ? "" : `body ${state.body.join(", ")}`);
    [...table.tHead.rows[0].cells].forEach((cell, n) => {
      cell.setAttribute("aria-sort", n !== state.column ? "none" : state.down ? "descending" : "ascending");
    });
    pager.set(found);
  }

  function title({ title: name, number }, n) {
    const button = build("button", { type: "button" }, name);
    button.addEventListener("click", () => {
      // The first click sorts figures from the largest, names from A.
      state.down = state.column === n ? !state.down : Boolean(number);
      state.column = n;
      update();
    });
    return build("th", { scope: "col", class: number ? "number" : null }, button);
  }

  table.tHead.replaceChildren(build("tr", {}, ...columns.map(title)));
  const heads = [...new Set(rows.map(([head]) => head))];
  heads.sort((a, b) => relations[a].localeCompare(relations[b], "en", { numeric: true }));
  byId("rule-head").append(...heads.map((head) => build("option", { value: head }, relations[head])));
  byId("rule-invented").closest("label").hidden = !rules.some((rule) => rule.invented);
  for (const id of ["rule-search", "rule-head", "rule-invented"]) byId(id).addEventListener("input", update);
  update();

  return {
    showBody(left, right) {
      state.body = [left, right];
      byId("rule-search").value = "";
      byId("rule-head").value = "";
      update();
      byId("rules").scrollIntoView();
      chip.focus();
    },
  };
}
