"""Choice of the policy for paths: the most right answers on a sample of the training examples."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from r5.agent.beyond.path_policy import choose_policy
from r5.data.generators.world.dataset import generate_world
from r5.examples import Examples


@pytest.mark.parametrize(("best", "wanted"), [("shortest", "shortest"), ("simple", "simple"), ("none", "trail")])
def test_the_policy_with_the_most_right_answers_is_chosen(best: str, wanted: str) -> None:
    train = generate_world(train=320, test=1, seed=0).train
    asked: list[Examples] = []

    def right(examples: Examples, policy: str) -> Sequence[bool]:
        asked.append(examples)
        return [policy == best] * len(examples)

    policy, reason = choose_policy(train, 0, right)
    assert policy == wanted
    assert {len(examples) for examples in asked} == {300}
    assert asked[0] == asked[-1] != train[:300], "the same sample for each policy"
    assert reason.startswith("right answers to 300 training queries: trail 0, simple ")
