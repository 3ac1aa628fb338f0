"""Learning the weights of one target: a step that is asked for, its rules and what they lead to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5.chains.feature_kernels import Draw, Store, collect
from r5.chains.room import Room, Tick, new_store
from r5.chains.settings import ChainSettings
from r5.chains.steps import IdArray, StepGraph
from r5.chains.trie import make_trie
from r5.chains.weight_kernels import Desk, Weights, learn

__all__ = ["Bodies", "TrainingQuestions", "prepare"]

Bodies = list[tuple[int, ...]]

_SLICE = 128
"""Questions that are looked at between two looks at the clock."""
_FEW, _MANY = 5, 10
"""Epochs, where the settings do not say: the fewer questions, the more."""
_ENOUGH = 1_000
"""So many questions, the same ones again counted too, are enough for few epochs."""
_ALL_BELOW = 3
"""Graphs with fewer entities than so many times the candidates that are drawn have them all as candidates."""


@dataclass(frozen=True, eq=False)
class TrainingQuestions:
    """The questions about one step, as learning wants them."""

    graph: StepGraph
    step: int
    sources: IdArray
    answers: IdArray
    rules: int
    store: Store
    touches: float
    """Rules that lead to a candidate, on average: steps are divided by it, or dense graphs would diverge."""
    tick: Tick

    def __len__(self) -> int:
        return int(self.sources.size)

    def weigh(self, pace: float, settings: ChainSettings, rng: np.random.Generator, use: IdArray) -> Weights:
        """The weights learned from the questions `use`."""
        epochs = settings.epochs or int(np.clip(_ENOUGH // max(use.size, 1), _FEW, _MANY))
        pace *= _MANY / (epochs * self.touches)  # fewer epochs take larger steps
        weights, squares, total = (_zeros(self) for _ in range(3))
        desk = _desk(self._most, self.graph)
        counted = 0
        for epoch in range(epochs):
            order = rng.permutation(use)
            for first in range(0, order.size, _SLICE):
                part = order[first : first + _SLICE]
                learn(
                    self.graph.steps, self.store, self.sources, self.step, self.answers, part, weights, squares,
                    pace, settings.decay, desk,
                )  # fmt: skip
                self.tick()
            if 2 * epoch + 1 >= epochs - 1:
                counted += 1
                total = Weights(*(before + more for before, more in zip(total, weights, strict=True)))
        return Weights(*(part / counted for part in total))

    @property
    def _most(self) -> int:
        """The most candidates of a question."""
        return int(np.diff(self.store.offered).max(initial=1))


def prepare(
    graph: StepGraph,
    step: int,
    bodies: Bodies,
    prior: NDArray[np.float64],
    settings: ChainSettings,
    rng: np.random.Generator,
    room: Room,
    tick: Tick,
) -> TrainingQuestions:
    """What the rules say about each question, its fact hidden; as many questions as there is room for."""
    sources, answers = graph.questions(step)
    order = rng.permutation(sources.size)[: settings.questions]
    order = order[_side_by_side(sources[order])]
    sources, answers = sources[order], answers[order]
    draw = Draw(settings.best_candidates, settings.random_candidates, settings.other_candidates)
    most = 1 + draw.best + draw.reached + _ALL_BELOW * draw.others
    entries = min(1 << 20, settings.feature_limit)
    store = new_store(sources.size, (sources.size + 1) * most, entries)
    state = rng.integers(1 << 62, size=1, dtype=np.uint64)
    both = {step, int(graph.steps.inverse[step])}
    others = make_trie(bodies, [i for i, body in enumerate(bodies) if both.isdisjoint(body)])
    own = make_trie(bodies, [i for i, body in enumerate(bodies) if not both.isdisjoint(body)])
    room.for_rules(len(bodies))
    done = 0
    while done < sources.size:
        last = min(done + _SLICE, sources.size)
        stop = collect(
            graph.steps, others, own, sources, step, answers, done, last, prior, settings.frontier, draw,
            room.walker, room.reached, room.marks, store, state,
        )  # fmt: skip
        tick()
        if stop < last:
            left = settings.feature_limit - entries
            if left <= 0:
                break
            entries += min(entries, left)
            store = new_store(sources.size, store.candidates.size, entries, store)
        done = stop
    sources, answers = sources[:done], answers[:done]
    offered, uses = store.offered[: done + 1], store.used[: done + 1]
    store = store._replace(offered=offered, used=uses)
    touches = max(float(store.starts[uses[-1]]) / max(int(offered[-1]), 1), 1.0)
    return TrainingQuestions(graph, step, sources, answers, len(bodies), store, touches, tick)


def _zeros(questions: TrainingQuestions) -> Weights:
    return Weights(np.zeros((questions.rules, 4)), np.zeros((questions.graph.number_of_steps, 3)), np.zeros(1))


def _side_by_side(sources: IdArray) -> IdArray:
    """An order in which equal ones stand side by side, in the order in which each comes first."""
    _, first, which = np.unique(sources, return_index=True, return_inverse=True)
    return np.argsort(first[which], kind="stable")


def _desk(candidates: int, graph: StepGraph) -> Desk:
    nodes = graph.number_of_nodes
    return Desk(
        np.zeros(candidates), np.zeros((graph.number_of_steps, 4)), np.full(nodes, -1, np.int32),
        np.zeros(nodes, np.int32), np.zeros(nodes), np.zeros(nodes), np.zeros(1, np.int64), np.zeros(1),
    )  # fmt: skip
