"""Expectation-maximisation: the likelihood rises, the counts add up, a mixture of paths picks the right one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.grammar.corpus import batches
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.counts import ExpectedCounts
from r5.grammar.model import Grammar
from r5.grammar.rule_index import RuleIndex
from r5.grammar.training.em import Pseudocounts, expect, maximise
from r5.grammar.training.rule_candidates import uniform_grammar

NO_EXTRA = Pseudocounts(stop=0.0, right=0.0, wrong=0.0)
PATH = st.lists(st.integers(0, 2), min_size=2, max_size=5).map(tuple)
QUESTIONS = st.lists(
    st.tuples(st.lists(PATH, min_size=1, max_size=3).map(tuple), st.integers(0, 2)), min_size=1, max_size=6
)


def jittered(relations: int, seed: int) -> Grammar:
    model = uniform_grammar(RuleIndex.full(relations), noise=0.2)
    weight = model.weight * np.random.default_rng(seed).uniform(0.1, 1.0, model.weight.size)
    return Grammar(**{**vars(model), "weight": weight})


@settings(max_examples=30, deadline=None)
@given(QUESTIONS, st.integers(0, 9))
def test_plain_em_never_lowers_the_likelihood(
    queries: list[tuple[tuple[tuple[int, ...], ...], int]], seed: int
) -> None:
    corpus = Corpus.of([paths for paths, _ in queries], [label for _, label in queries], relations=3)
    model = jittered(3, seed)
    before = -np.inf
    for _ in range(8):
        counts = expect(model, corpus)
        assert counts.unexplained == 0.0
        assert counts.log_likelihood >= before - 1e-9
        before = counts.log_likelihood
        model = maximise(counts, NO_EXTRA)


@settings(max_examples=30, deadline=None)
@given(QUESTIONS, st.integers(0, 9))
def test_smoothed_em_never_lowers_the_penalised_likelihood(
    queries: list[tuple[tuple[tuple[int, ...], ...], int]], seed: int
) -> None:
    corpus = Corpus.of([paths for paths, _ in queries], [label for _, label in queries], relations=3)
    extra = Pseudocounts(rule=0.3, stop=1.0, right=9.0, wrong=0.5)
    model = maximise(expect(jittered(3, seed), corpus), extra)
    before = -np.inf
    for _ in range(8):
        counts = expect(model, corpus)
        now = counts.log_likelihood + log_prior(model, extra)
        assert now >= before - 1e-9
        before = now
        model = maximise(counts, extra)


def log_prior(model: Grammar, extra: Pseudocounts) -> float:
    """Return the log prior of a model under the pseudo-counts, up to a constant."""
    rules = np.log(model.weight + model.background[model.index.heads]).sum()
    right = np.log(np.diagonal(model.confusion_matrix)).sum()
    wrong = np.log(model.confusion).sum() - right
    return float(extra.rule * rules + extra.stop * np.log(model.stop).sum() + extra.right * right + extra.wrong * wrong)


@settings(max_examples=30, deadline=None)
@given(QUESTIONS)
def test_shares_sum_to_one(queries: list[tuple[tuple[tuple[int, ...], ...], int]]) -> None:
    corpus = Corpus.of([paths for paths, _ in queries], [label for _, label in queries], relations=3)
    counts = expect(jittered(3, 0), corpus)
    for extra in (Pseudocounts(rule=0.5), Pseudocounts(sparsity=0.5, competition=0.1, count_floor=1e-4)):
        model = maximise(counts.pruned(0.01), extra)
        own = np.bincount(model.index.heads, model.weight, minlength=3)
        np.testing.assert_allclose(model.stop + own + 9 * model.background, 1.0)
        np.testing.assert_allclose(model.confusion_matrix.sum(axis=1), 1.0)
        assert model.prior.sum() == pytest.approx(1.0)


def test_expected_rule_count_is_the_number_of_edges_minus_one() -> None:
    corpus = Corpus.of([((0, 1, 2),), ((0, 1),), ((0, 1),)], [1, 2, 2], relations=3)
    counts = expect(uniform_grammar(RuleIndex.full(3), 0.1), corpus)
    assert counts.rules.sum() == pytest.approx(2 + 1 + 1)
    assert counts.leaves.sum() == pytest.approx(3 + 2 + 2)
    assert counts.labels.tolist() == [0, 1, 2]


def test_training_finds_the_path_that_is_the_reason() -> None:
    """Relation 4 follows from 0, 1 always; beside it runs a path that changes from query to query."""
    noise = [(2, 3), (3, 2), (3, 3), (2, 2)]
    corpus = Corpus.of([((0, 1), other) for other in noise], [4] * 4, relations=5)
    model = uniform_grammar(RuleIndex.full(5), noise=0.01)
    for _ in range(20):
        model = maximise(expect(model, corpus), Pseudocounts(rule=0.01))
    uses = expect(model, corpus).rules
    index = model.index
    right = (index.heads == 4) & (index.lefts == 0) & (index.rights == 1)
    assert uses[right].tolist() == pytest.approx([4.0], abs=0.1)


def test_counts_do_not_depend_on_the_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [((a, b, c),) for a in range(3) for b in range(3) for c in range(3)]
    labels = [sum(path[0]) % 3 for path in paths]
    model = jittered(3, 1)
    whole = expect(model, Corpus.of(paths, labels, 3))
    monkeypatch.setattr(batches, "_CELL_ENTRIES", 60)
    cut = Corpus.of(paths, labels, 3)
    assert len(cut.plans()) > 5
    parts = expect(model, cut)
    np.testing.assert_allclose(parts.rules, whole.rules)
    np.testing.assert_allclose(parts.leaves, whole.leaves)
    assert parts.log_likelihood == pytest.approx(whole.log_likelihood)


def test_example_without_derivation_is_unexplained() -> None:
    index = RuleIndex.of(2, [1], [0], [0])
    counts = expect(uniform_grammar(index, 0.1), Corpus.of([((0, 0),), ((0, 1),)], [1, 1], relations=2))
    assert counts.unexplained == 1.0
    assert counts.rules.tolist() == [1.0]


def test_competition_removes_rules_with_a_small_share() -> None:
    index = RuleIndex.of(3, [1, 2], [0, 0], [0, 0])
    counts = ExpectedCounts(np.array([95.0, 5.0]), np.zeros(3), np.zeros(3), 0.0, 0.0, index)
    model = maximise(counts, Pseudocounts(sparsity=0.5, competition=0.1, count_floor=1e-4))
    assert model.weight[0] > 0.9
    assert model.weight[1] < 1e-3
