"""Trained rule learners: their rules, explanations and proofs."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from r5._util.runtime.budget import Budget
from r5.baselines.methods import RULE_LEARNERS
from r5.baselines.rule_learners.model import RuleLearnerModel
from r5.baselines.rule_learners.prover_learner import ProverLearner
from r5.baselines.rule_learners.rnnlogic import RNNLogicLearner
from r5.baselines.settings import ProverSettings
from r5.reasoners.baseline import BaselineReasoner
from r5.storage.folder import ModelError, read_model
from tests.helpers.baselines import small_baseline
from tests.helpers.relatives import RULES, chain, examples, family


@pytest.fixture(scope="module", params=RULE_LEARNERS)
def model(request: pytest.FixtureRequest) -> BaselineReasoner:
    return small_baseline(request.param).fit(family())


class TestEveryRuleLearner:
    def test_rules_are_distinct_and_sorted_by_strength(self, model: BaselineReasoner) -> None:
        wanted = {(head, tuple(body.split())) for body, head in RULES.items() if len(body.split()) == 2}
        found = {(rule.head, rule.body) for rule in model.rules_}
        assert len(found) == len(model.rules_)
        assert len(wanted & found) >= (1 if model.engine == "gntp" else 3)
        strengths = [rule.strength for rule in model.rules_]
        assert strengths == pytest.approx(sorted(strengths, reverse=True), abs=1e-3)

    def test_paths_too_long_to_learn_from_are_left_out(self, model: BaselineReasoner) -> None:
        long = examples([chain(" ".join(["father"] * 9), "father")])
        alone = small_baseline(model.engine, epochs=1).fit(long)
        assert alone.predict(long[0]).relation in (None, "father")

    def test_a_time_limit_cuts_training_short(self, model: BaselineReasoner) -> None:
        cut = small_baseline(model.engine, epochs=1000).fit(family(), budget=Budget(0.05))
        assert cut.summary_["cut_short"].startswith("epoch ")

    def test_the_explanation_is_a_proof_of_the_path_or_the_rule_that_fits_it(self, model: BaselineReasoner) -> None:
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


def test_the_strongest_of_several_rules_is_the_reason() -> None:
    model = small_baseline("rnnlogic").fit(family())
    beside = [("e0", "wife", "x"), ("x", "daughter", "y"), ("y", "aunt", "e2")]
    query = examples([chain("daughter aunt", None, beside)])[0]
    assert isinstance(model.model_, RuleLearnerModel) and isinstance(model.model_.learner, RNNLogicLearner)
    weighted = model.model_.learner.weighted_rules
    lengths = np.array([len(body) for body in weighted.bodies])
    for longer, fits in ((2.0, "wife, daughter, aunt (2) fits e0 -wife-> x"), (0.5, "daughter, aunt (1) fits e0")):
        weighted.weights[:] = np.where(lengths == 3, longer, 1.0)
        assert (model.predict(query).reason or "").startswith(f"sister <= {fits}")
    sister = model.model_.statistics.names.index("sister")
    weighted.weights[:] = np.where(weighted.heads == sister, -1.0, 1.0)
    answer = model.predict(query)
    assert answer.relation != "sister"
    assert answer.reason == "rules speak against the other answers"


def test_a_proof_has_the_score_of_its_answer() -> None:
    model = small_baseline("ctp-l", epochs=1, min_steps=10).fit(family())
    assert isinstance(model.model_, RuleLearnerModel) and isinstance(model.model_.learner, ProverLearner)
    learner = model.model_.learner
    path = tuple(learner.relations.index(model.vocabulary_.id(name)) for name in ("wife", "daughter", "aunt"))
    goals = learner.network.vectors[list(learner.answers)]
    for answer, score in enumerate(learner.network([path], goals, 3)[0].tolist()):
        proof = learner.prove(path, answer)
        assert proof is not None
        assert proof.merges[-1][2] == pytest.approx(score, rel=1e-5)


def test_the_restart_with_the_lowest_loss_is_kept() -> None:
    losses = []
    model = small_baseline("ctp-l", epochs=1, restarts=3, min_steps=5)
    model.fit(family(), progress=lambda step: losses.append(float(step.message.split()[-1])))
    assert model.summary_["history"][-1]["loss"] == pytest.approx(min(losses), abs=1e-3)
    assert model.summary_["chosen"] == "the restart with the lowest training loss"


def test_stored_bodies_with_gaps_are_refused(tmp_path: Path) -> None:
    small_baseline("rnnlogic").fit(family()).save(tmp_path / "model")
    stored = read_model(tmp_path / "model")
    bodies = stored.arrays["rules.bodies"].copy()
    bodies[0, 0] = -1
    with pytest.raises(ModelError, match="gaps in their bodies"):
        BaselineReasoner.from_stored(replace(stored, arrays={**stored.arrays, "rules.bodies": bodies}))
