"""Data sets from objects in memory: graphs and tables of other libraries, connections, lists and dicts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from r5._util.text import abbreviate
from r5.data.formats.graphs.networks import read_network
from r5.data.formats.graphs.pyg import from_pyg
from r5.data.formats.graphs.triples_factory import read_triples_factory
from r5.data.formats.names import name_tables
from r5.data.formats.rdf import read_rdf_object
from r5.data.formats.split_files import SPLIT_OF
from r5.data.formats.tables.arrays import IdNames, read_arrays, read_columns
from r5.data.formats.tables.databases import is_connection, read_connection
from r5.data.formats.tables.frames import read_frame
from r5.data.formats.tables.json_rows import table_of_objects
from r5.data.formats.tables.table import Table, describe_tables, table_of_rows
from r5.data.one_graph import dataset_from_graph, dataset_with_splits
from r5.dataset import Dataset
from r5.errors import R5Error
from r5.graph import Graph

__all__ = ["Converter", "converter_of", "dataset_from_memory", "is_table"]

Converter = Callable[..., "Table | tuple[Graph, str]"]
"""Function from an object and options to triples, or to a graph and a description of how it was read."""


_PYKEEN_SPLITS = {"train": "training", "valid": "validation", "test": "testing"}
"""Attribute of a data set of PyKEEN by split."""


def dataset_from_memory(
    source: Any,
    convert: Converter,
    given: Mapping[str, Any],
    *,
    name: str = "graph",
    inverse: bool = False,
    sample: int | None = None,
    seed: int = 0,
    valid_fraction: float = 0.0,
    test_fraction: float = 0.0,
) -> Dataset:
    """Convert an object to a data set.

    Args:
        source: The object; a dict of splits gives a data set with these splits.
        convert: Its converter, see `converter_of`.
        given: Options of the converter.
        name: Name of the data set.
        inverse: Add inverse edges.
        sample: Maximum number of training examples.
        seed: Seed of the sample and of the splits.
        valid_fraction: Share of the facts held out for validation, if there are no splits.
        test_fraction: Share of the facts held out for testing, if there are no splits.

    Raises:
        R5Error: The object or an option is invalid.
    """
    splits = _splits(source)
    if splits is None:
        graph, text = _graph(convert(source, **given))
        data = dataset_from_graph(
            graph.with_inverses() if inverse else graph,
            name=name,
            sample=sample,
            seed=seed,
            valid_fraction=valid_fraction,
            test_fraction=test_fraction,
        )
        return replace(data, source=text)
    if valid_fraction or test_fraction:
        raise R5Error("the data has splits; valid_fraction and test_fraction are for one graph")
    tables = {split: _table(part, given) for split, part in splits.items()}
    data = dataset_with_splits(name, {split: table.triples for split, table in tables.items()}, inverse, sample, seed)
    return replace(data, source=describe_tables(tables))


def _splits(source: object) -> dict[str, Any] | None:
    """Return the parts of a dict of splits, or of a data set of PyKEEN, by split; None for other objects."""
    if hasattr(getattr(source, "training", None), "mapped_triples"):
        parts = {split: getattr(source, name, None) for split, name in _PYKEEN_SPLITS.items()}
        return {split: part for split, part in parts.items() if part is not None}
    if not isinstance(source, Mapping) or not source or not all(str(key).lower() in SPLIT_OF for key in source):
        return None
    found: dict[str, Any] = {}
    for key, part in source.items():
        split = SPLIT_OF[str(key).lower()]
        if split in found:
            raise R5Error(f"duplicated split: two keys, one of them {key!r}, are {split}")
        found[split] = part
    if "train" not in found:
        raise R5Error(f"a dict of splits needs the key train; it has {', '.join(map(str, source))}")
    return found


def _table(part: Any, given: Mapping[str, Any]) -> Table:
    """Convert one split to a table."""
    convert = converter_of(part)
    own = inspect.signature(convert).parameters
    found = convert(part, **{key: value for key, value in given.items() if key in own})
    if isinstance(found, Table):
        return found
    graph, text = found
    return Table(graph.triples(), text.partition(" (")[2].removesuffix(")") or text)


def _graph(found: Table | tuple[Graph, str]) -> tuple[Graph, str]:
    """Return the graph and the description of a converter's result."""
    if isinstance(found, Table):
        return Graph.from_triples(found.triples), describe_tables({"graph": found})
    return found


