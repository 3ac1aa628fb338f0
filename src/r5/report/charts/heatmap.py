"""Heat maps: a table of names by names whose cells are coloured in five steps; each cell can be reached and read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from r5._util.svg import element
from r5.report.charts.axes import picture, shortened

__all__ = ["LEVELS", "Cell", "heat_map", "level_of"]

LEVELS = 5
_ROW = 26.0
_LETTER, _SMALL_LETTER = 7.2, 6.6
"""How wide a letter of a name and of a cell is at most, usually; names get the room that they need, within bounds."""
_ROOM = 1060.0
"""How wide a heat map should be: as wide as a page, but no cell is narrower than a few letters."""
_MOST_LETTERS = 18


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell shows, and what is said of it when it is pointed at."""

    level: int
    """Which of the five steps of colour, from 1."""
    text: str
    label: str
    style: str = ""
    """A further class of the style sheet."""
    data: Mapping[str, str] = field(default_factory=dict)
    """Handed to the page's script as `data-` attributes."""


def level_of(share: float) -> int:
    """The step of colour for a share of the largest value.

    >>> level_of(0.0), level_of(0.2), level_of(0.21), level_of(1.0)
    (1, 1, 2, 5)
    """
    return min(LEVELS, max(1, math.ceil(share * LEVELS - 1e-9)))  # 1e-9 forgives rounding


def heat_map(
    name: str,
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Mapping[tuple[int, int], Cell],
    *,
    title: str,
    description: str,
    corner: tuple[str, str],
) -> str:
    """The cells at (row, column); `corner` names what the rows and what the columns are.

    One cell can be reached with the tab key, the others from it with the arrow keys: see heatmap.js.
    """
    left = 16 + _LETTER * min(_MOST_LETTERS, max(map(len, (*rows, corner[0]))))
    slant = 0.75 * _LETTER * min(_MOST_LETTERS, max(map(len, columns)))
    top = 36 + slant
    wish = 10 + _SMALL_LETTER * max((len(cell.text) for cell in cells.values()), default=1)
    wide = max(30.0, min(wish, 100.0, max(48.0, (_ROOM - left - slant) / len(columns))))
    bottom, right = top + _ROW * len(rows), left + wide * len(columns)
    head = [
        element("text", x=left - 10, y=top - 10, text_anchor="end", class_="axis strong", text=corner[0]),
        element("text", x=left, y=14.0, class_="axis strong", text=corner[1]),
    ]
    for column, one in enumerate(columns):
        place = f"translate({left + wide * (column + 0.5):.1f} {top - 8:.1f}) rotate(-45)"
        head.append(element("text", *_name(one), transform=place, class_="name"))
        head.append(element("path", d=f"M{left + wide * column:.1f} {top:.1f}V{bottom:.1f}", class_="grid"))
    for row, one in enumerate(rows):
        height = top + _ROW * row
        head.append(element("text", *_name(one), x=left - 10, y=height + 17, text_anchor="end", class_="name"))
        head.append(element("path", d=f"M{left:.1f} {height:.1f}H{right:.1f}", class_="grid"))
    area = element("rect", x=left, y=top, width=right - left, height=bottom - top, class_="empty")
    first = min(cells, default=None)
    drawn = [
        _cell(cell, (left + wide * place[1], top + _ROW * place[0]), wide, place, place == first)
        for place, cell in sorted(cells.items())
    ]
    parts = element("g", *head, aria_hidden="true"), element("g", area, *drawn, class_="cells")
    return picture(name, title, description, (right + slant, bottom + 2), *parts, interactive=True)


def _name(name: str) -> tuple[str, str]:
    return element("title", text=name), element("tspan", text=shortened(name, _MOST_LETTERS))


def _cell(cell: Cell, at: tuple[float, float], wide: float, place: tuple[int, int], reachable: bool) -> str:
    x, y = at
    return element(
        "g",
        element("title", text=cell.label),
        element("rect", x=x + 1, y=y + 1, width=wide - 2, height=_ROW - 2, rx=3),
        element(
            "text",
            x=x + wide / 2,
            y=y + 17,
            text_anchor="middle",
            text=shortened(cell.text, int((wide - 6) / _SMALL_LETTER)),
        ),
        class_=f"cell level-{cell.level}{cell.style and f' {cell.style}'}",
        role="button",
        tabindex=0 if reachable else -1,
        aria_label=cell.label,
        data_row=place[0],
        data_column=place[1],
        **{f"data_{key}": value for key, value in cell.data.items()},
    )
