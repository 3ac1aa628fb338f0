"""Training queries of one relation, in one direction or both, and the weights learned from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from r5.chains.features.constant_index import NO_CONSTANTS, make_constants, max_reached
from r5.chains.features.feature_kernels import CollectionScratch, Draw, FeatureStore, QueryBatch, RuleIndex, collect
from r5.chains.features.trie import make_trie
from r5.chains.features.walk_kernels import GraphWalk
from r5.chains.features.workspace import Tick, Workspace
from r5.chains.graph.step_graph import IdArray, StepGraph
from r5.chains.settings import ChainSettings
from r5.chains.training.weight_kernels import OptimizerState, Weights, learn

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
"""Queries between two checks of the budget."""
_BATCH = 16
"""Number of consecutive training queries of one direction."""
_REFERENCE_EPOCHS, _REFERENCE_QUERIES = 10, 500
"""Numbers of epochs and queries to which `learning_rate` applies unscaled."""
_RATE_SCALES = 0.8, 5.0
"""Bounds of the factor sqrt(queries / _REFERENCE_QUERIES) of the learning rate."""
_INITIAL_ENTRIES = 1 << 24
"""Initial capacity of the feature store. Untouched memory costs nothing, whereas growing the store copies it."""
_EXHAUSTIVE_FACTOR = 3
"""Graphs with at most this many times `random_negatives` entities use every entity as a candidate."""
REVERSED = [0, 2, 1]
"""Columns of a rule's weights as the reversed rule reads them: applies, backward, forward."""


@dataclass(frozen=True, eq=False)
class RuleBodies:
    """Bodies of the rules of one step: chains, then rules with constants."""

    chains: Bodies
    constants: IdArray = field(default_factory=NO_CONSTANTS.copy)  # [rules with constants, 4]

    def __len__(self) -> int:
        return len(self.chains) + len(self.constants)


@dataclass(frozen=True, eq=False)
class TrainingQueries:
    """Training queries of one step, with the candidates and features of each."""

    graph: StepGraph
    step: int
    sources: IdArray  # [queries]
    answers: IdArray  # [queries]
    rules: int
    """Number of rules."""
    chains: int
    """Number of chain rules, which come first."""
    store: FeatureStore
    rule_divisor: float
    """Divisor of the learning rate: mean number of rules per candidate, without which dense graphs diverge."""
    tick: Tick
    workspace: Workspace
    reversed_: bool
    """True if the rules are those of the other direction, reversed: their forward and backward features swap."""

    def __len__(self) -> int:
        return int(self.sources.size)

    @property
    def max_candidates(self) -> int:
        """Largest number of candidates of a query."""
        return int(np.diff(self.store.offered).max(initial=1))


def train_weights(
    parts: Sequence[TrainingQueries],
    settings: ChainSettings,
    rng: np.random.Generator,
    initial: NDArray[np.float64] | None = None,
) -> list[Weights]:
    """Learn the weights of a relation from its queries in one direction or both.

    Rule i of one direction is rule i of the other, reversed. Both share their weights, so each rule is learned from the
    queries of both directions. Entity biases are separate.

    Args:
        parts: Queries of each direction; the rules of the second are reversed.
        settings: Epochs, learning rate and weight decay.
        rng: Shuffles the queries.
        initial: Initial weights of the rules, [rules, 3]; 0 by default.

    Returns:
        Weights of each direction.
    """
    size = sum(len(part) for part in parts)
    epochs = settings.epochs
    # A low learning rate keeps many rules from overfitting few queries.
    scale = float(np.clip(np.sqrt(size / _REFERENCE_QUERIES), *_RATE_SCALES))
    learning_rate = settings.learning_rate * scale * _REFERENCE_EPOCHS / epochs
    weights, accumulator = _zeros(parts), _zeros(parts)
    if initial is not None:
        weights[0].rules[:] = initial
    # Each batch leaves the shared scratch as it found it.
    scratch = parts[0].workspace.scratch(max(part.max_candidates for part in parts))
    for _ in range(epochs):
        for place, numbers in shuffled_batches(parts, rng):
            part = parts[place]
            optimizer = OptimizerState(
                weights=weights[place],
                accumulator=accumulator[place],
                learning_rate=learning_rate / part.rule_divisor,
                weight_decay=settings.weight_decay,
                constant_weight_decay=settings.constant_weight_decay,
            )
            batch = QueryBatch(part.step, part.sources, part.answers)
            learn(part.graph.steps, part.store, batch, numbers, optimizer, scratch, part.chains)
            part.tick()
    reversed_ = np.ascontiguousarray(weights[0].rules[:, REVERSED])
    return [own._replace(rules=reversed_) if part.reversed_ else own for own, part in zip(weights, parts, strict=True)]


