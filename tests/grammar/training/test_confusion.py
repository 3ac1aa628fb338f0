"""Mistakes: whether they fall evenly is told by those that were made."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5._util.arrays import FloatArray
from r5.grammar.counts import ExpectedCounts
from r5.grammar.rule_index import RuleIndex
from r5.grammar.training.confusion import confusion_concentration, smooth_confusion
from r5.grammar.training.em import Pseudocounts, maximise

RELATIONS = 5
FULL = RuleIndex.full(RELATIONS)
COUNTS = st.lists(st.floats(0.0, 20.0), min_size=RELATIONS**2, max_size=RELATIONS**2).map(np.array)


def likelihood(counts: FloatArray, imagined: float) -> float:
    """Each mistake by what all others tell, one after the other."""
    total = 0.0
    table = np.zeros((RELATIONS, RELATIONS))
    table[FULL.leaves] = counts
    for true in range(RELATIONS):
        others = [observed for observed in range(RELATIONS) if observed != true]
        confusions = sum(table[true, observed] for observed in others)
        for observed in others:
            before, of_all = max(table[true, observed] - 1.0, 0.0), max(confusions - 1.0, 0.0)
            total += table[true, observed] * log((before + imagined / len(others)) / (of_all + imagined))
    return total


@settings(max_examples=50, deadline=None)
@given(COUNTS)
def test_no_other_evenness_makes_mistakes_likelier(counts: FloatArray) -> None:
    found = confusion_concentration(FULL.leaves, counts, RELATIONS)
    best = max(likelihood(counts, 2.0**n) for n in range(1, 9))
    assert likelihood(counts, found) == pytest.approx(best)


@settings(max_examples=50, deadline=None)
@given(COUNTS)
def test_a_relation_is_mistaken_as_often_as_without(counts: FloatArray) -> None:
    true, observed = FULL.leaves
    seen, _ = smooth_confusion(FULL.leaves, counts, RELATIONS, 0.5)
    own = np.bincount(true, np.where(true == observed, 0.0, counts), minlength=RELATIONS)
    np.testing.assert_allclose(np.bincount(true, seen, minlength=RELATIONS), own + 0.5 * (RELATIONS - 1))


def _confusion(confusions: list[list[float]], support: RuleIndex = FULL) -> FloatArray:
    leaves = (np.eye(RELATIONS) * 50.0 + np.array(confusions))[support.leaves]
    counts = ExpectedCounts(support, np.ones(len(support)), leaves, np.ones(RELATIONS), 0.0, 0.0)
    return maximise(counts, Pseudocounts(count_floor=1e-4, wrong=0.5, shared_confusion=True)).confusion_matrix


def test_where_mistakes_fall_evenly_one_more_says_nothing() -> None:
    even = (4.0 - 4.0 * np.eye(RELATIONS)).tolist()
    even[0][1] = 6.0
    matrix = _confusion(even)
    assert matrix[0, 1] == pytest.approx(matrix[0, 2], rel=0.05)


def test_where_each_relation_has_mistakes_of_its_own_one_is_likely() -> None:
    own = (16.0 * np.roll(np.eye(RELATIONS), 1, axis=1)).tolist()
    matrix = _confusion(own)
    assert matrix[0, 1] > 10.0 * matrix[0, 2]


def test_probabilities_add_up_where_mistakes_are_not_listed() -> None:
    few = RuleIndex.of(RELATIONS, [0, 1], [1, 2], [2, 3], confusions=(np.array([0, 1]), np.array([1, 3])), open=True)
    matrix = _confusion(np.roll(3.0 * np.eye(RELATIONS), 1, axis=1).tolist(), few)
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0)
    assert matrix.min() > 0.0
