"""Calibrating: the temperature that makes probabilities mean what they say."""

from __future__ import annotations

import numpy as np
import pytest

from r5.grammar.calibration.temperature import apply_temperature, fit_temperature, leave_out
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.trainer import learn
from tests.helpers.groups import cyclic, draw


def test_temperature_keeps_order_and_sum() -> None:
    rows = np.array([[0.7, 0.2, 0.1, 0.0], [0.0, 0.0, 0.0, 0.0]])
    assert apply_temperature(rows, 1.0) is rows
    sharp, flat = apply_temperature(rows, 0.5), apply_temperature(rows, 2.0)
    np.testing.assert_allclose(sharp[0], np.array([0.49, 0.04, 0.01, 0.0]) / 0.54)
    assert flat[0, 0] < 0.7 < sharp[0, 0]
    assert flat[0].sum() == pytest.approx(1.0)
    assert not sharp[1].any()
    assert not flat[1].any()


@pytest.mark.parametrize("truth", [0.5, 1.0, 2.0])
def test_best_temperature_is_recovered(truth: float) -> None:
    """Answers drawn from probabilities; what is shown is as if the temperature were another."""
    rng = np.random.default_rng(0)
    real = rng.dirichlet(np.full(5, 0.5), 4000)
    answers = np.array([rng.choice(5, p=row) for row in real])
    shown = apply_temperature(real, 1 / truth)
    assert fit_temperature(shown, answers)[0] == pytest.approx(truth, rel=0.1)
    assert fit_temperature(np.zeros((3, 5)), np.zeros(3, dtype=int))[0] == pytest.approx(1.0)


def test_leave_out_subtracts_the_counts_of_the_examples() -> None:
    settings = GrammarSettings(restarts=(0.5,), annealing_steps=5, sparse_steps=3)
    paths, labels = draw(cyclic(3), 200, [2, 3], 0.0, seed=0)
    corpus = Corpus.of([(path,) for path in paths], labels, 3)
    part = Corpus.of([(path,) for path in paths[:50]], labels[:50], 3)
    learned = learn(corpus, settings)
    less = leave_out(learned, part, settings)
    assert less.counts.labels.sum() == pytest.approx(150.0)
    merges = sum(len(path) - 1 for path in paths[50:])
    assert less.counts.rules.sum() == pytest.approx(merges, rel=0.02)
