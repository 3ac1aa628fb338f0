"""Sections on ranks: by direction of the query, and by relation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from r5.ranking import Ranking
from r5.report.html_elements import paragraph, scroll_box, table

__all__ = ["rank_section", "relation_section"]

_RELATIONS = 200
"""Maximum number of relations."""
_HEAD = ("questions", "MRR", "Hits@1", "Hits@3", "Hits@10")
_DIRECTIONS = {"tail": "tail queries: (h, r, ?)", "head": "head queries: (?, r, t)"}


def rank_section(ranking: Ranking) -> str:
    """Return the ranks by direction as HTML."""
    rows = [[_DIRECTIONS.get(name, name), *_cells(part)] for name, part in ranking.by_direction.items()]
    return scroll_box("Ranks by direction", table("Ranks by direction of the query", ["direction", *_HEAD], rows))


def relation_section(ranking: Ranking) -> str:
    """Return the ranks by relation as HTML, the most frequent relations first."""
    ordered = sorted(ranking.by_relation.items(), key=lambda item: -item[1]["n"])
    rows = [[name, *_cells(part)] for name, part in ordered[:_RELATIONS]]
    caption = "Ranks by relation, the most frequent first"
    shown = scroll_box("Ranks by relation", table(caption, ["relation", *_HEAD], rows))
    if len(ordered) <= _RELATIONS:
        return shown
    return shown + paragraph(f"{len(ordered) - _RELATIONS:,} rarer relations are left out.", "note")


def _cells(part: Mapping[str, Any]) -> list[str]:
    return [f"{part['n']:,}", f"{part['mrr']:.3f}", *(f"{part['hits'][k]:.3f}" for k in ("1", "3", "10"))]
