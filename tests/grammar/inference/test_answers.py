"""Decoding: several paths, unknown relations, beliefs about leaves."""

from __future__ import annotations

import numpy as np
import pytest

from r5._util.ragged import Ragged
from r5.grammar.inference import scoring
from r5.grammar.inference.answers import answer, leaf_posteriors, viterbi_trees
from r5.grammar.model import Grammar
from r5.grammar.rule_index import RuleIndex

# 2 <= 0, 0 and 3 <= 0, 1 are the rules; 0 is observed as 1 one time in ten.
MODEL = Grammar(
    index=RuleIndex.of(4, [2, 3], [0, 0], [0, 1], confusions=(np.array([0]), np.array([1]))),
    weight=np.array([0.5, 0.5]),
    background=np.zeros(4),
    stop=np.array([1.0, 1.0, 0.5, 0.5]),
    confusion=np.array([0.9, 0.1, 1.0, 1.0, 1.0]),
    stray=np.zeros(4),
    prior=np.full(4, 0.25),
    log_frequency=np.log(np.full(5, 0.2)),
)
ONE_EACH = np.array([0, 1, 2])


def test_posterior_is_bayes_rule() -> None:
    posterior = answer(MODEL, ONE_EACH, Ragged.of([[0, 0], [0, 1]])).posterior
    # 0, 1 is 2 with the second edge wrong (.9 * .1) or 3 with none wrong (.9 * 1); 0, 0 can only be 2.
    np.testing.assert_allclose(posterior, [[0, 0, 1, 0], [0, 0, 0.1 / 1.1, 1 / 1.1]])


def test_answers_of_several_paths_are_averaged() -> None:
    answers = answer(MODEL, np.array([0, 2]), Ragged.of([[0, 0], [0, 1]]))
    assert answers.posterior[0, 2] == pytest.approx((1 + 1 / 11) / 2)
    assert answers.posterior.sum() == pytest.approx(1.0)


def test_path_without_derivation_is_ignored() -> None:
    both = answer(MODEL, np.array([0, 2]), Ragged.of([[2, 2], [0, 1]]))
    np.testing.assert_allclose(both.posterior, [[0, 0, 0.1 / 1.1, 1 / 1.1]])
    none = answer(MODEL, np.array([0, 1, 1]), Ragged.of([[2, 2]]))
    assert not none.posterior.any()


def test_unseen_relation_is_a_wrong_edge() -> None:
    unknown = MODEL.relations
    posterior = answer(MODEL, np.array([0, 1]), Ragged.of([[0, unknown]])).posterior
    assert posterior[0].tolist() == [0, 0, 1, 0]  # only 0 is ever mistaken, so the edge must be a 0


def test_answers_do_not_depend_on_the_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = Ragged.of([[0, 0], [0, 1], [0, 1], [0, 0]])
    starts = np.arange(5)
    whole = answer(MODEL, starts, paths).posterior
    trees = viterbi_trees(MODEL, paths, np.array([2, 3, 2, 2]))
    monkeypatch.setattr(scoring, "_CELL_ENTRIES", 10)
    np.testing.assert_array_equal(answer(MODEL, starts, paths).posterior, whole)
    assert [t.leaves for t in viterbi_trees(MODEL, paths, np.array([2, 3, 2, 2]))] == [t.leaves for t in trees]
    assert [t.leaves for t in trees] == [[0, 0], [0, 1], [0, 0], [0, 0]]


def test_leaf_posteriors_are_bayes_rule() -> None:
    given_two = leaf_posteriors(MODEL, [0, 1], np.array([0.0, 0, 1, 0]))
    np.testing.assert_allclose(given_two, [[1, 0, 0, 0], [1, 0, 0, 0]])
    not_given = leaf_posteriors(MODEL, [0, 1], MODEL.prior)
    np.testing.assert_allclose(not_given, [[1, 0, 0, 0], [0.1 / 1.1, 1 / 1.1, 0, 0]])
