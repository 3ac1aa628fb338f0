"""Chains of relatives: nobody twice, as long as asked for, and merged last as asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.data.generators.kinship.algebra import EDGE_RELATIONS, RELATIONS, compose, composition_rules
from r5.data.generators.kinship.chains import Family, bodies, draw_chain
from r5.data.generators.kinship.genealogy import draw_genealogy
from tests.oracle.merging import derived

NAMES = list(RELATIONS)


@pytest.mark.parametrize(("hops", "count"), [(2, 70), (3, 92), (9, 92)])
def test_bodies_of_two_edges_have_observed_relations_only(hops: int, count: int) -> None:
    """With two edges only the rules whose relations are told; with three also one that is not."""
    found = bodies(hops)
    assert len(found) == count
    if hops == 2:
        assert all({NAMES[first], NAMES[second]} <= set(EDGE_RELATIONS) for first, second in found)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 8))
def test_drawn_chain_has_the_given_length_and_both_parts_of_the_body(seed: int, hops: int) -> None:
    rng = np.random.default_rng(seed)
    family = Family(draw_genealogy(rng, children=8))
    rules = composition_rules()
    for first, second in bodies(hops):
        chain = draw_chain(family, (first, second), hops, rng)
        if chain is None:
            continue
        told = family.descriptor(chain)
        assert len(told) == hops
        assert len(set(chain)) == hops + 1
        assert set(told) <= set(EDGE_RELATIONS)
        assert any(
            NAMES[first] in derived(told[:cut], rules) and NAMES[second] in derived(told[cut:], rules)
            for cut in range(1, hops)
        )


def test_bridges_are_all_intermediate_entities() -> None:
    family = Family(draw_genealogy(np.random.default_rng(3)))
    usable = {rule.body for rule in composition_rules()}
    people = range(len(family.kin))
    for source, target in family.pairs[NAMES.index("grandmother")]:
        found = {person for _, group in family.bridges(source, target) for person in group}
        expected = {
            person
            for person in people
            if family.kin[source, person] >= 0
            and family.kin[person, target] >= 0
            and (body := (family.relation(source, person), family.relation(person, target))) in usable
            and compose(*body) == "grandmother"
        }
        assert found == expected != set()
