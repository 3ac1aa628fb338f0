"""Contract of all reasoners: fit, predict, save, load, scikit-learn conventions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from r5._util.runtime.progress import Progress
from r5.baselines.rule_learners import rnnlogic, rule_predictor
from r5.data.generators.library.dataset import generate_library
from r5.data.generators.world.dataset import generate_world
from r5.dataset import Dataset
from r5.derivations.derivation import Prediction
from r5.errors import R5Error
from r5.examples import Example, Examples, Query
from r5.graph import Graph
from r5.reasoners.augmented import AugmentedReasoner
from r5.reasoners.base import Reasoner
from r5.reasoners.baseline import BaselineReasoner
from r5.reasoners.chains import ChainReasoner
from r5.reasoners.grammar import GrammarReasoner
from r5.reasoners.r5 import R5Reasoner
from r5.reasoners.registry import load_model


@dataclass(frozen=True)
class Case:
    """A reasoner that learns quickly, a setting to change and values for it."""

    make: Callable[..., Reasoner]
    options: dict[str, Any]
    setting: str
    values: tuple[Any, Any]
    bad: dict[str, Any] = field(default_factory=dict)
    """A value that it must refuse."""
    one_graph: bool = False
    """Whether it learns from one knowledge graph, where several relations can hold between two entities."""

    def new(self, **changes: Any) -> Reasoner:
        return self.make(**{**self.options, **changes})


def augmented(**changes: Any) -> AugmentedReasoner:
    first = R5Reasoner(epochs=1, network=False, simulations=4)
    second = BaselineReasoner("gru", epochs=2, min_steps=1, embedding=8, hidden=8)
    return AugmentedReasoner(first, second).set_params(**changes)


SMALL = {"epochs": 2, "embedding": 8, "min_steps": 1}
QUICK = {"epochs": 1, "min_steps": 4, "hidden": 8, "edge_queries": 10}
PROVER = {"epochs": 1, "min_steps": 4, "modules": 3, "answer_depth": 3}
CASES = {
    "grammar": Case(GrammarReasoner, {"restarts": (0.5,)}, "sparsity", (0.9, 0.5), {"restarts": ()}),
    "r5": Case(
        R5Reasoner, {"epochs": 1, "network": False, "simulations": 4}, "invented", (50, 5), {"dirichlet_fraction": 2}
    ),
    "gru": Case(BaselineReasoner, {"method": "gru", "hidden": 8, **SMALL}, "epochs", (2, 3), {"dropout": 1}),
    "gcn": Case(BaselineReasoner, {"method": "gcn", "layers": 2, **SMALL}, "epochs", (2, 3), {"layers": 0}),
    "ctp-a": Case(BaselineReasoner, {"method": "ctp-a", **PROVER}, "epochs", (1, 2), {"depth": 0}),
    "neural-lp": Case(BaselineReasoner, {"method": "neural-lp", **QUICK}, "epochs", (1, 2), {"steps": 0}),
    "rnnlogic": Case(BaselineReasoner, {"method": "rnnlogic", **QUICK}, "epochs", (1, 2), {"kept_rules": 0}),
    "augmented": Case(augmented, {}, "reasoner__seed", (0, 1), {"reasoner__dirichlet_fraction": 2}),
    "chains": Case(ChainReasoner, {"rules": 10, "epochs": 2}, "support", (2, 3), {"epochs": 0}, one_graph=True),
}


@pytest.fixture(autouse=True, scope="module")
def _few_steps() -> Iterator[None]:
    """Networks are to learn here, not to learn well."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rnnlogic, "_GENERATOR_STEPS", 5)
        patch.setattr(rule_predictor, "_STEPS", 10)
        yield


@pytest.fixture(params=CASES, scope="module")
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.fixture(scope="module")
def data(case: Case) -> Dataset:
    if not case.one_graph:
        return generate_world(train=60, valid=20, test=20)
    return generate_library(members=12, books=8)


@pytest.fixture(scope="module")
def model(case: Case, data: Dataset) -> Reasoner:
    return case.new().fit(data.train)


def told(answers: list[Prediction]) -> list[tuple[Any, ...]]:
    return [(a.relation, a.probability, a.score, a.reason, a.derivation) for a in answers]


