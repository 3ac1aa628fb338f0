"""Tables out of counts of a known algebra: what was never seen, converses, and wrong observations."""

from __future__ import annotations

import numpy as np
import pytest

from r5.composition.converses import find_converse
from r5.composition.propagation import propagate
from r5.composition.table import MIN_POSSIBILITY, CompositionTable
from r5.data.generators.algebra.algebras import named_algebra
from r5.examples import Example, Examples, Query
from r5.graph import Graph
from r5.relations import Vocabulary

NAMES = {"rcc8": {"TPP": "TPPI", "NTPP": "NTPPI"}, "interval": {"<": ">", "m": "mi", "d": "di"}, "point": {"<": ">"}}


@pytest.mark.parametrize("name", NAMES)
def test_converses_are_found(name: str) -> None:
    algebra = named_algebra(name)
    counts = algebra.table * np.random.default_rng(0).poisson(5.0, algebra.table.shape)
    converse = find_converse(counts.astype(float))
    assert np.array_equal(converse[converse], np.arange(converse.size))
    for first, second in NAMES[name].items():
        assert algebra.names[converse[algebra.names.index(first)]] == second
    assert sum(converse != np.arange(converse.size)) == {"rcc8": 4, "interval": 12, "point": 2}[name]


@pytest.mark.parametrize("rate", [0.0, 0.05])
def test_learned_table_is_that_of_the_algebra(rate: float) -> None:
    algebra = named_algebra("rcc8")
    rng = np.random.default_rng(1)
    counts = algebra.table * rng.poisson(40.0, algebra.table.shape).astype(float)
    counts += rng.poisson(counts.sum(axis=2, keepdims=True) * rate / 8, counts.shape)
    assert np.array_equal(CompositionTable.of(counts).sets(), algebra.table)


def test_unseen_pair_allows_everything() -> None:
    counts = np.zeros((3, 3, 3))
    counts[0, 1, 2] = 50.0
    table = CompositionTable.of(counts, search=False)
    assert table.possible[1, 1].tolist() == [1.0, 1.0, 1.0]
    assert table.possible[0, 1, 2] == 1.0
    assert table.possible[0, 1, 0] < 0.1 and table.possible[0, 1, 0] >= MIN_POSSIBILITY


def test_single_use_excludes_little() -> None:
    counts = np.zeros((2, 2, 2))
    counts[0, 0, 0] = 1.0
    assert CompositionTable.of(counts, search=False).possible[0, 0, 1] == pytest.approx(0.5)


@pytest.mark.parametrize("seed", range(5))
def test_composition_of_one_path_is_that_of_propagation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = tuple(f"r{n}" for n in range(4))
    table = CompositionTable.of(rng.poisson(3.0, (4, 4, 4)).astype(float), search=False)
    path = rng.integers(0, 5, 5).tolist()  # 4: never seen
    triples = [(f"n{n}", f"r{relation}", f"n{n + 1}") for n, relation in enumerate(path)]
    graph = Graph.from_triples(triples, Vocabulary.of((*names, "r4")))
    example = Example(graph, Query(graph.node("n0"), graph.node("n5")))
    found = propagate(Examples.of([example]), names, table)
    np.testing.assert_allclose(table.compose(path), found.possible[0], rtol=1e-12)
