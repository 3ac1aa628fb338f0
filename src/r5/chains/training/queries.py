"""Learning the weights of one relation: its rules and what they lead to, asked from one end or from the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from r5.chains.features.feature_kernels import Draw, FeatureStore, collect
from r5.chains.features.trie import make_trie
from r5.chains.features.workspace import Tick, Workspace
from r5.chains.graph.step_graph import IdArray, StepGraph
from r5.chains.mining.constants import NO_CONSTANTS, make_constants, max_reached
from r5.chains.settings import ChainSettings
from r5.chains.training.weight_kernels import Weights, learn

__all__ = [
    "REVERSED",
    "Bodies",
    "RuleBodies",
    "TrainingQueries",
    "build_queries",
    "shuffled_batches",
    "train_weights",
]

Bodies = list[tuple[int, ...]]

_SLICE = 128
"""Questions that are looked at between two looks at the clock."""
_EPOCHS = 10
"""So many epochs have steps of the size that the settings say; fewer take larger ones."""
_USUAL, _LEAST, _MOST = 500, 0.8, 5.0
"""So many questions have steps of the size that the settings say; with the square root of their number it grows."""
_PIECE = 16
"""Questions of one direction between those of the other."""
REVERSED = [0, 3, 2, 1]
"""The weights of a rule that is read from its end: that it leads there, back, in how many ways, ahead."""
_FEW_PROPERTIES = 16.0
"""So many properties a candidate need no smaller steps."""
_ROOM = 1 << 24
"""Room is made for so many uses of rules at first. Memory that nobody writes to costs nothing; to move what is there
to larger rooms would."""
_ALL_BELOW = 3
"""Graphs with fewer entities than so many times the candidates that are drawn have them all as candidates."""


@dataclass(frozen=True, eq=False)
class RuleBodies:
    """What the rules of one step start from: chains, and after them facts about fixed entities."""

    chains: Bodies
    constants: IdArray = field(default_factory=NO_CONSTANTS.copy)

    def __len__(self) -> int:
        return len(self.chains) + len(self.constants)


@dataclass(frozen=True, eq=False)
class TrainingQueries:
    """The questions about one step, as learning wants them."""

    graph: StepGraph
    step: int
    sources: IdArray
    answers: IdArray
    rules: int
    chains: int
    store: FeatureStore
    rule_divisor: float
    """Rules that lead to a candidate, on average: steps are divided by it, or dense graphs would diverge."""
    tick: Tick
    workspace: Workspace
    reversed_: bool
    """Whether the rules are those of the other direction, read from their ends: what is ahead there is back here."""

    def __len__(self) -> int:
        return int(self.sources.size)

    @property
    def bias_divisor(self) -> float:
        """What steps are divided by for what candidates are by themselves: some have thousands of properties."""
        rows = self.graph.steps.node_rows
        candidates = self.store.candidates[: self.store.offered[-1]].astype(np.int64)
        sizes = rows[candidates + 1] - rows[candidates]
        return float(np.sqrt((sizes * sizes).sum() / max(sizes.size, 1))) / _FEW_PROPERTIES

    @property
    def most(self) -> int:
        """The most candidates of a question."""
        return int(np.diff(self.store.offered).max(initial=1))


def train_weights(parts: Sequence[TrainingQueries], settings: ChainSettings, rng: np.random.Generator) -> list[Weights]:
    """The weights learned from the questions of a relation, asked in one direction or in both.

    Rule i of one direction is rule i of the other, read from its end, and has the same weights: each is
    learned from twice as many questions, and says the same whoever asks. What candidates are by themselves differs.
    """
    size = sum(len(part) for part in parts)
    epochs = settings.epochs
    # Small steps keep many rules from fitting few questions by heart.
    learning_rate = settings.learning_rate * float(np.clip(np.sqrt(size / _USUAL), _LEAST, _MOST)) * _EPOCHS / epochs
    weights, accumulator, total = (_zeros(parts) for _ in range(3))
    # Each piece of questions leaves the desk as it found it.
    scratch = parts[0].workspace.scratch(max(part.most for part in parts))
    bias_learning_rates = [learning_rate / max(part.rule_divisor, part.bias_divisor) for part in parts]
    counted = 0
    for epoch in range(epochs):
        for place, some in shuffled_batches(parts, rng):
            part = parts[place]
            learn(
                part.graph.steps,
                part.store,
                part.sources,
                part.step,
                part.answers,
                some,
                weights[place],
                accumulator[place],
                learning_rate / part.rule_divisor,
                bias_learning_rates[place],
                settings.weight_decay,
                scratch,
                part.chains,
                settings.constant_weight_decay,
            )
            part.tick()
        if 2 * epoch + 1 >= epochs - 1:
            counted += 1
            for place, one in enumerate(weights):
                total[place].steps[:] += one.steps
                total[place].start[:] += one.start
            total[0].rules[:] += weights[0].rules
    rules = total[0].rules / counted
    reversed_ = np.ascontiguousarray(rules[:, REVERSED])
    return [
        Weights(reversed_ if part.reversed_ else rules, one.steps / counted, one.start / counted)
        for one, part in zip(total, parts, strict=True)
    ]


def shuffled_batches(parts: Sequence[TrainingQueries], rng: np.random.Generator) -> Iterator[tuple[int, IdArray]]:
    """All questions in an order by chance, a few of one direction at a time."""
    pieces: list[tuple[int, IdArray]] = []
    for place, part in enumerate(parts):
        order = rng.permutation(len(part))
        pieces += [(place, order[first : first + _PIECE]) for first in range(0, order.size, _PIECE)]
    for piece in rng.permutation(len(pieces)).tolist():
        yield pieces[piece]


def build_queries(
    graph: StepGraph,
    step: int,
    rule_bodies: RuleBodies,
    prior: NDArray[np.float64],
    settings: ChainSettings,
    rng: np.random.Generator,
    workspace: Workspace,
    tick: Tick,
    reversed_: bool = False,
) -> TrainingQueries:
    """What the rules say about each question, its fact hidden; as many questions as there is room for.

    It is kept in the room, until the same direction of another relation is.
    """
    sources, answers = graph.queries(step)
    order = rng.permutation(sources.size)[: settings.queries]
    order = order[_side_by_side(sources[order])]
    sources, answers = sources[order], answers[order]
    draw = Draw(settings.hard_negatives, settings.reached_negatives, settings.random_negatives)
    most = 1 + draw.best + draw.reached + _ALL_BELOW * draw.others
    entries = min(_ROOM, settings.feature_limit)
    buffers = workspace.buffers[reversed_]
    store = buffers.store(sources.size, (sources.size + 1) * most, entries)
    state = rng.integers(1 << 62, size=1, dtype=np.uint64)
    bodies = rule_bodies.chains
    both = {step, int(graph.steps.inverse[step])}
    others = make_trie(bodies, [i for i, body in enumerate(bodies) if both.isdisjoint(body)])
    sensitive = [i for i, body in enumerate(bodies) if not both.isdisjoint(body)]
    own = make_trie(bodies, sensitive)
    constants = make_constants(rule_bodies.constants, graph, len(bodies))
    workspace.reserve_rules(len(bodies), len(rule_bodies.constants), max_reached(constants, graph, settings.frontier))
    workspace.reserve_queries(len(sensitive), own.steps.size, _SLICE)
    done = 0
    while done < sources.size:
        last = min(done + _SLICE, sources.size)
        stop = collect(
            graph.steps,
            others,
            own,
            constants,
            sources,
            step,
            answers,
            done,
            last,
            prior,
            settings.frontier,
            draw,
            workspace.walker,
            workspace.reached,
            workspace.whole,
            workspace.marks,
            store,
            state,
            reversed_,
        )
        tick()
        if stop < last:
            if entries == settings.feature_limit:
                break
            entries = min(2 * entries, settings.feature_limit)
            store = buffers.store(sources.size, store.candidates.size, entries, int(store.starts[store.used[stop]]))
        done = stop
    sources, answers = sources[:done], answers[:done]
    offered, uses = store.offered[: done + 1], store.used[: done + 1]
    store = store._replace(offered=offered, used=uses)
    rule_divisor = max(float(store.starts[uses[-1]]) / max(int(offered[-1]), 1), 1.0)
    return TrainingQueries(
        graph, step, sources, answers, len(rule_bodies), len(bodies), store, rule_divisor, tick, workspace, reversed_
    )


def _zeros(parts: Sequence[TrainingQueries]) -> list[Weights]:
    """No weights, those of the rules shared."""
    rules = np.zeros((parts[0].rules, 4))
    return [Weights(rules, np.zeros((part.graph.number_of_steps, 3)), np.zeros(1)) for part in parts]


def _side_by_side(sources: IdArray) -> IdArray:
    """An order in which equal ones stand side by side, in the order in which each comes first."""
    _, first, which = np.unique(sources, return_index=True, return_inverse=True)
    return np.argsort(first[which], kind="stable")
