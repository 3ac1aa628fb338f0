// The tab key reaches one cell of a heat map, the arrow keys the others; the text of the cell is shown below the map.
const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

function startHeatMap(section, press) {
  const cells = [...section.querySelectorAll(".cell")];
  const readout = section.querySelector(".readout");
  const place = (cell) => [Number(cell.dataset.row), Number(cell.dataset.column)];
  const read = (cell) => (readout.textContent = cell.getAttribute("aria-label"));

  function nearest(from, [down, across]) {
    const [row, column] = place(from);
    let best = null;
    for (const cell of cells) {
      const [r, c] = place(cell);
      const along = (r - row) * down + (c - column) * across;
      const aside = Math.abs((r - row) * across) + Math.abs((c - column) * down);
      const distance = along + 3 * aside;
      if (along > 0 && (best === null || distance < best.distance)) best = { cell, distance };
    }
    return best?.cell ?? from;
  }

  for (const cell of cells) {
    cell.addEventListener("focus", () => read(cell));
    cell.addEventListener("pointerenter", () => read(cell));
    cell.addEventListener("click", () => press(cell.dataset));
    cell.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        press(cell.dataset);
      } else if (event.key in ARROWS) {
        event.preventDefault();
        const next = nearest(cell, ARROWS[event.key]);
        cell.setAttribute("tabindex", "-1");
        next.setAttribute("tabindex", "0");
        next.focus();
      }
    });
  }
}
