// Shapes of lines between entities, in pixels: straight or bent, with arrow tips, and loops.
const ROOM = 11; // pixels from the middle of an entity to the end of a line
const TIP = 8;

// Path, tips and the place of the label of a line between two points.
export function lineShape([x, y], [u, v], bend, tips) {
  const length = Math.hypot(u - x, v - y) || 1;
  const [nx, ny] = [-(v - y) / length, (u - x) / length];
  const middle = [(x + u) / 2 + 2 * bend * nx, (y + v) / 2 + 2 * bend * ny];
  const start = towards([x, y], middle);
  const end = towards([u, v], middle);
  return {
    d: `M${text(start)}Q${text(middle)} ${text(end)}`,
    tips: [...(tips[0] ? [tip(start, middle)] : []), ...(tips[1] ? [tip(end, middle)] : [])].join(""),
    at: [(x + u) / 2 + bend * nx, (y + v) / 2 + bend * ny],
  };
}

// A fact of an entity with itself, above it.
export function loopShape([x, y], place) {
  const high = 34 + 16 * place;
  const end = [x + 6, y - ROOM + 2];
  return {
    d: `M${text([x - 6, y - ROOM + 2])}C${text([x - 26, y - high])} ${text([x + 26, y - high])} ${text(end)}`,
    tips: tip(end, [x + 20, y - high]),
    at: [x, y - high + 6],
  };
}

function towards([x, y], [u, v]) {
  const far = Math.hypot(u - x, v - y) || 1;
  return [x + (ROOM * (u - x)) / far, y + (ROOM * (v - y)) / far];
}

// A triangle at a point, for a line that comes from another one.
function tip([x, y], [u, v]) {
  const far = Math.hypot(x - u, y - v) || 1;
  const [dx, dy] = [(x - u) / far, (y - v) / far];
  const foot = [x - TIP * dx, y - TIP * dy];
  const [left, right] = [[foot[0] - 4 * dy, foot[1] + 4 * dx], [foot[0] + 4 * dy, foot[1] - 4 * dx]];
  return `M${text([x, y])}L${text(left)}L${text(right)}Z`;
}

const text = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