def shuffled_batches(parts: Sequence[TrainingQueries], rng: np.random.Generator) -> Iterator[tuple[int, IdArray]]:
    """Yield all queries in random order, in batches of one direction.

    Args:
        parts: Queries of each direction.
        rng: Shuffles the queries and the batches.

    Yields:
        The number of the direction, and the numbers of up to 16 of its queries.
    """
    batches: list[tuple[int, IdArray]] = []
    for place, part in enumerate(parts):
        order = rng.permutation(len(part))
        batches += [(place, order[first : first + _BATCH]) for first in range(0, order.size, _BATCH)]
    for number in rng.permutation(len(batches)).tolist():
        yield batches[number]


def build_queries(
    graph: StepGraph,
    step: int,
    rule_bodies: RuleBodies,
    settings: ChainSettings,
    *,
    rng: np.random.Generator,
    workspace: Workspace,
    tick: Tick,
    reversed_: bool = False,
    initial_entries: int = _INITIAL_ENTRIES,
) -> TrainingQueries:
    """Collect the candidates and features of training queries, each with its own fact masked.

    The result is a view of the workspace: it is valid until the same direction of another relation is built.

    Args:
        graph: The training graph.
        step: The step of the queries.
        rule_bodies: Bodies of its rules.
        settings: Limits of queries, negatives and features.
        rng: Draws queries and negatives.
        workspace: Scratch arrays of this thread.
        tick: Called after each slice of queries; may raise to stop.
        reversed_: True if the rules are those of the other direction, reversed.
        initial_entries: Initial capacity of the feature store.

    Returns:
        As many queries as `settings.queries` and `settings.feature_limit` allow.
    """
    sources, answers = graph.queries(step)
    order = rng.permutation(sources.size)[: settings.queries]
    order = order[_group_equal(sources[order])]
    sources, answers = sources[order], answers[order]
    draw = Draw(settings.reached_negatives, settings.random_negatives)
    max_candidates = 1 + draw.reached + _EXHAUSTIVE_FACTOR * draw.others
    entries = min(initial_entries, settings.feature_limit)
    buffers = workspace.buffers[reversed_]
    store = buffers.store(sources.size, (sources.size + 1) * max_candidates, entries)
    state = rng.integers(1 << 62, size=1, dtype=np.uint64)
    bodies = rule_bodies.chains
    both = {step, int(graph.steps.inverse[step])}
    others = make_trie(bodies, [i for i, body in enumerate(bodies) if both.isdisjoint(body)])
    sensitive = [i for i, body in enumerate(bodies) if not both.isdisjoint(body)]
    own = make_trie(bodies, sensitive)
    constants = make_constants(rule_bodies.constants, graph, len(bodies))
    workspace.reserve_rules(len(bodies), len(rule_bodies.constants), max_reached(constants, graph, settings.frontier))
    workspace.reserve_queries(len(sensitive), own.steps.size, _SLICE)
    walk = GraphWalk(graph.steps, settings.frontier, workspace.walker)
    index = RuleIndex(others, own, constants, reversed_)
    batch = QueryBatch(step, sources, answers)
    scratch = CollectionScratch(workspace.reached, workspace.unmasked, workspace.marks, state)
    done = 0
    while done < sources.size:
        last = min(done + _SLICE, sources.size)
        stop = collect(walk, index, batch, done, last, draw, scratch, store)
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
        graph,
        step,
        sources,
        answers,
        len(rule_bodies),
        len(bodies),
        store,
        rule_divisor,
        tick,
        workspace,
        reversed_,
    )


def _zeros(parts: Sequence[TrainingQueries]) -> list[Weights]:
    """Return zero weights of each direction; the array of the rules is shared."""
    rules = np.zeros((parts[0].rules, 3))
    return [Weights(rules, np.zeros((part.graph.number_of_steps, 3)), np.zeros(1)) for part in parts]


def _group_equal(sources: IdArray) -> IdArray:
    """Return an order that groups equal values, the groups ordered by first occurrence."""
    _, first, group = np.unique(sources, return_index=True, return_inverse=True)
    return np.argsort(first[group], kind="stable")