def test_fit_returns_the_reasoner_and_reports_progress(case: Case, data: Dataset) -> None:
    heard: list[Progress] = []
    fresh = case.new()
    assert fresh.fit(data.train[:20], data.valid, progress=heard.append) is fresh
    assert heard
    assert all(0 <= step.done <= step.total for step in heard)


def test_predict_takes_one_example_or_many(model: Reasoner, data: Dataset) -> None:
    one, many = model.predict(data.test[0]), model.predict(data.test)
    assert isinstance(one, Prediction)
    assert told(many) == told(model.predict_many(data.test))
    for few in ([one], model.predict([data.test[0], data.test[1]])):
        assert [answer.relation for answer in few] == [answer.relation for answer in many[: len(few)]]
        # A network multiplies one row and many in another order.
        assert [a.probability or 0.0 for a in few] == pytest.approx([a.probability or 0.0 for a in many[: len(few)]])
    assert model.predict(data.test[:0]) == []


def test_probabilities_are_those_of_the_classes(case: Case, model: Reasoner, data: Dataset) -> None:
    likely = model.predict_proba(data.test)
    assert likely.shape == (len(data.test), len(model.classes_))
    if case.one_graph:  # several relations may hold, or none
        assert ((likely >= 0.0) & (likely <= 1.0)).all()
    else:
        np.testing.assert_allclose(likely.sum(axis=1), 1.0, rtol=1e-6)
    assert set(data.train.vocabulary.names(data.train.answers)) <= set(model.classes_.tolist())


def test_the_score_is_the_share_of_correct_answers(case: Case, model: Reasoner, data: Dataset) -> None:
    names = data.test.vocabulary.names(data.test.answers)
    right = [answer.relation == name for answer, name in zip(model.predict(data.test), names, strict=True)]
    if case.one_graph:
        true = {*data.test.pool.triples(), *((one.source, one.answer_name, one.target) for one in data.test)}
        asked = zip(model.predict_held_out(data.test), data.test, strict=True)
        right = [(one.source, answer.relation, one.target) in true for answer, one in asked]
    assert model.score(data.test) == np.mean(right)
    assert model.score(data.test, list(names)) == np.mean(right)


