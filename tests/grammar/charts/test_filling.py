"""The chart kernels against brute force, against closed forms, and on very long paths."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5._util.ragged import Ragged
from r5.grammar.charts import filling
from r5.grammar.charts.cell_kernels import Chart, by_relation, entries
from r5.grammar.charts.filling import best, inside, outside
from r5.grammar.charts.spans import Spans
from r5.grammar.charts.viterbi_kernels import backtrace
from r5.grammar.inference.answers import leaf_posteriors, viterbi_trees
from r5.grammar.model import Grammar
from r5.grammar.rule_index import RuleIndex, every_pair
from tests.oracle.grammar import ExactGrammar, expected, total, trees

EIGHTHS = st.integers(0, 8).map(lambda n: Fraction(n, 8))


SOME = st.integers(1, 8).map(lambda n: Fraction(n, 8))


@st.composite
def grammars(draw: st.DrawFn) -> tuple[ExactGrammar, Grammar]:
    """A small grammar with some rules and perhaps a background, for the oracle and for the kernels.

    Half of them leave nothing without weight: all cells are full then, with many rules or with few.
    """
    relations = draw(st.integers(1, 3))
    numbers = draw(st.sampled_from([EIGHTHS, SOME]))
    every = [(h, a, b) for h in range(relations) for a in range(relations) for b in range(relations)]
    pairs = [(t, o) for t in range(relations) for o in range(relations)]
    listed = draw(st.lists(st.sampled_from(every), unique=True, max_size=len(every)) | st.just(every))
    background = draw(st.lists(numbers, min_size=relations, max_size=relations))
    own = {rule: draw(numbers) for rule in listed}
    confusion = [draw(st.lists(numbers, min_size=relations, max_size=relations)) for _ in range(relations)]
    stop = draw(st.lists(numbers, min_size=relations, max_size=relations))
    strays = st.lists(numbers, min_size=relations, max_size=relations)
    stray = draw(strays if numbers is SOME else strays | st.just([Fraction(0)] * relations))
    leaves = {(t, t) for t in range(relations)} | draw(st.sets(st.sampled_from(pairs)) | st.just(set(pairs)))
    columns = np.array(sorted(leaves)).T
    rules = ([rule[k] for rule in listed] for k in range(3))
    index = RuleIndex.of(relations, *rules, confusions=(columns[0], columns[1]), open=True)
    keys = zip(index.heads.tolist(), index.lefts.tolist(), index.rights.tolist(), strict=True)
    model = Grammar(
        index=index,
        weight=np.array([float(own[key]) for key in keys]),
        background=np.array(list(map(float, background))),
        stop=np.array(list(map(float, stop))),
        confusion=np.array([float(confusion[t][o]) for t, o in zip(*index.leaves, strict=True)]),
        stray=np.array(list(map(float, stray))),
        prior=np.full(relations, 1 / relations),
        log_frequency=np.zeros(relations + 1),
    )
    weights = {rule: own.get(rule, Fraction(0)) + background[rule[0]] for rule in every}
    seen = [[confusion[t][o] if (t, o) in leaves else stray[t] for o in range(relations)] for t in range(relations)]
    emission = [[stop[t] * seen[t][o] for o in range(relations)] for t in range(relations)]
    return ExactGrammar(relations, weights, emission), model


@st.composite
def cases(draw: st.DrawFn) -> tuple[ExactGrammar, Grammar, list[tuple[int, ...]]]:
    grammar, model = draw(grammars())
    path = st.lists(st.integers(0, grammar.relations - 1), min_size=1, max_size=4).map(tuple)
    return grammar, model, draw(st.lists(path, min_size=1, max_size=3))


def cell(chart: Chart, span: int, relations: int) -> list[float]:
    """The scaled values of one cell, by relation."""
    return by_relation(chart, chart.values, np.array([span]), relations)[0].tolist()


@settings(max_examples=25, deadline=None)
@given(cases())
def test_inside_is_the_sum_over_all_derivations(case: tuple[ExactGrammar, Grammar, list[tuple[int, ...]]]) -> None:
    grammar, model, paths = case
    spans = Spans.of(Ragged.of(paths), grammar.relations)
    chart = inside(spans.arrays, model.arrays)
    for path, root in zip(paths, spans.roots, strict=True):
        for head in range(grammar.relations):
            value = math.ldexp(cell(chart, root, grammar.relations)[head], int(chart.exponents[root]))
            assert value == pytest.approx(float(total(grammar, head, path)), rel=1e-12, abs=0)


@settings(max_examples=25, deadline=None)
@given(cases())
def test_outside_counts_are_those_of_all_derivations(case: tuple[ExactGrammar, Grammar, list[tuple[int, ...]]]) -> None:
    grammar, model, paths = case
    spans = Spans.of(Ragged.of(paths), grammar.relations)
    chart = inside(spans.arrays, model.arrays)
    outer = np.zeros(chart.values.size)
    wanted: dict[tuple[int, int, int], float] = {}
    wanted_leaves = np.zeros((grammar.relations, grammar.relations))
    for path, root in zip(paths, spans.roots, strict=True):
        (entry,) = entries(chart, np.array([root]), np.array([0]))
        if entry >= 0:
            outer[entry] += 1 / chart.values[entry]
            rules, leaves = expected(grammar, 0, path)
            for rule, count in rules.items():
                wanted[rule] = wanted.get(rule, 0.0) + float(count)
            for leaf, count in leaves.items():
                wanted_leaves[leaf] += float(count)
    counts, leaf_counts = outside(spans.arrays, model.arrays, chart, outer)
    index = model.index
    for head, left, right, count in zip(index.heads, index.lefts, index.rights, counts, strict=True):
        assert count == pytest.approx(wanted.get((int(head), int(left), int(right)), 0.0), rel=1e-9, abs=1e-12)
    np.testing.assert_allclose(leaf_counts, wanted_leaves[index.leaves], rtol=1e-9, atol=1e-12)
    ends = np.flatnonzero(spans.lengths == 1)
    seen = np.zeros_like(wanted_leaves)
    seen[:, spans.observed[spans.tokens[ends]]] = by_relation(chart, outer * chart.values, ends, grammar.relations).T
    np.testing.assert_allclose(seen, wanted_leaves, rtol=1e-9, atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(cases())
def test_viterbi_chart_has_the_most_likely_derivation(
    case: tuple[ExactGrammar, Grammar, list[tuple[int, ...]]],
) -> None:
    grammar, model, paths = case
    spans = Spans.of(Ragged.of(paths), grammar.relations)
    chart = best(spans.arrays, model.arrays)
    for path, root in zip(paths, spans.roots, strict=True):
        for head in range(grammar.relations):
            top = max((tree.probability for tree in trees(grammar, head, path)), default=Fraction(0))
            value = math.ldexp(cell(chart, root, grammar.relations)[head], int(chart.exponents[root]))
            assert value == pytest.approx(float(top), rel=1e-12, abs=0)
            if top > 0:
                (tree,) = viterbi_trees(model, Ragged.of([path]), np.array([head]))
                assert float(_replayed(grammar, head, path, tree.leaves, tree.merges)) == pytest.approx(float(top))


def _replayed(
    grammar: ExactGrammar, head: int, path: tuple[int, ...], leaves: list[int], merges: list[tuple[int, int, int]]
) -> Fraction:
    """The probability of a derivation, by doing its merges one after the other."""
    probability = Fraction(1)
    for leaf, seen in zip(leaves, path, strict=True):
        probability *= grammar.emission[leaf][seen]
    facts = list(leaves)
    for position, merged, _ in merges:
        probability *= grammar.weights[merged, facts[position], facts[position + 1]]
        facts[position : position + 2] = [merged]
    assert facts == [head]
    return probability


@pytest.mark.parametrize("length", [1, 2, 10, 200, 600])
@pytest.mark.parametrize(("weight", "stop"), [(0.5, 0.5), (1e-9, 1e-5), (1e-200, 1e-200)])
def test_long_paths_neither_underflow_nor_overflow(length: int, weight: float, stop: float) -> None:
    """One relation: the number of trees is a Catalan number, and each uses length - 1 rules."""
    model = _one_relation(weight, stop)
    spans = Spans.of(Ragged.of([[0] * length]), 1)
    chart = inside(spans.arrays, model.arrays)
    root = spans.roots[0]
    log_catalan = math.lgamma(2 * length - 1) - math.lgamma(length) - math.lgamma(length + 1)
    exact = log_catalan + (length - 1) * math.log(weight) + length * math.log(stop)
    assert math.log(cell(chart, root, 1)[0]) + chart.exponents[root] * math.log(2) == pytest.approx(exact, rel=1e-10)
    outer = np.zeros(chart.values.size)
    outer[chart.starts[root]] = 1 / cell(chart, root, 1)[0]
    counts, leaves = outside(spans.arrays, model.arrays, chart, outer)
    assert counts.tolist() == pytest.approx([length - 1])
    assert leaves.tolist() == pytest.approx([length])


def _one_relation(weight: float, stop: float) -> Grammar:
    return Grammar(
        index=RuleIndex.full(1),
        weight=np.array([weight]),
        background=np.zeros(1),
        stop=np.array([stop]),
        confusion=np.ones(1),
        stray=np.zeros(1),
        prior=np.ones(1),
        log_frequency=np.zeros(2),
    )


@pytest.mark.parametrize("rules", [20, 400], ids=["listed", "table"])
def test_dense_chart_equals_sparse_chart(rules: int) -> None:
    """The kernels for full cells against those for any: a relation that nothing can be needs the latter."""
    rng = np.random.default_rng(rules)
    full = _full_cells(rng, rules)
    index, relations = full.index, full.relations
    wider = RuleIndex.of(relations + 1, index.heads, index.lefts, index.rights, confusions=index.leaves, open=True)
    one_more = replace(
        full,
        index=wider,
        background=np.append(full.background, 0.0),
        stop=np.append(full.stop, 0.0),
        confusion=np.append(full.confusion, 0.0),
        stray=np.zeros(relations + 1),
        prior=np.append(full.prior, 0.0),
        log_frequency=np.zeros(relations + 2),
    )
    paths = [rng.integers(0, relations, length).tolist() for length in (1, 2, 3, 5, 8, 70)]
    found = []
    for model in (full, one_more):
        spans = Spans.of(Ragged.of(paths), model.relations)
        chart = inside(spans.arrays, model.arrays)
        outer = np.zeros(chart.values.size)
        outer[entries(chart, spans.roots, np.arange(spans.roots.size))] = 1.0
        found.append((by_relation(chart, chart.values, np.arange(len(spans)), relations), chart.exponents, chart.sums))
        found[-1] += outside(spans.arrays, model.arrays, chart, outer)
    assert found[0][3].size == found[1][3].size == len(index)
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs[: ours.size] if ours.ndim == 1 else theirs, rtol=1e-12)


def _full_cells(rng: np.random.Generator, rules: int, relations: int = 9) -> Grammar:
    """A grammar in which everything is conceivable."""
    heads, lefts, rights = rng.integers(0, relations, (3, rules))
    index = RuleIndex.of(relations, heads, lefts, rights, confusions=every_pair(relations), open=True)
    return Grammar(
        index=index,
        weight=rng.uniform(0.01, 0.1, len(index)),
        background=rng.uniform(1e-4, 1e-3, relations),
        stop=rng.uniform(0.2, 0.8, relations),
        confusion=rng.uniform(0.01, 0.5, index.leaf_true.size),
        stray=np.zeros(relations),
        prior=np.full(relations, 1 / relations),
        log_frequency=np.zeros(relations + 1),
    )


@pytest.mark.parametrize("rules", [40, 400], ids=["listed", "table"])
def test_charts_do_not_depend_on_pieces_or_blocks(rules: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    model = _full_cells(rng, rules)
    paths = [*(rng.integers(0, 9, length).tolist() for length in (5, 8, 40, 41)), [3] * 6, [1, 2] * 4]
    spans = Spans.of(Ragged.of(paths), model.relations)
    cells, sums = [], []
    for blocks, columns in ((1, 64), (1000, 64), (1, 8)):
        monkeypatch.setattr(filling, "_FIRST_BLOCKS", blocks)
        monkeypatch.setattr(filling, "_MAX_COLUMNS", columns)
        chart = inside(spans.arrays, model.arrays)
        outer = np.zeros(chart.values.size)
        outer[entries(chart, spans.roots, np.arange(spans.roots.size))] = 1.0
        counts, leaves = outside(spans.arrays, model.arrays, chart, outer)
        cells.append([array.tobytes() for array in (chart.values, chart.exponents, chart.sums)])
        sums.append([array.tobytes() for array in (counts, leaves, outer)])
    assert cells[0] == cells[1] == cells[2]
    assert sums[0] == sums[1]


def test_cell_without_derivation_is_empty() -> None:
    index = RuleIndex.of(2, [0], [1], [1])
    half = np.full(2, 0.5)
    model = Grammar(index, half[:1], np.zeros(2), half, np.ones(2), np.zeros(2), half, np.zeros(3))
    spans = Spans.of(Ragged.of([[0, 0], [0, 0, 1], [1, 1]]), 2)
    chart = inside(spans.arrays, model.arrays)
    assert [cell(chart, root, 2) for root in spans.roots] == [[0, 0], [0, 0], [0.5, 0]]
    assert chart.filled[spans.roots].tolist() == [0, 0, 1]
    assert leaf_posteriors(model, [0, 0], np.ones(2)).tolist() == [[0, 0], [0, 0]]


def test_ties_go_to_the_first_split_and_rule() -> None:
    model = _one_relation(0.5, 0.5)
    spans = Spans.of(Ragged.of([[0, 0, 0]]), 1)
    leaves, steps = backtrace(spans.arrays, model.arrays, best(spans.arrays, model.arrays), (0, 3), 0)
    assert leaves.tolist() == [0, 0, 0]
    assert steps.tolist() == [[0, 0, 0], [1, 0, 0]]
