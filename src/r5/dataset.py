"""Dataset: training, validation and test examples, and their statistics."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5.errors import R5Error
from r5.examples import Examples
from r5.graph import Graph
from r5.relations import Vocabulary
from r5.rules.ruleset import RuleSet

__all__ = ["SPLITS", "Dataset", "Summary"]

SPLITS = ("train", "valid", "test")


@dataclass(frozen=True, slots=True)
class Summary:
    """Statistics of the paper's Tables 7 and 8 over all splits together; None for unknown values."""

    name: str
    train: int
    valid: int
    test: int
    relations: int
    """Number of relations on the edges or among the answers."""
    classes: int
    """NC: number of distinct answers."""
    distinct_paths: int | None
    """ND: number of distinct relation sequences observed along the resolution paths."""
    average_resolution_length: float | None
    """ARL: mean length of a resolution path."""
    average_nodes: float | None
    """AN: mean number of nodes of a graph."""
    average_edges: float | None
    """AE: mean number of edges of a graph."""
    rules: int | None
    """Number of ground-truth rules."""

    def __str__(self) -> str:
        lines = []
        for key, value in asdict(self).items():
            shown = "-" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
            lines.append(f"{key.replace('_', ' '):<26}{shown}")
        return "\n".join(lines)


@dataclass(frozen=True, repr=False)
class Dataset:
    """Training, validation and test examples over one vocabulary."""

    name: str
    train: Examples
    valid: Examples
    test: Examples
    rules: RuleSet | None = None
    """Ground-truth rules, if known. They serve to measure recall, never to learn."""
    inference: Dataset | None = None
    """Data set over the graph of new entities that the test queries are answered on; None for all other data."""
    source: str = field(default="", compare=False)
    """Description of the reading, in one line: files, columns, header and dropped rows."""

    def __post_init__(self) -> None:
        if not self.train.vocabulary == self.valid.vocabulary == self.test.vocabulary:
            raise R5Error(f"the splits of {self.name} do not share one vocabulary")

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name}={len(self.split(name))}" for name in SPLITS)
        rules = "" if self.rules is None else f", rules={len(self.rules)}"
        return f"Dataset({self.name!r}, {sizes}, relations={len(self.vocabulary)}{rules})"

    @property
    def vocabulary(self) -> Vocabulary:
        """The relations of the graphs and answers of all splits."""
        return self.train.vocabulary

    @property
    def graph(self) -> Graph | None:
        """The knowledge graph that all queries share; None if there are several graphs."""
        pool = self.train.pool
        shared = pool is self.valid.pool and pool is self.test.pool and self.train.node_offsets.size == 2
        return pool if shared else None

    def split(self, name: str) -> Examples:
        """Return the examples of a split: `train`, `valid` or `test`."""
        if name not in SPLITS:
            raise R5Error(f"no split is called {name!r}; expected train, valid or test")
        examples: Examples = getattr(self, name)
        return examples

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a data frame with one row per example.

        In a knowledge graph the training rows are its facts.

        Args:
            library: `pandas` or `polars`.

        Returns:
            A frame with the columns split, example (index within the split), source and target (names), answer (None
            if unknown) and hops (0 if unknown).
        """
        from r5._util.frames import make_frame

        columns: dict[str, list[Any]] = {key: [] for key in ("split", "example", "source", "target", "answer", "hops")}
        for split in SPLITS:
            part = self.split(split)
            names, words = part.pool.entities, [*part.vocabulary, None]
            columns["split"] += [split] * len(part)
            columns["example"] += range(len(part))
            columns["source"] += [names[node] for node in part.sources.tolist()]
            columns["target"] += [names[node] for node in part.targets.tolist()]
            columns["answer"] += [words[answer] for answer in part.answers.tolist()]
            columns["hops"] += part.hops.tolist()
        return make_frame(columns, library)

    def describe(self) -> Summary:
        """Return the statistics of the data set."""
        parts = (self.train, self.valid, self.test)
        labels = np.concatenate([part.answers for part in parts])
        answers = np.unique(labels[labels >= 0])
        edges = np.concatenate([part.pool.relations for part in parts])
        hops = np.concatenate([part.hops for part in parts])
        nodes_edges = np.concatenate([_sizes(part) for part in parts], axis=1)
        return Summary(
            name=self.name,
            train=len(self.train),
            valid=len(self.valid),
            test=len(self.test),
            relations=int(np.union1d(edges, answers).size),
            classes=int(answers.size),
            distinct_paths=len(set().union(*map(_observed_paths, parts))) if hops.any() else None,
            average_resolution_length=float(hops[hops > 0].mean()) if hops.any() else None,
            average_nodes=float(nodes_edges[0].mean()) if labels.size else None,
            average_edges=float(nodes_edges[1].mean()) if labels.size else None,
            rules=None if self.rules is None else len(self.rules),
        )


def _sizes(examples: Examples) -> NDArray[np.int64]:
    """Return the number of nodes and of edges of each example's graph, [2, examples]."""
    nodes, edges = np.diff(examples.node_offsets), np.diff(examples.edge_offsets)
    return np.stack([nodes[examples.graph_of], edges[examples.graph_of]])


def _observed_paths(examples: Examples) -> set[tuple[int, ...]]:
    """Return the distinct relation sequences observed along the resolution paths.

    The paper counts observed sequences, which differ from the true ones if an edge carries a wrong relation. Of
    parallel edges the first counts; -1 stands for a step without an edge.
    """
    pool = examples.pool
    edges = zip(pool.sources.tolist(), pool.targets.tolist(), pool.relations.tolist(), strict=True)
    between: dict[tuple[int, int], int] = {}
    for source, target, relation in edges:
        between.setdefault((source, target), relation)
    return {tuple(between.get(step, -1) for step in pairwise(nodes)) for nodes in examples.resolutions.rows() if nodes}
