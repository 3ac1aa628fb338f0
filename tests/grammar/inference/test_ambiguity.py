"""AmbiguityPenalty: paths with several answers are unlikely to be asked about, where training says so."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from r5._util.arrays import FloatArray
from r5._util.budget import Budget
from r5._util.ragged import Ragged
from r5.data.generators.world.dataset import generate_world
from r5.dataset import Dataset
from r5.grammar.calibration.tuning import Tuning
from r5.grammar.inference import ambiguity as module
from r5.grammar.inference.ambiguity import AmbiguityPenalty, penalize_ambiguity, unambiguity
from r5.grammar.inference.answers import answers_under
from r5.grammar.inference.extrapolation import TrainingReach
from r5.grammar.inference.scoring import normalize_rows, score
from r5.grammar.model import Grammar
from r5.grammar.rule_index import RuleIndex, every_pair
from r5.paths.select import select_paths
from r5.reasoners.grammar import GrammarReasoner


def _model(rules: list[tuple[int, int, int]], relations: int, wrong: float) -> Grammar:
    """Rules (head, left, right) of one weight, edges that are wrong so often, as any other relation alike."""
    heads, lefts, rights = (list(column) for column in zip(*rules, strict=True))
    support = RuleIndex.of(relations, heads, lefts, rights, confusions=every_pair(relations), open=True)
    true, observed = support.leaves
    return Grammar(
        support=support,
        weight=np.full(len(rules), 0.1),
        background=np.zeros(relations),
        stop=np.full(relations, 0.5),
        confusion=np.where(true == observed, 1.0 - wrong, wrong / (relations - 1)),
        stray=np.zeros(relations),
        prior=np.full(relations, 1.0 / relations),
        log_frequency=np.zeros(relations + 1),
    )


RULES = [(2, 0, 0), (3, 0, 1), (4, 0, 1), (3, 1, 0), (4, 1, 1), (2, 2, 1), (4, 3, 0), (3, 3, 0), (2, 4, 1)]


def _by_all_paths(model: Grammar, path: tuple[int, ...], clarity: float) -> FloatArray:
    """How likely each answer is, by going through all paths that may have been meant."""
    meant = Ragged.of(list(product(range(model.relations), repeat=len(path))))
    (found,) = score([model.noiseless], meant, None)
    joint = np.ldexp(found.joint, found.exponents[:, None])
    matrix = model.confusion_matrix
    matrix = np.column_stack([matrix, (1.0 - np.diagonal(matrix)) / model.relations])  # and one never seen
    sequences = np.array(list(meant.rows()))
    shown = (matrix[sequences, np.array(path)] / np.diagonal(matrix)[sequences]).prod(axis=1)
    total: FloatArray = (joint * (shown * unambiguity(found.joint, AmbiguityPenalty(clarity)))[:, None]).sum(axis=0)
    return total / total.sum()


@pytest.mark.parametrize("power", [1.0, 4.0])
@pytest.mark.parametrize("path", [(0, 1), (0, 1, 0), (3, 0, 1), (0, 4, 1, 0)])
def test_with_many_draws_it_is_what_all_paths_say(
    path: tuple[int, ...], power: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_DRAWS", 20_000)
    monkeypatch.setattr(module, "_LEAST_SHARE", 1e-6)
    model = _model(RULES, 5, 0.2)
    paths = Ragged.of([path])
    scores = score([model], paths, None)
    (found,) = penalize_ambiguity([model], paths, scores, AmbiguityPenalty(power), 10, None)
    np.testing.assert_allclose(normalize_rows(found.joint)[0], _by_all_paths(model, path, power), rtol=0.01, atol=1e-4)
    before = normalize_rows(scores[0].joint)[0]
    assert np.abs(before - normalize_rows(found.joint)[0]).max() > 0.01  # it does make a difference


def test_few_draws_come_near_to_it() -> None:
    model, path = _model(RULES, 5, 0.2), (0, 1, 0)
    paths = Ragged.of([path])
    (found,) = penalize_ambiguity([model], paths, score([model], paths, None), AmbiguityPenalty(4.0), 10, None)
    np.testing.assert_allclose(normalize_rows(found.joint)[0], _by_all_paths(model, path, 4.0), atol=0.05)


def test_under_other_mistakes_it_is_what_those_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Derivations are drawn under the first model, and weighed as each says."""
    monkeypatch.setattr(module, "_DRAWS", 20_000)
    monkeypatch.setattr(module, "_LEAST_SHARE", 1e-6)
    models = [_model(RULES, 5, wrong) for wrong in (0.2, 0.01, 0.4)]
    path = (0, 1, 0)
    paths = Ragged.of([path])
    each = penalize_ambiguity(models, paths, score(models, paths, None), AmbiguityPenalty(4.0), 10, None)
    for model, found in zip(models, each, strict=True):
        np.testing.assert_allclose(
            normalize_rows(found.joint)[0], _by_all_paths(model, path, 4.0), rtol=0.02, atol=1e-3
        )


def test_longer_paths_sure_ones_and_impossible_ones_stay_as_they_are() -> None:
    model = _model(RULES, 5, 0.2)
    paths = Ragged.of([(0, 1, 0), (0, 1, 0, 1, 0, 1)])
    scores = score([model], paths, None)
    (found,) = penalize_ambiguity([model], paths, scores, AmbiguityPenalty(4.0), 5, None)
    assert not np.array_equal(found.joint[0], scores[0].joint[0])
    assert np.array_equal(found.joint[1], scores[0].joint[1])
    sure = _model([(2, 0, 1)], 3, 1e-6)
    for some in (Ragged.of([(0, 1)]), Ragged.of([(2, 2)]), Ragged.of([])):
        plain = score([sure], some, None)
        assert np.array_equal(
            penalize_ambiguity([sure], some, plain, AmbiguityPenalty(4.0), 5, None)[0].joint, plain[0].joint
        )


