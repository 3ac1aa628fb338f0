"""Markdown: numbers, names of data sets and tables."""

from __future__ import annotations

from collections.abc import Sequence

from r5.data.stand_ins import STAND_IN

__all__ = ["dataset_label", "format_published", "format_share", "markdown_table"]

_LABELS = {"data_089907f8": "CLUTRR 2,3", "data_db9b8f04": "CLUTRR 2,3,4"}


def dataset_label(name: str) -> str:
    """Return the usual name of a data set.

    >>> dataset_label("world_17"), dataset_label("stand_in_re_1"), dataset_label("data_089907f8")
    ('World 17', 'stand-in for Re 1', 'CLUTRR 2,3')
    """
    if name.startswith(STAND_IN):
        return "stand-in for " + dataset_label(name.removeprefix(STAND_IN))
    return _LABELS.get(name, name.replace("_", " ").capitalize())


def format_share(value: float | None, decimals: int = 3) -> str:
    """Return a share as papers print it.

    >>> format_share(0.9466), format_share(1.0), format_share(None)
    ('.947', '1.000', '')
    """
    if value is None:
        return ""
    text = f"{value:.{decimals}f}"
    return text[1:] if text.startswith("0.") else text


def format_published(value: float | None, deviation: float | None = None, decimals: int = 3) -> str:
    """Return a published figure with its deviation, which always has two decimals.

    >>> format_published(0.947, 0.02), format_published(0.9, decimals=2), format_published(1.0, 0.0, 2)
    ('.947 ± .02', '.90', '1.00 ± .00')
    """
    return format_share(value, decimals) + ("" if deviation is None else f" ± {format_share(deviation, 2)}")


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]], keep: int = 1) -> str:
    """Return a table without its empty columns; the first `keep` columns always stay.

    >>> print(markdown_table(["a", "b", "c"], [["1", "", "2"]]))
    | a | c |
    | --- | --- |
    | 1 | 2 |
    """
    used = [column for column in range(len(header)) if column < keep or any(row[column] for row in rows)]
    lines = [
        [header[column] for column in used],
        ["---"] * len(used),
        *([row[column] for column in used] for row in rows),
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
