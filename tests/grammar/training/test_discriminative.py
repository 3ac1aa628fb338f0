"""Discriminative training: the answers become more likely, and the weights add up to one."""

from __future__ import annotations

import numpy as np
import pytest

from r5._util.ragged import Ragged
from r5.data.generators.world.dataset import generate_world
from r5.grammar.calibration import tuning
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.inference.answers import answer
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.description_length import answer_log_likelihood
from r5.grammar.training.discriminative import fit_discriminative
from r5.grammar.training.trainer import learn
from r5.reasoners.grammar import GrammarReasoner
from tests.helpers.groups import cyclic, draw

FEW = GrammarSettings(restarts=(0.5,), annealing_steps=5, sparse_steps=3)
PATHS, LABELS = draw(cyclic(4), 80, [2, 3], 0.1, seed=0)
CORPUS = Corpus.of([(path,) for path in PATHS], LABELS, 4)


def test_weights_of_each_head_sum_to_one() -> None:
    model, counts = fit_discriminative(learn(CORPUS, FEW).model, CORPUS, FEW)
    becomes = np.bincount(model.support.heads, model.weight, minlength=4)
    np.testing.assert_allclose(becomes + model.stop, np.ones(4), atol=1e-6)
    assert model.prior.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(np.bincount(model.support.leaf_true, model.confusion), np.ones(4))
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
    assert len(tried) == 2  # parts of the questions
