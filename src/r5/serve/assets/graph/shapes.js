// Shapes of lines between entities, in pixels: straight or bent, with arrow tips, and loops.
const ROOM = 11; // pixels from the middle of an entity to the end of a line
const TIP = 8;

// Points of a line between two points: its ends, the one that it bends towards, and the corners of its tips.
// With `small`, entities are drawn smaller than usual, by that factor.
export function bend([x, y], [u, v], side, tips, small = 1) {
  const length = Math.hypot(u - x, v - y) || 1;
  const [nx, ny] = [-(v - y) / length, (u - x) / length];
  const middle = [(x + u) / 2 + 2 * side * nx, (y + v) / 2 + 2 * side * ny];
  const start = towards([x, y], middle, small * ROOM);
  const end = towards([u, v], middle, small * ROOM);
  const corners = [...(tips[0] ? [tip(start, middle, small)] : []), ...(tips[1] ? [tip(end, middle, small)] : [])];
  return { start, middle, end, corners, at: [(x + u) / 2 + side * nx, (y + v) / 2 + side * ny] };
}

// Path, tips and the place of the label of a line between two points.
export function lineShape(from, to, side, tips, small = 1) {
  const { start, middle, end, corners, at } = bend(from, to, side, tips, small);
  return { d: `M${text(start)}Q${text(middle)} ${text(end)}`, tips: corners.map(closed).join(""), at };
}

// A fact of an entity with itself, above it.
export function loopShape([x, y], place) {
  const high = 34 + 16 * place;
  const end = [x + 6, y - ROOM + 2];
  return {
    d: `M${text([x - 6, y - ROOM + 2])}C${text([x - 26, y - high])} ${text([x + 26, y - high])} ${text(end)}`,
    tips: closed(tip(end, [x + 20, y - high])),
    at: [x, y - high + 6],
  };
}

function towards([x, y], [u, v], room) {
  const far = Math.hypot(u - x, v - y) || 1;
  return [x + (room * (u - x)) / far, y + (room * (v - y)) / far];
}

// Corners of a triangle at a point, for a line that comes from another one.
function tip([x, y], [u, v], small = 1) {
  const far = Math.hypot(x - u, y - v) || 1;
  const [dx, dy] = [(x - u) / far, (y - v) / far];
  const foot = [x - small * TIP * dx, y - small * TIP * dy];
  const wide = (small * TIP) / 2;
  return [[x, y], [foot[0] - wide * dy, foot[1] + wide * dx], [foot[0] + wide * dy, foot[1] - wide * dx]];
}

const closed = (corners) => `M${corners.map(text).join("L")}Z`;

const text = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
