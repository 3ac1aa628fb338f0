"""`ChainReasoner.similar`: on the training graph, on another one, and for names that there are not."""

from __future__ import annotations

import pytest

import r5
from r5.chains.graph.step_graph import StepGraph
from r5.chains.similarity.similar_entities import SimilarEntities
from r5.graph import Graph
from r5.reasoners.chain_queries.similarity import list_similar
from r5.reasoners.chains import ChainReasoner

CITIES = ("Ashton", "Elmford")
FACTS = [(f"p{n}", "lives_in", CITIES[n % 2]) for n in range(8)]
FACTS += [(f"p{n}", "speaks", "French") for n in (0, 2, 3)]


@pytest.fixture(scope="module")
def model() -> ChainReasoner:
    return ChainReasoner(seed=0, epochs=1).fit(r5.Graph.from_triples(FACTS))


def test_similar_entities_of_the_training_graph(model: ChainReasoner) -> None:
    found = model.similar("p0")
    assert [one.entity for one in found] == ["p2", "p3", "p4", "p6"]
    assert [str(fact) for fact in found[0].shared] == ["p2 -speaks-> French", "p2 -lives_in-> Ashton"]
    assert isinstance(found[0], r5.SimilarEntity)
    assert model.similar("p0", top=2) == found[:2]


def test_similar_entities_of_another_graph(model: ChainReasoner) -> None:
    other = r5.Graph.from_triples([(name, "speaks", "Dutch") for name in ("Ann", "Bea")] + [("Cid", "owns", "Rex")])
    assert [one.entity for one in model.similar("Ann", graph=other)] == ["Bea"]
    assert model.similar("Cid", graph=other) == []


def test_unknown_names_and_counts_are_errors(model: ChainReasoner) -> None:
    with pytest.raises(r5.R5Error, match="no entity is called 'Ashtn'; did you mean 'Ashton'"):
        model.similar("Ashtn")
    with pytest.raises(r5.R5Error, match="top must be a whole number from 1 on, not 0"):
        model.similar("p0", top=0)


def test_other_engines_have_no_similar_entities() -> None:
    with pytest.raises(r5.R5Error, match="the engine grammar completes no graphs"):
        r5.GrammarReasoner().similar("p0")


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
