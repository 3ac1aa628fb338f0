"""SimilarEntity as text and JSON."""

from __future__ import annotations

import r5

FACTS = tuple(r5.Fact("Ida", relation, other) for relation, other in (("works_at", "Hazelton"), ("taught^-1", "Eve")))


def test_json_has_facts_in_stored_direction() -> None:
    assert r5.SimilarEntity("Ida", 0.25, FACTS, 7).to_json() == {
        "entity": "Ida",
        "similarity": 0.25,
        "shared": [["Ida", "works_at", "Hazelton"], ["Eve", "taught", "Ida"]],
        "shared_count": 7,
    }


def test_text_says_how_many_properties_are_shared_if_not_all_are_shown() -> None:
    both = "both: -works_at-> Hazelton, <-taught- Eve"
    assert str(r5.SimilarEntity("Ida", 0.25, FACTS, 2)) == f"Ida  0.250  {both}"
    assert str(r5.SimilarEntity("Ida", 0.25, FACTS, 1_200)) == f"Ida  0.250  {both} (1,200 shared)"
    assert r5.SimilarEntity("Ida", 0.25, FACTS * 2, 4).describe_shared().endswith("Hazelton (4 shared)")


def test_entities_that_share_nothing_say_so() -> None:
    assert str(r5.SimilarEntity("Ida", 0.001, (), 0)) == "Ida  0.001  nothing shared"
