// What a page must have for those who cannot see it well or use no mouse; returns what is wrong, in words.
() => {
  const wrong = [];
  const shown = (element) => element.checkVisibility({ visibilityProperty: true });
  const say = (what, element) => wrong.push(`${what}: ${element.outerHTML.slice(0, 120)}`);

  const referred = (element, name) =>
    (element.getAttribute(name) ?? "").split(/\s+/).filter(Boolean).map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
  const named = (element) =>
    (element.getAttribute("aria-label") || referred(element, "aria-labelledby") || [...(element.labels ?? [])].map((label) => label.textContent).join(" ") ||
      (element.matches("button, a, summary, [role=button]") ? element.textContent : "")).trim();
  for (const control of document.querySelectorAll("button, a, input, select, summary, [role=button], [role=region], [role=group], [tabindex='0']")) {
    if (shown(control) && !named(control)) say("no name", control);
  }
  for (const picture of document.querySelectorAll("svg")) {
    if (picture.getAttribute("aria-hidden") === "true") continue;
    if (!["img", "group"].includes(picture.getAttribute("role")) || !named(picture)) say("no title", picture);
  }
  for (const table of document.querySelectorAll("table")) {
    if (!table.caption?.textContent) say("no caption", table);
    for (const head of table.querySelectorAll("th")) if (!["row", "col"].includes(head.scope)) say("no scope", head);
  }
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  if (new Set(ids).size !== ids.length) wrong.push("an id is there twice");
  let level = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) say("a level of headings is left out", heading);
    level = own;
  }

  const colour = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => {
    const part = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const contrast = (one, other) => {
    const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  };
  const behind = (element) => {
    const cell = element.closest(".cell");
    if (cell) return colour(getComputedStyle(cell.querySelector("rect")).fill);
    for (let at = element; at; at = at.parentElement) {
      const found = colour(getComputedStyle(at).backgroundColor);
      if (found.length === 3 || found[3] === 1) return found;
    }
    return [255, 255, 255];
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !shown(element)) continue;
    if (element.closest("script, style, title, desc, noscript, option, :disabled, [aria-disabled=true]")) continue;
    const style = getComputedStyle(element);
    const ink = colour(element instanceof SVGElement ? style.fill : style.color);
    const ratio = contrast(ink, behind(element));
    if (ratio < 4.5) say(`contrast ${ratio.toFixed(2)}`, element);
  }
  return wrong;
}
