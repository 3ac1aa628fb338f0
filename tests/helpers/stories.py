"""Small data sets of paths e0, e1, ... with answers."""

from __future__ import annotations

from collections.abc import Sequence

from r5.data.builder import DatasetBuilder, Row
from r5.dataset import Dataset

__all__ = ["FAMILY", "chain", "dataset"]


def chain(names: str, answer: str | None, wrong: tuple[int, str] | None = None) -> Row:
    """Return a path e0, e1, ... with given relations, one of which may be mislabelled."""
    relations = names.split()
    if wrong:
        relations[wrong[0]] = wrong[1]
    edges = [(f"e{n}", relation, f"e{n + 1}") for n, relation in enumerate(relations)]
    nodes = [f"e{n}" for n in range(len(relations) + 1)]
    return Row(edges, "e0", nodes[-1], answer, nodes)


def dataset(train: list[Row], test: Sequence[Row] = ()) -> Dataset:
    """Return a data set of training and test rows."""
    builder = DatasetBuilder("toy")
    for row in train:
        builder.add("train", row)
    for row in test:
        builder.add("test", row)
    return builder.build()


FAMILY = [
    *[chain("father sister", "aunt")] * 8,
    *[chain("wife daughter", "daughter")] * 8,
    *[chain("daughter aunt", "sister")] * 8,
    *[chain("daughter brother", "son")] * 8,
]
