"""DatasetBuilder: loaders and generators hand in rows by name; it makes the columns.

Nodes are numbered as they appear in a row's edges and relations in natural order of their
names, so what is written to a file and read back is the same data set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from r5.dataset import SPLITS, Dataset
from r5.errors import R5Error
from r5.examples import Examples
from r5.graph import Graph, frozen
from r5.ragged import Ragged
from r5.relations import Vocabulary
from r5.rules import RuleSet

__all__ = ["DatasetBuilder", "Row"]


@dataclass(frozen=True, slots=True)
class Row:
    """One example by names: a small graph, a question about it, and the answer."""

    edges: Sequence[tuple[str, str, str]]
    """(source, relation, target)"""
    source: str
    target: str
    answer: str | None = None
    resolution: Sequence[str] = ()
    """Entities along the path that the answer was made from."""
    descriptor: Sequence[str] = ()
    """True relations along that path."""


@dataclass
class _Columns:
    """What one split has gathered so far."""

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
    """Gathers rows split by split.

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
        """Add one row; a question about an entity that no edge names is an error."""
        columns = self._splits[split]
        start = columns.nodes[-1]
        nodes: dict[str, int] = {}
        relations = self._relations
        for source, relation, target in row.edges:
            columns.edge_sources.append(start + nodes.setdefault(source, len(nodes)))
            columns.edge_targets.append(start + nodes.setdefault(target, len(nodes)))
            columns.edge_relations.append(relations.setdefault(relation, len(relations)))
        missing = next((n for n in (row.source, row.target, *row.resolution) if n not in nodes), None)
        if missing is not None:
            del columns.edge_sources[columns.edges[-1] :]
            del columns.edge_targets[columns.edges[-1] :]
            del columns.edge_relations[columns.edges[-1] :]
            raise R5Error(f"the query or its path names {missing!r}, which no edge of the graph does")
        columns.entities.extend(nodes)
        columns.nodes.append(start + len(nodes))
        columns.edges.append(len(columns.edge_sources))
        columns.sources.append(start + nodes[row.source])
        columns.targets.append(start + nodes[row.target])
        columns.answers.append(-1 if row.answer is None else relations.setdefault(row.answer, len(relations)))
        columns.resolutions.append([start + nodes[name] for name in row.resolution])
        columns.descriptors.append([relations.setdefault(name, len(relations)) for name in row.descriptor])

    def build(self, rules: RuleSet | None = None) -> Dataset:
        """The data set of all rows added."""
        vocabulary = Vocabulary.of(self._relations)
        new_id = np.array([vocabulary.id(name) for name in self._relations] + [-1], dtype=np.int32)
        train, valid, test = (_examples(self._splits[split], vocabulary, new_id) for split in SPLITS)
        return Dataset(self.name, train, valid, test, rules)


def _examples(columns: _Columns, vocabulary: Vocabulary, new_id: np.ndarray) -> Examples:
    """The columns as arrays; `new_id` maps the builder's relation numbers to the vocabulary's."""

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
        graph_of=frozen(np.arange(rows)),
        sources=frozen(columns.sources),
        targets=frozen(columns.targets),
        answers=frozen(relations(columns.answers)),
        hidden_facts=frozen(np.full(rows, -1)),
        resolutions=Ragged.of(columns.resolutions),
        descriptors=Ragged(frozen(new_id[descriptors.values]), descriptors.offsets),
    )
