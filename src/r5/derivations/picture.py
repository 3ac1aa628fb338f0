"""SVG pictures of derivations: the path on a line, and a dashed arc over it for each step, the answer on top."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from r5._util.ordering import format_number
from r5._util.svg import element
from r5.derivations.conclusion_picture import draw_conclusion, is_conclusion
from r5.derivations.relation_colours import colour_number, colour_style
from r5.derivations.tree import Node, build_trees
from r5.relations import DUMMY

if TYPE_CHECKING:
    from r5.derivations.derivation import Derivation

__all__ = ["draw_derivation", "draw_derivations"]

_MAX_LETTERS = 22
"""Maximum number of letters of a name; the title has the full name."""
_LETTER_WIDTH = 7.0
"""Mean width of a letter of 12 pixels."""
_RADIUS = 5.0
_MARGIN = 14.0
_LEVEL_HEIGHT = 40.0
"""Distance between two levels of arcs."""
_MIN_LEVEL_HEIGHT = 18.0
_MAX_HEIGHT = 640.0
"""Height above which the distance of the levels is reduced."""

_COLOURS = {"ink": ("#1f2430", "#e8eaf0"), "doubt": ("#a8123e", "#ff8ba8"), "paper": ("#fff", "#14161c")}
_STYLE = (
    colour_style(".r5-derivation", _COLOURS)
    + """.r5-derivation text { font: 12px system-ui, sans-serif; text-anchor: middle; fill: var(--ink);
  paint-order: stroke; stroke: var(--paper); stroke-width: 3px; stroke-linejoin: round }
