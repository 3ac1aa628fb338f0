"""Noise level: grammars for queries with another share of wrong edges than in training."""

from __future__ import annotations

import numpy as np
import pytest

from r5._util.arrays import FloatArray
from r5._util.ragged import Ragged
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.inference.answers import answer
from r5.grammar.inference.noise_level import adapt_noise
from r5.grammar.model import FittedGrammar
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.trainer import learn
from tests.helpers.groups import cyclic, draw


@pytest.fixture(scope="module")
def learned() -> FittedGrammar:
    """A group learned from paths of two and three with 10 % wrong edges."""
    paths, labels = draw(cyclic(3), 2000, [2, 3], 0.1, seed=0)
    return learn(Corpus.of([(path,) for path in paths], labels, 3), GrammarSettings(restarts=(0.5,)))


def _answers(learned: FittedGrammar, wrong_edges: float | None) -> tuple[FloatArray, list[int]]:
    """Return the probability of each answer over paths of 12, and the true answers."""
    paths, labels = draw(cyclic(3), 50, [12], 0.0, seed=1)
    asked = adapt_noise(learned, wrong_edges)
    found = answer(asked.model, np.arange(51), Ragged.of(paths), reach=asked.reach)
    return found.posterior, list(labels)


def test_noise_level_of_training_is_the_default(learned: FittedGrammar) -> None:
    asked = adapt_noise(learned, None)
    assert asked.model is learned.model
    assert asked.temperature == learned.temperature
    posterior, labels = _answers(learned, None)
    assert posterior.argmax(axis=1).tolist() == labels
    assert posterior.max() < 0.7  # .9 ** 12 is .28


def test_zero_wrong_edges_gives_certain_answers(learned: FittedGrammar) -> None:
    posterior, labels = _answers(learned, 0.0)
    assert posterior.argmax(axis=1).tolist() == labels
    assert posterior.max(axis=1).min() > 0.99


@pytest.mark.parametrize("wrong", [0.01, 0.05, 0.2])
def test_adapted_grammar_has_the_given_share_of_wrong_edges(learned: FittedGrammar, wrong: float) -> None:
    model = adapt_noise(learned, wrong).model
    matrix = model.confusion_matrix
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0)
    assert 1.0 - np.diag(matrix).mean() == pytest.approx(wrong, rel=0.2)


def test_share_of_wrong_edges_is_bounded(learned: FittedGrammar) -> None:
    matrix = adapt_noise(learned, 0.999).model.confusion_matrix
    assert np.diag(matrix).min() == pytest.approx(0.1)
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0)
