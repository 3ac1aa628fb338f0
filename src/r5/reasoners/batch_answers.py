"""Answers to many pairs of names: in batches, in constant memory, in order and as they come."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from r5._util.frames import columns_of, frame_library, with_columns
from r5.data.formats.pairs import Pair, pair_columns
from r5.dataset import Dataset
from r5.derivations.derivation import Prediction
from r5.errors import R5Error
from r5.examples import Example, Examples, Query
from r5.graph import Graph
from r5.parallel.cluster import Cluster, Shared
from r5.parallel.pickling import pack, unpack

__all__ = ["answer_examples", "answer_frame", "answer_pairs"]

Batch = tuple[NDArray[np.int32], NDArray[np.int32]] | Examples
"""Source and target nodes of one graph, both [pairs], or examples with graphs of their own."""
_BATCH_SIZE, _EXPLAINED_BATCH_SIZE = 4096, 256
"""Number of pairs in a batch: large enough for a low overhead, small enough for the memory of their paths."""


class Predictor(Protocol):
    """The methods of a reasoner that this module calls."""

    def predict_many(self, examples: Examples) -> list[Prediction]: ...
    def predict_plain(self, examples: Examples) -> list[Prediction]: ...


def answer_pairs(
    reasoner: Predictor,
    graph: Graph | Dataset,
    pairs: Iterable[Pair],
    explain: bool = True,
    split: str = "test",
    cluster: Cluster | None = None,
) -> Iterator[tuple[Pair, Prediction | None]]:
    """Yield each pair with its answer, in order.

    Args:
        reasoner: A fitted reasoner.
        graph: The graph, or a data set. If the examples of a data set have graphs of their own, `Pair.example` is the
            number of the example.
        pairs: Pairs of names.
        explain: Add derivations, which takes longer.
        split: Split of a data set whose examples have graphs of their own.
        cluster: Workers that answer the batches; the answers do not depend on it.

    Yields:
        The pair and its answer; None for a pair with a `problem`.

    """
    graphs = _OneGraph(graph) if isinstance(graph, Graph) else _graphs_of(graph, split)
    rest = iter(pairs)
    waiting: deque[list[Pair]] = deque()

    def batches() -> Iterator[Batch]:
        while some := list(islice(rest, _EXPLAINED_BATCH_SIZE if explain else _BATCH_SIZE)):
            checked = [pair if pair.problem else graphs.check(pair) for pair in some]
            waiting.append(checked)
            yield graphs.batch([pair for pair in checked if not pair.problem])

    for batch in _answer_batches(reasoner, graphs.graph, batches(), explain, cluster):
        answers = iter(batch)
        yield from ((pair, None if pair.problem else next(answers)) for pair in waiting.popleft())


def answer_examples(
    reasoner: Predictor, examples: Examples, explain: bool = True, cluster: Cluster | None = None
) -> Iterator[tuple[Pair, Prediction]]:
    """Yield the query of each example with its answer, in order.

    Args:
        reasoner: A fitted reasoner.
        examples: The examples; the fact of one that is masked stays so.
        explain: Add derivations, which takes longer.
        cluster: Workers that answer the batches; the answers do not depend on it.

    Yields:
        The pair, with the number of the example and the correct answer if known, and the answer.

    """
    size = _EXPLAINED_BATCH_SIZE if explain else _BATCH_SIZE
    parts = (
        examples.select(np.arange(start, min(start + size, len(examples)))) for start in range(0, len(examples), size)
    )
    names, words = examples.pool.entities, [*examples.vocabulary, None]
    number = 0
    for batch in _answer_batches(reasoner, None, parts, explain, cluster):
        for answer in batch:
            source, target = names[examples.sources[number]], names[examples.targets[number]]
            yield Pair(number + 1, source, target, str(number), answer=words[examples.answers[number]]), answer
            number += 1


def _answer_batches(
    reasoner: Predictor, graph: Graph | None, batches: Iterator[Batch], explain: bool, cluster: Cluster | None
) -> Iterator[list[Prediction]]:
    """Yield the answers to each batch, here or on a cluster."""
    if cluster is None or cluster.is_local:
        return map(_Answerer(reasoner, graph, explain), batches)
    model, shared = cluster.share(pack(reasoner)), cluster.share(_with_neighbours(graph))
    return cluster.stream(_RemoteAnswerer(model, shared, explain), batches)


def _with_neighbours(graph: Graph | None) -> Graph | None:
    """Return a copy of the graph with the cached properties of path search only, so that no worker computes them."""
    if graph is None:
        return None
    copy = replace(graph)
    _ = copy.outgoing, copy.incoming
    return copy


@dataclass
class _Answerer:
    """Function from batches to answers."""

    reasoner: Predictor
    graph: Graph | None
    """The graph of all pairs; None if the batches are examples."""
    explain: bool

    def __call__(self, batch: Batch) -> list[Prediction]:
        if not len(batch[0] if isinstance(batch, tuple) else batch):
            return []
        predict = self.reasoner.predict_many if self.explain else self.reasoner.predict_plain
        if isinstance(batch, Examples):
            return predict(batch)
        sources, targets = batch
        return predict(Examples.over(self.graph, sources, targets, np.full(sources.size, -1, np.int32)))  # type: ignore[arg-type]


@dataclass
class _RemoteAnswerer:
    """`_Answerer` in another process; each machine has one copy of the graph."""

    model: Shared[bytes]
    graph: Shared[Graph | None]
    explain: bool
    _answerer: _Answerer | None = None

    def __call__(self, batch: Batch) -> list[Prediction]:
        if self._answerer is None:
            self._answerer = _Answerer(unpack(self.model.value), self.graph.value, self.explain)
        return self._answerer(batch)


def _graphs_of(data: Dataset, split: str) -> _OneGraph | _ExampleGraphs:
    return _OneGraph(data.graph) if data.graph is not None else _ExampleGraphs(data.split(split), split)


def _with_problem(pair: Pair, problem: str) -> Pair:
    return Pair(pair.line, pair.source, pair.target, pair.example, problem)


class _OneGraph:
    """One graph for all pairs."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._nodes = graph.nodes

    def check(self, pair: Pair) -> Pair:
        """Return the pair, with a problem if a name is not in the graph."""
        for name in (pair.source, pair.target):
            if name not in self._nodes:
                return _with_problem(pair, f"no entity is called {name!r}")
        return pair

    def batch(self, pairs: Sequence[Pair]) -> Batch:
        """Return the nodes of the pairs."""
        sources = np.fromiter((self._nodes[pair.source] for pair in pairs), np.int32, len(pairs))
        targets = np.fromiter((self._nodes[pair.target] for pair in pairs), np.int32, len(pairs))
        return sources, targets


