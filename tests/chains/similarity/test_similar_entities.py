"""Similar entities: exact rows and neighbour lists against the solution of the dense system."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from r5.chains.graph.step_graph import StepGraph
from r5.chains.similarity.similar_entities import SimilarEntities
from r5.graph import Graph
from r5.relations import Vocabulary
from tests.helpers.chain_graphs import ENTITIES, FACTS, RELATIONS, made_of
from tests.oracle import similarity as oracle

SIZE = len(RELATIONS)
PEOPLE, THINGS = 150, 30
TOLERANCE = 0.03
"""Relative error of a row: that of the solver, and of similarities rounded to 16 bits."""


def likings() -> list[tuple[int, int, int]]:
    """Return facts of people who like some things, and who all know the last thing; friends are symmetric."""
    rng = np.random.default_rng(0)
    facts = {(person, 1, PEOPLE + THINGS) for person in range(PEOPLE)}
    for person in range(PEOPLE):
        facts |= {(person, 0, PEOPLE + int(thing)) for thing in rng.integers(THINGS, size=4)}
        friend = int(rng.integers(PEOPLE))
        facts |= {(person, 2, friend), (friend, 2, person)}
    return sorted(facts)


FACTS_OF_PEOPLE = likings()


@pytest.fixture(scope="module")
def graph() -> StepGraph:
    rows = np.array(FACTS_OF_PEOPLE, np.int32)
    names = tuple(f"e{n}" for n in range(PEOPLE + THINGS + 1))
    return StepGraph.of(Graph.from_arrays(Vocabulary(RELATIONS), names, *rows.T), RELATIONS)


def matrix(similar: SimilarEntities) -> NDArray[np.float64]:
    """Return the similarities of all entities, [entities, entities]."""
    size = similar.graph.number_of_nodes
    found = np.zeros((size, size))
    for entity in range(size):
        others, values = similar.row(entity)
        found[entity, others] = values
        assert entity not in others
    return found


def errors(found: NDArray[np.float64], wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the relative error of each row."""
    return np.linalg.norm(found - wanted, axis=1) / np.maximum(np.linalg.norm(wanted, axis=1), 1e-6)


@settings(deadline=None, max_examples=60)
@given(FACTS)
def test_rows_of_small_graphs_are_those_of_the_oracle(facts: list[tuple[int, int, int]]) -> None:
    found = matrix(SimilarEntities(made_of(facts)))
    assert np.abs(found - oracle.similarities(facts, SIZE, ENTITIES)).max() < 0.005


def test_exact_rows_are_those_of_the_oracle(graph: StepGraph) -> None:
    similar = SimilarEntities(graph)
    assert similar.is_exact
    wanted = oracle.similarities(FACTS_OF_PEOPLE, SIZE, graph.number_of_nodes)
    found = errors(matrix(similar), wanted)
    assert found.max() < TOLERANCE
    assert found.mean() < TOLERANCE / 3


def test_as_many_neighbours_as_entities_give_the_exact_rows(graph: StepGraph) -> None:
    """All people share a property, and none with a thing: all entities that matter are neighbours."""
    similar = SimilarEntities(graph, max_exact=0, neighbours=graph.number_of_nodes)
    assert not similar.is_exact
    wanted = oracle.similarities(FACTS_OF_PEOPLE, SIZE, graph.number_of_nodes)
    assert errors(matrix(similar)[:PEOPLE], wanted[:PEOPLE]).max() < TOLERANCE


def test_fewer_neighbours_give_a_larger_error(graph: StepGraph) -> None:
    wanted = oracle.similarities(FACTS_OF_PEOPLE, SIZE, graph.number_of_nodes)[:PEOPLE]
    means = []
    for neighbours in (10, 40, PEOPLE):
        similar = SimilarEntities(graph, max_exact=0, neighbours=neighbours)
        assert similar.similarities.values.shape[1] == neighbours
        means.append(errors(matrix(similar)[:PEOPLE], wanted).mean())
    assert 1.0 > means[0] > means[1] > means[2]


def test_neighbours_are_those_with_the_largest_normalised_kernel(graph: StepGraph) -> None:
    similar = SimilarEntities(graph, max_exact=0, neighbours=12)
    kernel = oracle.kernel(FACTS_OF_PEOPLE, SIZE, graph.number_of_nodes)
    for entity in range(0, PEOPLE, 10):
        keys = kernel[entity] ** 2 / (np.diag(kernel) + 10.0)
        keys[entity] = 0.0
        least = np.sort(keys)[-12]
        similar.require(np.array([entity]))
        chosen = similar.similarities.neighbours[entity]
        assert np.unique(chosen).size == 12
        assert (keys[chosen] >= least * (1 - 1e-5)).all()


@pytest.mark.parametrize("max_exact", [0, 1000])
def test_rows_have_the_same_bits_in_any_block_and_on_any_number_of_threads(graph: StepGraph, max_exact: int) -> None:
    everybody = np.arange(graph.number_of_nodes)
    together, alone, threads = (SimilarEntities(graph, max_exact, 20) for _ in range(3))
    together.require(everybody)
    for entity in everybody[::-1]:
        alone.require(np.array([entity, entity]))
    threads.require(everybody, threads=2)
    for other in (alone, threads):
        assert np.array_equal(together.similarities.values, other.similarities.values)
        assert np.array_equal(together.similarities.neighbours, other.similarities.neighbours)
    assert together.similarities.values.any()


def test_single_similarities_are_those_of_the_row(graph: StepGraph) -> None:
    for similar in (SimilarEntities(graph), SimilarEntities(graph, max_exact=0, neighbours=20)):
        rows = matrix(similar)
        found = [[similar.between(a, b) for b in range(40)] for a in range(0, 40, 7)]
        assert np.array_equal(found, rows[0:40:7, :40])


@settings(deadline=None, max_examples=60)
@given(FACTS)
def test_shared_properties_are_those_of_the_oracle(facts: list[tuple[int, int, int]]) -> None:
    similar, own = SimilarEntities(made_of(facts)), oracle.properties(facts, SIZE)
    every = oracle.property_weights(own)
    for entity in range(ENTITIES):
        for other in range(ENTITIES):
            if other == entity:
                continue
            keys = [divmod(key, ENTITIES) for key in similar.shared_properties(entity, other).tolist()]
            assert set(keys) == own[entity] & own[other]
            weights = [every[one] for one in keys]
            assert weights == sorted(weights, reverse=True)
            for step, target in own[entity]:
                share = similar.share_without(entity, other, step, target)
                assert abs(share - oracle.unmasked_share(facts, SIZE, entity, other, (step, target))) < 1e-9


def test_an_entity_without_facts_is_similar_to_none() -> None:
    for max_exact in (0, 10):
        similar = SimilarEntities(made_of([(0, 0, 1), (2, 0, 1)]), max_exact, 5)
        assert similar.row(5)[0].size == 0
        assert similar.row(0)[0].tolist() == [2]
