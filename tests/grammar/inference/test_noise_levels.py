"""NoiseLevel: a model that is told how often the edges of questions are wrong, or goes by their paths."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from r5._util.arrays import FloatArray
from r5._util.ragged import Ragged
from r5.data.generators.world.dataset import generate_world
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.inference.answers import answer
from r5.grammar.inference.noise_levels import NoiseLevel, at_noise_level, noise_level_posterior, noise_levels
from r5.grammar.model import FittedGrammar
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.trainer import learn
from r5.reasoners.grammar import GrammarReasoner
from tests.helpers.groups import cyclic, draw


@pytest.fixture(scope="module")
def learned() -> FittedGrammar:
    """A group learned from paths of two and three with 10 % wrong edges."""
    paths, labels = draw(cyclic(3), 2000, [2, 3], 0.1, seed=0)
    return learn(Corpus.of([(path,) for path in paths], labels, 3), GrammarSettings(restarts=(0.5,)))


def _answers(learned: FittedGrammar, wrong_edges: float | None) -> tuple[FloatArray, list[int]]:
    """How likely each answer is over paths of 12, and the true ones."""
    paths, labels = draw(cyclic(3), 50, [12], 0.0, seed=1)
    asked = at_noise_level(learned, wrong_edges)
    found = answer(asked.model, np.arange(51), Ragged.of(paths), trust=asked.trust)
    return found.posterior, list(labels)


def test_who_is_told_nothing_counts_on_the_edges_of_training(learned: FittedGrammar) -> None:
    asked = at_noise_level(learned, None)
    assert asked.model is learned.model
    assert asked.temperature == learned.temperature
    posterior, labels = _answers(learned, None)
    assert posterior.argmax(axis=1).tolist() == labels
    assert posterior.max() < 0.7  # .9 ** 12 is .28


def test_who_is_told_that_edges_are_right_is_sure(learned: FittedGrammar) -> None:
    posterior, labels = _answers(learned, 0.0)
    assert posterior.argmax(axis=1).tolist() == labels
    assert posterior.max(axis=1).min() > 0.99


@pytest.mark.parametrize("wrong", [0.01, 0.05, 0.2])
def test_the_share_of_wrong_edges_is_what_was_told(learned: FittedGrammar, wrong: float) -> None:
    model = at_noise_level(learned, wrong).model
    matrix = model.confusion_matrix
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0)
    assert 1.0 - np.diag(matrix).mean() == pytest.approx(wrong, rel=0.2)


def test_there_is_an_end_to_wrong_edges(learned: FittedGrammar) -> None:
    matrix = at_noise_level(learned, 0.999).model.confusion_matrix
    assert np.diag(matrix).min() == pytest.approx(0.1)
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0)


def test_questions_are_like_those_of_training_or_unlike(learned: FittedGrammar) -> None:
    ways = noise_levels(learned, GrammarSettings(unlike=0.2))
    assert ways[0].model is learned.model
    assert [way.chance for way in ways] == pytest.approx([0.8, 0.1, 0.1])
    rights = [np.diag(way.model.confusion_matrix).mean() for way in ways]
    assert rights[1] > rights[0] > rights[2]


@pytest.mark.parametrize("settings", [GrammarSettings(wrong_edges=0.1), GrammarSettings(unlike=0.0)])
def test_who_is_told_or_rules_it_out_does_not_wonder(learned: FittedGrammar, settings: GrammarSettings) -> None:
    (way,) = noise_levels(learned, settings)
    assert way.chance == 1.0


def test_rules_without_mistakes_leave_nothing_to_wonder_about(learned: FittedGrammar) -> None:
    right = np.where(learned.model.support.leaf_true == learned.model.support.leaf_observed, 1.0, 0.0)
    certain = replace(learned, model=replace(learned.model, confusion=right, stray=np.zeros(3)))
    assert len(noise_levels(certain, GrammarSettings())) == 1


def _ways(learned: FittedGrammar, longest: int) -> list[NoiseLevel]:
    known = replace(learned, longest=longest)
    return [replace(at_noise_level(known, None), chance=chance) for chance in (0.5, 0.25, 0.25)]


def test_how_likely_each_way_is_follows_from_the_paths(learned: FittedGrammar) -> None:
    """Paths that are twice as likely if edges are often wrong make that twice as likely as it was."""
    evidence = [np.log([1.0, 1.0, 6.0]), np.log([1.0, 1.0, 3.0]), np.log([1.0, 2.0, 6.0])]
    likely = noise_level_posterior(_ways(learned, 3), evidence, np.array([4.0, 9.0, 2.0]))
    np.testing.assert_allclose(likely.T, [[0.5, 0.25, 0.25], [0.4, 0.2, 0.4], [4 / 7, 1 / 7, 2 / 7]])


def test_a_question_without_a_path_says_nothing(learned: FittedGrammar) -> None:
    likely = noise_level_posterior(_ways(learned, 3), [np.array([-np.inf])] * 3, np.array([0.0]))
    assert likely[:, 0].tolist() == [0.5, 0.25, 0.25]


def test_a_path_says_no_more_the_longer_it_is(learned: FittedGrammar) -> None:
    """Beyond three times the length that was learned from, at the same pace along the path."""
    lengths = np.array([6.0, 9.0, 30.0, 300.0])
    evidence = [np.zeros(4), np.zeros(4), 0.1 * lengths]
    often = noise_level_posterior(_ways(learned, 3), evidence, lengths)[2]
    assert often[0] < often[1]
    np.testing.assert_allclose(often[1:], often[1])


def test_a_path_that_needs_mistakes_makes_them_likely() -> None:
    """FittedGrammar without wrong edges, asked with 15 %: by its paths a model is too sure by less than half as much."""
    kind = {"seed": 11, "relations": 10, "rules": 18, "train": 600}
    train = generate_world(**kind, test=6).train
    test = generate_world(**kind, wrong_edges=0.15, test=600).test
    model = GrammarReasoner(seed=0, restarts=(0.5,)).fit(train)

    def too_sure() -> float:
        sure = np.mean([answer.probability or 0.0 for answer in model.predict_plain(test)])
        return float(sure) - model.score(test)

    by_its_paths = too_sure()
    model.set_params(unlike=0.0)
    assert too_sure() > 0.05
    assert abs(by_its_paths) < too_sure() / 2
