"""Arrays of integer ids with label maps, and dicts of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from r5._util.text import abbreviate
from r5.data.formats.tables.columns import choose_columns
from r5.data.formats.tables.rows import graph_from_ids
from r5.data.formats.tables.table import Table, table_of_rows
from r5.errors import R5Error
from r5.graph import Graph

__all__ = ["IdNames", "read_arrays", "read_columns"]

IdNames = Sequence[str] | Mapping[Any, Any]
"""Names in order of their ids, or a map from ids to names or from names to ids."""


def read_arrays(
    triples: ArrayLike,
    relation_names: IdNames | None = None,
    entity_names: IdNames | None = None,
    kind: str = "array of ids",
) -> tuple[Graph, str]:
    """Convert integer ids to a graph.

    Args:
        triples: (source, relation, target) ids, [edges, 3].
        relation_names: Relation names; by default the ids serve as names.
        entity_names: Entity names; by default the ids serve as names.
        kind: Description of the source.

    Returns:
        The graph, and a description of how it was read.

    Raises:
        R5Error: The array has the wrong shape, or an id has no name.

    >>> read_arrays([[0, 0, 1]], {"mother": 0}, {0: "Ann", 1: "Eve"})[0].triples()
    [('Ann', 'mother', 'Eve')]
    """
    ids = np.asarray(triples)
    relations, entities = _in_order(relation_names, "relation"), _in_order(entity_names, "entity")
    graph = graph_from_ids(ids, relations, entities)
    unnamed = [what for what, names in (("relations", relations), ("entities", entities)) if names is None]
    by_id = f", {' and '.join(unnamed)} named by their ids" if unnamed else ""
    count = f"{graph.number_of_edges:,} triple{'s' * (graph.number_of_edges != 1)}"
    return graph, f"graph: {count} ({kind}{by_id})"


def _in_order(names: IdNames | None, what: str) -> list[str] | None:
    """Return names in order of their ids, which must be 0, 1, 2 and so on."""
    if names is None:
        return None
    if not isinstance(names, Mapping):
        return [str(name) for name in names]
    pairs = list(names.items())
    if pairs and not isinstance(pairs[0][0], int | np.integer):
        pairs = [(number, name) for name, number in pairs]
    if not all(isinstance(number, int | np.integer) for number, _ in pairs):
        raise R5Error(f"{what}_names must map ids to names or names to ids, found {abbreviate(names)}")
    pairs.sort(key=lambda pair: int(pair[0]))
    if [int(number) for number, _ in pairs] != list(range(len(pairs))):
        raise R5Error(f"the ids in {what}_names must be 0, 1, ... {len(pairs) - 1}, each once")
    return [str(name) for _, name in pairs]


def read_columns(
    source: Mapping[str, Any],
    columns: Sequence[str | int] | None = None,
    relation_names: IdNames | None = None,
    entity_names: IdNames | None = None,
) -> Table | tuple[Graph, str]:
    """Convert a dict of columns of equal length, or of OGB's and PyG's arrays.

    Args:
        source: Columns of names or ids by name, such as head, relation and tail; or `edge_index` [2, edges] with
            `edge_reltype` or `edge_type` [edges]. With `head_type` and `tail_type`, ids are numbered within each type.
        columns: Keys of source, relation and target; by default common names.
        relation_names: Relation names, for ids.
        entity_names: Entity names, for ids.

    Raises:
        R5Error: The columns are missing, or differ in length.

    >>> read_columns({"head": ["Ann"], "relation": ["mother"], "tail": ["Eve"]}).triples
    [('Ann', 'mother', 'Eve')]
    """
    given = {str(key): value for key, value in source.items()}
    if "edge_index" in given:
        return _read_edge_index(given, relation_names, entity_names)
    if {"head", "relation", "tail"} <= given.keys() and columns is None:
        columns = ["head", "relation", "tail"]
    keys = list(given)
    indices = choose_columns(keys, columns)
    if columns is None and len(keys) == 3 and not all(map(_is_column, given.values())):
        raise R5Error(f"expected columns such as head, relation, tail, found {abbreviate(source)}")
    arrays = [_column(keys[index], given[keys[index]]) for index in indices]
    if len({len(array) for array in arrays}) > 1:
        sizes = ", ".join(f"{keys[index]} {len(array)}" for index, array in zip(indices, arrays, strict=True))
        raise R5Error(f"the columns differ in length: {sizes}")
    typed = {"head_type", "tail_type"} <= given.keys() and "head" in keys
    if all(array.dtype.kind in "iu" for array in arrays) and not typed:
        return read_arrays(np.stack(arrays, axis=1), relation_names, entity_names)
    if relation_names is not None or entity_names is not None:
        raise R5Error("relation_names and entity_names are for integer ids")
    lists: list[list[Any]] = [array.tolist() for array in arrays]
    if typed:
        for place, role in ((0, "head"), (2, "tail")):
            types = _column(f"{role}_type", given[f"{role}_type"]).tolist()
            lists[place] = [f"{kind}:{number}" for kind, number in zip(types, lists[place], strict=True)]
    others = [key for key in keys if key not in {keys[index] for index in indices}]
    names = [*(keys[index] for index in indices), *(key for key in others if not (typed and key.endswith("_type")))]
    return table_of_rows(names, zip(*lists, strict=True), [0, 1, 2], "dict of columns")


def _is_column(value: object) -> bool:
    return not isinstance(value, str | bytes | Mapping) and hasattr(value, "__len__")


def _column(name: str, value: Any) -> NDArray[Any]:
    """Return a column as an array of one dimension."""
    if not _is_column(value):
        raise R5Error(f"the column {name!r} must be a list or an array, found {abbreviate(value)}")
    value = value.detach().cpu().numpy() if hasattr(value, "detach") else value
    numbers = isinstance(value, np.ndarray) and value.dtype.kind in "iu"
    array = np.asarray(value) if numbers else np.array([*value, None], dtype=object)[:-1]
    if numbers and array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise R5Error(f"the column {name!r} must have one dimension, found shape {list(array.shape)}")
    return array


def _read_edge_index(
    given: Mapping[str, Any], relation_names: IdNames | None, entity_names: IdNames | None
) -> tuple[Graph, str]:
    """Convert `edge_index` and the types of the edges."""
    types = next((key for key in ("edge_reltype", "edge_type") if key in given), None)
    if types is None:
        raise R5Error(f"expected edge_reltype or edge_type beside edge_index, found {', '.join(given)}")
    index = given["edge_index"]
    index = np.asarray(index.detach().cpu().numpy() if hasattr(index, "detach") else index)
    kinds = _column(types, given[types])
    if index.ndim != 2 or index.shape[0] != 2 or kinds.shape != (index.shape[1],):
        raise R5Error(
            f"expected edge_index of shape [2, edges] and {types} of shape [edges], "
            f"found {list(index.shape)} and {list(kinds.shape)}"
        )
    ids = np.stack([index[0], kinds, index[1]], axis=1)
    return read_arrays(ids, relation_names, entity_names, f"edge_index and {types}")
