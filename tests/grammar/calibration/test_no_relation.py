"""NoRelationModel: that there is no relation is an answer with a probability, where training tells how that looks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from r5.data.builder import DatasetBuilder, Row
from r5.data.generators.world.dataset import generate_world
from r5.dataset import Dataset
from r5.grammar.calibration.no_relation import sample_unrelated_pairs
from r5.reasoners.grammar import GrammarReasoner
from r5.reasoners.registry import load_model

NONE = "no relation"


def some_unrelated(seed: int = 0) -> Dataset:
    """Paths of two, related if a `p` comes first: c <= p1, q1 and d <= p2, q2; those the other way round are not."""
    rng = np.random.default_rng(seed)
    builder = DatasetBuilder("some")
    for split, count in (("train", 120), ("test", 60)):
        for _ in range(count):
            n = int(rng.integers(1, 3))
            path, answer = [f"p{n}", f"q{n}"], "cd"[n - 1]
            if rng.random() < 0.5:
                path, answer = path[::-1], NONE
            edges = [("x", path[0], "y"), ("y", path[1], "z")]
            builder.add(split, Row(edges, "x", "z", answer, ["x", "y", "z"]))
    return builder.build()


@pytest.fixture(scope="module")
def model() -> GrammarReasoner:
    return GrammarReasoner(seed=0).fit(some_unrelated().train)


def test_examples_without_a_relation_teach_the_no_relation_answer_only(model: GrammarReasoner) -> None:
    data = some_unrelated()
    assert model.score(data.test) == 1.0
    assert {rule.head for rule in model.rules_} == {"c", "d"}
    assert model.summary_["unrelated"] == sum(example.answer_name == NONE for example in data.train)
    probabilities = model.predict_proba(data.test)
    assert probabilities.sum(axis=1) == pytest.approx(1.0)
    right = probabilities[np.arange(len(data.test)), data.test.answers]
    assert right.min() > 0.8


def test_answer_of_unrelated_entities_has_a_reason(model: GrammarReasoner) -> None:
    data = some_unrelated()
    unrelated = next(example for example in data.test if example.answer_name == NONE)
    related = next(example for example in data.test if example.answer_name == "c")
    told = model.predict(unrelated)
    assert told.explain().splitlines()[1] == "  because no rules explain the paths better than chance"
    assert model.predict_plain(data.test)[0].relation == model.predict_many(data.test)[0].relation
    assert model.predict_as(unrelated, NONE).probability == told.probability
    assert model.predict(related).relation == "c"


def test_loaded_model_has_the_same_probabilities(model: GrammarReasoner, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    test = some_unrelated(1).test
    assert np.array_equal(again.predict_proba(test), model.predict_proba(test))


def test_unrelated_pairs_are_sampled_on_request() -> None:
    data = generate_world(train=300, test=60, seed=0)
    plain = GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train)
    asked = GrammarReasoner(seed=0, restarts=(0.5,), unrelated_pairs=150).fit(data.train)
    assert NONE not in plain.vocabulary_
    assert asked.vocabulary_.known[-1] == NONE
    assert asked.rules_ == plain.rules_
    column = asked.predict_proba(data.test)[:, -1]
    assert column.mean() < 0.2
    assert asked.predict_proba(sample_unrelated_pairs(data.test, 60, 1))[:, -1].mean() > 0.5


def test_sampled_unrelated_pairs_have_no_edge_and_no_query() -> None:
    train = generate_world(train=50, test=5, seed=0).train
    pairs = sample_unrelated_pairs(train, 40, seed=3)
    assert 0 < len(pairs) <= 40
    assert (pairs.answers == -1).all()
    asked = set(zip(train.sources.tolist(), train.targets.tolist(), strict=True))
    edges = set(zip(train.pool.sources.tolist(), train.pool.targets.tolist(), strict=True))
    for source, target in zip(pairs.sources.tolist(), pairs.targets.tolist(), strict=True):
        assert source != target
        assert not {(source, target), (target, source)} & (asked | edges)
    starts, ends = train.node_offsets[pairs.graph_of], train.node_offsets[pairs.graph_of + 1]
    assert ((starts <= pairs.sources) & (pairs.targets < ends)).all()
