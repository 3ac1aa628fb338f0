"""Rows of triples in memory: lists of names and arrays of integer ids."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from r5._util.text import abbreviate
from r5.data.formats.tables.columns import ROLES, Triple
from r5.errors import R5Error
from r5.graph import Graph
from r5.relations import Vocabulary

__all__ = ["graph_from_ids", "graph_from_tuples", "named_triples"]


def graph_from_tuples(triples: Iterable[Sequence[object]], inverse: bool = False) -> Graph:
    """Convert (source, relation, target) rows to a graph.

    Args:
        triples: Rows of names; other values, such as numbers, are converted to text.
        inverse: Add inverse edges.

    Raises:
        R5Error: A row is not a triple, or a name is missing.

    >>> graph_from_tuples([(1, "mother", 2)]).triples()
    [('1', 'mother', '2')]

    """
    return Graph.from_triples(named_triples(triples), inverse=inverse)


def named_triples(rows: Iterable[Sequence[object]]) -> list[Triple]:
    """Convert rows to triples of text and check them."""
    triples: list[Triple] = []
    for number, row in enumerate(rows, start=1):
        is_sequence = type(row) is tuple or not (isinstance(row, str | bytes | dict) or not hasattr(row, "__len__"))
        if not is_sequence or len(row) != 3:
            raise R5Error(
                f"row {number} (counted from 1): expected (source, relation, target), found {abbreviate(row)}"
            )
        source, relation, target = row
        if not (type(source) is type(relation) is type(target) is str):
            source, relation, target = (_name(cell, number) for cell in row)
        if not (source and relation and target):
            empty = next(role for role, name in zip(ROLES, (source, relation, target), strict=True) if not name)
            raise R5Error(f"row {number} (counted from 1): the {empty} is missing")
        triples.append((source, relation, target))
    return triples


def _name(cell: object, row: int) -> str:
    """Convert a cell to a name; None and NaN become the empty string."""
    if isinstance(cell, list | tuple | dict | set | bytes):
        raise R5Error(f"row {row} (counted from 1): a name must be text or a number, found {abbreviate(cell)}")
    return "" if cell is None or (isinstance(cell, float) and math.isnan(cell)) else str(cell)


def graph_from_ids(
    triples: ArrayLike,
    relation_names: Sequence[str] | None = None,
    entity_names: Sequence[str] | None = None,
    inverse: bool = False,
) -> Graph:
    """Convert an integer array to a graph.

    Args:
        triples: (source, relation, target) ids, [edges, 3].
        relation_names: Relation names by id; by default the ids that occur serve as names.
        entity_names: Entity names by id; by default the ids that occur serve as names.
        inverse: Add inverse edges.

    Raises:
        R5Error: The array has the wrong shape or type, or an id is out of range.

    >>> graph_from_ids([[0, 0, 1], [1, 0, 7]], relation_names=["mother"]).triples()
    [('0', 'mother', '1'), ('1', 'mother', '7')]

    """
    array = np.asarray(triples)
    if array.ndim != 2 or array.shape[1] != 3 or (array.size and array.dtype.kind not in "iu"):
        raise R5Error(f"expected integers of shape [edges, 3], found {array.dtype} of shape {list(array.shape)}")
    if array.size and array.min() < 0:
        raise R5Error(f"ids must not be negative, found {array.min()}")
    array = array.astype(np.int64)
    relations, kinds = _numbered(array[:, 1], relation_names)
    entities, ends = _numbered(array[:, [0, 2]].ravel(), entity_names)
    if len(set(entities)) != len(entities):
        raise R5Error("two entities have the same name")
    ends = ends.reshape(-1, 2)
    graph = Graph.from_arrays(Vocabulary(relations), entities, ends[:, 0], kinds, ends[:, 1])
    return graph.with_inverses() if inverse else graph


def _numbered(ids: np.ndarray, names: Sequence[str] | None) -> tuple[tuple[str, ...], np.ndarray]:
    """Return the names and the index of each id among them."""
    if names is not None:
        return tuple(map(str, names)), ids
    used, indices = np.unique(ids, return_inverse=True)
    return tuple(map(str, used.tolist())), indices
