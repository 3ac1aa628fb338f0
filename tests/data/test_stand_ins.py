"""Stand-ins: near to what they stand in for, and never the same thing."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from r5.data.catalogue import known
from r5.data.stand_ins import stand_in
from r5.dataset import Dataset


@cache
def made(name: str) -> Dataset:
    """Return the stand-in of a data set of the catalogue."""
    return stand_in(known(name))


@pytest.mark.parametrize("name", ["world_2", "re_1"])
def test_the_statistics_come_near_to_the_published_ones(name: str) -> None:
    entry = known(name)
    found = made(name).describe()
    wanted = entry.statistics
    assert found.name == f"stand_in_{name}"
    assert (found.train, found.test) == (wanted["train"], wanted["test"])
    assert abs(found.classes - wanted["classes"]) <= 1
    assert found.distinct_paths == pytest.approx(wanted["distinct_paths"], rel=0.05)
    assert found.average_resolution_length == pytest.approx(wanted["average_resolution_length"], rel=0.05)
    assert found.average_edges == pytest.approx(wanted["average_edges"], rel=0.05)
    assert found.rules is not None


def test_two_answers_compete_for_about_a_tenth_of_the_sequences_of_a_world() -> None:
    data = made("world_2")
    answers: dict[tuple[int, ...], set[int]] = {}
    for row, answer in zip(data.train.descriptors.rows(), data.train.answers.tolist(), strict=True):
        answers.setdefault(tuple(row), set()).add(answer)
    counts = np.array([len(some) for some in answers.values()])
    assert counts.max() == 2
    assert 0.03 < (counts == 2).mean() < 0.2


def test_stand_in_is_the_same_each_time() -> None:
    assert stand_in(known("re_1")).test == made("re_1").test
