"""Rule and RuleSet."""

from __future__ import annotations

import pytest

import r5
from r5.rules.ruleset import Order, Rule, RuleSet

UNCLE = Rule("uncle", ("mother", "brother"), probability=0.9)
INVERSE = Rule("wife", ("husband^-1",))


def test_recall_compares_what_rules_say_not_how_sure_they_are() -> None:
    truth = RuleSet.of([Rule("uncle", ("mother", "brother")), Rule("aunt", ("mother", "sister"))])
    assert RuleSet.of([UNCLE]).recall(truth) == 0.5
    assert RuleSet.of([UNCLE]).recall(RuleSet()) is None
    assert truth.recall(truth) == 1.0


def test_heads_come_in_the_order_of_the_set() -> None:
    rules = RuleSet.of([UNCLE, Rule("father", ("mother", "brother"))])
    assert rules.heads("mother", "brother") == ("uncle", "father")
    assert rules.heads("brother", "mother") == ()
    assert len(rules) == 2


def test_unary_rules_can_be_left_out() -> None:
    assert list(RuleSet.of([UNCLE, INVERSE]).with_body_of(2)) == [UNCLE]
    assert str(INVERSE) == "wife <= husband^-1"


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (Rule("a", ("b",) * 6), "a(X, Y) <= b(X, Z), b(Z, U), b(U, V), b(V, W), b(W, Z4), b(Z4, Y)"),
        (Rule("a", ("b^-1",), score=12.5), "a(X, Y) <= b^-1(X, Y)   score=12.5"),
        (Rule("a", ("b",), 0.98765, support=123456), "a(X, Y) <= b(X, Y)   p=0.988 support=123456"),
        (Rule("a", ("b",), 1.0, support=78.84), "a(X, Y) <= b(X, Y)   p=1 support=78.8"),
    ],
)
def test_rule_is_written_as_text(rule: Rule, text: str) -> None:
    assert rule.text() == text
    assert RuleSet.of([rule]).to_text() == text + "\n"


def test_sorted_by_strength_as_shown_then_support_then_names() -> None:
    rules = [
        Rule("b", ("r_2", "x"), 0.99999, support=80),
        Rule("a", ("r_10", "x"), 1.0, support=3),
        Rule("a", ("r_2", "x"), 1.0, support=3),
        Rule("a", ("x",), 1.0, support=3),
        Rule("a", ("y",), score=0.5),
        Rule("a", ("z",)),
    ]
    assert list(RuleSet.of(reversed(rules)).sorted()) == [rules[i] for i in (0, 3, 2, 1, 4, 5)]


INVENTIVE = RuleSet.of(
    [
        Rule("invented_3", ("a", "b"), score=5, support=1, invented=True),
        Rule("c", ("a", "invented_3"), score=4, support=2, invented=True),
        Rule("c", ("a", "a"), probability=0.5, support=3),
    ]
)


@pytest.mark.parametrize(
    ("wanted", "places"),
    [
        ({}, [0, 1, 2]),
        ({"head": "c"}, [1, 2]),
        ({"body": "b"}, [0]),
        ({"body": ("a", "a")}, [2]),
        ({"body": ["a"]}, []),
        ({"min_score": 4}, [0, 1]),
        ({"min_support": 2}, [1, 2]),
        ({"invented": True}, [0, 1]),
        ({"invented": False}, [2]),
        ({"head": "c", "invented": True, "body": "a", "min_score": 0.0}, [1]),
    ],
)
def test_filter_keeps_the_rules_of_all_conditions(wanted: dict[str, object], places: list[int]) -> None:
    assert list(INVENTIVE.filter(**wanted)) == [INVENTIVE.rules[i] for i in places]  # type: ignore[arg-type]


def test_invented_relations_are_told_by_name_or_else_by_the_head() -> None:
    assert INVENTIVE.invented == {"invented_3"}
    assert RuleSet.of([Rule("thing", ("x", "y"), invented=True), Rule("z", ("thing", "x"))]).invented == {"thing"}
    assert RuleSet.of([Rule("invented_1", ("x", "y"))]).invented == set()


def test_rules_with_invented_relations_are_marked_and_unfold() -> None:
    train = r5.load("world", train=40, test=6).train
    model = r5.R5Reasoner(seed=0, epochs=2, invented=6, network=False, simulations=20).fit(train)
    rules = model.rules_
    assert rules.invented and rules.invented <= set(model.vocabulary_.invented)
    for rule in rules:
        assert rule.invented == (not rules.invented.isdisjoint((rule.head, *rule.body)))
    unfolded = rules.unfold(4)
    assert unfolded.invented == set()
    assert {rule.key for rule in rules.filter(invented=False)} <= {rule.key for rule in unfolded}


COUNTED = RuleSet.of(
    [
        Rule("h", ("a",), probability=0.9, support=2, pca=1.0, weight=-3.0, predictions=2),
        Rule("h", ("a", "b"), probability=0.5, support=90, pca=0.9, weight=0.1, predictions=180),
        Rule("h", ("c",), probability=0.4, support=90, pca=0.9, weight=0.2, predictions=225),
        Rule("h", ("d",), probability=1.0, support=300, pca=1.0, weight=1.0, target="t", ending="e", predictions=300),
    ]
)


@pytest.mark.parametrize(
    ("by", "order"),
    [("quality", "2103"), ("weight", "0321"), ("confidence", "3012"), ("support", "3120"), ("pca", "3012")],
)
def test_sorted_by_a_figure(by: Order, order: str) -> None:
    rules = COUNTED.rules
    assert COUNTED.sorted(by).rules == tuple(rules[int(place)] for place in order)
    assert COUNTED.strongest(2, by).rules == COUNTED.sorted(by).rules[:2]


def test_rules_without_a_figure_come_last() -> None:
    none = Rule("h", ("e",), probability=1.0)
    for by in ("weight", "support", "pca"):
        assert RuleSet.of([none, *COUNTED]).sorted(by).rules[-1] is none  # type: ignore[arg-type]


def test_the_usual_order_depends_on_weights_and_counts() -> None:
    assert COUNTED.default_order == "quality"
    assert RuleSet.of([*COUNTED, Rule("h", ("e",), probability=1.0)]).default_order is None
    assert RuleSet().default_order is None


def test_rules_with_and_without_constants() -> None:
    assert COUNTED.filter(constants=True).rules == COUNTED.rules[3:]
    assert COUNTED.filter(constants=False).rules == COUNTED.rules[:3]
