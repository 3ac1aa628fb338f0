"""Choosing among restarts: how likely the answers are, and what rules cost."""

from __future__ import annotations

import numpy as np
import pytest

from r5._util.ragged import Ragged
from r5.data.generators.world.dataset import generate_world
from r5.evaluation import evaluate
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.inference.answers import answer
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.description_length import answer_log_likelihood, description_length
from r5.grammar.training.em import log_head_counts
from r5.grammar.training.trainer import learn
from r5.reasoners.grammar import GrammarReasoner
from tests.helpers.groups import cyclic, draw


def test_the_answers_are_as_likely_as_the_posterior_says() -> None:
    paths, labels = draw(cyclic(4), 80, [2, 3], 0.1, seed=0)
    corpus = Corpus.of([(path,) for path in paths], labels, 4)
    learned = learn(corpus, GrammarSettings(restarts=(0.5,), annealing_steps=5, sparse_steps=3))
    posterior = answer(learned.model, np.arange(len(paths) + 1), Ragged.of(paths)).posterior
    likely = float(np.log(posterior[np.arange(len(labels)), labels]).sum())
    assert answer_log_likelihood(learned.model, corpus) == pytest.approx(likely)
    rules = log_head_counts(learned.counts)[learned.model.weight > 1e-15].sum()
    assert description_length(learned.model, learned.counts, corpus, 0.5) == pytest.approx(0.5 * rules - likely)


def test_a_likelier_explanation_of_the_paths_is_not_taken_for_a_better_one_of_the_answers() -> None:
    """Paths of three only, 15 % wrong edges: the likelihood of the paths favours rules that answer .53 to .67."""
    data = generate_world(
        seed=101000,
        relations=12,
        rules=12,
        train=1540,
        test=300,
        train_lengths=(3,),
        test_lengths=(4, 5, 6, 7, 8, 9),
        wrong_edges=0.15,
        systematic=False,
    )
    misled = GrammarReasoner(restarts=(0.1,), answer_paths="shortest", discriminative=False).fit(data.train)
    model = GrammarReasoner(answer_paths="shortest", discriminative=False).fit(data.train)
    assert misled.summary_["log_likelihood"] > model.summary_["log_likelihood"] + 300
    assert misled.score(data.test) < 0.7
    result = evaluate(model, data.test, data.rules)
    assert result.accuracy > 0.83
    assert result.rule_recall == 1.0
    assert len(model.rules_) < 16
