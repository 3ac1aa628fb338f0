"""Settings: the values of Appendix A.2, and errors for values out of range."""

from __future__ import annotations

import pytest

from r5.agent.settings import R5Settings
from r5.errors import R5Error


def test_defaults_are_those_of_appendix_a2() -> None:
    s = R5Settings()
    assert (s.epochs, s.learning_rate, s.invented, s.decay) == (10, 0.01, 50, 0.003)
    assert (s.known_rule, s.known_head, s.invented_head) == (0.6, 0.3, -0.05)
    assert (s.new_known_body, s.new_invented_body) == (-0.1, -0.3)
    assert (s.end_wrong, s.threshold, s.end_right) == (-1.0, -1.2, 0.1)
    assert (s.simulations, s.exploration, s.dirichlet_fraction, s.dirichlet_alpha) == (200, 10.0, 0.1, 0.3)


def test_additions_to_the_paper_are_off_by_default() -> None:
    s = R5Settings()
    assert not (s.solved_nodes or s.distinct or s.associativity)
    assert (s.free_visits, s.hidden_answers, s.equivalence_threshold, s.patience) == (0, 0.0, 0.0, 0)
    assert (s.restarts, s.combine, s.ending_value, s.keep_epoch) == (1, "together", "known", "last")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"free_visits": 5}, "needs solved_nodes"),
        ({"dirichlet_fraction": 2}, "dirichlet_fraction must be a number from 0 to 1, not 2"),
        ({"hidden_answers": 5}, "hidden_answers must be a number from 0 to 1, not 5"),
        ({"decay": 2}, "decay must be a number from 0 to 1, not 2"),
        ({"l2": -1}, "l2 must be a number from 0 on, not -1"),
        ({"dirichlet_alpha": -1}, "dirichlet_alpha must be a number above 0, not -1"),
        ({"longest_path": 1}, "longest_path must be a whole number from 2 to"),
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
        ({"training_paths": 3}, "training_paths must be one of shortest, simple, trail, not 3"),
        ({"hidden": 1_000_000}, "hidden must be a whole number from 1 to 10,000, not 1000000"),
        ({"seed": 10**400}, "seed must be a whole number"),
        ({"simulations": 100_000, "path_limit": 1000}, "simulations x path_limit x longest_path must be at most"),
    ],
)
def test_values_out_of_range_raise(changes: dict[str, object], message: str) -> None:
    with pytest.raises(R5Error, match=message):
        R5Settings(**changes)
