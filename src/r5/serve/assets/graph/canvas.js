// What a large graph has no elements for: lines and circles that look like them, without labels.
import { build } from "../report.js";
import { bend, loopShape } from "./shapes.js";

const CLASSES = ["mixed", "inside", "rim", ...Array.from({ length: 12 }, (_, n) => `r${n}`)];

// Colours of the style sheet, resolved for the theme that is shown.
function startColours() {
  const probes = new Map(CLASSES.map((name) => [name, build("span", { class: `probe ${name}` })]));
  const all = build("div", { hidden: true }, ...probes.values());
  return (name) => {
    if (!all.isConnected) document.body.append(all);
    return getComputedStyle(probes.get(name)).color;
  };
}

const colour = startColours();

// `painted` are items in pixels of the picture; `dims` tells that a path is marked.
export function paintCanvas(canvas, [width, height], painted, dims) {
  canvas.hidden = painted.length === 0;
  if (canvas.hidden) return;
  const fine = globalThis.devicePixelRatio || 1;
  const [across, down] = [Math.round(width * fine), Math.round(height * fine)];
  if (canvas.width !== across || canvas.height !== down) [canvas.width, canvas.height] = [across, down];
  const pen = canvas.getContext("2d");
  pen.setTransform(fine, 0, 0, fine, 0, 0);
  pen.clearRect(0, 0, width, height);
  const tinted = new Map();
  for (const one of painted) {
    if (one.isNode) continue;
    if (!tinted.has(one.tinted)) tinted.set(one.tinted, []);
    tinted.get(one.tinted).push(one);
  }
  const [{ small }] = painted;
  pen.lineWidth = 0.5 + small;
  pen.globalAlpha = dims ? 0.35 : 0.8;
  for (const [name, lines] of tinted) {
    pen.strokeStyle = pen.fillStyle = colour(name);
    const [shafts, tips] = [new Path2D(), new Path2D()];
    for (const one of lines) trace(one, shafts, tips);
    pen.stroke(shafts);
    pen.fill(tips);
  }
  pen.globalAlpha = dims ? 0.6 : 1;
  pen.lineWidth = 0.75 + small;
  pen.fillStyle = colour("inside");
  pen.strokeStyle = colour("rim");
  pen.beginPath();
  for (const { isNode, at: [x, y], radius } of painted) {
    if (!isNode) continue;
    pen.moveTo(x + radius, y);
    pen.arc(x, y, radius, 0, 2 * Math.PI);
  }
  pen.fill();
  pen.stroke();
}

function trace({ isLoop, from, to, bend: side, line, small }, shafts, tips) {
  if (isLoop) {
    const { d, tips: tip } = loopShape(from, line.place ?? 0);
    shafts.addPath(new Path2D(d));
    tips.addPath(new Path2D(tip));
    return;
  }
  const { start, middle, end, corners } = bend(from, to, side, line.tips, small);
  shafts.moveTo(...start);
  if (side === 0) shafts.lineTo(...end);
  else shafts.quadraticCurveTo(...middle, ...end);
  for (const [first, ...others] of corners) {
    tips.moveTo(...first);
    for (const corner of others) tips.lineTo(...corner);
    tips.closePath();
  }
}
