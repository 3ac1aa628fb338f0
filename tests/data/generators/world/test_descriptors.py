"""Relation sequences of a rule set: all found, all derivable, ambiguous ones told apart."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.data.generators.world import descriptors as module
from r5.data.generators.world.descriptors import Descriptors
from r5.data.generators.world.rules import draw_rules
from r5.errors import R5Error
from r5.rules.ruleset import Rule, RuleSet
from tests.oracle.merging import derived

# a b a is e when (a b) a is merged, f when a (b a) is; a b alone is c for certain.
COMPETING = RuleSet.of(
    [Rule("c", ("a", "b")), Rule("d", ("b", "a")), Rule("e", ("c", "a")), Rule("f", ("a", "d")), Rule("g", ("e", "b"))]
)


def named(found: Descriptors, sequences: list[tuple[int, ...]]) -> set[str]:
    return {"".join(found.names[relation] for relation in sequence) for sequence in sequences}


def test_ambiguous_sequences_are_left_out_by_default() -> None:
    found = Descriptors(COMPETING)
    rng = np.random.default_rng(0)
    assert named(found, found.some(3, 99, rng, ambiguous=True)) == {"aba", "cab"}
    assert named(found, found.some(3, 99, rng)) == {"cab"}
    assert named(found, found.some(2, 99, rng)) == {"ab", "ba", "ca", "ad", "eb"}


rule_sets = st.builds(
    lambda seed, rules, inverses: draw_rules(np.random.default_rng(seed), relations=4, rules=rules, inverses=inverses),
    st.integers(0, 10_000),
    st.integers(1, 12),
    st.integers(0, 4),
)


@settings(max_examples=40, deadline=None)
@given(rule_sets, st.integers(0, 10_000), st.integers(2, 6))
def test_answers_are_what_trying_every_merge_gives(rules: RuleSet, seed: int, length: int) -> None:
    found = Descriptors(rules)
    rng = np.random.default_rng(seed)
    sequence = tuple(rng.integers(0, len(found.names), length).tolist())
    drawn = [found.draw(length, rng)] if any(found.trees(length)) else []
    for descriptor in [sequence, *drawn]:
        answers = {found.names[relation] for relation in found.answers(descriptor)}
        assert answers == derived([found.names[relation] for relation in descriptor], rules)
        assert answers or descriptor == sequence


@settings(max_examples=20, deadline=None)
@given(rule_sets, st.integers(2, 4))
def test_all_sequences_are_found(rules: RuleSet, length: int) -> None:
    found = Descriptors(rules)
    everything = [s for s in product(range(len(found.names)), repeat=length) if found.answers(s)]
    assert found.all(length) == everything
    assert bool(everything) == any(found.trees(length))


def test_trees_of_one_rule_are_catalan_numbers() -> None:
    found = Descriptors(RuleSet.of([Rule("a", ("a", "a"))]))
    assert [found.trees(length) for length in range(2, 8)] == [[1], [2], [5], [14], [42], [132]]
    assert found.all(5) == [(0,) * 5]


def test_many_sequences_are_drawn_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FEW", 0)
    rules = draw_rules(np.random.default_rng(1))
    found = Descriptors(rules)
    some = found.some(6, 40, np.random.default_rng(2))
    assert len(set(some)) == len(some) == 40
    assert all(len(sequence) == 6 and len(found.answers(sequence)) == 1 for sequence in some)
    assert set(found.some(2, 99, np.random.default_rng(2))) == set(found.all(2))


def test_draws_treat_heads_alike() -> None:
    rules = RuleSet.of([Rule("x", ("a", "b")), *(Rule("y", ("c", letter)) for letter in "defghi")])
    found = Descriptors(rules)
    rng = np.random.default_rng(0)
    share = np.mean([found.draw(2, rng) == (0, 1) for _ in range(1000)])
    assert 0.45 < share < 0.55


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ([Rule("a", ("b", "b")), Rule("c", ("b", "b"))], "the body b, b has two heads"),
        ([Rule("a", ("b",))], "needs rules with two relations in the body"),
    ],
)
def test_invalid_rules_are_refused(rules: list[Rule], message: str) -> None:
    with pytest.raises(R5Error, match=message):
        Descriptors(RuleSet.of(rules))
