// Graph of a query: the path on a line, each merge as an arc above it, and the neighbourhood below it.
const LEVEL = 46;
const FIRST = 26;
const ROW = 58;
const MARGIN = 54;
const LEAST_SCALE = 0.76;
const LETTER = 6.7;

// Number of the colour of a relation, that of `r5.derivations.relation_colours`; an inverse has that of its base.
function colourOf(relation) {
  let code = 0x811ca218;
  for (const byte of new TextEncoder().encode(relation.replace(/\^-1$/, ""))) code = Math.imul(code ^ byte, 0x01000193);
  return ((code >>> 0) >>> 8) % 12;
}

const isTurned = (relation) => relation.endsWith("^-1") && !relation.includes(", ");
const plainName = (relation) => (isTurned(relation) ? relation.slice(0, -3) : relation);

// The facts of the path and the results of the steps, each with its span of the path.
function spans(view, answer) {
  const doubts = new Map((answer?.doubts ?? []).map(([place, relation]) => [place, relation]));
  const items = view.observed.map((observed, n) => ({
    from: n,
    to: n + 1,
    level: 1,
    observed,
    relation: doubts.get(n) ?? observed,
    doubted: doubts.has(n),
  }));
  for (const [left, right, relation, score] of answer?.steps ?? []) {
    const one = items[left];
    const other = right < 0 ? one : items[right];
    const level = 1 + Math.max(one.level, other.level);
    items.push({ from: one.from, to: other.to, level, relation, score, left, right });
  }
  return items;
}

// Style of an item after a number of steps; null if it does not exist yet. The first `paths` items are the path facts.
function look(number, items, paths, step) {
  const at = paths + step - 1;
  if (number > at) return number < paths ? "leaf" : null;
  if (step > 0 && number === at) return "result";
  if (step > 0 && (items[at].left === number || items[at].right === number)) return "reason";
  const used = items.slice(paths, at + 1).some((item) => item.left === number || item.right === number);
  return used ? "used" : number < paths ? "leaf" : "result waiting";
}

// Positions of all elements. `room` is the preferred width; a wider drawing is scaled down a little, and its box
// scrolls if that is not enough.
function frameOf(view, items, relations, room) {
  const paths = view.observed.length;
  const names = [...view.walk.map((node) => view.entities[node]), ...items.map((item) => relations[item.relation] ?? "")];
  const longest = Math.min(16, Math.max(...names.map((name) => name.length)));
  const lowest = Math.min(0, ...view.places.map(([along]) => along));
  const highest = Math.max(paths, ...view.places.map(([along]) => along));
  const needed = Math.min(124, Math.max(80, LETTER * longest + 14));
  const unit = Math.max(needed, Math.min(150, (room - 2 * MARGIN) / (highest - lowest)));
  const base = FIRST + LEVEL * (Math.max(...items.map((item) => item.level)) - 1) + 34;
  const width = 2 * MARGIN + unit * (highest - lowest);
  const x = (along) => MARGIN + unit * (along - lowest);
  const y = (row) => base + 16 + ROW * row;

  const first = new Map();
  view.walk.forEach((node, n) => first.has(node) || first.set(node, n));
  const spot = (node) => {
    if (first.has(node)) return [x(first.get(node)), base];
    const [along, row] = view.places[node - first.size];
    return [x(along), y(row)];
  };
  // Curves below the path: longer ones are deeper.
  const onPath = ([source, , target]) => first.has(source) && first.has(target);
  const bends = [
    ...view.walk.map((node, n) => n - first.get(node)),
    ...view.edges.filter(onPath).map(([source, , target]) => Math.abs(first.get(source) - first.get(target))),
  ];
  const rows = Math.max(0, ...view.places.map(([, row]) => row));
  const depth = Math.max(rows === 0 ? 0 : 4 + ROW * rows, (unit * Math.max(0, ...bends)) / 10);
  const scale = Math.max(LEAST_SCALE, Math.min(1, room / width));
  return { unit, base, x, y, first, spot, onPath, width, height: base + 40 + depth, scale };
}

