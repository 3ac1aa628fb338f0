"""Heat maps: tables whose cells have one of five colours and can be reached by keyboard."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from r5._util.svg import element
from r5.report.charts.axes import svg_chart
from r5.report.charts.formatting import truncate_name

__all__ = ["LEVELS", "Cell", "colour_level", "heat_map"]

LEVELS = 5
_ROW = 26.0
_LETTER, _SMALL_LETTER = 7.2, 6.6
"""Usual maximum width of a letter in names and in cells."""
_WIDTH = 1060.0
"""Preferred width of a heat map, that of a page; cells keep a minimum width of a few letters."""
_MOST_LETTERS = 18


@dataclass(frozen=True, slots=True)
class Cell:
    """Content of a cell."""

    level: int
    """Colour, from 1 to 5."""
    text: str
    label: str
    """Text of the tooltip."""
    style: str = ""
    """Additional class of the style sheet."""
    data: Mapping[str, str] = field(default_factory=dict)
    """Values for the script of the page, as `data-` attributes."""


def colour_level(share: float) -> int:
    """Return the colour for a share of the largest value.

    >>> colour_level(0.0), colour_level(0.2), colour_level(0.21), colour_level(1.0)
    (1, 1, 2, 5)
    """
    return min(LEVELS, max(1, math.ceil(share * LEVELS - 1e-9)))  # 1e-9 absorbs rounding


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
    """Return a heat map as SVG; the tab key reaches one cell, the arrow keys the others (see heatmap.js).

    Args:
        name: Prefix of ids, unique on the page.
        rows: Names of the rows.
        columns: Names of the columns.
        cells: Cells by row and column.
        title: Title of the chart.
        description: Its content in words, for screen readers.
        corner: Titles of the rows and of the columns.
    """
    left = 16 + _LETTER * min(_MOST_LETTERS, max(map(len, (*rows, corner[0]))))
    slant = 0.75 * _LETTER * min(_MOST_LETTERS, max(map(len, columns)))
    top = 36 + slant
    wanted = 10 + _SMALL_LETTER * max((len(cell.text) for cell in cells.values()), default=1)
    wide = max(30.0, min(wanted, 100.0, max(48.0, (_WIDTH - left - slant) / len(columns))))
    bottom, right = top + _ROW * len(rows), left + wide * len(columns)
    head = [
        element("text", x=left - 10, y=top - 10, text_anchor="end", class_="axis strong", text=corner[0]),
        element("text", x=left, y=14.0, class_="axis strong", text=corner[1]),
    ]
    for column, one in enumerate(columns):
        transform = f"translate({left + wide * (column + 0.5):.1f} {top - 8:.1f}) rotate(-45)"
        head.append(element("text", *_name(one), transform=transform, class_="name"))
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
    return svg_chart(name, title, description, (right + slant, bottom + 2), *parts, interactive=True)


def _name(name: str) -> tuple[str, str]:
    return element("title", text=name), element("tspan", text=truncate_name(name, _MOST_LETTERS))


def _cell(cell: Cell, at: tuple[float, float], width: float, position: tuple[int, int], reachable: bool) -> str:
    x, y = at
    return element(
        "g",
        element("title", text=cell.label),
        element("rect", x=x + 1, y=y + 1, width=width - 2, height=_ROW - 2, rx=3),
        element(
            "text",
            x=x + width / 2,
            y=y + 17,
            text_anchor="middle",
            text=truncate_name(cell.text, int((width - 6) / _SMALL_LETTER)),
        ),
        class_=f"cell level-{cell.level}{cell.style and f' {cell.style}'}",
        role="button",
        tabindex=0 if reachable else -1,
        aria_label=cell.label,
        data_row=position[0],
        data_column=position[1],
        **{f"data_{key}": value for key, value in cell.data.items()},
    )
