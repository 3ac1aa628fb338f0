"""BaselineReasoner: the contract of every baseline, on data with known answers and on degenerate data."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from r5.baselines.methods import BASELINES, NETWORKS, SEQUENCE_ENCODERS
from r5.baselines.settings import LearnerSettings
from r5.errors import MissingExtraError, R5Error
from r5.examples import Examples
from r5.graph import Graph
from r5.reasoners.base import Progress
from r5.reasoners.baseline import BaselineReasoner
from r5.reasoners.registry import load_model, make_reasoner
from r5.storage.folder import ModelError, StoredModel, read_model
from tests.helpers.baselines import small_baseline, unconnected
from tests.helpers.relatives import chain, examples, family


@pytest.fixture(scope="module")
def train() -> Examples:
    return family()


@pytest.fixture(scope="module", params=BASELINES)
def model(request: pytest.FixtureRequest, train: Examples) -> BaselineReasoner:
    return small_baseline(request.param).fit(train)


class TestEveryBaseline:
    def test_it_learns_a_tiny_world(self, model: BaselineReasoner, train: Examples) -> None:
        least = {"gntp": 0.5}.get(model.engine, 1.0 if model.engine in NETWORKS else 0.9)
        assert model.score(train) >= least
        assert model.summary_["history"][-1]["loss"] < 1.0
        assert model.summary_["examples"] == 24

    def test_answers_have_the_probabilities_of_predict_proba(self, model: BaselineReasoner, train: Examples) -> None:
        answers, probabilities = model.predict_many(train), model.predict_proba(train)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
        assert probabilities.shape == (24, len(model.vocabulary_.known))
        for answer, row in zip(answers, probabilities, strict=True):
            assert answer.relation == model.vocabulary_.name(int(row.argmax()))
            assert answer.probability == row.max()
            assert all(other.probability <= answer.probability for other in answer.alternatives)  # type: ignore[operator]
        assert [one.relation for one in model.predict_plain(train)] == [one.relation for one in answers]

    def test_the_same_seed_learns_the_same(self, model: BaselineReasoner, train: Examples) -> None:
        one, same, other = (small_baseline(model.engine, epochs=1, min_steps=5, seed=n).fit(train) for n in (0, 0, 1))
        assert one.predict_proba(train).tobytes() == same.predict_proba(train).tobytes()
        assert one.rules_ == same.rules_
        if model.engine in NETWORKS:
            assert not np.array_equal(one.predict_proba(train), other.predict_proba(train))

    def test_a_saved_model_answers_the_same(self, model: BaselineReasoner, train: Examples, tmp_path: Path) -> None:
        model.save(tmp_path / "model")
        loaded = load_model(tmp_path / "model")
        assert isinstance(loaded, BaselineReasoner)
        assert (loaded.engine, loaded.settings, loaded.rules_) == (model.engine, model.settings, model.rules_)
        assert loaded.predict_many(train) == model.predict_many(train)
        np.testing.assert_array_equal(loaded.predict_proba(unconnected()), model.predict_proba(unconnected()))

    def test_damaged_arrays_are_refused(self, model: BaselineReasoner, tmp_path: Path) -> None:
        model.save(tmp_path / "model")
        stored = read_model(tmp_path / "model")
        for name, array in stored.arrays.items():
            missing = {key: value for key, value in stored.arrays.items() if key != name}
            with pytest.raises(ModelError, match="lacks the array"):
                BaselineReasoner.from_stored(replace(stored, arrays=missing))
            bad = np.concatenate([array, array])
            with pytest.raises(ModelError, match=r"expected|not in order"):
                BaselineReasoner.from_stored(replace(stored, arrays={**stored.arrays, name: bad}))

    def test_a_path_with_an_unseen_relation_is_read_by_networks_only(self, model: BaselineReasoner) -> None:
        graph = Graph.from_triples([("a", "father", "b"), ("b", "godmother", "c")])
        answer = model.predict(Examples.over(graph, [0], [2], [-1])[0])
        if model.engine in NETWORKS:
            assert answer.relation in {"aunt", "daughter", "sister", "son"}
        else:
            assert answer.reason == f"no rule that {model.engine} has learned fits a path of the query"

    def test_an_unseen_answer_is_never_given(self, model: BaselineReasoner) -> None:
        asked = examples([chain("father sister", "godmother")])
        assert model.score(asked) == 0.0
        probabilities = model.predict_proba(asked)[0]
        names = {name for name, p in zip(model.vocabulary_.known, probabilities, strict=True) if p > 0}
        assert "godmother" not in names

    def test_without_a_path_the_answers_have_their_frequencies(self, model: BaselineReasoner) -> None:
        answer, probabilities = model.predict(unconnected()[0]), model.predict_proba(unconnected())[0]
        assert probabilities.sum() == pytest.approx(1.0)
        if model.engine in NETWORKS and model.engine not in SEQUENCE_ENCODERS:
            assert answer.relation is not None
            return
        assert str(answer) == "cannot say: no path leads from a to d"
        wanted = {"aunt": 1 / 6, "daughter": 1 / 6, "sister": 1 / 3, "son": 1 / 3}
        found = dict(zip(model.vocabulary_.known, probabilities.tolist(), strict=True))
        found = {name: p for name, p in found.items() if p}
        if isinstance(model.settings, LearnerSettings) and model.settings.edge_queries:
            assert set(wanted) < set(found)  # the relations of edges are answers too
        else:
            assert found == pytest.approx(wanted)

    def test_no_queries_have_no_answers(self, model: BaselineReasoner, train: Examples) -> None:
        assert model.predict_many(train[:0]) == []
        assert model.predict_proba(train[:0]).shape == (0, len(model.vocabulary_.known))


@pytest.mark.parametrize("method", ["gru", "rgcn"])
def test_progress_has_each_epoch_with_its_figures(method: str, train: Examples) -> None:
    steps: list[Progress] = []
    small_baseline(method, epochs=3).fit(train, family(12)[:60], progress=steps.append)
    assert [(step.done, step.total) for step in steps] == [(1, 3), (2, 3), (3, 3)]
    assert "epoch 3/3, loss" in steps[-1].message and "validation accuracy" in steps[-1].message


@pytest.mark.parametrize("rows", [[], [chain("father sister", None)]])
@pytest.mark.parametrize("method", ["lstm", "gcn", "rnnlogic"])
def test_training_needs_an_answer(method: str, rows: list[Any]) -> None:
    with pytest.raises(R5Error, match="none of the 0 training examples has an answer"):
        small_baseline(method).fit(examples(rows) if rows else family()[:0])


def test_queries_before_training_are_refused() -> None:
    with pytest.raises(R5Error, match="BaselineReasoner has learned nothing yet"):
        BaselineReasoner("lstm").predict_many(unconnected())


@pytest.mark.parametrize(
    ("method", "hidden", "message"),
    [
        ("lstm", "torch", r'torch is not installed: pip install "r5-reasoning\[torch\]"'),
        ("ctp-l", "torch", r'torch is not installed: pip install "r5-reasoning\[torch\]"'),
        ("rgcn", "torch_geometric", r'torch_geometric is not installed: pip install "r5-reasoning\[gnn\]"'),
    ],
)
def test_a_missing_library_is_named(
    method: str, hidden: str, message: str, monkeypatch: pytest.MonkeyPatch, train: Examples
) -> None:
    monkeypatch.setitem(sys.modules, hidden, None)
    with pytest.raises(MissingExtraError, match=message):
        small_baseline(method).fit(train)


def test_rule_learners_have_no_variants(train: Examples) -> None:
    with pytest.raises(R5Error, match="the baseline gntp has no setting 'held_out'"):
        small_baseline("gntp").fit(train, variants=["long"])


def test_settings_are_those_of_the_baseline() -> None:
    assert isinstance(make_reasoner("gntp", seed=1), BaselineReasoner)
    with pytest.raises(R5Error, match="the baseline neural-lp has no setting 'modules'"):
        make_reasoner("neural-lp", modules=3)
    with pytest.raises(R5Error, match="cannot have the method 'gntp'"):
        make_reasoner("ctp-l", method="gntp")


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory, train: Examples) -> StoredModel:
    folder = tmp_path_factory.mktemp("models") / "gru"
    small_baseline("gru", epochs=1).fit(train).save(folder)
    return read_model(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"settings": {"method": "transformer"}}, "settings cannot be used: no baseline is called"),
        ({"settings": {"method": "gru", "hiden": 3}}, "settings cannot be used: the baseline gru has no"),
        ({"settings": {"method": ["gru"]}}, "settings cannot be used"),
        ({"engine": "lstm"}, "the model's settings are of the baseline gru, not of lstm"),
    ],
)
def test_stored_settings_that_do_not_fit_are_refused(stored: StoredModel, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        BaselineReasoner.from_stored(replace(stored, **change))


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
def test_stored_arrays_out_of_range_are_refused(stored: StoredModel, name: str, array: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        BaselineReasoner.from_stored(replace(stored, arrays={**stored.arrays, name: array}))


def test_large_stored_settings_take_no_memory(stored: StoredModel) -> None:
    huge = {**stored.settings, "hidden": 10_000, "embedding": 10_000}
    with pytest.raises(ModelError, match="expected"):
        BaselineReasoner.from_stored(replace(stored, settings=huge))
