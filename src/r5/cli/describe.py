"""`r5 describe`: what a data set holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from r5.cli.console import show, show_json
from r5.cli.parameters import DATA, JSON, LOAD, QUIET
from r5.cli.progress import load_data, waiting

if TYPE_CHECKING:
    from r5.knowledge.profile import Partner, Profile

__all__ = ["columns", "describe"]

_SHOWN = 40
"""So many relations are listed; --json has all."""


def describe(data: str = DATA, load: list[str] = LOAD, as_json: bool = JSON, quiet: bool = QUIET) -> None:
    """The statistics of a data set.

    They are those of the paper's Tables 7 and 8. Of a knowledge graph also its relations, with what they are like,
    and what valid and test have in common with training.

    Example: r5 describe kinship --load seed=1
    """
    from r5.knowledge.profile import profile

    dataset = load_data(data, load, quiet)
    with waiting("counting", quiet):
        summary = dataset.describe()
        found = None if dataset.graph is None else profile(dataset)
    if as_json:
        show_json(asdict(summary) | ({} if found is None else {"knowledge_graph": found.to_json()}))
    else:
        show(str(summary) if found is None else f"{summary}\n\n{_relations(found)}{_splits(found)}")


def columns(rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Rows of cells under each other, the first `left` columns flush left, blanks at the end cut off.

    >>> print(columns([("name", "n"), ("a", "10")]))
    name   n
    a     10
    """
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        sized = zip(row, widths, range(len(row)), strict=True)
        cells = [f"{cell:<{width}}" if place < left else f"{cell:>{width}}" for cell, width, place in sized]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _relations(found: Profile) -> str:
    """A line a relation, the largest first."""
    rows = [("relation", "facts", "heads", "tails", "kind", "symmetric", "loops", "inverse", "same as")]
    for one in found.relations[:_SHOWN]:
        counts = (f"{one.facts:,}", f"{one.heads:,}", f"{one.tails:,}", one.cardinality, f"{one.symmetry:.2f}")
        rows.append((one.name, *counts, f"{one.loops:,}", _first(one.inverses), _first(one.duplicates)))
    more = len(found.relations) - _SHOWN
    return columns(rows) + (f"\n... and {more} more (--json has all)" if more > 0 else "")


def _first(partners: Sequence[Partner]) -> str:
    if not partners:
        return "-"
    return f"{partners[0]}" + (f" +{len(partners) - 1}" if len(partners) > 1 else "")


def _splits(found: Profile) -> str:
    """What each split has in common with training."""
    if not found.splits:
        return ""
    rows = [("", *(split.name for split in found.splits))]
    for title, field in (
        ("facts asked", "facts"),
        ("also in training", "in_training"),
        ("reverse in training", "reversed_in_training"),
        ("same under another name in training", "duplicated_in_training"),
        ("entities unseen in training", "unseen_entities"),
        ("facts with an unseen entity", "with_unseen_entity"),
        ("relations unseen in training", "unseen_relations"),
    ):
        rows.append((title, *(f"{getattr(split, field):,}" for split in found.splits)))
    return f"\n\n{columns(rows)}"
