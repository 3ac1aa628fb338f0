"""Rules drawn for a world: one head a body, nothing against the inverses, as many as are possible."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.data.generators.world.rules import draw_rules
from r5.errors import R5Error
from r5.rules.ruleset import RuleSet


def most(relations: int) -> int:
    """Return the number of bodies whose head is not part of them."""
    return relations**2 if relations > 2 else {2: 2}.get(relations, 0)


def turned(name: str) -> str:
    return name[:-1] + {"+": "-", "-": "+"}[name[-1]]


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_rules_are_consistent(data: st.DataObject) -> None:
    relations = data.draw(st.integers(2, 6))
    inverses = data.draw(st.integers(0, relations))
    wanted = data.draw(st.integers(0, most(relations) + most(inverses)))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    rules = draw_rules(rng, relations=relations, rules=wanted, inverses=inverses)
    unary, binary = rules.with_body_of(1), rules.with_body_of(2)
    assert (len(unary), len(binary)) == (inverses, wanted)
    heads = {rule.body: rule.head for rule in binary}
    assert len(heads) == wanted
    for (first, second), head in heads.items():
        assert head not in (first, second)
        assert first[-1] == second[-1] == head[-1]
        back = turned(second), turned(first)
        assert heads.get(back, turned(head)) == turned(head)
    used = {name for rule in binary for name in (rule.head, *rule.body)}
    pairs = {(rule.body[0], rule.head) for rule in unary}
    assert all(turned(plain) == inverse for plain, inverse in pairs)
    assert {name for name in used if name.endswith("-")} <= {inverse for _, inverse in pairs}


@pytest.mark.parametrize(("relations", "inverses", "possible"), [(3, 0, 9), (3, 3, 18), (2, 0, 2), (5, 2, 27)])
def test_more_rules_than_possible_are_refused(relations: int, inverses: int, possible: int) -> None:
    def draw(rules: int) -> RuleSet:
        return draw_rules(np.random.default_rng(0), relations=relations, rules=rules, inverses=inverses)

    assert len(draw(possible).with_body_of(2)) == possible
    with pytest.raises(R5Error, match=f"allow at most {possible} rules, not {possible + 1}"):
        draw(possible + 1)
