"""Features of training queries against single walks, and trained weights against a slow twin."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings

from r5.chains.features.constant_index import make_constants, reversed_constants
from r5.chains.features.trie import make_trie
from r5.chains.features.walk_kernels import GraphWalk
from r5.chains.features.workspace import Workspace
from r5.chains.graph.step_graph import StepGraph
from r5.chains.graph.step_kernels import Mask
from r5.chains.inference.scoring_kernels import reach
from r5.chains.settings import ChainSettings
from r5.chains.training.queries import (
    REVERSED,
    RuleBodies,
    TrainingQueries,
    build_queries,
    shuffled_batches,
    train_weights,
)
from r5.chains.training.weight_kernels import BATCH
from tests.helpers.chain_graphs import FACTS, RELATIONS, made_of
from tests.oracle.chain_weights import Candidate, Feature, Learner

STEPS = 2 * len(RELATIONS)
CONSTANTS = np.array([(-1, -1, 2, 0), (0, 3, 2, 0), (4, 0, 1, 0), (1, 2, 5, 1)], np.int64)
BODIES = [body for length in (1, 2) for body in product(range(STEPS), repeat=length)]
EPOCHS = 2
LEARNING_RATE = 0.05
ALL_ALIKE = [(0, 0, 0), (0, 0, 1), (0, 0, 2), (1, 0, 0), (1, 0, 1), *((n, 1, 0) for n in range(6))]
"""All candidates have relation 1, so its gradient is nothing but rounding, which Adagrad must not amplify."""
SETTINGS = ChainSettings(epochs=EPOCHS, weight_decay=0.01, constant_weight_decay=0.01, learning_rate=LEARNING_RATE)


def queries_of(
    graph: StepGraph,
    step: int,
    reversed_: bool = False,
    initial_entries: int = 1 << 24,
    settings: ChainSettings = SETTINGS,
) -> TrainingQueries:
    bodies = [tuple(int(graph.steps.inverse[s]) for s in reversed(body)) for body in BODIES] if reversed_ else BODIES
    bodies = BODIES if len(set(bodies)) < len(bodies) else bodies
    rule_bodies = RuleBodies(bodies, reversed_constants(CONSTANTS) if reversed_ else CONSTANTS)
    return build_queries(
        graph,
        step,
        rule_bodies,
        settings,
        rng=np.random.default_rng(0),
        workspace=Workspace(graph, 1000),
        tick=lambda: None,
        reversed_=reversed_,
        initial_entries=initial_entries,
    )


def features_of(queries: TrainingQueries, query: int) -> dict[tuple[int, int], list[float]]:
    """Features of a query by rule and entity."""
    store, found = queries.store, {}
    entities = store.candidates[store.offered[query] : store.offered[query + 1]]
    for use in range(store.used[query], store.used[query + 1]):
        for entry in range(store.starts[use], store.starts[use + 1]):
            found[int(store.rules[use]), int(entities[store.places[entry]])] = store.features[entry].tolist()
    return found


@settings(deadline=None, max_examples=40)
@given(FACTS)
def test_features_are_those_of_each_rule_with_the_own_fact_masked(facts: list[tuple[int, int, int]]) -> None:
    graph = made_of(facts)
    workspace = Workspace(graph, 1000)
    workspace.reserve_rules(len(BODIES) + len(CONSTANTS))
    reached = workspace.reached
    for step in graph.targets():
        queries = queries_of(graph, step)
        pairs = list(zip(queries.sources.tolist(), queries.answers.tolist(), strict=True))
        assert sorted(pairs) == sorted(zip(*(side.tolist() for side in graph.queries(step)), strict=True))
        # Queries with the same source are adjacent.
        starts = [source for n, (source, _) in enumerate(pairs) if n == 0 or pairs[n - 1][0] != source]
        assert len(starts) == len(set(starts))
        for query, (source, answer) in enumerate(pairs):
            known = {b for a, b in pairs if a == source} - {answer}
            mask = Mask(source, step, answer)
            constants = make_constants(CONSTANTS, graph, len(BODIES))
            count = reach(
                GraphWalk(graph.steps, 1000, workspace.walker), make_trie(BODIES), constants, source, mask, reached
            )
            expected = {}
            for use in range(count):
                for entry in range(reached.starts[use], reached.starts[use + 1]):
                    if int(reached.entities[entry]) not in known:
                        features = reached.features[entry, :2].astype(np.float32).tolist()
                        expected[int(reached.rules[use]), int(reached.entities[entry])] = features
            assert features_of(queries, query) == expected


def candidates_of(graph: StepGraph, queries: TrainingQueries, query: int) -> list[Candidate]:
    """Candidates as the slow twin reads them, counted from the facts of the graph."""
    store, step = queries.store, queries.step
    source, answer = int(queries.sources[query]), int(queries.answers[query])
    rules: dict[int, dict[Feature, float]] = {}
    for (rule, entity), features in features_of(queries, query).items():
        own = rules.setdefault(entity, {})
        own.update({("rule", rule, j): x for j, x in enumerate([1.0, *features])})
    found = []
    for place in range(store.offered[query], store.offered[query + 1]):
        entity = int(store.candidates[place])
        counts = dict.fromkeys(range(STEPS), 0)
        for kind in graph.targets():
            counts[kind] = int(np.count_nonzero(graph.queries(kind)[0] == entity))
        counts[step] -= entity == source
        counts[int(graph.steps.inverse[step])] -= entity == answer
        own = {}
        for kind, count in counts.items():
            if count > 0:
                figures = (1.0, float(count > 1), math.log1p(count))  # also with a value of 0, for the weight decay
                own.update({("step", kind, j): x for j, x in enumerate(figures)})
        if entity == source:
            own["start", 0, 0] = 1.0
        name = None if entity in (source, answer) else entity
        found.append(Candidate(rules.get(entity, {}), own, float(store.stands_for[place]), name))
    return found


def rename_biases(candidates: list[Candidate], place: int) -> list[Candidate]:
    """Give each direction entity biases of its own."""
    return [
        replace(candidate, own={(f"{kind}{place}", *rest): x for (kind, *rest), x in candidate.own.items()})
        for candidate in candidates
    ]


def test_feature_store_grows_and_keeps_its_entries() -> None:
    graph = made_of([(n, n % 2, m) for n in range(6) for m in range(6)])
    expected = queries_of(graph, 0)
    uses = int(expected.store.used[-1])
    grown = queries_of(graph, 0, initial_entries=20)
    assert expected.store.places.size > grown.store.places.size >= expected.store.starts[uses] > 20
    for query in range(len(expected)):
        assert features_of(grown, query) == features_of(expected, query)


@settings(deadline=None, max_examples=20)
@given(FACTS)
@example(ALL_ALIKE)
def test_weights_are_those_of_a_slow_twin(facts: list[tuple[int, int, int]]) -> None:
    graph = made_of(facts)
    steps = graph.steps_of(graph.used()[0])
    parts = [queries_of(graph, step, reversed_=place > 0) for place, step in enumerate(steps)]
    weights = train_weights(parts, SETTINGS, np.random.default_rng(5))
    rng = np.random.default_rng(5)
    learner = Learner(0.0, 0.01, BATCH)
    for _ in range(EPOCHS):
        for place, batch in shuffled_batches(parts, rng):
            learner.learning_rate = 0.8 * LEARNING_RATE * 10 / (EPOCHS * parts[place].rule_divisor)
            learner.learn([rename_biases(candidates_of(graph, parts[place], n), place) for n in batch.tolist()])
    for place, own in enumerate(weights):
        rules = own.rules[:, REVERSED] if place else own.rules
        of_entity = ((f"step{place}", own.steps), (f"start{place}", own.start[:, None]))
        for name, array in (("rule", rules), *of_entity):
            for (i, j), value in np.ndenumerate(array):
                expected = learner.weights.get((name, i, j), 0.0)
                assert value == pytest.approx(expected, rel=1e-6, abs=1e-9), (name, i, j)


def test_shuffled_batches_have_each_query_once() -> None:
    graph = made_of([(n, 0, m) for n in range(5) for m in range(6) if n != m])
    parts = [queries_of(graph, step) for step in (0, 0)]
    order = list(shuffled_batches(parts, np.random.default_rng(0)))
    for place, part in enumerate(parts):
        numbers = np.concatenate([batch for direction, batch in order if direction == place])
        assert sorted(numbers.tolist()) == list(range(len(part)))


def test_sampled_negatives_represent_all_candidates() -> None:
    facts = [(n, 0, (3 * n + m) % 20) for n in range(20) for m in range(4)]
    facts += [(n, 1, (n + m) % 20) for n in range(20) for m in range(7)]
    graph = made_of(facts, 20)
    few = queries_of(graph, 0, settings=replace(SETTINGS, reached_negatives=3, random_negatives=2))
    every = queries_of(graph, 0, settings=replace(SETTINGS, reached_negatives=100, random_negatives=100))
    for query, answer in enumerate(few.answers.tolist()):
        offered = slice(few.store.offered[query], few.store.offered[query + 1])
        entities, represented = few.store.candidates[offered], few.store.stands_for[offered]
        size = every.store.offered[query + 1] - every.store.offered[query]
        assert entities[0] == answer and len(set(entities.tolist())) == entities.size <= 1 + 3 + 2 < size
        assert set(every.store.stands_for[every.store.offered[query] : every.store.offered[query + 1]].tolist()) == {1}
        assert represented.sum() == pytest.approx(size, abs=float(represented.max()) + 3)
