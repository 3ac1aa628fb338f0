"""Settings that make no sense are refused with a message."""

from __future__ import annotations

from typing import Any

import pytest

from r5.errors import R5Error
from r5.grammar.settings import GrammarSettings


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"speed": 3}, "no setting 'speed'"),
        ({"combine": "vote"}, "combine must be one of mixture, average, product, best"),
        ({"answer_policy": "any"}, "answer_policy must be one of auto"),
        ({"restarts": ()}, "at least one"),
        ({"restarts": 5}, "a list of numbers"),
        ({"floor": 0}, "floor must be above 0"),
        ({"invented": -1}, "invented must not be below 0"),
        ({"first_noise": 1.5}, "between 0 and 1"),
        ({"annealing_steps": 0, "sparse_steps": 0}, "at least one step"),
    ],
)
def test_nonsense_is_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(R5Error, match=message):
        GrammarSettings.from_names(**values)


def test_lists_from_files_become_tuples() -> None:
    assert GrammarSettings.from_names(restarts=[0.5, 1]).restarts == (0.5, 1.0)
