"""Tiny data with known answers: chains of relations, alone or within a larger graph."""

from __future__ import annotations

from collections.abc import Sequence

from r5.data.builder import DatasetBuilder, Row
from r5.examples import Examples

RULES = {
    "father sister": "aunt",
    "wife daughter": "daughter",
    "daughter aunt": "sister",
    "daughter brother": "son",
    "wife daughter aunt": "sister",
    "wife daughter brother": "son",
}


def chain(names: str, answer: str | None, more: Sequence[tuple[str, str, str]] = ()) -> Row:
    """A path e0, e1, ... with these relations, and more edges beside it."""
    relations = names.split()
    nodes = [f"e{n}" for n in range(len(relations) + 1)]
    edges = [*zip(nodes, relations, nodes[1:], strict=False), *more]
    return Row(edges, "e0", nodes[-1], answer, nodes)


def examples(rows: Sequence[Row]) -> Examples:
    builder = DatasetBuilder("toy")
    for row in rows:
        builder.add("train", row)
    return builder.build().train


def family(copies: int = 4) -> Examples:
    """Each rule several times, with a different edge beside the path each time."""
    beside = [(), (("e1", "wife", "x"),), (("x", "brother", "e0"),), (("e0", "aunt", "x"), ("x", "father", "y"))]
    return examples([chain(body, head, beside[n % 4]) for n in range(copies) for body, head in RULES.items()])
