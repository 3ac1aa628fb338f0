"""Many pairs of names, asked a few thousand at a time: constant memory, the order kept, the answers as they come."""

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
from r5.parallel.packing import pack, unpack

__all__ = ["answer_frame", "answer_pairs"]

Asked = tuple[NDArray[np.int32], NDArray[np.int32]] | Examples
_AT_ONCE, _AT_ONCE_EXPLAINED = 4096, 256
"""Pairs asked at once: enough that calls cost little, few enough that their paths fit anywhere."""


class Answering(Protocol):
    """What is asked of a reasoner here."""

    def predict_many(self, examples: Examples) -> list[Prediction]: ...
    def predict_plain(self, examples: Examples) -> list[Prediction]: ...


def answer_pairs(
    reasoner: Answering,
    graph: Graph | Dataset,
    pairs: Iterable[Pair],
    explain: bool = True,
    split: str = "test",
    cluster: Cluster | None = None,
) -> Iterator[tuple[Pair, Prediction | None]]:
    """Each pair with its answer, in order; None where the pair has a problem, which it then tells.

    Of a data set with a graph for each example, `Pair.example` says which of the `split` is meant. The workers of a
    `cluster` answer a few thousand at a time, which makes no difference to the answers.
    """
    places = _OneGraph(graph) if isinstance(graph, Graph) else _places(graph, split)
    rest = iter(pairs)
    waiting: deque[list[Pair]] = deque()

    def batches() -> Iterator[Asked]:
        while batch := list(islice(rest, _AT_ONCE_EXPLAINED if explain else _AT_ONCE)):
            checked = [pair if pair.problem else places.checked(pair) for pair in batch]
            waiting.append(checked)
            yield places.asked([pair for pair in checked if not pair.problem])

    if cluster is None or cluster.is_here:
        answered: Iterator[list[Prediction]] = map(_Answerer(reasoner, places.graph, explain), batches())
    else:
        model, about = cluster.share(pack(reasoner)), cluster.share(_shareable(places.graph))
        answered = cluster.stream(_Elsewhere(model, about, explain), batches())
    for found in answered:
        answers = iter(found)
        yield from ((pair, None if pair.problem else next(answers)) for pair in waiting.popleft())


def _shareable(graph: Graph | None) -> Graph | None:
    """The graph with what path finding needs of it, so that no worker works that out, and without the rest."""
    if graph is None:
        return None
    bare = replace(graph)
    _ = bare.outgoing, bare.incoming
    return bare


@dataclass
class _Answerer:
    """Answers questions about a graph, or about those that come with them."""

    reasoner: Answering
    graph: Graph | None
    explain: bool

    def __call__(self, asked: Asked) -> list[Prediction]:
        if not len(asked[0] if isinstance(asked, tuple) else asked):
            return []
        ask = self.reasoner.predict_many if self.explain else self.reasoner.predict_plain
        if isinstance(asked, Examples):
            return ask(asked)
        sources, targets = asked
        return ask(Examples.over(self.graph, sources, targets, np.full(sources.size, -1, np.int32)))  # type: ignore[arg-type]


@dataclass
class _Elsewhere:
    """The same in another process; the graph is there once on each machine."""

    model: Shared[bytes]
    graph: Shared[Graph | None]
    explain: bool
    _here: _Answerer | None = None

    def __call__(self, asked: Asked) -> list[Prediction]:
        if self._here is None:
            self._here = _Answerer(unpack(self.model.value), self.graph.value, self.explain)
        return self._here(asked)


def _places(data: Dataset, split: str) -> _OneGraph | _ManyGraphs:
    return _OneGraph(data.graph) if data.graph is not None else _ManyGraphs(data.split(split), split)


def _with_problem(pair: Pair, problem: str) -> Pair:
    return Pair(pair.line, pair.source, pair.target, pair.example, problem)


class _OneGraph:
    """Names in one graph that all pairs are about."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._nodes = graph.nodes

    def checked(self, pair: Pair) -> Pair:
        """The pair, with a problem where a name is not in the graph."""
        for name in (pair.source, pair.target):
            if name not in self._nodes:
                return _with_problem(pair, f"no entity is called {name!r}")
        return pair

    def asked(self, pairs: Sequence[Pair]) -> Asked:
        """The numbers of the entities."""
        sources = np.fromiter((self._nodes[pair.source] for pair in pairs), np.int32, len(pairs))
        targets = np.fromiter((self._nodes[pair.target] for pair in pairs), np.int32, len(pairs))
        return sources, targets


class _ManyGraphs:
    """Names in the graphs of examples, one for each."""

    graph = None

    def __init__(self, examples: Examples, split: str) -> None:
        self._examples, self._split = examples, split

    def checked(self, pair: Pair) -> Pair:
        """The pair, with a problem where there is no such example or it has no such name."""
        if not pair.example.isascii() or not pair.example.isdecimal() or int(pair.example) >= len(self._examples):
            last = len(self._examples) - 1
            return _with_problem(pair, f"{pair.example!r} is not the number of an example of {self._split}, 0..{last}")
        names = self._examples[int(pair.example)].graph.nodes
        strange = next((name for name in (pair.source, pair.target) if name not in names), None)
        return pair if strange is None else _with_problem(pair, f"example {pair.example} has no entity {strange!r}")

    def asked(self, pairs: Sequence[Pair]) -> Asked:
        """The examples, with their graphs."""
        rows = []
        for pair in pairs:
            example = self._examples[int(pair.example)]
            query = Query(example.graph.node(pair.source), example.graph.node(pair.target))
            rows.append(Example(example.graph, query, masked_fact=example.masked_fact))
        return Examples.of(rows)


def answer_frame(reasoner: Answering, graph: Graph | Dataset, frame: Any, explain: bool) -> Any:
    """The frame with the answers as further columns; a name that is not known is an error that has its row."""
    frame_library(frame)
    one = isinstance(graph, Graph) or graph.graph is not None
    width = 2 if one else 3
    places = pair_columns(list(frame.columns), not one) or (tuple(range(width)) if len(frame.columns) == width else ())
    if not places:
        raise R5Error(f"the frame has no columns source and target, but {', '.join(map(str, frame.columns))}")
    columns = [["" if value is None else str(value) for value in column] for column in columns_of(frame, places)]
    rows = zip(*columns, strict=True)
    pairs = (Pair(line, *row[-2:], *row[:-2]) for line, row in enumerate(rows, start=1))
    answers: list[Prediction] = []
    for pair, answer in answer_pairs(reasoner, graph, pairs, explain):
        if answer is None:
            raise R5Error(f"row {pair.line} (counted from 1): {pair.problem}")
        answers.append(answer)
    found: dict[str, list[Any]] = {
        "relation": [one.relation for one in answers],
        "probability": [one.probability for one in answers],
        "score": [one.score for one in answers],
        "reason": [one.reason for one in answers],
    }
    if explain:
        found["derivation"] = [None if one.derivation is None else str(one.derivation) for one in answers]
    return with_columns(frame, found)
