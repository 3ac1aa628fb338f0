"""Similar entities as they are listed: best first, with the rarest shared properties."""

from __future__ import annotations

import pytest

from r5.chains.explain.similar_list import list_similar
from r5.chains.graph.step_graph import StepGraph
from r5.chains.similarity.similar_entities import SimilarEntities
from r5.graph import Graph


def similar() -> SimilarEntities:
    """Return the similar entities of people: Ann and Bea share all, Cid shares a city, Eve a city and a language."""
    facts = [(name, "lives_in", "Ashton") for name in ("Ann", "Bea", "Cid", "Eve", "p10", "p9")]
    facts += [(name, "speaks", "French") for name in ("Ann", "Bea", "Eve")]
    facts += [("Tom", "taught", name) for name in ("Ann", "Bea")]
    facts += [("Ann", "likes", "tea"), ("Zoe", "likes", "milk")]
    graph = Graph.from_triples(facts)
    return SimilarEntities(StepGraph.of(graph, graph.vocabulary.known))


def test_the_most_similar_entities_come_first_and_ties_by_name() -> None:
    one = similar()
    found = list_similar(one, one.graph.entities.index("Ann"), 10)
    assert [entity.entity for entity in found] == ["Bea", "Eve", "Cid", "p9", "p10"]
    assert found[0].similarity > found[1].similarity > found[2].similarity == found[4].similarity > 0
    assert list_similar(one, one.graph.entities.index("Ann"), 4) == found[:4]


def test_the_rarest_shared_properties_are_facts_of_the_other_entity() -> None:
    one = similar()
    bea, eve, *_ = list_similar(one, one.graph.entities.index("Ann"), 2)
    assert [str(fact) for fact in bea.shared] == ["Tom -taught-> Bea", "Bea -speaks-> French", "Bea -lives_in-> Ashton"]
    assert bea.shared_count == 3
    assert [str(fact) for fact in eve.shared] == ["Eve -speaks-> French", "Eve -lives_in-> Ashton"]


@pytest.mark.parametrize("name", ["Zoe", "Tom", "milk"])
def test_an_entity_that_shares_nothing_is_similar_to_none(name: str) -> None:
    one = similar()
    assert list_similar(one, one.graph.entities.index(name), 10) == []


def test_a_few_of_many_shared_properties_are_listed() -> None:
    graph = Graph.from_triples([(name, "likes", f"film{n}") for name in ("Ann", "Bea") for n in range(9)])
    one = SimilarEntities(StepGraph.of(graph, ("likes",)))
    (bea,) = list_similar(one, graph.node("Ann"), 10)
    assert (len(bea.shared), bea.shared_count) == (5, 9)
