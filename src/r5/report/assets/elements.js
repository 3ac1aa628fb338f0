// Elements are built from tags, attributes and text, never from markup, so that no name in the data becomes code.
const SVG = "http://www.w3.org/2000/svg";

const byId = (id) => document.getElementById(id);

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const build = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);

const draw = (tag, attributes = {}, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);

const shortened = (name, most) => (name.length <= most ? name : name.slice(0, most - 1) + "…");

const counted = (number) => number.toLocaleString("en");

// Figures with three digits.
function figure(value) {
  if (value === null) return "–";
  return Math.abs(value) >= 1000 ? counted(Math.round(value)) : String(Number(value.toPrecision(3)));
}
