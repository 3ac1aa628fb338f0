"""Properties of entities against sets of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from r5.chains.similarity.properties import find_properties
from tests.helpers.chain_graphs import ENTITIES, FACTS, RELATIONS, made_of
from tests.oracle import similarity as oracle

SIZE = len(RELATIONS)


@settings(deadline=None, max_examples=60)
@given(FACTS)
def test_properties_are_those_of_the_oracle(facts: list[tuple[int, int, int]]) -> None:
    table, own = find_properties(made_of(facts)), oracle.properties(facts, SIZE)
    weights = oracle.property_weights(own)
    keys = [divmod(key, ENTITIES) for key in table.keys.tolist()]
    assert keys == sorted(keys)
    for number, one in enumerate(keys):
        owners = sorted(entity for entity in own if one in own[entity])
        assert len(owners) > 1
        assert table.entities[table.entity_offsets[number] : table.entity_offsets[number + 1]].tolist() == owners
        assert table.weights[number] == np.float32(weights[one])
    for entity in range(ENTITIES):
        shared = {keys[n] for n in table.properties[table.offsets[entity] : table.offsets[entity + 1]].tolist()}
        assert shared == own[entity] & set(keys)
        assert table.own[entity] == len(own[entity] - shared)
    assert np.allclose(table.totals, np.diag(oracle.kernel(facts, SIZE, ENTITIES)), rtol=1e-6)


def test_properties_of_very_many_entities_are_left_out() -> None:
    facts = [(n, 0, 5) for n in range(4)] + [(n, 1, n) for n in range(4)]
    graph = made_of(facts)
    assert find_properties(graph).keys.tolist() == [5]
    assert find_properties(graph, max_entities=3).keys.size == 0