def test_a_relation_never_seen_is_some_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_DRAWS", 20_000)
    monkeypatch.setattr(module, "_LEAST_SHARE", 1e-6)
    model, path = _model(RULES, 5, 0.2), (0, 5, 0)
    paths = Ragged.of([path])
    (found,) = penalize_ambiguity([model], paths, score([model], paths, None), AmbiguityPenalty(4.0), 10, None)
    np.testing.assert_allclose(normalize_rows(found.joint)[0], _by_all_paths(model, path, 4.0), rtol=0.02, atol=1e-3)


def test_what_is_no_answer_makes_no_path_unclear() -> None:
    """Relations 3 and 4 share the body 0, 1; if 4 is no answer, the path has a single one."""
    joint = np.array([[0.0, 0.0, 0.0, 2.0, 2.0]])
    assert unambiguity(joint, AmbiguityPenalty(2.0)).tolist() == [0.25]
    assert unambiguity(joint, AmbiguityPenalty(2.0, hidden=(4,))).tolist() == [1.0]


def test_a_path_whose_answers_are_all_unlikely_is_left_alone() -> None:
    """With hundreds of relations no answer may reach the share from which on one is looked at."""
    relations = 120
    model = _model([(h, 0, 0) for h in range(1, relations)], relations, 0.1)
    paths = Ragged.of([(relations, relations), (0, 0)])
    scores = score([model], paths, None)
    assert normalize_rows(scores[0].joint).max() < 0.01
    (found,) = penalize_ambiguity([model], paths, scores, AmbiguityPenalty(4.0), 10, None)
    assert np.array_equal(found.joint, scores[0].joint)


def test_answers_do_not_depend_on_what_else_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    model, trusts = _model(RULES, 5, 0.2), [TrainingReach(3, np.full(5, 0.8))]
    rng = np.random.default_rng(0)
    asked = [tuple(rng.integers(0, 5, size).tolist()) for size in (2, 3, 4, 5, 6, 7, 3, 2, 9, 12)]

    def answers(paths: list[tuple[int, ...]]) -> FloatArray:
        starts = np.arange(len(paths) + 1)
        return answers_under([model], starts, Ragged.of(paths), trusts=trusts, clarity=AmbiguityPenalty(4.0))[
            0
        ].posterior

    together = answers(asked)
    np.testing.assert_allclose(together.sum(axis=1), 1.0)
    monkeypatch.setattr(module, "_AT_ONCE", 100)
    assert np.array_equal(together, answers(asked))
    for place, path in enumerate(asked):
        assert np.array_equal(together[place], answers([path])[0])


def _crowded() -> Dataset:
    """A world in which most pairs have a rule, so that many paths have several answers, and are not asked about."""
    return generate_world(seed=5, relations=8, rules=40, train=1500, test=500, wrong_edges=0.1)


def test_training_questions_tell_and_answers_gain() -> None:
    data = _crowded()
    model = GrammarReasoner(seed=0).fit(data.train)
    assert model.summary_["clarity"] in (4.0, 8.0)
    without = GrammarReasoner(seed=0, clarity=0.0).fit(data.train)
    assert without.summary_["clarity"] == 0.0
    assert model.score(data.test) > without.score(data.test) + 0.01


def test_without_wrong_edges_a_path_is_what_it_shows() -> None:
    data = generate_world(seed=5, relations=8, rules=40, train=500, test=50)
    assert GrammarReasoner(seed=0).fit(data.train).summary_["clarity"] == 0.0


def test_what_is_given_is_taken() -> None:
    data = generate_world(seed=5, relations=8, rules=12, train=300, test=50, wrong_edges=0.1)
    model = GrammarReasoner(seed=0, clarity=2.0, temperature=1.5).fit(data.train)
    assert model.learned_.clarity == 2.0
    assert model.learned_.temperature == 1.5


def test_a_clarity_that_is_given_stays_where_time_is_over() -> None:
    data = generate_world(seed=5, relations=8, rules=12, train=300, test=50, wrong_edges=0.1)
    model = GrammarReasoner(seed=0, clarity=2.0, temperature=1.5, restarts=(0.5,)).fit(data.train)
    budget = Budget()
    budget.call_off()
    tuning = Tuning(replace(model.learned_, clarity=0.0), model.names_, frozenset(), model.settings, budget)
    none = data.train.select([])
    found = select_paths(data.train, "shortest", model.settings)
    late = tuning.calibrated(data.train, none, "shortest", found)
    assert (late.clarity, late.temperature) == (2.0, 1.5)


def test_plain_answers_and_those_with_derivations_are_the_same() -> None:
    data = _crowded()
    model = GrammarReasoner(seed=0, clarity=8.0, restarts=(0.5,)).fit(data.train)
    some = data.test.select(np.arange(40))
    whole, plain = model.predict_many(some), model.predict_plain(some)
    assert [one.relation for one in whole] == [one.relation for one in plain]
    assert [one.probability for one in whole] == [one.probability for one in plain]


def test_a_model_that_goes_on_learning_keeps_it() -> None:
    data = generate_world(seed=5, relations=8, rules=12, train=300, test=50, wrong_edges=0.1)
    model = GrammarReasoner(seed=0, clarity=2.0).fit(data.train)
    assert model.partial_fit(data.valid).learned_.clarity == 2.0
