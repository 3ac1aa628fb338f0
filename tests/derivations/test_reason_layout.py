"""Layout of reasons that rest on similar entities; other kinds are tested with their pictures."""

from __future__ import annotations

import pytest

from r5.derivations.completion import Completion, Reason
from r5.derivations.derivation import Fact
from r5.derivations.reason_layout import lay_out_reason
from r5.rules.rule import Rule

COMPLETION = Completion("Oak Library", 0.9, 1.0, head="Tom", relation="visits", tail="Oak Library")


@pytest.mark.parametrize(
    ("fact", "names", "is_at_tail"),
    [
        (Fact("Sam", "visits", "Oak Library"), ["Tom", "Sam", "Oak Library"], True),
        (Fact("Oak Library", "visits^-1", "Sam"), ["Tom", "Sam", "Oak Library"], True),
        (Fact("Tom", "visits", "Elm Library"), ["Tom", "Elm Library", "Oak Library"], False),
        (Fact("Elm Library", "visits^-1", "Tom"), ["Tom", "Elm Library", "Oak Library"], False),
    ],
)
def test_a_similar_entity_stands_between_head_and_tail(fact: Fact, names: list[str], is_at_tail: bool) -> None:
    others = Fact("Ida", "visits", "Oak Library")
    reason = Reason(Rule("visits", ("visits",)), 2.0, (fact, others), 9, "similar", "similar to Tom: Sam (0.06)")
    row = lay_out_reason(COMPLETION, reason)
    assert [place.name for place in row.places] == names
    assert [place.kind for place in row.places] == ["end", "between", "end"]
    assert row.caption == "similar to Tom: Sam (0.06)"
    place = 1 if is_at_tail else 0
    link = row.links[place]
    assert row.links[1 - place] is None
    assert link is not None and not link.backwards
    assert link.fact(*row.places[place : place + 2]) == fact.stored()
