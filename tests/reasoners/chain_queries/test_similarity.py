"""`ChainReasoner.similar`: on the training graph, on another one, and for names that there are not."""

from __future__ import annotations

import pytest

import r5
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
