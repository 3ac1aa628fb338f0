"""NeuralReasoner: what every architecture promises, on data with known answers and on degenerate data."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from r5.baselines import training
from r5.baselines.settings import GRAPH_NETWORKS, SEQUENCE_ENCODERS, STORY_ENCODERS
from r5.data.formats.graphlog import load_graphlog
from r5.errors import MissingExtraError, R5Error
from r5.examples import Examples
from r5.graph import Graph
from r5.reasoners.base import Progress
from r5.reasoners.neural import NeuralReasoner, ranked
from r5.reasoners.registry import load_model, make_reasoner
from r5.relations import DUMMY
from r5.storage.folder import ModelError, StoredModel, read_model
from tests.helpers.relatives import chain, examples, family

SMALL = {"embedding": 16, "learning_rate": 0.03, "batch_size": 8, "epochs": 3}


def small(architecture: str, **changes: Any) -> NeuralReasoner:
    shape = {"layers": 3, "dropout": 0.0} if architecture in GRAPH_NETWORKS else {"hidden": 16}
    return NeuralReasoner(architecture, **{**SMALL, **shape, **changes})


def apart() -> Examples:
    """Two people whom nothing connects."""
    return Examples.over(Graph.from_triples([("a", "father", "b"), ("c", "sister", "d")]), [0], [3], [-1])


@pytest.fixture(scope="module")
def train() -> Examples:
    return family()


@pytest.fixture(scope="module", params=[*SEQUENCE_ENCODERS, *STORY_ENCODERS, *GRAPH_NETWORKS])
def model(request: pytest.FixtureRequest, train: Examples) -> NeuralReasoner:
    return small(request.param).fit(train)


class TestEveryArchitecture:
    """The contract: a further architecture is tested by its name in the registry."""

    def test_it_learns_a_tiny_world(self, model: NeuralReasoner, train: Examples) -> None:
        assert model.score(train) == 1.0
        assert len(model.rules_) == 0
        assert model.summary_["examples"] == 24
        assert model.summary_["best_epoch"] <= len(model.summary_["history"]) <= 3

    def test_answers_have_probabilities_and_no_derivation(self, model: NeuralReasoner, train: Examples) -> None:
        answers, likely = model.predict_many(train), model.predict_proba(train)
        np.testing.assert_allclose(likely.sum(axis=1), 1.0)
        assert likely.shape == (24, len(train.vocabulary.known))
        for answer, row in zip(answers, likely, strict=True):
            assert answer.derivation is None and answer.reason is None
            assert answer.relation == model.vocabulary_.name(int(row.argmax()))
            assert answer.probability == row.max()
            assert all(other.probability < answer.probability for other in answer.alternatives)  # type: ignore[operator]

    def test_the_same_seed_learns_the_same(
        self, model: NeuralReasoner, train: Examples, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(training, "_LEAST_STEPS", 1)
        one, same, other = (small(model.engine, epochs=1, seed=seed).fit(train) for seed in (0, 0, 1))
        np.testing.assert_array_equal(one.predict_proba(train), same.predict_proba(train))
        assert not np.array_equal(one.predict_proba(train), other.predict_proba(train))

    def test_a_saved_model_answers_the_same(self, model: NeuralReasoner, train: Examples, tmp_path: Path) -> None:
        model.save(tmp_path / "model")
        loaded = load_model(tmp_path / "model")
        assert isinstance(loaded, NeuralReasoner)
        assert (loaded.engine, loaded.settings) == (model.engine, model.settings)
        assert loaded.predict_many(train) == model.predict_many(train)
        np.testing.assert_array_equal(loaded.predict_proba(apart()), model.predict_proba(apart()))

    def test_damaged_arrays_are_refused(self, model: NeuralReasoner, tmp_path: Path) -> None:
        model.save(tmp_path / "model")
        stored = read_model(tmp_path / "model")
        for name, array in stored.arrays.items():
            missing = {key: value for key, value in stored.arrays.items() if key != name}
            with pytest.raises(ModelError, match="lacks the array"):
                NeuralReasoner.from_stored(replace(stored, arrays=missing))
            bad = np.concatenate([array, array])
            with pytest.raises(ModelError, match=r"expected|not in order"):
                NeuralReasoner.from_stored(replace(stored, arrays={**stored.arrays, name: bad}))

    def test_a_relation_that_was_never_seen_is_no_obstacle(self, model: NeuralReasoner) -> None:
        graph = Graph.from_triples([("a", "father", "b"), ("b", "godmother", "c")])
        answer = model.predict(Examples.over(graph, [0], [2], [-1])[0])
        assert answer.relation in {"aunt", "daughter", "sister", "son"}

    def test_an_answer_that_was_never_seen_is_never_given(self, model: NeuralReasoner) -> None:
        asked = examples([chain("father sister", "godmother")])
        assert model.score(asked) == 0.0
        likely = model.predict_proba(asked)[0]
        names = [name for name, p in zip(model.vocabulary_.known, likely, strict=True) if p > 0]
        assert set(names) <= {"aunt", "daughter", "sister", "son"}

    def test_no_path(self, model: NeuralReasoner) -> None:
        answer, likely = model.predict(apart()[0]), model.predict_proba(apart())
        assert likely.sum() == pytest.approx(1.0)
        if model.engine in SEQUENCE_ENCODERS:
            assert str(answer) == "cannot say: no path leads from a to d"
            wanted = {"aunt": 1 / 6, "daughter": 1 / 6, "sister": 1 / 3, "son": 1 / 3}
            found = dict(zip(model.vocabulary_.known, likely[0].tolist(), strict=True))
            assert {name: p for name, p in found.items() if p} == pytest.approx(wanted)
        else:
            assert answer.relation is not None

    def test_no_questions(self, model: NeuralReasoner, train: Examples) -> None:
        assert model.predict_many(train[:0]) == []
        assert model.predict_proba(train[:0]).shape == (0, len(train.vocabulary.known))

    def test_one_example_is_enough(self, model: NeuralReasoner, train: Examples) -> None:
        alone = small(model.engine, epochs=1).fit(train[:1])
        assert alone.predict(train[3]).relation == train[0].answer_name


@pytest.mark.parametrize("architecture", ["gru", "rgcn"])
def test_progress_is_told(architecture: str, train: Examples) -> None:
    told: list[Progress] = []
    small(architecture, epochs=3).fit(train, family(12)[:60], progress=told.append)
    assert [(step.done, step.total) for step in told] == [(1, 3), (2, 3), (3, 3)]
    assert "epoch 3/3, loss" in told[-1].message and "validation accuracy" in told[-1].message


def test_several_paths_are_averaged() -> None:
    """Two paths that say different things: each gets half."""
    model = small("gru", epochs=12).fit(family())
    edges = [("a", "father", "b"), ("b", "sister", "c"), ("a", "wife", "d"), ("d", "daughter", "c")]
    answer = model.predict(Examples.over(Graph.from_triples(edges), [0], [2], [-1])[0])
    assert {answer.relation, answer.alternatives[0].relation} == {"aunt", "daughter"}
    assert answer.probability == pytest.approx(0.5, abs=0.05)


def test_little_validation_data_does_not_choose(train: Examples) -> None:
    few = small("rnn", epochs=3).fit(train, train)
    assert few.summary_["chosen_by"] == "training loss"
    assert few.summary_["history"][0]["valid_accuracy"] is None
    enough = small("rnn", epochs=3).fit(train, family(9))
    assert enough.summary_["chosen_by"] == "validation accuracy"


@pytest.mark.parametrize("held_out", ["short", "long"])
def test_a_tenth_of_the_training_examples_chooses_the_epoch(held_out: str) -> None:
    model = small("story-rnn", epochs=2, held_out=held_out).fit(family(84))
    assert model.summary_["examples"] == 454
    assert ("longer" in model.summary_["chosen"]) == (held_out == "long")
    assert "chosen" not in small("story-rnn", epochs=1).fit(family(), family(12)).summary_


def test_direct_edges_can_be_read_with_the_dummy_relation() -> None:
    rows = [chain("father", "parent"), chain("mother", "parent"), chain("wife", "spouse")] * 4
    model = small("lstm", direct="dummy").fit(examples(rows))
    assert DUMMY in model.vocabulary_
    assert model.score(examples(rows)) == 1.0


def test_a_fact_that_is_the_answer_is_hidden() -> None:
    """Each edge of two pairs as a question: with both edges in sight, r and s would be equally likely."""
    graph = Graph.from_triples([("a", "r", "b"), ("a", "s", "b"), ("c", "r", "d"), ("c", "s", "d")])
    questions = Examples.from_edges(graph)
    model = small("rgcn", inverse=False).fit(questions)
    likely = model.predict_proba(questions)
    assert likely[np.arange(4), questions.answers].min() > 0.9


@pytest.mark.parametrize("rows", [[], [chain("father sister", None)]])
@pytest.mark.parametrize("architecture", ["lstm", "gcn"])
def test_nothing_to_learn_from(architecture: str, rows: list[Any]) -> None:
    with pytest.raises(R5Error, match="none of the 0 training examples has an answer"):
        small(architecture).fit(examples(rows) if rows else family()[:0])


def test_questions_before_learning_are_refused() -> None:
    with pytest.raises(R5Error, match="NeuralReasoner has learned nothing yet"):
        NeuralReasoner("lstm").predict_many(apart())


@pytest.mark.parametrize(
    ("architecture", "hidden", "message"),
    [
        ("lstm", "torch", r'torch is not installed: pip install "r5-reasoning\[torch\]"'),
        ("rgcn", "torch_geometric", r'torch_geometric is not installed: pip install "r5-reasoning\[gnn\]"'),
    ],
)
def test_what_is_not_installed_is_named(
    architecture: str, hidden: str, message: str, monkeypatch: pytest.MonkeyPatch, train: Examples
) -> None:
    monkeypatch.setitem(sys.modules, hidden, None)
    with pytest.raises(MissingExtraError, match=message):
        small(architecture).fit(train)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory, train: Examples) -> StoredModel:
    folder = tmp_path_factory.mktemp("models") / "gru"
    small("gru", epochs=1).fit(train).save(folder)
    return read_model(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"settings": {"architecture": "transformer"}}, "settings cannot be used: no architecture is called"),
        ({"settings": {"architecture": "gru", "hiden": 3}}, "settings cannot be used: the baseline gru has no"),
        ({"settings": {"architecture": ["gru"]}}, "settings cannot be used"),
        ({"engine": "lstm"}, "the model's settings are of the baseline gru, not of lstm"),
    ],
)
def test_settings_that_do_not_fit_are_refused(stored: StoredModel, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        NeuralReasoner.from_stored(replace(stored, **change))


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("answers", np.zeros(0, dtype=np.int32), "the model has no answers"),
        ("answers", np.array([0, 2, 1, 3], dtype=np.int32), "the model's answers are not in order"),
        ("answers", np.array([0, 1, 2, 999], dtype=np.int32), "'answers' holds values that are not in 0 to"),
        ("relations", np.array([-1], dtype=np.int32), "'relations' holds values that are not in 0 to"),
        ("frequencies", np.zeros(4), "'frequencies' holds values that are not in 1 to inf"),
        ("network.classifier.bias", np.full(4, np.nan, dtype=np.float32), "not finite"),
    ],
)
def test_arrays_that_make_no_sense_are_refused(stored: StoredModel, name: str, array: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        NeuralReasoner.from_stored(replace(stored, arrays={**stored.arrays, name: array}))


def test_settings_of_any_size_take_no_memory_before_the_arrays_are_seen_to_fit(stored: StoredModel) -> None:
    huge = {**stored.settings, "hidden": 10_000, "embedding": 10_000}
    with pytest.raises(ModelError, match="expected"):
        NeuralReasoner.from_stored(replace(stored, settings=huge))


def test_the_first_of_equals_wins_and_nothing_is_no_answer() -> None:
    best = ranked(np.array([0.2, 0.4, 0.4, 0.001]), ("a", "b", "c", "d"))
    assert best is not None
    assert (best.relation, [other.relation for other in best.alternatives]) == ("b", ["c", "a"])
    assert ranked(np.zeros(2), ("a", "b")) is None


def test_a_sequence_encoder_learns_a_published_world_by_heart_and_no_more(real_data: Path) -> None:
    """World 17's valid paths are all training paths; its test paths are new: systematic generalisation fails."""
    data = load_graphlog(real_data / "graphlog" / "world_17")
    model = make_reasoner("rnn", seed=0, epochs=15, learning_rate=0.01).fit(data.train, data.valid)
    assert model.score(data.valid) > 0.9
    assert model.score(data.test) < 0.6
