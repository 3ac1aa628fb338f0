// The graph as a file: SVG with the colours that are shown, or PNG of twice the size.
import { build } from "../report.js";

const LOOKS = [
  "fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "paint-order", "opacity", "display", "visibility",
  "font-family", "font-size", "font-weight", "text-anchor", "text-decoration",
];

function standalone(svg) {
  const copy = svg.cloneNode(true);
  const [own, copies] = [svg, copy].map((one) => [one, ...one.querySelectorAll("*")]);
  own.forEach((element, n) => {
    const style = getComputedStyle(element);
    copies[n].removeAttribute("class");
    for (const name of LOOKS) copies[n].setAttribute(name, style.getPropertyValue(name));
    for (const name of ["tabindex", "role", "data-key"]) if (n > 0) copies[n].removeAttribute(name);
  });
  for (const hidden of [...copy.querySelectorAll('[display="none"], [visibility="hidden"]')]) hidden.remove();
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ width: "100%", height: "100%", fill: getComputedStyle(svg.parentElement).backgroundColor })) {
    paper.setAttribute(name, value);
  }
  copy.prepend(paper);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}`;
}

function save(blob, name) {
  const link = build("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export const saveText = (text, type, name) => save(new Blob([text], { type }), name);

export function saveSvg(svg) {
  saveText(standalone(svg), "image/svg+xml", "graph.svg");
}

export async function savePng(svg) {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(svg))}`;
  await picture.decode();
  const canvas = build("canvas", { width: 2 * svg.clientWidth, height: 2 * svg.clientHeight });
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  save(await new Promise((resolve) => canvas.toBlob(resolve, "image/png")), "graph.png");
}
