"""Choosing among restarts: how likely the answers are, and what rules cost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from r5._util.ragged import Ragged
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.inference.answers import answer
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.description_length import answer_log_likelihood, description_length
from r5.grammar.training.em import log_head_counts
from r5.grammar.training.trainer import learn
from tests.helpers.groups import cyclic, draw


def test_answer_log_likelihood_is_that_of_the_posterior() -> None:
    paths, labels = draw(cyclic(4), 80, [2, 3], 0.1, seed=0)
    corpus = Corpus.of([(path,) for path in paths], labels, 4)
    learned = learn(corpus, GrammarSettings(restarts=(0.5,), annealing_steps=5, sparse_steps=3))
    posterior = answer(learned.model, np.arange(len(paths) + 1), Ragged.of(paths)).posterior
    likely = float(np.log(posterior[np.arange(len(labels)), labels]).sum())
    assert answer_log_likelihood(learned.model, corpus) == pytest.approx(likely)
    rules = log_head_counts(learned.counts)[learned.model.weight > 1e-15].sum()
    assert description_length(learned.model, learned.counts, corpus, 0.5) == pytest.approx(0.5 * rules - likely)


def test_description_without_a_rule_that_answers_need_is_longer() -> None:
    paths, labels = draw(cyclic(4), 80, [2, 3], 0.1, seed=0)
    corpus = Corpus.of([(path,) for path in paths], labels, 4)
    learned = learn(corpus, GrammarSettings(restarts=(0.5,)))
    weight = learned.model.weight.copy()
    weight[learned.counts.rules.argmax()] = 0.0
    whole = description_length(learned.model, learned.counts, corpus, 0.5)
    less = description_length(replace(learned.model, weight=weight), learned.counts, corpus, 0.5)
    assert less > whole + 10
