"""AugmentedReasoner: choice of the part that answers, progress, and model folders."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from r5.errors import R5Error
from r5.examples import Examples
from r5.grammar.settings import GrammarSettings
from r5.reasoners.augmented import AugmentedReasoner
from r5.reasoners.base import Progress
from r5.reasoners.baseline import BaselineReasoner
from r5.reasoners.features import FeatureClassifier, path_features
from r5.reasoners.grammar import GrammarReasoner
from r5.reasoners.r5 import R5Reasoner
from r5.reasoners.registry import load_model
from r5.relations import Vocabulary
from r5.rules.ruleset import Rule, RuleSet
from r5.storage.folder import ModelError, read_model
from tests.helpers.relatives import chain, examples, family

UNKNOWN = [chain("sister wife", "niece"), chain("brother wife", "aunt"), chain("wife wife", "aunt")]


class MostCommon:
    """Classifier of examples that predicts the most frequent answer, with the interface of scikit-learn."""

    def fit(self, some: Examples) -> MostCommon:
        names = some.vocabulary.names(some.answers)
        self.classes_ = sorted(set(names))
        self.shares = np.array([names.count(name) / len(names) for name in self.classes_])
        return self

    def predict_proba(self, some: Examples) -> np.ndarray:
        return np.tile(self.shares, (len(some), 1))


class NearestRow:
    """Nearest-neighbour classifier of feature rows."""

    def fit(self, features: np.ndarray, labels: np.ndarray) -> None:
        self.classes_, self.labels = np.unique(labels, return_inverse=True)
        self.rows = features

    def predict_proba(self, features: np.ndarray) -> np.ndarray:
        nearest = np.abs(features[:, None, :] - self.rows[None, :, :]).sum(axis=2).argmin(axis=1)
        return np.eye(len(self.classes_))[self.labels[nearest]]


@pytest.fixture(scope="module")
def train() -> Examples:
    return examples([chain("father sister", "aunt"), chain("wife daughter", "daughter"), chain("father wife", "aunt")])


@pytest.fixture(scope="module")
def asked() -> Examples:
    """Return one query that the rules answer, and three that they do not."""
    return examples([chain("father sister", "aunt"), *UNKNOWN])


def ruled(train: Examples) -> GrammarReasoner:
    """Return a reasoner with one rule."""
    rules = RuleSet.of([Rule("aunt", ("father", "sister"))])
    return GrammarReasoner.from_rules(rules, train.vocabulary, settings=GrammarSettings(dense_rules=0))


def test_the_fallback_answers_if_the_reasoner_abstains(train: Examples, asked: Examples) -> None:
    reasoner = ruled(train)
    assert [answer.relation for answer in reasoner.predict_many(asked)] == ["aunt", None, None, None]
    model = AugmentedReasoner(reasoner, MostCommon().fit(train))
    first, *others = model.predict_many(asked)
    assert first == reasoner.predict_many(asked)[0]
    assert {(other.relation, other.derivation, other.reason) for other in others} == {("aunt", None, None)}
    assert others[0].probability == pytest.approx(2 / 3)
    assert others[0].alternatives[0].relation == "daughter"
    assert model.rules_ == reasoner.rules_


def test_both_parts_score_better_than_the_reasoner(train: Examples, asked: Examples) -> None:
    assert ruled(train).score(asked) == 0.25
    assert AugmentedReasoner(ruled(train), MostCommon().fit(train)).score(asked) == 0.75


def test_probabilities_are_those_of_the_part_that_answers(train: Examples, asked: Examples) -> None:
    reasoner, fallback = ruled(train), MostCommon().fit(train)
    model = AugmentedReasoner(reasoner, fallback)
    likely = model.predict_proba(asked)
    names = model.vocabulary_.known
    assert likely.shape == (4, len(names))
    np.testing.assert_allclose(likely.sum(axis=1), 1.0)
    np.testing.assert_array_equal(likely[0, : len(train.vocabulary)], reasoner.predict_proba(asked)[0])
    assert likely[1, names.index("daughter")] == pytest.approx(1 / 3)
    assert model.predict_proba(asked[:0]).shape == (0, len(names))


def test_a_fallback_may_have_further_relations(asked: Examples, train: Examples) -> None:
    model = AugmentedReasoner(ruled(train), MostCommon().fit(asked[1:2]))
    assert "niece" not in train.vocabulary
    assert [answer.relation for answer in model.predict_many(asked)] == ["aunt", "niece", "niece", "niece"]
    assert model.predict_proba(asked)[1, model.vocabulary_.id("niece")] == 1.0


def test_both_parts_learn_with_one_progress() -> None:
    told: list[Progress] = []
    small = BaselineReasoner("gru", epochs=3, embedding=8, hidden=8)
    model = AugmentedReasoner(R5Reasoner(epochs=1, network=False, simulations=5), small)
    with pytest.raises(R5Error, match="AugmentedReasoner has learned nothing yet"):
        model.predict_many(family())
    model.fit(family(), progress=told.append)
    shares = [step.done / step.total for step in told if not step.stage]
    assert shares == sorted(shares) and shares[-1] == 1.0
    assert told[0].message.startswith("reasoner: ") and told[-1].message.startswith("fallback: epoch 3/3")
    assert model.summary_["seconds"] >= model.summary_["fallback"]["seconds"]
    parts = model.settings
    assert (parts.reasoner["engine"], parts.fallback["engine"], parts.fallback["epochs"]) == (
        "r5",
        "gru",
        3,
    )


def test_a_classifier_of_feature_rows_can_be_the_fallback(train: Examples, asked: Examples) -> None:
    quick = R5Reasoner(epochs=1, network=False, simulations=5)
    model = AugmentedReasoner(quick, FeatureClassifier(NearestRow())).fit(train)
    model.reasoner = ruled(train)
    relations = [answer.relation for answer in model.predict_many(asked)]
    assert relations == ["aunt", "aunt", "aunt", "daughter"]  # wife wife is nearest to wife daughter
    assert model.settings.fallback == {"engine": "FeatureClassifier"}


def test_features_count_first_last_and_all_relations() -> None:
    words = Vocabulary(("father", "sister"))
    some = examples([chain("father sister", "aunt"), chain("sister uncle sister", "aunt")])
    assert path_features(some, words).tolist() == [[1, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 2]]
    assert path_features(some[:0], words).shape == (0, 6)


@pytest.mark.parametrize("fallback", ["gru", "grammar"])
def test_both_parts_are_saved_in_one_folder(fallback: str, train: Examples, asked: Examples, tmp_path: Path) -> None:
    other: Any = BaselineReasoner("gru", epochs=3, embedding=8, hidden=8) if fallback == "gru" else None
    second = (other or GrammarReasoner(restarts=(0.5,))).fit(train)
    model = AugmentedReasoner(ruled(train), second)
    model.save(tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert isinstance(loaded, AugmentedReasoner)
    assert loaded.predict_many(asked) == model.predict_many(asked)
    np.testing.assert_array_equal(loaded.predict_proba(asked), model.predict_proba(asked))
    assert loaded.settings == model.settings
    assert loaded.rules_ == model.rules_ and loaded.fallback.rules_ == second.rules_  # type: ignore[attr-defined]


def test_a_fallback_that_is_no_reasoner_is_not_saved(train: Examples, tmp_path: Path) -> None:
    model = AugmentedReasoner(ruled(train), MostCommon().fit(train))
    with pytest.raises(R5Error, match="a fallback of the kind MostCommon cannot be saved"):
        model.save(tmp_path / "model")
    within = AugmentedReasoner(ruled(train), model)
    with pytest.raises(R5Error, match="an AugmentedReasoner within another cannot be saved"):
        within.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_a_folder_with_parts_that_do_not_fit_is_refused(train: Examples, tmp_path: Path) -> None:
    gru = BaselineReasoner("gru", epochs=1, embedding=8, hidden=8).fit(train)
    AugmentedReasoner(ruled(train), gru).save(tmp_path / "model")
    stored = read_model(tmp_path / "model")
    part = stored.settings["fallback"]
    bad_parts: list[Any] = [
        None,
        3,
        {**part, "vocabulary": {"known": [3], "invented": []}},
        {**part, "vocabulary": {"known": ["a", "a"], "invented": []}},
        {**part, "vocabulary": {}},
        {**part, "settings": []},
        {**part, "engine": "augmented"},
        {**part, "engine": ["gru"]},
    ]
    for bad in bad_parts:
        with pytest.raises(ModelError, match="the model's fallback lacks an engine, settings or a vocabulary"):
            AugmentedReasoner.from_stored(replace(stored, settings={**stored.settings, "fallback": bad}))
    other = {**stored.settings, "fallback": {**part, "engine": "magic"}}
    with pytest.raises(ModelError, match="an engine that is not known, 'magic'"):
        AugmentedReasoner.from_stored(replace(stored, settings=other))
    arrays = {key: array for key, array in stored.arrays.items() if not key.startswith("fallback.")}
    with pytest.raises(ModelError, match="lacks the array 'relations'"):
        AugmentedReasoner.from_stored(replace(stored, arrays=arrays))
