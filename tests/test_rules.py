"""Rule and RuleSet."""

from __future__ import annotations

from r5.rules import Rule, RuleSet

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