.r5-derivation .paper { fill: var(--paper) }
.r5-derivation .dot { fill: var(--ink) }
.r5-derivation .line { fill: none; stroke: var(--relation, var(--ink)); stroke-width: 1.75px }
.r5-derivation .head, .r5-derivation .edge text, .r5-derivation .step text { fill: var(--relation, var(--ink)) }
.r5-derivation .step .line { stroke-dasharray: 6 4 }
.r5-derivation .answer .line { stroke-width: 3px }
.r5-derivation .answer text { font-weight: 700 }
.r5-derivation .doubt .line { stroke-dasharray: 1.5 3 }
.r5-derivation .doubt .observed { fill: var(--doubt) }
"""
)


@dataclass(frozen=True, slots=True)
class _Frame:
    """Layout: entity n is at `left + n * gap` on the line at height `line`."""

    gap: float
    left: float
    line: float
    level: float
    """Distance between two levels of arcs."""
    last: int
    """Index of the last entity, before a dummy relation."""

    def at(self, index: int) -> float:
        """Return the x-coordinate of an entity."""
        return self.left + index * self.gap


def draw_derivation(derivation: Derivation) -> str:
    """Draw a derivation as one `<svg>` element for light and dark pages, with titles for screen readers.

    The width is proportional to the length of the path. Names of more than 22 letters are shortened. A rule with
    constants, whose facts do not lead from head to tail, is drawn with its conclusion between the two.
    """
    if is_conclusion(derivation):
        return draw_conclusion(derivation, _STYLE)
    path = [fact for fact in derivation.path if fact.relation != DUMMY]
    roots = build_trees(derivation)
    nodes = [node for root in roots for node in root.walk()]
    levels = max((node.height for node in nodes), default=0)
    names = [path[0].source, *(fact.target for fact in path)] if path else []
    observed = [f"observed {node.observed.relation}" for node in nodes if node.observed]
    shown = [*names, *(f"00 {node.fact.stored().relation}" for node in nodes), *observed]
    widest = max((len(_shorten(text)) for text in shown), default=1) * _LETTER_WIDTH
    level = min(_LEVEL_HEIGHT, max(_MIN_LEVEL_HEIGHT, _MAX_HEIGHT / max(levels, 1)))
    frame = _Frame(widest + 2 * _MARGIN, widest / 2 + _MARGIN, _MARGIN + 16 + level * levels + 12, level, len(path))
    width, height = 2 * frame.left + frame.gap * len(path), frame.line + (56 if observed else 38)
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
        *(_entity(frame, index, name) for index, name in enumerate(names)),
        xmlns="http://www.w3.org/2000/svg",
        class_="r5-derivation",
        role="img",
        width=width,
        height=height,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
    )


def draw_derivations(derivations: Sequence[Derivation], title: str) -> str:
    """Draw several derivations below each other in one `<svg>` element, for paths that decide together."""
    pictures = [draw_derivation(derivation) for derivation in derivations]
    sizes = [_size(picture) for picture in pictures]
    width, height = max(w for w, _ in sizes), sum(h for _, h in sizes)
    tops = [sum(h for _, h in sizes[:index]) for index in range(len(sizes))]
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
    """Return the width and height of a picture of this module."""
    found = re.search(r'viewBox="0 0 ([0-9]+) ([0-9]+)"', picture)
    return (float(found[1]), float(found[2])) if found else (0.0, 0.0)


def _edge(frame: _Frame, node: Node) -> str:
    """Draw a fact of the path: an arrow in its stored direction, dotted if its observed relation is wrong."""
    start, end = frame.at(node.start) + _RADIUS, frame.at(node.stop) - _RADIUS
    middle, stored = (start + end) / 2, node.fact.stored()
    backwards = stored.relation != node.fact.relation
    tip = f"M{start:.1f} {frame.line:.1f}l8 -4v8z" if backwards else f"M{end:.1f} {frame.line:.1f}l-8 -4v8z"
    shaft = (start + 5, end) if backwards else (start, end - 5)
    observed = [] if node.observed is None else [_shorten(f"observed {node.observed.relation}")]
    return element(
        "g",
        element("title", text=str(node)),
        element("path", d=f"M{shaft[0]:.1f} {frame.line:.1f}H{shaft[1]:.1f}", class_="line"),
        element("path", d=tip, class_="head"),
        element("text", x=middle, y=frame.line - 7, text=_shorten(stored.relation)),
        *(element("text", x=middle, y=frame.line + 40, class_="observed", text=text) for text in observed),
        class_=f"edge{' doubt' if observed else ''} r{colour_number(stored.relation)}",
    )


def _arc(frame: _Frame, node: Node, number: int, is_answer: bool) -> str:
    """Draw a step: an arc over its span of the path, with its number and the resulting relation.

    The arc of an inverse relation has its arrow at the left, as the fact is stored.
    """
    start, end = frame.at(node.start), frame.at(min(node.stop, frame.last))
    foot = frame.line - _RADIUS - 1
    top = frame.line - 12 - node.height * frame.level
    control = foot - (foot - top) * 4 / 3  # the curve reaches three quarters of the height of its control points
    curve = f"M{start:.1f} {foot:.1f}C{start:.1f} {control:.1f} {end:.1f} {control:.1f} {end:.1f} {foot:.1f}"
    stored = node.fact.stored()
    tip = end if stored.relation == node.fact.relation else start
    score = "" if node.step is None or node.step.score is None else f": {format_number(node.step.score, '.3g')}"
    return element(
        "g",
        element("title", text=f"Step {number}: {node.step}{score}"),
        element("path", d=curve, class_="line"),
        element("path", d=f"M{tip:.1f} {foot:.1f}l-4 -8h8z", class_="head"),
        element("text", x=(start + end) / 2, y=top - 5, text=f"{number} {_shorten(stored.relation)}"),
        class_=f"step{' answer' if is_answer else ''} r{colour_number(stored.relation)}",
    )


def _entity(frame: _Frame, index: int, name: str) -> str:
    return element(
        "g",
        element("title", text=name),
        element("circle", cx=frame.at(index), cy=frame.line, r=_RADIUS, class_="dot"),
        element("text", x=frame.at(index), y=frame.line + 22, text=_shorten(name)),
        class_="entity",
    )


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_LETTERS else text[: _MAX_LETTERS - 1] + "…"
