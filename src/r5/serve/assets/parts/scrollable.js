// A box that scrolls by keyboard too, as long as its content is wider than it.
const watcher = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const scrolls = target.scrollWidth > target.clientWidth + 1;
    for (const [name, value] of Object.entries({ tabindex: "0", role: "group", "aria-label": target.dataset.label })) {
      if (scrolls) target.setAttribute(name, value);
      else target.removeAttribute(name);
    }
  }
});

export function scrollable(box, label) {
  box.dataset.label = label;
  watcher.observe(box);
  return box;
}
