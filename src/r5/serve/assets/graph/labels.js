// Which labels are shown: the more important ones first, none over another or over an entity.
const CELL = 64;

// Labels are { x, y (middle of the baseline), width, height, priority, always }; obstacles are [left, top, right, bottom].
export function choose(labels, obstacles) {
  const taken = new Map();
  for (const box of obstacles) occupy(taken, box);
  const shown = new Set();
  for (const label of [...labels].sort((a, b) => b.priority - a.priority)) {
    const box = [label.x - label.width / 2, label.y - label.height, label.x + label.width / 2, label.y + 3];
    if (!label.always && collides(taken, box)) continue;
    occupy(taken, box);
    shown.add(label);
  }
  return shown;
}

function* cells([left, top, right, bottom]) {
  for (let x = Math.floor(left / CELL); x <= Math.floor(right / CELL); x += 1) {
    for (let y = Math.floor(top / CELL); y <= Math.floor(bottom / CELL); y += 1) yield `${x} ${y}`;
  }
}

function occupy(taken, box) {
  for (const cell of cells(box)) taken.set(cell, [...(taken.get(cell) ?? []), box]);
}

function collides(taken, [left, top, right, bottom]) {
  for (const cell of cells([left, top, right, bottom])) {
    for (const [l, t, r, b] of taken.get(cell) ?? []) if (left < r && l < right && top < b && t < bottom) return true;
  }
  return false;
}
