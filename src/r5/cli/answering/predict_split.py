"""`r5 predict --split`: the data set whose queries are answered."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from r5.cli.common.inputs import add_facts, load_queried_data
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.dataset import Dataset
    from r5.reasoners.base import Reasoner

__all__ = ["load_split"]


def load_split(
    reasoner: Reasoner, source: str, split: str, add: Sequence[Path], load: list[str], quiet: bool
) -> Dataset:
    """Load the data set whose queries of a split are answered.

    Args:
        reasoner: The model.
        source: Name or path of the data.
        split: The split.
        add: Files of triples to add to the graph.
        load: Options of `--load`.
        quiet: True to log nothing.

    Raises:
        R5Error: The split is empty, or facts are added where each example has its own graph.
    """
    from r5.data.one_graph import dataset_on
    from r5.dataset import SPLITS

    data = load_queried_data(reasoner, source, load, quiet)
    if not len(data.split(split)):
        others = ", ".join(f"{name} {len(data.split(name)):,}" for name in SPLITS if len(data.split(name)))
        raise R5Error(f"{source}: the {split} split is empty; the data has {others}")
    if not add:
        return data
    if data.graph is None:
        raise R5Error(f"{source}: each example has a graph of its own; --add is for data with one graph")
    return dataset_on(data, add_facts(reasoner, data.graph, add, load, quiet))
