"""What is kept of each question, and learning from it, against following each rule alone and against a slow twin."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings

from r5.chains.features.trie import make_trie
from r5.chains.features.workspace import Workspace
from r5.chains.graph.step_graph import StepGraph
from r5.chains.graph.step_kernels import Mask
from r5.chains.inference.scoring_kernels import reach
from r5.chains.mining.constants import make_constants, reversed_constants
from r5.chains.settings import ChainSettings
from r5.chains.training import queries as learning
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
PACE = 0.05
ALL_ALIKE = [(0, 0, 0), (0, 0, 1), (0, 0, 2), (1, 0, 0), (1, 0, 1), *((n, 1, 0) for n in range(6))]
"""All candidates have relation 1, so its slopes are nothing but rounding: it must not be blown up."""
SETTINGS = ChainSettings(epochs=EPOCHS, weight_decay=0.01, constant_weight_decay=0.01, learning_rate=PACE)


def lesson_of(graph: StepGraph, step: int, reversed_: bool = False) -> TrainingQueries:
    workspace, rng = Workspace(graph, 1000), np.random.default_rng(0)
    bodies = [tuple(int(graph.steps.inverse[s]) for s in reversed(body)) for body in BODIES] if reversed_ else BODIES
    bodies = BODIES if len(set(bodies)) < len(bodies) else bodies
    rule_bodies = RuleBodies(bodies, reversed_constants(CONSTANTS) if reversed_ else CONSTANTS)
    return build_queries(
        graph, step, rule_bodies, np.ones(len(rule_bodies)), SETTINGS, rng, workspace, lambda: None, reversed_
    )


def kept(lesson: TrainingQueries, query: int) -> dict[tuple[int, int], list[float]]:
    """The features of each rule and candidate, by rule and entity."""
    store, found = lesson.store, {}
    names = store.candidates[store.offered[query] : store.offered[query + 1]]
    for use in range(store.used[query], store.used[query + 1]):
        for entry in range(store.starts[use], store.starts[use + 1]):
            found[int(store.rules[use]), int(names[store.places[entry]])] = store.features[entry].tolist()
    return found


@settings(deadline=None, max_examples=40)
@given(FACTS)
def test_questions_keep_what_each_rule_leads_to_with_their_fact_hidden(facts: list[tuple[int, int, int]]) -> None:
    graph = made_of(facts)
    workspace = Workspace(graph, 1000)
    workspace.reserve_rules(len(BODIES) + len(CONSTANTS))
    reached = workspace.reached
    for step in graph.targets():
        lesson = lesson_of(graph, step)
        pairs = list(zip(lesson.sources.tolist(), lesson.answers.tolist(), strict=True))
        assert sorted(pairs) == sorted(zip(*(side.tolist() for side in graph.queries(step)), strict=True))
        # Questions about one entity stand side by side.
        starts = [source for n, (source, _) in enumerate(pairs) if n == 0 or pairs[n - 1][0] != source]
        assert len(starts) == len(set(starts))
        for query, (source, answer) in enumerate(pairs):
            known = {b for a, b in pairs if a == source} - {answer}
            mask = Mask(source, step, answer)
            constants = make_constants(CONSTANTS, graph, len(BODIES))
            count = reach(graph.steps, make_trie(BODIES), constants, source, mask, 1000, workspace.walker, reached)
            wanted = {}
            for use in range(count):
                for entry in range(reached.starts[use], reached.starts[use + 1]):
                    if int(reached.entities[entry]) not in known:
                        features = reached.features[entry].astype(np.float32).tolist()
                        wanted[int(reached.rules[use]), int(reached.entities[entry])] = features
            assert kept(lesson, query) == wanted


def candidates_of(graph: StepGraph, lesson: TrainingQueries, query: int) -> list[Candidate]:
    """What the slow twin is told, from the graph's own facts."""
    store, step = lesson.store, lesson.step
    source, answer = int(lesson.sources[query]), int(lesson.answers[query])
    rules: dict[int, dict[Feature, float]] = {}
    for (rule, entity), features in kept(lesson, query).items():
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
                figures = (1.0, float(count > 1), math.log1p(count))  # a 0 is drawn to 0 too
                own.update({("step", kind, j): x for j, x in enumerate(figures)})
        if entity == source:
            own["start", 0, 0] = 1.0
        name = None if entity in (source, answer) else entity
        found.append(Candidate(rules.get(entity, {}), own, float(store.stands_for[place]), name))
    return found


