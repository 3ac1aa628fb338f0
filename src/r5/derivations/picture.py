"""Derivations as pictures: the path on a line, and over it an arc for each step, the answer's on top."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from r5._util.ordering import format_number
from r5._util.svg import element
from r5.derivations.tree import Node, grow
from r5.relations import DUMMY

if TYPE_CHECKING:
    from r5.derivations.derivation import Derivation

__all__ = ["draw", "draw_all"]

_LONGEST = 22
"""Letters of a name that are shown; the whole name is in the title."""
_LETTER = 7.0
"""Width of a letter of 12 pixels, on average."""
_RADIUS = 5.0
_MARGIN = 14.0
_LEVEL = 40.0
"""Height between one arc and the next above it."""
_LEAST_LEVEL = 18.0
_TALLEST = 640.0
"""Where there are so many levels that arcs would be higher, they come closer."""

_STYLE = """
.r5-derivation { --ink: #1f2430; --faint: #8a90a0; --step: #2f6fb2; --answer: #b3541e; --doubt: #a8123e; --paper: #fff }
@media (prefers-color-scheme: dark) { .r5-derivation {
  --ink: #e8eaf0; --faint: #8f96a8; --step: #7db3ec; --answer: #f0a06a; --doubt: #ff8ba8; --paper: #14161c } }
.r5-derivation text { font: 12px system-ui, sans-serif; text-anchor: middle; fill: var(--ink);
  paint-order: stroke; stroke: var(--paper); stroke-width: 3px; stroke-linejoin: round }
.r5-derivation .paper { fill: var(--paper) }
.r5-derivation .dot { fill: var(--ink) }
.r5-derivation .line { fill: none; stroke: var(--faint); stroke-width: 1.5px }
.r5-derivation .head { fill: var(--faint) }
.r5-derivation .step .line { stroke: var(--step) }
.r5-derivation .step .head, .r5-derivation .step text { fill: var(--step) }
.r5-derivation .answer .line { stroke: var(--answer); stroke-width: 2.5px }
.r5-derivation .answer .head, .r5-derivation .answer text { fill: var(--answer) }
.r5-derivation .doubt .line { stroke: var(--doubt); stroke-dasharray: 4 3 }
.r5-derivation .doubt .head, .r5-derivation .doubt text { fill: var(--doubt) }
"""


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where things stand: entity n at `left + n * gap` on the line at height `line`."""

    gap: float
    left: float
    line: float
    level: float
    last: int
    """The last entity; the dummy relation, which may follow it, leads to none."""

    def at(self, place: int) -> float:
        return self.left + place * self.gap


def draw(derivation: Derivation) -> str:
    """The picture as one `<svg>` element, readable in light and dark, each part with a title for screen readers.

    It is as wide as the path is long; names of more than 22 letters are cut, the title has all of them.
    """
    path = [fact for fact in derivation.path if fact.relation != DUMMY]
    roots = grow(derivation)
    nodes = [node for root in roots for node in root.walk()]
    levels = max((node.height for node in nodes), default=0)
    names = [path[0].source, *(fact.target for fact in path)] if path else []
    doubted = [f"observed {node.seen.relation}" for node in nodes if node.seen]
    shown = [*names, *(f"00 {node.fact.relation}" for node in nodes), *doubted]
    widest = max((len(_cut(text)) for text in shown), default=1) * _LETTER
    level = min(_LEVEL, max(_LEAST_LEVEL, _TALLEST / max(levels, 1)))
    frame = _Frame(widest + 2 * _MARGIN, widest / 2 + _MARGIN, _MARGIN + 16 + level * levels + 12, level, len(path))
    width, height = 2 * frame.left + frame.gap * len(path), frame.line + (56 if doubted else 38)
    order = {id(step): number for number, step in enumerate(derivation.steps, start=1)}
    arcs = sorted((node for node in nodes if node.step is not None), key=lambda node: order[id(node.step)])
    whole = len(roots) == 1 and roots[0].step is not None
    return element(
        "svg",
        element("title", text=f"How {roots[0].fact} was concluded" if whole else "A path"),
        element("desc", text=str(derivation)),
        element("style", text=_STYLE),
        element("rect", width="100%", height="100%", class_="paper"),
        *(_edge(frame, node) for node in nodes if node.step is None),
        *(_arc(frame, node, order[id(node.step)], whole and node is roots[0]) for node in arcs),
        *(_entity(frame, place, name) for place, name in enumerate(names)),
        xmlns="http://www.w3.org/2000/svg",
        class_="r5-derivation",
        role="img",
        width=width,
        height=height,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
    )


def draw_all(derivations: Sequence[Derivation], title: str) -> str:
    """Several derivations one below the other in one `<svg>`, as where only several paths together decide."""
    pictures = [draw(derivation) for derivation in derivations]
    sizes = [_size(picture) for picture in pictures]
    width, height = max(w for w, _ in sizes), sum(h for _, h in sizes)
    tops = [sum(h for _, h in sizes[:place]) for place in range(len(sizes))]
    return element(
        "svg",
        element("title", text=title),
        *(f'<g transform="translate(0 {top:.0f})">{picture}</g>' for top, picture in zip(tops, pictures, strict=True)),
        xmlns="http://www.w3.org/2000/svg",
        class_="r5-derivations",
        role="img",
        width=width,
        height=height,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
    )


def _size(picture: str) -> tuple[float, float]:
    """Width and height of a picture drawn here."""
    found = re.search(r'viewBox="0 0 ([0-9]+) ([0-9]+)"', picture)
    return (float(found[1]), float(found[2])) if found else (0.0, 0.0)


def _edge(frame: _Frame, node: Node) -> str:
    """A fact of the path: an arrow to the right, dashed where it is taken to be another than observed."""
    start, end = frame.at(node.start) + _RADIUS, frame.at(node.stop) - _RADIUS
    middle = (start + end) / 2
    observed = [] if node.seen is None else [_cut(f"observed {node.seen.relation}")]
    return element(
        "g",
        element("title", text=str(node)),
        element("path", d=f"M{start:.1f} {frame.line:.1f}H{end - 5:.1f}", class_="line"),
        element("path", d=f"M{end:.1f} {frame.line:.1f}l-8 -4v8z", class_="head"),
        element("text", x=middle, y=frame.line - 7, text=_cut(node.fact.relation)),
        *(element("text", x=middle, y=frame.line + 40, text=text) for text in observed),
        class_="edge doubt" if observed else "edge",
    )


def _arc(frame: _Frame, node: Node, number: int, is_answer: bool) -> str:
    """A step: an arc over the part of the path that it stands for, with its number and what it yields."""
    start, end = frame.at(node.start), frame.at(min(node.stop, frame.last))
    foot = frame.line - _RADIUS - 1
    top = frame.line - 12 - node.height * frame.level
    pull = foot - (foot - top) * 4 / 3  # a curve reaches three quarters of the way to its control points
    curve = f"M{start:.1f} {foot:.1f}C{start:.1f} {pull:.1f} {end:.1f} {pull:.1f} {end:.1f} {foot:.1f}"
    score = "" if node.step is None or node.step.score is None else f": {format_number(node.step.score, '.3g')}"
    return element(
        "g",
        element("title", text=f"Step {number}: {node.step}{score}"),
        element("path", d=curve, class_="line"),
        element("path", d=f"M{end:.1f} {foot:.1f}l-4 -8h8z", class_="head"),
        element("text", x=(start + end) / 2, y=top - 5, text=f"{number} {_cut(node.fact.relation)}"),
        class_="step answer" if is_answer else "step",
    )


def _entity(frame: _Frame, place: int, name: str) -> str:
    return element(
        "g",
        element("title", text=name),
        element("circle", cx=frame.at(place), cy=frame.line, r=_RADIUS, class_="dot"),
        element("text", x=frame.at(place), y=frame.line + 22, text=_cut(name)),
        class_="entity",
    )


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