class _ExampleGraphs:
    """Graphs of the examples of a split."""

    graph = None

    def __init__(self, examples: Examples, split: str) -> None:
        self._examples, self._split = examples, split

    def check(self, pair: Pair) -> Pair:
        """Return the pair, with a problem if there is no such example or its graph has no such name."""
        if not pair.example.isascii() or not pair.example.isdecimal() or int(pair.example) >= len(self._examples):
            last = len(self._examples) - 1
            return _with_problem(pair, f"{pair.example!r} is not the number of an example of {self._split}, 0..{last}")
        names = self._examples[int(pair.example)].graph.nodes
        unknown = next((name for name in (pair.source, pair.target) if name not in names), None)
        return pair if unknown is None else _with_problem(pair, f"example {pair.example} has no entity {unknown!r}")

    def batch(self, pairs: Sequence[Pair]) -> Batch:
        """Return the examples with the pairs as queries."""
        rows = []
        for pair in pairs:
            example = self._examples[int(pair.example)]
            query = Query(example.graph.node(pair.source), example.graph.node(pair.target))
            rows.append(Example(example.graph, query, masked_fact=example.masked_fact))
        return Examples.of(rows)


def answer_frame(reasoner: Predictor, graph: Graph | Dataset, frame: Any, explain: bool) -> Any:
    """Return a frame of pairs with the answers as further columns.

    Args:
        reasoner: A fitted reasoner.
        graph: The graph, or a data set, see `answer_pairs`.
        frame: Frame of pandas or polars.
        explain: Add a column `derivation`.

    Raises:
        R5Error: The frame has no columns for the pairs, or a name is unknown; the message has the row.

    """
    frame_library(frame)
    is_one_graph = isinstance(graph, Graph) or graph.graph is not None
    width = 2 if is_one_graph else 3
    named = pair_columns(list(frame.columns), not is_one_graph)
    columns = named or (tuple(range(width)) if len(frame.columns) == width else ())
    if not columns:
        raise R5Error(f"the frame has no columns source and target, but {', '.join(map(str, frame.columns))}")
    texts = [["" if value is None else str(value) for value in column] for column in columns_of(frame, columns)]
    rows = zip(*texts, strict=True)
    pairs = (Pair(line, *row[-2:], *row[:-2]) for line, row in enumerate(rows, start=1))
    answers: list[Prediction] = []
    for pair, answer in answer_pairs(reasoner, graph, pairs, explain):
        if answer is None:
            raise R5Error(f"row {pair.line} (counted from 1): {pair.problem}")
        answers.append(answer)
    further: dict[str, list[Any]] = {
        "relation": [one.relation for one in answers],
        "probability": [one.probability for one in answers],
        "score": [one.score for one in answers],
        "reason": [one.reason for one in answers],
    }
    if explain:
        further["derivation"] = [None if one.derivation is None else str(one.derivation) for one in answers]
    return with_columns(frame, further)
