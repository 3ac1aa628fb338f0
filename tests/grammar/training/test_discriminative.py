"""Learning by the answers: what is found where the paths mislead, and that the weights still add up."""

from __future__ import annotations

import numpy as np
import pytest

from r5._util.ragged import Ragged
from r5.data.generators.world.dataset import generate_world
from r5.grammar.calibration import tuning
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.inference.answers import answer
from r5.grammar.settings import GrammarSettings
from r5.grammar.training import trainer as learning
from r5.grammar.training.description_length import answer_log_likelihood
from r5.grammar.training.discriminative import fit_discriminative
from r5.grammar.training.trainer import learn
from r5.reasoners.grammar import GrammarReasoner
from tests.helpers.groups import cyclic, draw

FEW = GrammarSettings(restarts=(0.5,), annealing_steps=5, sparse_steps=3)
PATHS, LABELS = draw(cyclic(4), 80, [2, 3], 0.1, seed=0)
CORPUS = Corpus.of([(path,) for path in PATHS], LABELS, 4)


def test_the_weights_of_each_relation_add_up_to_one() -> None:
    model, counts = fit_discriminative(learn(CORPUS, FEW).model, CORPUS, FEW)
    becomes = np.bincount(model.support.heads, model.weight, minlength=4)
    np.testing.assert_allclose(becomes + model.stop, np.ones(4), atol=1e-6)
    assert model.prior.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(np.bincount(model.support.leaf_true, model.confusion), np.ones(4))
    assert counts.labels.sum() == pytest.approx(80.0)


def test_the_answers_become_likelier_than_by_the_likelihood_of_paths() -> None:
    learned = learn(CORPUS, FEW)
    model, _ = fit_discriminative(learned.model, CORPUS, FEW)
    assert answer_log_likelihood(model, CORPUS) > answer_log_likelihood(learned.model, CORPUS) + 1.0
    posterior = answer(model, np.arange(len(PATHS) + 1), Ragged.of(PATHS)).posterior
    likely = float(np.log(posterior[np.arange(len(LABELS)), LABELS]).sum())
    assert answer_log_likelihood(model, CORPUS) == pytest.approx(likely)


def test_rules_are_found_where_the_paths_mislead() -> None:
    """Few examples, many rules, no path of two: what makes the paths likely answers about half as often."""
    data = generate_world(
        seed=1023800,
        relations=7,
        rules=39,
        inverses=0.0,
        train=492,
        valid=6,
        test=300,
        train_lengths=(3, 4, 5, 6),
        test_lengths=(4, 5, 6, 7, 8, 9),
        wrong_edges=0.1,
    )
    quick = {"restarts": (0.1, 2.0), "slower": 1, "answer_paths": "shortest", "temperature": 1.0}
    by_paths = GrammarReasoner(**quick, answer_runs=0).fit(data.train)
    by_answers = GrammarReasoner(**quick, answer_runs=2).fit(data.train)
    assert not by_paths.learned_.by_answers
    assert by_answers.learned_.by_answers
    assert by_paths.score(data.test) < 0.45
    assert by_answers.score(data.test) > 0.55


def test_no_more_runs_where_restarts_agree_or_the_answers_are_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "discriminative_runs", lambda *_: pytest.fail("there is nothing to find"))
    paths, labels = draw(cyclic(3), 200, [2], 0.0, seed=0)
    group = Corpus.of([(path,) for path in paths], labels, 3)
    assert not learn(group, GrammarSettings(restarts=(0.1, 0.5), slower=1)).by_answers
    assert not learn(CORPUS, FEW).by_answers


def test_other_weights_are_not_tried_where_no_answers_can_be_likelier(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    monkeypatch.setattr(tuning, "fit_discriminative", lambda *given: tried.append(1) or fit_discriminative(*given))
    GrammarReasoner(restarts=(0.5,)).fit(generate_world(train=150, test=6).train)
    assert not tried
    GrammarReasoner(restarts=(0.5,)).fit(generate_world(train=150, test=6, wrong_edges=0.1).train)
    assert len(tried) == 2  # parts of the questions
