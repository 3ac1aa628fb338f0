"""Pictures of completions: every fact in its stored direction, constants at the ends where the rule has them."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from r5.derivations.completion import Completion, Reason
from r5.derivations.completion_picture import draw_completion
from r5.derivations.derivation import Fact
from r5.derivations.reason_layout import Row, lay_out_reason
from r5.relations import inverse_name
from r5.rules.rule import Rule

SVG = "{http://www.w3.org/2000/svg}"
NAME = "<b>&'\""


def completed(*reasons: Reason, head: str = "Ann", tail: str = "Oak Library") -> Completion:
    return Completion(tail, 0.9, sum(one.weight for one in reasons), reasons, head, "visits", tail)


def drawn_facts(row: Row) -> list[str]:
    """Return the facts of a row as drawn, the concluded one in brackets."""
    pairs = zip(row.places, row.places[1:], row.links, strict=False)
    told = [(str(link.fact(left, right)), link.derived) for left, right, link in pairs if link is not None]
    return [f"({fact})" if derived else fact for fact, derived in told]


def constant_rule(backwards: bool = False, weight: float = 1.0) -> tuple[Completion, Reason]:
    """Return a completion with a rule about its tail, or about its head if the rule is read backwards."""
    if backwards:
        rule = Rule("visits^-1", ("part_of",), target="Ann", ending="Hazelton")
        reason = Reason(rule, weight, (Fact("Oak Library", "part_of", "Hazelton"),))
    else:
        rule = Rule("visits", ("works_at^-1",), target="Oak Library", ending="Bob")
        reason = Reason(rule, weight, (Fact("Ann", "works_at^-1", "Bob"),))
    return completed(reason), reason


def test_a_rule_with_constants_is_drawn_with_its_conclusion_and_each_fact_as_stored() -> None:
    row = lay_out_reason(*constant_rule())
    assert [(place.name, place.kind) for place in row.places] == [
        ("Bob", "constant"),
        ("Ann", "end"),
        ("Oak Library", "constant"),
    ]
    assert drawn_facts(row) == ["Bob -works_at-> Ann", "(Ann -visits-> Oak Library)"]
    assert row.caption == 'visits(X, "Oak Library") <= works_at("Bob", X)'


def test_a_rule_about_the_tail_has_its_condition_at_the_right() -> None:
    row = lay_out_reason(*constant_rule(backwards=True))
    assert [(place.name, place.kind) for place in row.places] == [
        ("Ann", "constant"),
        ("Oak Library", "end"),
        ("Hazelton", "constant"),
    ]
    assert drawn_facts(row) == ["(Ann -visits-> Oak Library)", "Oak Library -part_of-> Hazelton"]


def test_a_rule_without_a_body_is_its_conclusion_alone() -> None:
    reason = Reason(Rule("visits", (), target="Oak Library"), 1.0)
    row = lay_out_reason(completed(reason), reason)
    assert drawn_facts(row) == ["(Ann -visits-> Oak Library)"]
    assert [place.kind for place in row.places] == ["end", "constant"]


@pytest.mark.parametrize("backwards", [False, True], ids=["from the head", "from the tail"])
def test_a_chain_runs_from_head_to_tail_whichever_end_was_given(backwards: bool) -> None:
    facts = (Fact("Ann", "borrowed", "The Bell"), Fact("The Bell", "holds^-1", "Oak Library"))
    if backwards:
        facts = tuple(Fact(one.target, inverse_name(one.relation), one.source) for one in reversed(facts))
    reason = Reason(Rule("visits", ("borrowed", "holds^-1")), 2.0, facts, groundings=3)
    row = lay_out_reason(completed(reason), reason)
    assert [place.name for place in row.places] == ["Ann", "The Bell", "Oak Library"]
    assert [place.kind for place in row.places] == ["end", "between", "end"]
    assert drawn_facts(row) == ["Ann -borrowed-> The Bell", "Oak Library -holds-> The Bell"]
    assert row.caption == "one of 3 groundings"


def test_facts_that_do_not_meet_are_drawn_apart() -> None:
    facts = (Fact("Bob", "likes", "tea"), Fact("Ann", "likes", "tea"))
    reason = Reason(Rule("visits", ("likes",)), 1.0, facts, kind="candidate", text="both like tea")
    row = lay_out_reason(completed(reason), reason)
    assert drawn_facts(row) == ["Bob -likes-> tea", "Ann -likes-> tea"]
    assert row.links[1] is None


def test_the_drawn_arrows_point_as_the_facts_are_stored() -> None:
    completion, _ = constant_rule()
    picture = ElementTree.fromstring(draw_completion(completion))  # noqa: S314  our own
    facts = [group for group in picture.iter(f"{SVG}g") if "fact" in (group.get("class") or "").split()]
    assert [group.findtext(f"{SVG}title") for group in facts] == [
        "Bob -works_at-> Ann",
        "concluded: Ann -visits-> Oak Library",
    ]
    assert ["derived" in (group.get("class") or "") for group in facts] == [False, True]
    names = {
        group.findtext(f"{SVG}title"): float(group[2].get("x") or 0)
        for group in picture.iter(f"{SVG}g")
        if "entity" in (group.get("class") or "").split()
    }
    for group, (source, target) in zip(facts, [("Bob", "Ann"), ("Ann", "Oak Library")], strict=True):
        tip = float((group[2].get("d") or "")[1:].split()[0])
        assert abs(tip - names[target]) < abs(tip - names[source])
    squares = [one for one in picture.iter(f"{SVG}rect") if one.get("class") == "dot"]
    assert len(squares) == 2


def test_a_rule_against_says_so() -> None:
    completion, _ = constant_rule(weight=-1.0)
    assert "speaks against: Ann -visits-&gt; Oak Library" in draw_completion(completion)


def test_names_are_escaped_and_no_inverse_name_is_shown() -> None:
    rule = Rule("visits^-1", (f"{NAME}^-1",))
    reason = Reason(rule, 1.0, (Fact("Oak Library", f"{NAME}^-1", NAME),))
    picture = ElementTree.fromstring(draw_completion(completed(reason, head=NAME)))  # noqa: S314  our own
    shown = [text.text or "" for text in picture.iter(f"{SVG}text")]
    assert NAME in shown
    assert not [text for text in shown if "^-1" in text]


def test_the_weights_of_further_reasons_are_summed() -> None:
    reasons = [Reason(Rule("visits", ("likes",)), 1.0, kind="candidate", text=f"reason {n}") for n in range(10)]
    picture = draw_completion(completed(*reasons))
    assert "+2.000  2 further reasons" in picture
