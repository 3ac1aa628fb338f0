// Where entities are drawn: they push each other away, facts hold them together, and the middle draws them in.
const LENGTH = 130;

// `places` keeps where each was, so that little moves when something is added; `held` ones stay where they are.
export function arrange(names, pairs, places, held, wide) {
  names.forEach((name, number) => {
    if (places.has(name)) return;
    const near = pairs.find(([a, b]) => (a === name && places.has(b)) || (b === name && places.has(a)));
    const [x, y] = near ? places.get(near[0] === name ? near[1] : near[0]) : [0, 0];
    // The golden angle: no two new ones start in one place.
    const angle = 2.4 * number;
    places.set(name, [x + (40 + 4 * number) * Math.cos(angle), y + (40 + 4 * number) * Math.sin(angle)]);
  });
  for (const name of [...places.keys()]) if (!names.includes(name)) places.delete(name);
  const steps = names.length > 60 ? 150 : 300;
  for (let step = 0; step < steps; step += 1) {
    const reach = 24 * (1 - step / steps) + 0.5;
    const pull = new Map(names.map((name) => [name, [0, 0]]));
    push(names, places, pull);
    for (const [a, b] of pairs) spring(a, b, places, pull);
    for (const name of names) {
      if (held.has(name)) continue;
      const [x, y] = places.get(name);
      const [dx, dy] = pull.get(name);
      // A wide box wants a wide picture.
      const [fx, fy] = [dx - (0.012 * x) / wide, dy - 0.012 * y * wide];
      const force = Math.hypot(fx, fy) || 1;
      const most = Math.min(force, reach) / force;
      places.set(name, [x + fx * most, y + fy * most]);
    }
  }
}

function push(names, places, pull) {
  const strength = 9000 * (1 + names.length / 10); // the more there are, the more room they need
  for (let i = 0; i < names.length; i += 1) {
    const [x, y] = places.get(names[i]);
    for (let j = 0; j < i; j += 1) {
      const [u, v] = places.get(names[j]);
      const [dx, dy] = [x - u || 0.1 * (i - j), y - v || 0.1];
      const square = Math.max(dx * dx + dy * dy, 25);
      const force = strength / square;
      const length = Math.sqrt(square);
      add(pull, names[i], (dx / length) * force, (dy / length) * force);
      add(pull, names[j], (-dx / length) * force, (-dy / length) * force);
    }
  }
}

function spring(a, b, places, pull) {
  const [[x, y], [u, v]] = [places.get(a), places.get(b)];
  const length = Math.hypot(u - x, v - y) || 1;
  const force = 0.08 * (length - LENGTH);
  add(pull, a, ((u - x) / length) * force, ((v - y) / length) * force);
  add(pull, b, ((x - u) / length) * force, ((y - v) / length) * force);
}

function add(pull, name, dx, dy) {
  const before = pull.get(name);
  before[0] += dx;
  before[1] += dy;
}
