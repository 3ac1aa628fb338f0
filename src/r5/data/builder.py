"""DatasetBuilder: conversion of rows of names to columns of ids, and back.

Nodes are numbered in order of appearance in a row's edges, relations in natural order of their
names. A data set is therefore the same after a round trip through a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from r5._util.arrays import as_int_array
from r5._util.ragged import Ragged
from r5._util.text import abbreviate
from r5.dataset import SPLITS, Dataset
from r5.errors import R5Error
from r5.examples import Examples
from r5.graph import Graph
from r5.relations import Vocabulary
from r5.rules.ruleset import RuleSet

__all__ = ["DatasetBuilder", "Row", "rows_of"]


@dataclass(frozen=True, slots=True)
class Row:
    """One example by names: a small graph, a query over it and the answer."""

    edges: Sequence[tuple[str, str, str]]
    """(source, relation, target) triples."""
    source: str
    """Source entity of the query."""
    target: str
    """Target entity of the query."""
    answer: str | None = None
    """Relation between source and target; None if unknown."""
    resolution: Sequence[str] = ()
    """Entities along the path that the answer follows from, if known."""
    descriptor: Sequence[str] = ()
    """True relations along that path, if known."""


@dataclass
class _Columns:
    """Columns of one split under construction."""

    entities: list[str] = field(default_factory=list)
    nodes: list[int] = field(default_factory=lambda: [0])
    edges: list[int] = field(default_factory=lambda: [0])
    edge_sources: list[int] = field(default_factory=list)
    edge_relations: list[int] = field(default_factory=list)
    edge_targets: list[int] = field(default_factory=list)
    sources: list[int] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    resolutions: list[list[int]] = field(default_factory=list)
    descriptors: list[list[int]] = field(default_factory=list)


class DatasetBuilder:
    """Builder of a data set from rows of names.

    >>> builder = DatasetBuilder("toy")
    >>> edges = [("Ann", "mother", "Eve"), ("Eve", "mother", "Ida")]
    >>> builder.add("train", Row(edges, "Ann", "Ida", "grandmother", ("Ann", "Eve", "Ida")))
    >>> builder.build().train[0].answer_name
    'grandmother'
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._relations: dict[str, int] = {}
        self._splits = {split: _Columns() for split in SPLITS}

    def add(self, split: str, row: Row) -> None:
        """Add one example to a split; an invalid row leaves the builder unchanged.

        Args:
            split: `train`, `valid` or `test`.
            row: The example.

        Raises:
            R5Error: The split is unknown, a name is empty, or the query or its path is not in the graph.
        """
        if split not in self._splits:
            raise R5Error(f"no split is called {split!r}; expected train, valid or test")
        nodes: dict[str, int] = {}
        ends = [(nodes.setdefault(s, len(nodes)), nodes.setdefault(t, len(nodes))) for s, _, t in row.edges]
        _check(row, nodes)
        columns = self._splits[split]
        numbers = self._relations
        start = columns.nodes[-1]
        columns.entities.extend(nodes)
        columns.nodes.append(start + len(nodes))
        columns.edges.append(columns.edges[-1] + len(ends))
        columns.edge_sources.extend([start + source for source, _ in ends])
        columns.edge_targets.extend([start + target for _, target in ends])
        columns.edge_relations.extend([numbers.setdefault(name, len(numbers)) for _, name, _ in row.edges])
        columns.sources.append(start + nodes[row.source])
        columns.targets.append(start + nodes[row.target])
        columns.answers.append(-1 if row.answer is None else numbers.setdefault(row.answer, len(numbers)))
        columns.resolutions.append([start + nodes[name] for name in row.resolution])
        columns.descriptors.append([numbers.setdefault(name, len(numbers)) for name in row.descriptor])

    def build(self, rules: RuleSet | None = None) -> Dataset:
        """Return the data set of all rows.

        Args:
            rules: Ground-truth rules, if known.
        """
        vocabulary = Vocabulary.of(self._relations)
        new_id = np.array([vocabulary.id(name) for name in self._relations] + [-1], dtype=np.int32)
        train, valid, test = (_examples(self._splits[split], vocabulary, new_id) for split in SPLITS)
        return Dataset(self.name, train, valid, test, rules)