function drawCase(view, answer, step, relations, label, room) {
  const items = spans(view, answer);
  const paths = view.observed.length;
  const frame = frameOf(view, items, relations, room);
  const { base, unit, x, y, first, width, height, scale } = frame;
  const shown = items.map((item, n) => [item, look(n, items, paths, step)]).filter(([, kind]) => kind !== null);
  const again = view.walk.map((node, n) => [first.get(node), n]).filter(([before, n]) => before !== n);
  const size = { viewBox: `0 0 ${width} ${height}`, width: scale * width, height: scale * height };
  return draw(
    "svg",
    { ...size, class: "graph", role: "img", "aria-label": label },
    ...["strong", "soft", "quiet"].map(arrow),
    ...view.edges.map((edge) => quietEdge(edge, view, relations, frame)),
    ...again.map(([before, n]) => sameAgain(x(before), x(n), base)),
    ...shown.map(([item, kind]) => arc(item, kind, relations, frame)),
    ...shown.flatMap(([item, kind]) => arcLabels(item, kind, relations, frame)),
    ...view.walk.map((node, n) => entity(view.entities[node], x(n), base, n === 0 || n === paths ? "end" : "path", unit)),
    ...view.places.map(([along, row], n) => entity(view.entities[first.size + n], x(along), y(row), "other", 0.62 * unit)),
  );
}

function arrow(kind) {
  const size = { viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7 };
  const point = draw("path", { d: "M0 0L8 4L0 8Z", class: `arrow ${kind}` });
  return draw("marker", { id: `arrow-${kind}`, ...size, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse" }, point);
}

function arc(item, kind, relations, { x, base }) {
  const [start, end, foot] = [x(item.from) + 6, x(item.to) - 6, base - 8];
  const reach = 0.25 * (end - start);
  const control = foot - (FIRST + LEVEL * (item.level - 1)) / 0.75;
  const name = relations[item.relation];
  const tip = `url(#arrow-${/result|reason/.test(kind) ? "strong" : "soft"})`;
  const looks = `${item.left === undefined ? "" : " derived"} ${name === undefined ? "missing" : `r${colourOf(name)}`}`;
  return draw("path", {
    d: `M${start} ${foot}C${start + reach} ${control} ${end - reach} ${control} ${end} ${foot}`,
    class: `arc ${kind}${looks}`,
    "marker-end": name === undefined || isTurned(name) ? null : tip,
    "marker-start": name !== undefined && isTurned(name) ? tip : null,
  });
}

// Relation above its arc; a doubted observed relation is below it, struck through.
function arcLabels(item, kind, relations, { x, base, unit }) {
  const name = relations[item.relation];
  if (name === undefined) return [];
  const most = Math.max(6, Math.floor((unit * (item.to - item.from) - 6) / LETTER));
  const middle = (x(item.from) + x(item.to)) / 2;
  const label = (text, y, looks, title) =>
    draw("text", { x: middle, y, class: `relation ${looks}` }, draw("title", {}, title), shortened(plainName(text), most));
  const above = base - FIRST - LEVEL * (item.level - 1) - 14;
  const looks = `${kind} r${colourOf(name)}`;
  if (!item.doubted) return [label(name, above, looks, name)];
  const seen = relations[item.observed];
  return [label(name, above, `${looks} doubted`, name), label(seen, base - 12, "struck", `observed: ${seen}`)];
}

// An entity that a path visits several times is drawn once per visit; a line joins the visits.
function sameAgain(before, again, base) {
  const depth = 30 + (again - before) / 10;
  const d = `M${before} ${base + 6}Q${(before + again) / 2} ${base + 2 * depth} ${again} ${base + 6}`;
  return draw("path", { d, class: "same" }, draw("title", {}, "the same entity"));
}

function quietEdge(edge, view, relations, { spot, onPath, base }) {
  const [source, relation, target] = edge;
  const [[fromX, fromY], [toX, toY]] = [spot(source), spot(target)];
  const told = draw("title", {}, factOf(view.entities[source], relations[relation], view.entities[target]));
  const looks = { class: "edge", "marker-end": "url(#arrow-quiet)" };
  if (onPath(edge)) {
    const depth = 22 + Math.abs(toX - fromX) / 10;
    const d = `M${fromX} ${base + 6}Q${(fromX + toX) / 2} ${base + 2 * depth} ${toX} ${base + 7}`;
    return draw("path", { d, ...looks }, told);
  }
  const short = 8 / (Math.hypot(toX - fromX, toY - fromY) || 1);
  const end = `${toX - short * (toX - fromX)} ${toY - short * (toY - fromY)}`;
  return draw("path", { d: `M${fromX} ${fromY}L${end}`, ...looks }, told);
}

function entity(name, x, y, kind, room) {
  const other = kind === "other";
  const text = draw("text", { x, y: y + (other ? 14 : 22) }, shortened(name, Math.max(3, Math.floor(room / LETTER))));
  const circle = draw("circle", { cx: x, cy: y, r: other ? 4 : 6.5 });
  return draw("g", { class: `entity ${kind}` }, draw("title", {}, name), circle, text);
}
