"""Completions as SVG: one row per reason, with its facts in stored direction and its weight as a bar."""

from __future__ import annotations

from r5._util.svg import element
from r5.derivations.completion import Completion, Reason
from r5.derivations.completion_text import shown_reasons
from r5.derivations.reason_layout import Link, Place, Row, lay_out_reason
from r5.derivations.relation_colours import colour_number, colour_style

__all__ = ["PAGE_STYLE", "draw_completion"]

_LONGEST = 24
"""Letters of a name that are shown; the whole name is in the title."""
_LONGEST_CAPTION = 100
_LETTER, _SMALL_LETTER, _MARGIN = 7.0, 6.2, 16.0
_TOP, _ROW, _CAPTION = 46.0, 54.0, 18.0
"""Heights of the heading, of a row, and of a caption above a row."""
_BARS = 150.0
"""Width of the part with the weights."""

_BALANCE = {"for": ("#2f7d4f", "#7fd6a2"), "against": ("#a8123e", "#ff8ba8")}
_PAPER = {"ink": ("#1f2430", "#e8eaf0"), "faint": ("#666d7d", "#9aa1b2"), "paper": ("#fff", "#14161c")}
_LOOKS = """.r5-completion text { font: 12px system-ui, sans-serif; fill: var(--ink) }
.r5-completion .title, .r5-completion .end text, .r5-completion .constant text { font-weight: 600 }
.r5-completion .caption { font-size: 11px; fill: var(--faint) }
.r5-completion .middle { text-anchor: middle }
.r5-completion .right { text-anchor: end }
.r5-completion .paper { fill: var(--paper) }
.r5-completion .dot { fill: var(--ink) }
.r5-completion .between .dot { fill: var(--paper); stroke: var(--ink); stroke-width: 1.5px }
.r5-completion .line { stroke: var(--relation); stroke-width: 1.75px; fill: none }
.r5-completion .derived .line { stroke-dasharray: 6 4 }
.r5-completion .derived.against .relation { text-decoration: line-through }
.r5-completion .arrow, .r5-completion .relation { fill: var(--relation) }
.r5-completion .axis { stroke: var(--faint); stroke-width: 1px; stroke-dasharray: 2 3 }
.r5-completion rect.for { fill: var(--for) }
.r5-completion rect.against { fill: var(--against) }
"""
_STYLE = colour_style(".r5-completion", {**_PAPER, **_BALANCE}) + _LOOKS
PAGE_STYLE = (
    colour_style(".r5-completion", _BALANCE, on_page=True)
    + ".r5-completion { --faint: var(--muted); --paper: var(--surface) }\n"
    + _LOOKS
)
"""Style for a page with the properties `--ink`, `--muted` and `--surface`, and a colour scheme."""


def draw_completion(completion: Completion, styled: bool = True) -> str:
    """Return one `<svg>` element, readable in light and dark, each part with a title for screen readers.

    Facts of the graph are solid arrows, the conclusion of a rule with constants is dashed; head and tail are filled
    circles, constants of a rule are squares. The colour of an arrow is that of its relation. A page with
    `PAGE_STYLE` in its style sheet wants the picture without a style.
    """
    reasons, others, rest = shown_reasons(completion)
    rows = [lay_out_reason(completion, reason) for reason in reasons]
    more = f"{others} further reason{'s' if others > 1 else ''}"
    gap = _gap(rows)
    widest = max((len(row.places) for row in rows), default=0) * gap
    captions = max([len(_cut(row.caption, _LONGEST_CAPTION)) for row in rows] + [len(more)]) * _SMALL_LETTER
    width = _BARS + 2 * _MARGIN + max(widest, captions, (len(str(completion.fact)) * 7.6) + 40)
    scale = (_BARS / 2 - 34) / max([abs(reason.weight) for reason in reasons] + [abs(rest), 1e-9])
    parts, top = [], _TOP
    for reason, row in zip(reasons, rows, strict=True):
        parts.append(_row(reason, row, top, scale, gap))
        top += _height(row)
    if others:
        words = _text(_BARS + 2 * _MARGIN, top + 30, more, "caption")
        parts.append(element("g", element("title", text=f"{rest:+.3f}  {more}"), _bar(top + 26, rest, scale), words))
        top += _ROW
    height = top + _MARGIN
    title = f"{completion.fact}"
    figures = f"P(fact) {completion.probability:.3f}, score {completion.score:.3f}"
    return element(
        "svg",
        element("title", text=f"Why {title}"),
        element(
            "desc", text="; ".join([figures, *(f"{reason.weight:+.3f} {reason.sentence()}" for reason in reasons)])
        ),
        *([element("style", text=_STYLE)] if styled else []),
        element("rect", width="100%", height="100%", class_="paper"),
        element("text", x=_MARGIN, y=22, class_="title", text=title),
        _text(_MARGIN, 39, figures, "caption"),
        element("path", d=f"M{_MARGIN + _BARS / 2:.1f} {_TOP + 6:.1f}V{height - 8:.1f}", class_="axis"),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        class_="r5-completion",
        role="img",
        aria_label=f"Why {title}",
        width=width,
        height=height,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
    )


