"""Discriminative training: clamped and free counts, and weights under which the answers are more likely."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from r5._util.ragged import Ragged
from r5.data.generators.world.dataset import generate_world
from r5.grammar.calibration import tuning
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.inference.answers import answer
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.description_length import answer_log_likelihood
from r5.grammar.training.discriminative import clamped_free_counts, fit_discriminative
from r5.grammar.training.em import expect
from r5.grammar.training.trainer import learn
from r5.reasoners.grammar import GrammarReasoner
from tests.helpers.groups import cyclic, draw

FEW = GrammarSettings(restarts=(0.5,), annealing_steps=5, sparse_steps=3)
PATHS, LABELS = draw(cyclic(4), 80, [2, 3], 0.1, seed=0)
CORPUS = Corpus.of([(path,) for path in PATHS], LABELS, 4)

SMALL_PATHS, SMALL_LABELS = draw(cyclic(3), 12, [2, 3, 4], 0.2, seed=0)
SMALL = Corpus.of([(path,) for path in SMALL_PATHS], SMALL_LABELS, 3)
SMALL_MODEL = learn(SMALL, GrammarSettings(restarts=(0.5,), annealing_steps=3, sparse_steps=1)).model


def test_weights_of_each_head_sum_to_one() -> None:
    model, counts = fit_discriminative(learn(CORPUS, FEW).model, CORPUS, FEW)
    becomes = np.bincount(model.index.heads, model.weight, minlength=4)
    np.testing.assert_allclose(becomes + model.stop, np.ones(4), atol=1e-6)
    assert model.prior.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(np.bincount(model.index.leaf_true, model.confusion), np.ones(4))
    assert counts.labels.sum() == pytest.approx(80.0)


def test_discriminative_weights_raise_the_likelihood_of_answers() -> None:
    learned = learn(CORPUS, FEW)
    model, _ = fit_discriminative(learned.model, CORPUS, FEW)
    assert answer_log_likelihood(model, CORPUS) > answer_log_likelihood(learned.model, CORPUS) + 0.5
    posterior = answer(model, np.arange(len(PATHS) + 1), Ragged.of(PATHS)).posterior
    likely = float(np.log(posterior[np.arange(len(LABELS)), LABELS]).sum())
    assert answer_log_likelihood(model, CORPUS) == pytest.approx(likely)


def test_discriminative_weights_are_skipped_at_likelihood_one(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    monkeypatch.setattr(tuning, "fit_discriminative", lambda *given: tried.append(1) or fit_discriminative(*given))
    GrammarReasoner(restarts=(0.5,)).fit(generate_world(train=150, test=6).train)
    assert not tried
    GrammarReasoner(restarts=(0.5,)).fit(generate_world(train=150, test=6, wrong_edges=0.1).train)
    assert len(tried) == 2  # parts of the queries


def test_clamped_counts_are_those_of_the_e_step() -> None:
    found, expected = clamped_free_counts(SMALL_MODEL, SMALL).clamped, expect(SMALL_MODEL, SMALL)
    np.testing.assert_allclose(found.rules, expected.rules, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.leaves, expected.leaves, rtol=1e-9, atol=1e-12)
    assert found.labels.tolist() == expected.labels.tolist()
    assert found.log_likelihood == pytest.approx(answer_log_likelihood(SMALL_MODEL, SMALL))


def test_free_counts_are_averaged_over_the_answers() -> None:
    """The slow twin: one query and one answer at a time."""
    posterior = answer(SMALL_MODEL, np.arange(len(SMALL_PATHS) + 1), Ragged.of(SMALL_PATHS)).posterior
    rules, leaves = np.zeros(len(SMALL_MODEL.index)), np.zeros(SMALL_MODEL.confusion.size)
    for path, shares in zip(SMALL_PATHS, posterior.tolist(), strict=True):
        for label, share in enumerate(shares):
            one = expect(SMALL_MODEL, Corpus.of([(path,)], [label], 3))
            rules, leaves = rules + share * one.rules, leaves + share * one.leaves
    found = clamped_free_counts(SMALL_MODEL, SMALL).free
    np.testing.assert_allclose(found.rules, rules, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.leaves, leaves, rtol=1e-9, atol=1e-12)


def test_clamped_minus_free_is_the_gradient() -> None:
    plain = replace(SMALL_MODEL, background=np.zeros(3))
    found = clamped_free_counts(plain, SMALL)
    step = 1e-5
    for rule in np.argsort(-found.clamped.rules)[:6].tolist():
        more, less = (
            replace(plain, weight=np.where(np.arange(plain.weight.size) == rule, plain.weight * factor, plain.weight))
            for factor in (np.exp(step), np.exp(-step))
        )
        slope = (answer_log_likelihood(more, SMALL) - answer_log_likelihood(less, SMALL)) / (2 * step)
        assert slope == pytest.approx(found.clamped.rules[rule] - found.free.rules[rule], abs=1e-4)


def test_any_path_of_an_example_may_be_the_reason() -> None:
    """The shares of a query's paths and answers add up to one, so as many rules are used as one path needs."""
    two = Corpus.of([((0, 1), (1, 1))], [2], 3)
    found = clamped_free_counts(SMALL_MODEL, two)
    assert found.clamped.leaves.sum() == pytest.approx(2.0)
    assert found.free.leaves.sum() == pytest.approx(2.0)