def converter_of(source: Any) -> Converter:
    """Return the function that converts an object; optional packages are recognised without an import.

    Raises:
        R5Error: Objects of this kind cannot be converted.
    """
    packages = {cls.__module__.partition(".")[0] for cls in type(source).__mro__}
    splits = _splits(source)
    if splits is not None:
        return converter_of(splits["train"])
    kinds: tuple[tuple[bool, Converter], ...] = (
        (isinstance(source, Graph), _own_graph),
        ("networkx" in packages, read_network),
        ("torch_geometric" in packages, _pyg),
        (bool(packages & {"rdflib", "pyoxigraph"}), _rdf),
        (hasattr(source, "mapped_triples"), read_triples_factory),
        (hasattr(source, "to_pandas") or "pandas" in packages, read_frame),
        (is_connection(source), read_connection),
        ("duckdb" in type(source).__module__ and hasattr(source, "fetchall"), _relation),
        (isinstance(source, np.ndarray) or "torch" in packages, _array),
        (isinstance(source, Mapping), read_columns),
        (isinstance(source, Iterable) and not isinstance(source, bytes), _rows),
    )
    for fits, convert in kinds:
        if fits:
            return convert
    raise R5Error(f"expected a name, a path, a graph, a data frame or a list of triples, found {abbreviate(source)}")


def is_table(source: Any) -> bool:
    """Return whether an object holds triples: a frame, a connection, a graph of another library, splits or a list.

    >>> is_table([("Ann", "mother", "Eve")]), is_table([]), is_table("library")
    (True, False, False)
    """
    if isinstance(source, str | bytes | Path | Dataset):
        return False
    try:
        convert = converter_of(source)
    except R5Error:
        return False
    if convert is not _rows or isinstance(source, Mapping):
        return True
    return isinstance(source, list | tuple) and bool(source) and isinstance(source[0], list | tuple | Mapping)


def _own_graph(graph: Graph) -> tuple[Graph, str]:
    return graph, ""


def _pyg(data: Any, relation_names: IdNames | None = None, entity_names: IdNames | None = None) -> tuple[Graph, str]:
    graph = from_pyg(data, relation_names, entity_names)
    return graph, f"graph: {graph.number_of_edges:,} triples (PyTorch Geometric, edge_index and edge_type)"


def _rdf(
    graph: Any,
    literals: bool = False,
    types: bool = True,
    names: str | None = None,
    language: str | None = None,
    short: bool = False,
) -> Table:
    return name_tables([read_rdf_object(graph, literals, types, names, language)], short)[0]


def _relation(relation: Any, columns: Sequence[str | int] | None = None) -> Table:
    return table_of_rows(relation.columns, relation.fetchall(), columns, "DuckDB relation")


def _array(
    array: Any, relation_names: IdNames | None = None, entity_names: IdNames | None = None
) -> Table | tuple[Graph, str]:
    values = array.detach().cpu().numpy() if hasattr(array, "detach") else array
    if values.dtype.kind in "iu":
        return read_arrays(values, relation_names, entity_names)
    if relation_names is not None or entity_names is not None:
        raise R5Error(f"relation_names and entity_names are for integer ids, and the array has {values.dtype}")
    return _rows(values.tolist() if values.dtype.kind in "USO" else values)


def _rows(rows: Iterable[Any], columns: Sequence[str | int] | None = None) -> Table:
    return table_of_objects(rows, columns, "list")
