"""RNNLogic's generator, and what its rules come to."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from r5.baselines.inputs import Codes
from r5.baselines.learner_settings import RNNLogicSettings, learner_settings
from r5.baselines.rnnlogic import Generator, RNNLogicLearner
from r5.reasoners.rule_learner import RuleLearnerReasoner
from tests.helpers.relatives import RULES, chain, examples, family


def settings(**changes: int) -> RNNLogicSettings:
    made = learner_settings("rnnlogic", **changes)
    assert isinstance(made, RNNLogicSettings)
    return made


def test_the_likelihoods_of_all_bodies_add_up_to_one() -> None:
    torch.manual_seed(0)
    generator = Generator(settings(longest_rule=2, embedding=3, hidden=4), 2, 1)
    bodies = [(), (0,), (1,)]
    ended = generator(torch.zeros(3, dtype=torch.long), generator.table(bodies)[:, :2]).exp().tolist()
    # A body of two has no room for its end: its likelihood is that of its two relations.
    full = torch.tensor([[a, b] for a in range(2) for b in range(2)])
    whole = generator(torch.zeros(4, dtype=torch.long), full).exp().tolist()
    assert sum(ended) + sum(whole) == pytest.approx(1.0, abs=1e-5)


def test_rules_that_are_drawn_have_a_body_that_is_not_too_long() -> None:
    torch.manual_seed(0)
    drawn = Generator(settings(longest_rule=3), 4, 2).draw(1, 200)
    assert {len(body) for body in drawn} <= {1, 2, 3}
    assert all(0 <= relation < 4 for body in drawn for relation in body)


@pytest.fixture(scope="module")
def model() -> RuleLearnerReasoner:
    return RuleLearnerReasoner("rnnlogic", seed=0, epochs=2).fit(family())


def test_it_learns_the_rules_of_a_family(model: RuleLearnerReasoner) -> None:
    assert model.score(family()) == 1.0
    known = {(rule.head, " ".join(rule.body)) for rule in model.rules_}
    assert {(head, body) for body, head in RULES.items()} <= known


def test_what_no_rule_says_is_not_guessed(model: RuleLearnerReasoner) -> None:
    answer = model.predict(examples([chain("sister father", "aunt")])[0])
    assert str(answer) == "cannot say: no rule that rnnlogic has learned fits a path of the question"


def test_without_rules_there_are_no_answers() -> None:
    learner = RNNLogicLearner(settings(), Codes((0, 1), (0,)))
    assert learner.rules() == []
    assert np.array_equal(learner.arrays()["rules.bodies"], np.zeros((0, 5)))
