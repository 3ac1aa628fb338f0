"""Settings: the paper's values, families, and refusal of what makes no sense."""

from __future__ import annotations

import pytest

from r5.agent.settings import Settings
from r5.errors import R5Error


def test_defaults_are_those_of_appendix_a2() -> None:
    s = Settings()
    assert (s.epochs, s.learning_rate, s.invented, s.decay) == (10, 0.01, 50, 0.003)
    assert (s.known_rule, s.known_head, s.invented_head) == (0.6, 0.3, -0.05)
    assert (s.new_known_body, s.new_invented_body) == (-0.1, -0.3)
    assert (s.end_wrong, s.threshold, s.end_right) == (-1.0, -1.2, 0.1)
    assert (s.simulations, s.exploration, s.noise, s.noise_shape) == (200, 10.0, 0.1, 0.3)


def test_families_differ_where_the_paper_says() -> None:
    assert Settings.of("graphlog-few").end_right == 0.3
    assert Settings.of("graphlog-long").end_right == 0.8
    clutrr = Settings.of("clutrr")
    assert (clutrr.simple_true, clutrr.simple_wrong, clutrr.invented) == (10.0, 0.0, 27)
    assert Settings.of("clutrr", invented=3).invented == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"family": "kinship"}, "no family of settings is called 'kinship'"),
        ({"colour": 1}, "no setting 'colour'"),
        ({"epochs": 0}, "epochs must be a whole number from 1 to 1,000,000, not 0"),
        ({"invented": 0}, "invented must be a whole number from 1 to"),
        ({"known_head": 0.9}, "v0 > v1"),
        ({"end_right": -1.0}, "end_right must be a number above 0"),
        ({"threshold": 0.5}, "threshold must be a number below 0"),
        ({"combine": "mean"}, "combine must be one of vote, together"),
        ({"epochs": "many"}, "epochs must be a whole number from 1 to 1,000,000, not 'many'"),
        ({"epochs": 2.5}, "epochs must be a whole number"),
        ({"invented": True}, "invented must be a whole number"),
        ({"learning_rate": float("nan")}, "learning_rate must be a number"),
        ({"network": "maybe"}, "network must be true or false"),
        ({"path_policy": 3}, "path_policy must be one of shortest, simple, trail, not 3"),
        ({"hidden": 1_000_000}, "hidden must be a whole number from 1 to 10,000, not 1000000"),
        ({"seed": 10**400}, "seed must be a whole number"),
        ({"simulations": 100_000, "path_limit": 1000}, "simulations x path_limit x path_length must be at most"),
    ],
)
def test_what_makes_no_sense_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(R5Error, match=message):
        Settings.of(**changes)
