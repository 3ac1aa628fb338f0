"""Inductive data sets: training on one graph, queries on the graph of other entities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from r5.data.one_graph import dataset_with_splits
from r5.dataset import Dataset
from r5.relations import Vocabulary

__all__ = ["inductive_dataset"]

Rows = Mapping[str, Sequence[tuple[str, str, str]]]


def inductive_dataset(
    name: str, training: Rows, inference: Rows, inverse: bool = False, sample: int | None = None, seed: int = 0
) -> Dataset:
    """Build a data set whose test queries are answered on a graph of their own.

    Args:
        name: Name of the data set.
        training: Triples of names by split: `facts`, `train`, `valid`. Its test triples are left out.
        inference: Triples of names by split: `train` is the inference graph, `valid` and `test` are its queries.
        inverse: Add inverse edges to both graphs.
        sample: Maximum number of training examples.
        seed: Seed of the sample.

    Returns:
        A data set with the training graph in `train` and the inference graph in `test` and `inference`. `valid` is
        that of the training graph, if there is one, else that of the inference graph.

    >>> old, new = [("Ann", "mother", "Eve")], [("Ida", "mother", "Zoe")]
    >>> data = inductive_dataset("people", {"train": old}, {"train": new, "test": [("Zoe", "mother", "Kim")]})
    >>> data.train.pool.entities, data.test.pool.entities
    (('Ann', 'Eve'), ('Ida', 'Zoe', 'Kim'))
    """
    parts = [part for rows in (training, inference) for part in rows.values()]
    words = Vocabulary.of(relation for part in parts for _, relation, _ in part)
    learned = {split: part for split, part in training.items() if split != "test"}
    data = dataset_with_splits(name, learned, inverse, sample, seed, vocabulary=words)
    unseen = dataset_with_splits(f"{name}/inference", inference, inverse, vocabulary=words)
    return replace(data, valid=data.valid if len(data.valid) else unseen.valid, test=unseen.test, inference=unseen)