def _check(row: Row, nodes: dict[str, int]) -> None:
    """Raise an error if a row is inconsistent."""
    if "" in nodes:
        raise R5Error("an edge names an entity that is empty")
    if not all(relation for _, relation, _ in row.edges) or row.answer == "" or not all(row.descriptor):
        raise R5Error("the relation of an edge, of the answer or of the descriptor is missing")
    path = row.resolution
    for name in (row.source, row.target, *path):
        if name not in nodes:
            raise R5Error(f"the query or its path names {abbreviate(name)}, which no edge of the graph does")
    if path and (path[0] != row.source or path[-1] != row.target):
        raise R5Error("the resolution path does not lead from the query's source to its target")
    if path and row.descriptor and len(path) != len(row.descriptor) + 1:
        raise R5Error(f"the descriptor has {len(row.descriptor)} relations where the path has {len(path) - 1} steps")


def _examples(columns: _Columns, vocabulary: Vocabulary, new_id: np.ndarray) -> Examples:
    """Convert the columns to arrays; `new_id` maps the builder's relation numbers to vocabulary ids."""

    def relations(values: Sequence[int]) -> np.ndarray:
        return new_id[np.array(values, dtype=np.int64)]

    descriptors = Ragged.of(columns.descriptors)
    rows = len(columns.sources)
    return Examples(
        pool=Graph.from_arrays(
            vocabulary,
            columns.entities,
            np.array(columns.edge_sources, dtype=np.int32),
            relations(columns.edge_relations),
            np.array(columns.edge_targets, dtype=np.int32),
        ),
        node_offsets=np.array(columns.nodes),
        edge_offsets=np.array(columns.edges),
        graph_of=as_int_array(np.arange(rows)),
        sources=as_int_array(columns.sources),
        targets=as_int_array(columns.targets),
        answers=as_int_array(relations(columns.answers)),
        masked_facts=as_int_array(np.full(rows, -1)),
        resolutions=Ragged.of(columns.resolutions),
        descriptors=Ragged(as_int_array(new_id[descriptors.values]), descriptors.offsets),
    )


def rows_of(examples: Examples) -> Iterator[Row]:
    """Convert examples back to rows of names.

    Args:
        examples: Examples that rows can represent.

    Yields:
        One row per example.

    Raises:
        R5Error: A round trip would change the data: a graph has a masked fact or facts of more than two arguments,
            or an entity has no edge, no name or the name of another.

    >>> builder = DatasetBuilder("toy")
    >>> builder.add("train", Row((("Ann", "mother", "Eve"),), "Ann", "Eve", "parent"))
    >>> next(rows_of(builder.build().train))
    Row(edges=[('Ann', 'mother', 'Eve')], source='Ann', target='Eve', answer='parent', resolution=(), descriptor=())

    """
    _check_facts(examples)
    pool, words = examples.pool, examples.vocabulary
    entities, relations = pool.entities, words.names(range(len(words)))
    triples = pool.triples()
    columns = zip(
        examples.graph_of.tolist(),
        examples.sources.tolist(),
        examples.targets.tolist(),
        examples.answers.tolist(),
        examples.resolutions.rows(),
        examples.descriptors.rows(),
        strict=True,
    )
    for graph, source, target, answer, path, descriptor in columns:
        edges = triples[examples.edge_offsets[graph] : examples.edge_offsets[graph + 1]]
        nodes = entities[examples.node_offsets[graph] : examples.node_offsets[graph + 1]]
        if len({name for s, _, t in edges for name in (s, t)}) != len(nodes):
            raise R5Error("an entity without an edge, or with the name of another, cannot be written")
        yield Row(
            edges=edges,
            source=entities[source],
            target=entities[target],
            answer=None if answer < 0 else relations[answer],
            resolution=tuple(entities[node] for node in path),
            descriptor=tuple(relations[relation] for relation in descriptor),
        )


def _check_facts(examples: Examples) -> None:
    """Raise an error if rows of names cannot represent the graphs."""
    pool = examples.pool
    if "" in pool.entities:
        raise R5Error("an entity without a name cannot be written")
    if (examples.masked_facts >= 0).any():
        raise R5Error("examples with a masked fact cannot be written")
    if Graph.from_arrays(pool.vocabulary, pool.entities, pool.sources, pool.relations, pool.targets) != pool:
        raise R5Error("facts of more than two arguments cannot be written")
    try:
        "".join((*pool.entities, *pool.vocabulary)).encode()
    except UnicodeEncodeError:
        raise R5Error("a name that is not valid Unicode cannot be written") from None
