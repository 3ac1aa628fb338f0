"""Settings that make no sense are refused with a message."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from r5._util.settings import build_settings
from r5.errors import R5Error
from r5.grammar.settings import GrammarSettings


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"speed": 3}, "no setting 'speed'"),
        ({"answer_paths": "any"}, "answer_paths must be one of auto"),
        ({"restarts": ()}, "restarts must be a list of one or more numbers above 0"),
        ({"restarts": None}, "restarts must be a list of one or more numbers above 0, not None"),
        ({"count_floor": 0}, "count_floor must be a number above 0, not 0"),
        ({"count_floor": True}, "count_floor must be a number above 0, not True"),
        ({"count_floor": "0.1"}, "count_floor must be a number above 0, not '0.1'"),
        ({"sparsity": float("nan")}, "sparsity must be a number from 0 on, not nan"),
        ({"competition": float("inf")}, "competition must be a number from 0 on, not inf"),
        ({"pruning_threshold": None}, "pruning_threshold must be a number from 0 on, not None"),
        ({"curriculum_steps": False}, "curriculum_steps must be a whole number"),
        ({"annealing_steps": 2.5}, "annealing_steps must be a whole number from 0 to 1,000,000, not 2.5"),
        ({"seed": "x"}, "seed must be a whole number from 0 to"),
        ({"seed": -1}, "seed must be a whole number from 0 to"),
        ({"longest_path": 1}, "longest_path must be a whole number from 2 to 10,000"),
        ({"path_limit": "many"}, "path_limit must be a whole number from 1 to 100,000"),
        ({"threads": 0}, "threads must be a whole number from 1 to 10,000"),
        ({"answer_paths": ["any"]}, "answer_paths must be one of"),
        ({"direct": None}, "direct must be one of skip, keep, dummy, not None"),
        ({"initial_noise": 0}, "initial_noise must be a number above 0"),
        ({"initial_noise": 1.5}, "above 0 and below 1, not 1.5"),
        ({"annealing_steps": 0, "sparse_steps": 0}, "at least one step"),
    ],
)
def test_invalid_settings_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(R5Error, match=message):
        build_settings(GrammarSettings, "the engine grammar", values)


def test_lists_become_tuples_in_settings() -> None:
    assert build_settings(GrammarSettings, "it", {"restarts": [0.5, 1]}).restarts == (0.5, 1.0)


def test_whole_numbers_are_accepted_as_numbers() -> None:
    settings = build_settings(
        GrammarSettings, "it", {"sparsity": 1, "threads": None, "seed": np.int64(3), "count_floor": np.float32(0.5)}
    )
    assert (settings.sparsity, settings.threads, settings.seed, settings.count_floor) == (1.0, None, 3, 0.5)
    assert type(settings.sparsity) is float
    assert type(settings.seed) is int
