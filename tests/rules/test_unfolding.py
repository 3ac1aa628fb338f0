"""Unfolding: rules by hand, and the search against its slow twin."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5._util.runtime.progress import Progress
from r5.errors import R5Error
from r5.rules.ruleset import Rule, RuleSet
from r5.rules.unfolding import unfold
from tests.oracle import rules as oracle

CASE_STUDY = RuleSet.of(
    [
        Rule("r_6", ("r_9", "invented_44"), score=4.0, support=3, invented=True),
        Rule("invented_44", ("r_3", "r_9"), score=8.0, support=2, invented=True),
        Rule("r_9", ("r_3", "r_6"), score=16.0, support=9),
    ]
)


def test_the_case_study_of_the_paper() -> None:
    assert [rule.text() for rule in CASE_STUDY.unfold()] == [
        "r_9(X, Y) <= r_3(X, Z), r_6(Z, Y)   score=16 support=9",
        "r_6(X, Y) <= r_9(X, Z), r_3(Z, U), r_9(U, Y)   score=2 support=2",
    ]
    # 4/16 x 8/16 of the highest score, 16, is 2.
    assert CASE_STUDY.unfold(head="r_6").rules[0].score == 2.0
    assert len(CASE_STUDY.unfold(max_length=2)) == 1


def test_chains_unfold_known_relations_too() -> None:
    found = [str(rule) for rule in CASE_STUDY.chains(4, head="r_6")]
    assert found == [
        "r_6 <= r_9, r_3, r_9",
        "r_6 <= r_3, r_6, r_3, r_9",
        "r_6 <= r_9, r_3, r_3, r_6",
    ]


def test_invented_heads_and_undefined_relations_are_left_out() -> None:
    rules = RuleSet.of(
        [
            Rule("h", ("a", "invented_1"), invented=True),
            Rule("invented_1", ("invented_1", "a"), invented=True),
            Rule("h", ("a", "b")),
        ]
    )
    assert [str(rule) for rule in rules.unfold()] == ["h <= a, b"]


def test_max_length_bounds_recursive_definitions() -> None:
    rules = RuleSet.of(
        [
            Rule("h", ("invented_0", "b"), invented=True),
            Rule("invented_0", ("invented_0", "a"), invented=True),
            Rule("invented_0", ("a", "a"), invented=True),
        ]
    )
    assert [rule.body for rule in rules.unfold(5)] == [("a",) * n + ("b",) for n in (2, 3, 4)]


def test_unary_cycles_end_and_tautologies_are_left_out() -> None:
    rules = RuleSet.of([Rule("a", ("b",), probability=0.5), Rule("b", ("a", "<dummy>"), probability=0.5)])
    assert {(rule.head, rule.relations, rule.probability) for rule in rules.chains(3)} == {
        ("a", ("b",), 0.5),
        ("b", ("a",), 0.5),
    }


def test_the_strongest_unfolding_counts_with_the_minimum_support() -> None:
    rules = RuleSet.of(
        [
            Rule("h", ("x", "c"), 0.5, support=10, body_probability=0.5),
            Rule("h", ("a", "y"), 0.9, support=7, body_probability=0.5),
            Rule("x", ("a", "b"), 0.5, support=3, body_probability=0.5),
            Rule("y", ("b", "c"), 0.5, support=8, body_probability=0.25),
        ]
    )
    found = rules.chains(3).filter(head="h", body=("a", "b", "c"))
    assert list(found) == [Rule("h", ("a", "b", "c"), 0.45, support=7, body_probability=0.125)]


def test_the_limit_keeps_the_strongest_rules() -> None:
    rules = [Rule("h", ("a", f"b{i}"), probability=i / 10) for i in range(10)]
    found = unfold(rules, max_length=2, limit=3)
    assert [rule.body[1] for rule in found.rules] == ["b9", "b8", "b7"]
    assert not found.complete
    assert unfold(rules, max_length=2, limit=10).complete


def test_the_limit_bounds_exponential_unfolding() -> None:
    names = [f"invented_{i}" for i in range(12)]
    rules = [Rule("h", (name, name), invented=True) for name in names]
    rules += [Rule(name, (one, other), invented=True) for name in names for one in names for other in names]
    rules += [Rule(name, ("a",), invented=True) for name in names]
    found = unfold(rules, max_length=60, limit=5)
    assert len(found.rules) <= 5
    assert not found.complete
    assert found.rules[0] == Rule("h", ("a", "a"))


@pytest.mark.parametrize(("length", "limit"), [(0, 1), (1, 0)])
def test_length_and_limit_must_be_positive(length: int, limit: int) -> None:
    with pytest.raises(R5Error, match="at least 1"):
        RuleSet().unfold(length, limit=limit)


KNOWN, INVENTED = ("a", "b", "c"), ("invented_0", "invented_1")
NAMES = (*KNOWN, *INVENTED)


@st.composite
def rule_sets(draw: st.DrawFn) -> RuleSet:
    """Few rules over few names, so that several unfoldings give one rule."""
    rules = {}
    for _ in range(draw(st.integers(0, 7))):
        head = draw(st.sampled_from(NAMES))
        body = tuple(draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3)))
        invented = not set(INVENTED).isdisjoint((head, *body))
        probability = draw(st.sampled_from([0.25, 0.5, 0.75, 1.0]))
        rules[head, body] = Rule(head, body, probability=probability, invented=invented)
    return RuleSet.of(rules.values())


@settings(max_examples=200, deadline=None)
@given(rules=rule_sets(), length=st.integers(1, 4), every=st.booleans())
def test_unfolding_agrees_with_the_slow_twin(rules: RuleSet, length: int, every: bool) -> None:
    found = unfold(rules.rules, max_length=length, limit=10_000, every=every)
    truth = oracle.chains(rules, rules.invented, length, every)
    assert found.complete
    assert {(rule.head, rule.body): rule.probability for rule in found.rules} == pytest.approx(truth)
    assert not any(rule.invented for rule in found.rules)
    strengths = [rule.strength for rule in found.rules]
    assert strengths == sorted(strengths, reverse=True)
    few = unfold(rules.rules, max_length=length, limit=3, every=every)
    assert few.rules == found.rules[:3]


def test_max_steps_bounds_the_search() -> None:
    names = [f"r{i}" for i in range(20)]
    rules = [Rule(a, (b, c), probability=0.9) for a in names for b in names for c in names[:3]]
    reports: list[Progress] = []
    found = unfold(rules, max_length=10, limit=10**9, every=True, progress=reports.append, max_steps=5000)
    assert not found.complete
    assert 100 < len(found.rules) <= 5000
    assert [report.done for report in reports] == [2000, 4000]
    assert {report.total for report in reports} == {5000}