def marked(candidates: list[Candidate], place: int) -> list[Candidate]:
    """What candidates are by themselves has weights of its own for each direction."""
    return [replace(one, own={(f"{f[0]}{place}", *f[1:]): x for f, x in one.own.items()}) for one in candidates]


def test_a_small_room_grows_and_keeps_what_is_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = made_of([(n, n % 2, m) for n in range(6) for m in range(6)])
    wanted = lesson_of(graph, 0)
    uses = int(wanted.store.used[-1])
    monkeypatch.setattr(learning, "_ROOM", 20)
    found = lesson_of(graph, 0)
    assert wanted.store.places.size > found.store.places.size >= wanted.store.starts[uses] > 20
    for query in range(len(wanted)):
        assert kept(found, query) == kept(wanted, query)


@pytest.mark.parametrize("few", [16.0, 0.02])
@settings(deadline=None, max_examples=15)
@given(FACTS)
@example(ALL_ALIKE)
def test_weights_are_those_of_a_slow_twin(few: float, facts: list[tuple[int, int, int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learning, "_FEW_PROPERTIES", few)
        compare_with_the_twin(facts, few)


def bias_divisor(graph: StepGraph, lesson: TrainingQueries) -> float:
    """The root of the mean square of how many different steps candidates have."""
    has = {n: sum(n in graph.queries(step)[0] for step in graph.targets()) for n in range(6)}
    accumulator = [has[int(n)] ** 2 for n in lesson.store.candidates[: lesson.store.offered[-1]]]
    return math.sqrt(sum(accumulator) / len(accumulator))


def compare_with_the_twin(facts: list[tuple[int, int, int]], few: float) -> None:
    graph = made_of(facts)
    steps = graph.steps_of(graph.used()[0])
    parts = [lesson_of(graph, step, reversed_=place > 0) for place, step in enumerate(steps)]
    weights = train_weights(parts, SETTINGS, np.random.default_rng(5))
    rng = np.random.default_rng(5)
    learner = Learner(0.0, 0.0, 0.01, BATCH)
    crowds = [bias_divisor(graph, part) / few for part in parts]
    seen: list[dict[Feature, float]] = []
    for _ in range(EPOCHS):
        for place, some in shuffled_batches(parts, rng):
            learner.learning_rate = 0.8 * PACE * 10 / (EPOCHS * parts[place].rule_divisor)
            learner.bias_learning_rate = 0.8 * PACE * 10 / (EPOCHS * max(parts[place].rule_divisor, crowds[place]))
            learner.learn([marked(candidates_of(graph, parts[place], n), place) for n in some.tolist()])
        seen.append(dict(learner.weights))
    for place, own in enumerate(weights):
        rules = own.rules[:, REVERSED] if place else own.rules
        of_entity = ((f"step{place}", own.steps), (f"start{place}", own.start[:, None]))
        for name, array in (("rule", rules), *of_entity):
            for (i, j), value in np.ndenumerate(array):
                right = sum(one.get((name, i, j), 0.0) for one in seen) / EPOCHS
                assert value == pytest.approx(right, rel=1e-6, abs=1e-9), (name, i, j)


def test_all_questions_of_both_directions_are_in_the_order_once() -> None:
    graph = made_of([(n, 0, m) for n in range(5) for m in range(6) if n != m])
    parts = [lesson_of(graph, step) for step in (0, 0)]
    order = list(shuffled_batches(parts, np.random.default_rng(0)))
    for place, part in enumerate(parts):
        asked = np.concatenate([some for which, some in order if which == place])
        assert sorted(asked.tolist()) == list(range(len(part)))