def test_a_loaded_model_gives_the_same_answers(model: Reasoner, data: Dataset, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert type(again) is type(model)
    assert again.engine == model.engine
    assert asdict(again.settings) == asdict(model.settings)
    assert told(again.predict(data.test)) == told(model.predict(data.test))
    assert again.predict_proba(data.test).tobytes() == model.predict_proba(data.test).tobytes()
    assert again.rules_ == model.rules_
    with pytest.raises(R5Error, match="already exists"):
        model.save(tmp_path / "model")


def test_the_same_seed_gives_the_same_model(case: Case, model: Reasoner, data: Dataset) -> None:
    again = case.new().fit(data.train)
    assert told(again.predict(data.test)) == told(model.predict(data.test))
    assert again.predict_proba(data.test).tobytes() == model.predict_proba(data.test).tobytes()


def test_a_list_of_examples_gives_the_same_model(case: Case, model: Reasoner, data: Dataset) -> None:
    again = case.new().fit(list(data.train))  # type: ignore[arg-type]
    assert told(again.predict(data.test)) == told(model.predict(data.test))


def test_an_unfitted_reasoner_cannot_answer(case: Case, data: Dataset, tmp_path: Path) -> None:
    fresh = case.new()
    for act in (fresh.predict, fresh.predict_proba, fresh.score):
        with pytest.raises(R5Error, match="has learned nothing yet"):
            act(data.test)
    with pytest.raises(R5Error, match="has learned nothing yet"):
        fresh.save(tmp_path / "model")
    assert not hasattr(fresh, "classes_")


@pytest.mark.parametrize(
    ("nonsense", "kind"),
    [
        (3, "not a int"),
        (None, "not a NoneType"),
        ("data", "not a str"),
        ([1, 2], "not a list with a int in it"),
        (Graph.from_triples([("a", "r", "b")]), "not a Graph"),
    ],
)
def test_fit_refuses_objects_other_than_examples(case: Case, model: Reasoner, nonsense: Any, kind: str) -> None:
    learns = [] if case.one_graph and isinstance(nonsense, Graph) else [case.new().fit]
    for act in (*learns, model.predict, model.predict_proba, model.score):
        with pytest.raises(R5Error, match=f"expected Examples, such as data.train, or a list of Example, {kind}"):
            act(nonsense)


def test_fit_refuses_a_data_set_instead_of_a_split(case: Case, data: Dataset) -> None:
    with pytest.raises(R5Error, match=r"not a Dataset; give one of its splits, such as \.train"):
        case.new().fit(data)  # type: ignore[arg-type]
    with pytest.raises(R5Error, match="expected Examples to validate with, or answers by name, not a list"):
        case.new().fit(data.train, [1, 2])  # type: ignore[arg-type]


def test_fit_refuses_no_examples(case: Case, data: Dataset) -> None:
    apart = Graph.from_triples([("a", "r", "b"), ("c", "r", "d")], data.train.vocabulary.with_known("r"))
    unanswered = Examples.of([Example(apart, Query(0, 3))])
    with pytest.raises(R5Error, match=r"nothing (to learn from|can be learned)"):
        case.new().fit(unanswered)


def test_an_invalid_setting_is_an_error_with_its_name(case: Case) -> None:
    (name,) = case.bad
    with pytest.raises(R5Error, match=f"^{name.removeprefix('reasoner__')} must be"):
        case.new(**case.bad)
    with pytest.raises(R5Error, match=f"^{name.removeprefix('reasoner__')} must be"):
        case.new().set_params(**case.bad)
    with pytest.raises(R5Error, match="has no setting 'colour'"):
        case.new().set_params(colour="red")


def test_repr_shows_the_settings(case: Case) -> None:
    shown = repr(case.new())
    assert shown.startswith(type(case.new()).__name__)
    for name, value in case.options.items():
        assert f"{name}={value!r}" in shown


# As an estimator of scikit-learn.


def test_parameters_are_read_set_and_cloned(case: Case, model: Reasoner) -> None:
    name, (first, second) = case.setting, case.values
    fresh = clone(model)
    assert type(fresh) is type(model)
    assert not hasattr(fresh, "vocabulary_")
    assert asdict(fresh.settings) == asdict(model.settings)
    assert fresh.set_params(**{name: second}) is fresh
    assert fresh.get_params()[name] == second
    assert model.get_params(deep=True)[name] in (first, None)
    assert clone(fresh).get_params()[name] == second


def test_tags_are_those_of_a_classifier(model: Reasoner, case: Case) -> None:
    assert is_classifier(model)
    check_is_fitted(model)
    with pytest.raises(Exception, match="not fitted"):
        check_is_fitted(case.new())


def test_cross_validation_scores_equal_those_by_hand(case: Case, data: Dataset) -> None:
    examples = data.train[:30]
    scores = cross_val_score(case.new(), examples, cv=2)
    by_hand = [case.new().fit(examples[15:]).score(examples[:15])]
    assert scores.shape == (2,)
    assert scores[0] == by_hand[0]
    names = examples.vocabulary.names(examples.answers)
    assert cross_val_score(case.new(), examples, list(names), cv=[(range(15, 30), range(15))]).tolist() == by_hand


def test_grid_search_and_pipeline_accept_reasoners(case: Case, model: Reasoner, data: Dataset) -> None:
    grid = {case.setting: list(case.values)}
    found = GridSearchCV(case.new(), grid, cv=[(range(20), range(20, 30))]).fit(data.train[:30])
    assert isinstance(found.predict(data.test)[0], Prediction)
    steps = Pipeline([("reason", case.new())]).fit(data.train)
    assert steps.score(data.test) == model.score(data.test)
    assert steps.set_params(**{f"reason__{case.setting}": case.values[1]}) is steps


@pytest.mark.parametrize("kind", [GrammarReasoner, BaselineReasoner])
def test_the_settings_are_in_the_signature(kind: type[Reasoner]) -> None:
    parameters = inspect.signature(kind).parameters
    assert "kwargs" not in parameters
    assert set(kind().get_params()) <= set(parameters)
    assert {"seed", "training_paths", "path_limit"} <= set(parameters)
    assert all(parameter.kind is not inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
