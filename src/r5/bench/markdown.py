"""Numbers and tables as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from r5.data.stand_ins import STAND_IN

__all__ = ["label", "printed", "share", "table"]

_LABELS = {"data_089907f8": "CLUTRR 2,3", "data_db9b8f04": "CLUTRR 2,3,4"}


def label(name: str) -> str:
    """A data set as people call it.

    >>> label("world_17"), label("stand_in_re_1"), label("data_089907f8")
    ('World 17', 'stand-in for Re 1', 'CLUTRR 2,3')
    """
    if name.startswith(STAND_IN):
        return "stand-in for " + label(name.removeprefix(STAND_IN))
    return _LABELS.get(name, name.replace("_", " ").capitalize())


def share(value: float | None, decimals: int = 3) -> str:
    """A share as papers print it.

    >>> share(0.9466), share(1.0), share(None)
    ('.947', '1.000', '')
    """
    if value is None:
        return ""
    text = f"{value:.{decimals}f}"
    return text[1:] if text.startswith("0.") else text


def printed(value: float | None, spread: float | None = None, decimals: int = 3) -> str:
    """A published figure with its spread, which has two decimals everywhere.

    >>> printed(0.947, 0.02), printed(0.9, decimals=2), printed(1.0, 0.0, 2)
    ('.947 ± .02', '.90', '1.00 ± .00')
    """
    return share(value, decimals) + ("" if spread is None else f" ± {share(spread, 2)}")


def table(header: Sequence[str], rows: Sequence[Sequence[str]], keep: int = 1) -> str:
    """A table; columns after the first `keep` in which nothing stands are left out.

    >>> print(table(["a", "b", "c"], [["1", "", "2"]]))
    | a | c |
    | --- | --- |
    | 1 | 2 |
    """
    used = [place for place in range(len(header)) if place < keep or any(row[place] for row in rows)]
    lines = [[header[place] for place in used], ["---"] * len(used), *([row[place] for place in used] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
