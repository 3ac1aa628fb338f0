"""ClampedFreeCounts: the counts of the given answers, of any answer, and that their difference is which way to go."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from r5._util.ragged import Ragged
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.inference.answers import answer
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.description_length import answer_log_likelihood
from r5.grammar.training.discriminative import clamped_free_counts
from r5.grammar.training.em import expect
from r5.grammar.training.trainer import learn
from tests.helpers.groups import cyclic, draw

PATHS, LABELS = draw(cyclic(3), 12, [2, 3, 4], 0.2, seed=0)
CORPUS = Corpus.of([(path,) for path in PATHS], LABELS, 3)
MODEL = learn(CORPUS, GrammarSettings(restarts=(0.5,), annealing_steps=3, sparse_steps=1)).model


def test_clamped_counts_are_those_of_the_e_step() -> None:
    found, expected = clamped_free_counts(MODEL, CORPUS).clamped, expect(MODEL, CORPUS)
    np.testing.assert_allclose(found.rules, expected.rules, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.leaves, expected.leaves, rtol=1e-9, atol=1e-12)
    assert found.labels.tolist() == expected.labels.tolist()
    assert found.log_likelihood == pytest.approx(answer_log_likelihood(MODEL, CORPUS))


def test_free_counts_are_averaged_over_the_answers() -> None:
    """The slow twin: one question and one answer at a time."""
    posterior = answer(MODEL, np.arange(len(PATHS) + 1), Ragged.of(PATHS)).posterior
    rules, leaves = np.zeros(len(MODEL.support)), np.zeros(MODEL.confusion.size)
    for path, shares in zip(PATHS, posterior.tolist(), strict=True):
        for label, share in enumerate(shares):
            one = expect(MODEL, Corpus.of([(path,)], [label], 3))
            rules, leaves = rules + share * one.rules, leaves + share * one.leaves
    found = clamped_free_counts(MODEL, CORPUS).free
    np.testing.assert_allclose(found.rules, rules, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.leaves, leaves, rtol=1e-9, atol=1e-12)


def test_clamped_minus_free_is_the_gradient() -> None:
    plain = replace(MODEL, background=np.zeros(3))
    found = clamped_free_counts(plain, CORPUS)
    step = 1e-5
    for rule in np.argsort(-found.clamped.rules)[:6].tolist():
        more, less = (
            replace(plain, weight=np.where(np.arange(plain.weight.size) == rule, plain.weight * factor, plain.weight))
            for factor in (np.exp(step), np.exp(-step))
        )
        slope = (answer_log_likelihood(more, CORPUS) - answer_log_likelihood(less, CORPUS)) / (2 * step)
        assert slope == pytest.approx(found.clamped.rules[rule] - found.free.rules[rule], abs=1e-4)


def test_any_path_of_an_example_may_be_the_reason() -> None:
    """The shares of a question's paths and answers add up to one, so as many rules are used as one path needs."""
    two = Corpus.of([((0, 1), (1, 1))], [2], 3)
    found = clamped_free_counts(MODEL, two)
    assert found.clamped.leaves.sum() == pytest.approx(2.0)
    assert found.free.leaves.sum() == pytest.approx(2.0)
