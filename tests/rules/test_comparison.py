"""Rules found beside rules wanted."""

from __future__ import annotations

from r5.rules.ruleset import Rule, RuleSet

FOUND = RuleSet.of(
    [Rule("aunt", ("father", "sister"), 0.9), Rule("son", ("son", "son"), 0.1), Rule("aunt", ("father", "sister"), 0.2)]
)
WANTED = RuleSet.of([Rule("aunt", ("father", "sister")), Rule("uncle", ("father", "brother"))])


def test_what_is_shared_missing_and_extra() -> None:
    found = FOUND.compare(WANTED)
    assert (found.recall, found.precision) == (0.5, 0.5)
    assert found.shared == (FOUND.rules[0],)
    assert found.missing == (WANTED.rules[1],)
    assert found.extra == (FOUND.rules[1],)
    assert list(found.to_json()) == ["recall", "precision", "shared", "missing", "extra"]
    assert found.to_json()["missing"][0]["head"] == "uncle"


def test_comparison_text_lists_missing_and_extra_rules() -> None:
    assert str(FOUND.compare(WANTED)).splitlines() == [
        "recall     0.50   1 of 2 wanted rules found",
        "precision  0.50   1 of 2 rules found are wanted",
        "missing:",
        "  uncle(X, Y) <= father(X, Z), brother(Z, Y)",
        "extra:",
        "  son(X, Y) <= son(X, Z), son(Z, Y)   p=0.1",
    ]


def test_of_nothing_there_is_no_share() -> None:
    nothing = RuleSet().compare(RuleSet())
    assert (nothing.recall, nothing.precision) == (None, None)
    assert "recall      -" in str(nothing)
    many = RuleSet().compare(RuleSet.of(Rule("h", (f"a{i}",)) for i in range(25)))
    assert str(many).endswith("... and 5 more")
