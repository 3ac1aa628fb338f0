"""Many pairs of names, asked a few thousand at a time: constant memory, the order kept, the answers as they come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

import numpy as np

from r5._util.frames import columns_of, frame_library, with_columns
from r5.data.formats.pairs import Pair, pair_columns
from r5.dataset import Dataset
from r5.derivations.derivation import Prediction
from r5.errors import R5Error
from r5.examples import Example, Examples, Query
from r5.graph import Graph

__all__ = ["answer_frame", "answer_pairs"]

_AT_ONCE, _AT_ONCE_EXPLAINED = 4096, 256
"""Pairs asked at once: enough that calls cost little, few enough that their paths fit anywhere."""


class Answering(Protocol):
    """What is asked of a reasoner here."""

    def predict_many(self, examples: Examples) -> list[Prediction]: ...
    def predict_plain(self, examples: Examples) -> list[Prediction]: ...


def answer_pairs(
    reasoner: Answering, graph: Graph | Dataset, pairs: Iterable[Pair], explain: bool = True, split: str = "test"
) -> Iterator[tuple[Pair, Prediction | None]]:
    """Each pair with its answer, in order; None where the pair has a problem, which it then tells.

    Of a data set with a graph for each example, `Pair.example` says which of the `split` is meant.
    """
    places = _OneGraph(graph) if isinstance(graph, Graph) else _places(graph, split)
    ask = reasoner.predict_many if explain else reasoner.predict_plain
    rest = iter(pairs)
    while batch := list(islice(rest, _AT_ONCE_EXPLAINED if explain else _AT_ONCE)):
        checked = [pair if pair.problem else places.checked(pair) for pair in batch]
        good = [pair for pair in checked if not pair.problem]
        answers = iter(ask(places.examples(good)) if good else [])
        yield from ((pair, None if pair.problem else next(answers)) for pair in checked)


def _places(data: Dataset, split: str) -> _OneGraph | _ManyGraphs:
    return _OneGraph(data.graph) if data.graph is not None else _ManyGraphs(data.split(split), split)


def _with_problem(pair: Pair, problem: str) -> Pair:
    return Pair(pair.line, pair.source, pair.target, pair.example, problem)


class _OneGraph:
    """Names in one graph that all pairs are about."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._nodes = graph.nodes

    def checked(self, pair: Pair) -> Pair:
        """The pair, with a problem where a name is not in the graph."""
        for name in (pair.source, pair.target):
            if name not in self._nodes:
                return _with_problem(pair, f"no entity is called {name!r}")
        return pair

    def examples(self, pairs: Sequence[Pair]) -> Examples:
        sources = np.fromiter((self._nodes[pair.source] for pair in pairs), np.int32, len(pairs))
        targets = np.fromiter((self._nodes[pair.target] for pair in pairs), np.int32, len(pairs))
        return Examples.over(self._graph, sources, targets, np.full(len(pairs), -1, np.int32))


class _ManyGraphs:
    """Names in the graphs of examples, one for each."""

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

    def examples(self, pairs: Sequence[Pair]) -> Examples:
        rows = []
        for pair in pairs:
            example = self._examples[int(pair.example)]
            query = Query(example.graph.node(pair.source), example.graph.node(pair.target))
            rows.append(Example(example.graph, query, hidden_fact=example.hidden_fact))
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
