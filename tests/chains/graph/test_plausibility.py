"""Plausibility of steps: shares of the entities with one step that have another."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from r5.chains.graph.plausibility import StepPlausibility
from tests.helpers.chain_graphs import ENTITIES, FACTS, made_of


@settings(deadline=None, max_examples=40)
@given(FACTS)
def test_plausibility_is_the_largest_share_of_a_step_that_the_entity_has(facts: list[tuple[int, int, int]]) -> None:
    graph = made_of(facts)
    steps, number = graph.steps, graph.number_of_steps
    own = [set(steps.row_steps[steps.node_rows[e] : steps.node_rows[e + 1]].tolist()) for e in range(ENTITIES)]
    share = {
        (given_step, step): np.float32(
            sum({given_step, step} <= has for has in own) / max(sum(given_step in has for has in own), 1)
        )
        for given_step in range(number)
        for step in range(number)
    }
    plausibility = StepPlausibility(graph)
    table = plausibility.table
    assert all(table[pair] == value for pair, value in share.items())
    columns = np.arange(number)[::-1].copy()
    rows, places, values = plausibility.plausible(np.arange(ENTITIES), columns)
    found = np.zeros((ENTITIES, number))
    found[rows, places] = values
    entities, wanted = (ends.ravel() for ends in np.meshgrid(np.arange(ENTITIES), columns, indexing="ij"))
    pairs = [plausibility.of(entities, wanted, np.full(wanted.size, masked)) for masked in (False, True)]
    assert np.array_equal(pairs[0], found.ravel())
    for entity, has in enumerate(own):
        first, last = steps.node_rows[entity : entity + 2]
        several = {steps.row_steps[row] for row in range(first, last) if np.diff(steps.row_offsets)[row] > 1}
        for column, step in enumerate(columns.tolist()):
            by_others = max((share[given_step, step] for given_step in has - {step}), default=0.0)
            assert found[entity, column] == (1.0 if step in has else by_others)
            assert pairs[1][entity * number + column] == (1.0 if step in several else by_others)


def test_a_sample_of_the_entities_is_counted_on_large_graphs() -> None:
    size = 120_000
    graph = made_of([(number, number % 2, (number + 1) % size) for number in range(size)], size)
    table = StepPlausibility(graph).table
    # Every entity has one step to the next and one from the one before, of the other relation.
    first, second = 0, 1
    back = [int(graph.steps.inverse[step]) for step in (first, second)]
    assert (table[first, first], table[first, second], table[first, back[0]], table[first, back[1]]) == (1, 0, 0, 1)