def _gap(rows: list[Row]) -> float:
    """Return the distance of neighbours: enough for the longest name of an entity and of a relation."""
    names = [place.name for row in rows for place in row.places]
    relations = [link.relation for row in rows for link in row.links if link is not None]
    entity, relation = (max((len(_cut(name)) for name in some), default=6) * _LETTER for some in (names, relations))
    return max(entity + 18, relation + 34)


def _height(row: Row) -> float:
    return _ROW + _CAPTION if row.caption and row.places else _ROW


def _row(reason: Reason, row: Row, top: float, scale: float, gap: float) -> str:
    """Return one reason: the bar of its weight, its caption, and its facts from left to right."""
    line = top + _height(row) - _ROW / 2 - 4
    parts = [element("title", text=f"{reason.weight:+.3f}  {reason.sentence()}"), _bar(line, reason.weight, scale)]
    if row.caption:
        y = top + 13 if row.places else line + 4
        parts.append(_text(_BARS + 2 * _MARGIN, y, _cut(row.caption, _LONGEST_CAPTION), "caption"))
    at = [_BARS + 2 * _MARGIN + gap * (0.5 + number) for number in range(len(row.places))]
    for number, link in enumerate(row.links):
        if link is not None:
            parts.append(_link(link, row.places[number : number + 2], at[number : number + 2], line, reason.against))
    parts += [_place(place, x, line) for place, x in zip(row.places, at, strict=True)]
    return element("g", *parts, class_=f"reason {reason.kind}")


def _link(link: Link, places: tuple[Place, ...], ends: list[float], y: float, against: bool) -> str:
    """Return a fact as an arrow in its stored direction, with its relation above it."""
    start, end = ends[0] + 7, ends[1] - 7
    tip = f"M{start:.1f} {y:.1f}l8 -4v8z" if link.backwards else f"M{end:.1f} {y:.1f}l-8 -4v8z"
    shaft = f"M{start + 6:.1f} {y:.1f}H{end:.1f}" if link.backwards else f"M{start:.1f} {y:.1f}H{end - 6:.1f}"
    fact = link.fact(*places)
    looks = "" if not link.derived else " derived against" if against else " derived"
    return element(
        "g",
        element("title", text=f"{'speaks against' if against else 'concluded'}: {fact}" if link.derived else str(fact)),
        element("path", d=shaft, class_="line"),
        element("path", d=tip, class_="arrow"),
        _text((start + end) / 2, y - 7, _cut(link.relation), "middle relation"),
        class_=f"fact r{colour_number(link.relation)}{looks}",
    )


def _place(place: Place, x: float, y: float) -> str:
    """Return an entity: a circle, filled for head and tail, or a square for a constant of the rule."""
    if place.kind == "constant":
        mark = element("rect", x=x - 4.5, y=y - 4.5, width=9, height=9, class_="dot")
    else:
        mark = element("circle", cx=x, cy=y, r=4.5, class_="dot")
    name = _text(x, y + 20, _cut(place.name), "middle")
    return element("g", element("title", text=place.name), mark, name, class_=f"entity {place.kind}")


def _bar(line: float, weight: float, scale: float) -> str:
    """Return the weight as a bar from the middle, to the right if positive."""
    middle, length = _MARGIN + _BARS / 2, abs(weight) * scale
    kind = "against" if weight < 0 else "for"
    x = middle - length if weight < 0 else middle
    text = _text(x - 4 if weight < 0 else x + length + 4, line + 4, f"{weight:+.2f}", "right" if weight < 0 else None)
    return element("g", element("rect", x=x, y=line - 8, width=length, height=16, class_=kind), text)


def _text(x: float, y: float, text: str, kind: str | None = None) -> str:
    return element("text", x=x, y=y, class_=kind, text=text)


def _cut(text: str, most: int = _LONGEST) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
