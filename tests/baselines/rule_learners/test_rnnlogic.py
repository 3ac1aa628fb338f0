"""RNNLogic: likelihoods and samples of the generator, and learned rules."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from r5.baselines.inputs.relation_index import RelationIndex
from r5.baselines.rule_learners.rnnlogic import RNNLogicLearner
from r5.baselines.rule_learners.rule_generator import RuleGenerator
from r5.baselines.settings import RNNLogicSettings, baseline_settings
from r5.reasoners.baseline import BaselineReasoner
from tests.helpers.relatives import RULES, chain, examples, family


def settings(**changes: int) -> RNNLogicSettings:
    made = baseline_settings("rnnlogic", **changes)
    assert isinstance(made, RNNLogicSettings)
    return made


def test_likelihoods_of_all_bodies_sum_to_one() -> None:
    torch.manual_seed(0)
    generator = RuleGenerator(settings(longest_rule=2, embedding=3, hidden=4), 2, 1)
    bodies = [(), (0,), (1,)]
    ended = generator(torch.zeros(3, dtype=torch.long), generator.pad(bodies)[:, :2]).exp().tolist()
    # A body of two has no room for its end: its likelihood is that of its two relations.
    full = torch.tensor([[a, b] for a in range(2) for b in range(2)])
    whole = generator(torch.zeros(4, dtype=torch.long), full).exp().tolist()
    assert sum(ended) + sum(whole) == pytest.approx(1.0, abs=1e-5)


def test_sampled_bodies_have_at_most_the_longest_length() -> None:
    torch.manual_seed(0)
    drawn = RuleGenerator(settings(longest_rule=3), 4, 2).sample(1, 200)
    assert {len(body) for body in drawn} <= {1, 2, 3}
    assert all(0 <= relation < 4 for body in drawn for relation in body)


@pytest.fixture(scope="module")
def model() -> BaselineReasoner:
    return BaselineReasoner("rnnlogic", seed=0, epochs=2).fit(family())


def test_it_learns_the_rules_of_a_family(model: BaselineReasoner) -> None:
    assert model.score(family()) == 1.0
    known = {(rule.head, " ".join(rule.body)) for rule in model.rules_}
    assert {(head, body) for body, head in RULES.items()} <= known


def test_it_abstains_if_no_rule_applies(model: BaselineReasoner) -> None:
    answer = model.predict(examples([chain("sister father", "aunt")])[0])
    assert str(answer) == "cannot say: no rule that rnnlogic has learned fits a path of the query"


def test_without_rules_there_are_no_answers() -> None:
    learner = RNNLogicLearner(settings(), RelationIndex((0, 1), (0,)))
    assert learner.rules() == []
    assert np.array_equal(learner.arrays()["rules.bodies"], np.zeros((0, 5)))
