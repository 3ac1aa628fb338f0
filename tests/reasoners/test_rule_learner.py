"""RuleLearnerReasoner: what every system promises, on data with known answers and on degenerate data."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from r5._util.runtime.budget import Budget
from r5.baselines.learner_settings import RULE_LEARNERS, LearnerSettings, ProverSettings, learner_settings
from r5.errors import R5Error
from r5.examples import Examples
from r5.graph import Graph
from r5.reasoners.registry import load_model, make_reasoner
from r5.reasoners.rule_learner import RuleLearnerReasoner
from r5.storage.folder import ModelError, read_model
from tests.helpers.relatives import RULES, chain, examples, family

SMALL: dict[str, dict[str, Any]] = {
    **{
        name: {"modules": 3, "answer_depth": 3, "epochs": 1, "least_steps": 100, "slots": 8, "restarts": 2}
        for name in ("ctp-l", "ctp-a", "ctp-m")
    },
    "gntp": {"modules": 8, "answer_depth": 3, "epochs": 2, "least_steps": 150},
    "neural-lp": {"epochs": 1, "learning_rate": 0.05, "least_steps": 80, "hidden": 16},
    "rnnlogic": {"epochs": 1, "hidden": 8},
}


def small(system: str, **changes: Any) -> RuleLearnerReasoner:
    return RuleLearnerReasoner(system, **{**SMALL[system], **changes})


def apart() -> Examples:
    """Two people whom nothing connects."""
    return Examples.over(Graph.from_triples([("a", "father", "b"), ("c", "sister", "d")]), [0], [3], [-1])


@pytest.fixture(scope="module")
def train() -> Examples:
    return family()


@pytest.fixture(scope="module", params=RULE_LEARNERS)
def model(request: pytest.FixtureRequest, train: Examples) -> RuleLearnerReasoner:
    return small(request.param).fit(train)


class TestEverySystem:
    """The contract: a further system is tested by its name."""

    def test_it_learns_a_tiny_world(self, model: RuleLearnerReasoner, train: Examples) -> None:
        assert model.score(train) >= (0.5 if model.engine == "gntp" else 0.9)
        assert model.summary_["history"][-1]["loss"] < 0.5
        assert model.summary_["examples"] == 24

    def test_rules_are_told_strongest_first(self, model: RuleLearnerReasoner) -> None:
        wanted = {(head, tuple(body.split())) for body, head in RULES.items() if len(body.split()) == 2}
        found = {(rule.head, rule.body) for rule in model.rules_}
        assert len(found) == len(model.rules_)
        assert len(wanted & found) >= (1 if model.engine == "gntp" else 3)
        strengths = [rule.strength for rule in model.rules_]
        assert strengths == pytest.approx(sorted(strengths, reverse=True), abs=1e-3)

    def test_shares_add_up_to_one(self, model: RuleLearnerReasoner, train: Examples) -> None:
        likely = model.predict_proba(train)
        np.testing.assert_allclose(likely.sum(axis=1), 1.0)
        for answer, row in zip(model.predict_many(train), likely, strict=True):
            assert answer.relation == model.vocabulary_.name(int(row.argmax()))
            assert answer.probability == row.max()
        plain = model.predict_plain(train)
        assert [one.relation for one in plain] == [one.relation for one in model.predict_many(train)]

    def test_the_same_seed_learns_the_same(self, model: RuleLearnerReasoner, train: Examples) -> None:
        one, same = (small(model.engine, epochs=1, least_steps=5, seed=3).fit(train) for _ in range(2))
        assert one.predict_proba(train).tobytes() == same.predict_proba(train).tobytes()
        assert one.rules_ == same.rules_

    def test_a_saved_model_answers_the_same(self, model: RuleLearnerReasoner, train: Examples, tmp_path: Path) -> None:
        model.save(tmp_path / "model")
        loaded = load_model(tmp_path / "model")
        assert isinstance(loaded, RuleLearnerReasoner)
        assert (loaded.engine, loaded.settings, loaded.rules_) == (model.engine, model.settings, model.rules_)
        assert loaded.predict_many(train) == model.predict_many(train)
        np.testing.assert_array_equal(loaded.predict_proba(apart()), model.predict_proba(apart()))

    def test_damaged_arrays_are_refused(self, model: RuleLearnerReasoner, tmp_path: Path) -> None:
        model.save(tmp_path / "model")
        stored = read_model(tmp_path / "model")
        for name, array in stored.arrays.items():
            missing = {key: value for key, value in stored.arrays.items() if key != name}
            with pytest.raises(ModelError, match="lacks the array"):
                RuleLearnerReasoner.from_stored(replace(stored, arrays=missing))
            bad = np.concatenate([array, array])
            with pytest.raises(ModelError, match=r"expected|not in order"):
                RuleLearnerReasoner.from_stored(replace(stored, arrays={**stored.arrays, name: bad}))

    def test_a_relation_that_was_never_seen_says_nothing(self, model: RuleLearnerReasoner) -> None:
        graph = Graph.from_triples([("a", "father", "b"), ("b", "godmother", "c")])
        answer = model.predict(Examples.over(graph, [0], [2], [-1])[0])
        assert answer.reason == f"no rule that {model.engine} has learned fits a path of the question"

    def test_no_path(self, model: RuleLearnerReasoner) -> None:
        assert str(model.predict(apart()[0])) == "cannot say: no path leads from a to d"
        wanted = {"aunt": 1 / 6, "daughter": 1 / 6, "sister": 1 / 3, "son": 1 / 3}
        found = dict(zip(model.vocabulary_.known, model.predict_proba(apart())[0].tolist(), strict=True))
        common = {name: p for name, p in found.items() if p}
        if model.settings.edge_questions:  # edges are questions, too, and what they show is common
            assert set(wanted) < set(common)
            assert sum(common.values()) == pytest.approx(1.0)
        else:
            assert common == pytest.approx(wanted)

    def test_only_what_is_too_long_to_learn_from(self, model: RuleLearnerReasoner) -> None:
        long = examples([chain(" ".join(["father"] * 9), "father")])
        alone = small(model.engine, epochs=1).fit(long)
        assert alone.predict(long[0]).relation in (None, "father")

    def test_a_budget_ends_it(self, model: RuleLearnerReasoner, train: Examples) -> None:
        cut = small(model.engine, epochs=1000).fit(train, budget=Budget(0.05))
        assert cut.summary_["cut_short"].startswith("epoch ")

    def test_the_explanation_shows_a_proof_of_the_whole_path_or_the_rule_that_fits_it(
        self, model: RuleLearnerReasoner
    ) -> None:
        answer = model.predict(examples([chain("wife daughter brother", None)])[0])
        proof = answer.derivation
        if not isinstance(model.settings, ProverSettings):
            path = "e0 -wife-> e1, e1 -daughter-> e2, e2 -brother-> e3"
            assert re.fullmatch(
                rf"son .*\n  because son <= wife, daughter, brother \([0-9.e-]+\) fits {path}", answer.explain()
            )
            return
        assert proof is not None
        assert [fact.relation for fact in proof.path] == ["wife", "daughter", "brother"]
        assert (proof.steps[-1].result.source, proof.steps[-1].result.target) == ("e0", "e3")
        assert proof.steps[-1].result.relation == answer.relation
        assert 0 < proof.steps[-1].score <= min(step.score for step in proof.steps)  # type: ignore[operator,type-var]


def test_of_several_rules_the_strongest_is_named() -> None:
    model = small("rnnlogic").fit(family())
    beside = [("e0", "wife", "x"), ("x", "daughter", "y"), ("y", "aunt", "e2")]
    question = examples([chain("daughter aunt", None, beside)])[0]
    weighed = model.learner_.weighed  # type: ignore[attr-defined]
    lengths = np.array([len(body) for body in weighed.bodies])
    for longer, fits in ((2.0, "wife, daughter, aunt (2) fits e0 -wife-> x"), (0.5, "daughter, aunt (1) fits e0")):
        weighed.weights[:] = np.where(lengths == 3, longer, 1.0)
        assert (model.predict(question).reason or "").startswith(f"sister <= {fits}")
    weighed.weights[:] = np.where(
        weighed.heads == model.codes_.answers.index(model.vocabulary_.id("sister")), -1.0, 1.0
    )
    answer = model.predict(question)
    assert answer.relation != "sister"
    assert answer.reason == "rules speak against the other answers"


def test_the_score_of_a_proof_is_that_of_the_answer() -> None:
    model = small("ctp-l", epochs=1, least_steps=10).fit(family())
    learner = model.learner_
    path = tuple(learner.relations.index(model.vocabulary_.id(name)) for name in ("wife", "daughter", "aunt"))
    goals = learner.network.vectors[list(learner.answers)]  # type: ignore[operator,index]
    scores = learner.network([path], goals, 3)[0].tolist()
    for answer, score in enumerate(scores):
        proof = learner.prove(path, answer)
        assert proof is not None
        assert proof.merges[-1][2] == pytest.approx(score, rel=1e-5)


def test_restarts_keep_the_lowest_loss() -> None:
    losses = []
    model = small("ctp-l", epochs=1, restarts=3, least_steps=5)
    model.fit(family(), progress=lambda step: losses.append(float(step.message.split()[-1])))
    assert model.summary_["history"][-1]["loss"] == pytest.approx(min(losses), abs=1e-3)
    assert model.summary_["chosen"] == "the restart with the lowest training loss"


def test_settings_are_those_of_the_system() -> None:
    assert isinstance(make_reasoner("gntp", seed=1), RuleLearnerReasoner)
    with pytest.raises(R5Error, match="the baseline neural-lp has no setting 'modules'"):
        make_reasoner("neural-lp", modules=3)
    with pytest.raises(R5Error, match="cannot have the system 'gntp'"):
        make_reasoner("ctp-l", system="gntp")
    with pytest.raises(R5Error, match="no rule learner is called 'prolog'"):
        learner_settings("prolog")
    with pytest.raises(R5Error, match="modules must be fewer"):
        learner_settings("ctp-l", modules=50)
    assert isinstance(learner_settings("gntp", modules=500), LearnerSettings)


def test_rules_of_a_folder_have_no_gaps(tmp_path: Path) -> None:
    small("rnnlogic").fit(family()).save(tmp_path / "model")
    stored = read_model(tmp_path / "model")
    bodies = stored.arrays["rules.bodies"].copy()
    bodies[0, 0] = -1
    with pytest.raises(ModelError, match="gaps in their bodies"):
        RuleLearnerReasoner.from_stored(replace(stored, arrays={**stored.arrays, "rules.bodies": bodies}))
