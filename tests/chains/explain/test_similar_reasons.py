"""Reasons that rest on similar entities: they sum to the score, and a masked fact is none of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import r5
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.similarity.evidence import SimilarityWeights
from r5.chains.similarity.similar_entities import SimilarEntities
from r5.derivations.completion import Completion, Reason
from r5.graph import Graph
from r5.reasoners.chains import ChainReasoner
from r5.storage.folder import ModelError


def town() -> list[tuple[str, str, str]]:
    """Return facts of people of three towns: neighbours, both ways, work for one of two firms and speak a language."""
    rng = np.random.default_rng(0)
    facts = []
    for n in range(36):
        own, other = f"p{n}", f"p{(n + 3) % 36}"
        facts += [(own, "lives_in", f"town{n % 3}"), (own, "works_for", f"firm{n % 3}{rng.integers(2)}")]
        facts += [(own, "speaks", f"language{n % 3}"), (own, "neighbour", other), (other, "neighbour", own)]
        facts += [(own, "knows", own)] * (n % 9 == 0) + [(own, "speaks", "Latin")] * (n % 4 == 0)
    return [fact for fact in facts if rng.random() > 0.1]


GRAPH = Graph.from_triples(town())
WEIGHTS = (SimilarityWeights(20.0, 10.0), SimilarityWeights(20.0, 0.0), SimilarityWeights(0.0, 10.0))


def weighted(weights: SimilarityWeights, neighbours: int = 0) -> ChainReasoner:
    """Return a model with weights of the evidence, by neighbour lists if a number of them is given."""
    model = ChainReasoner(seed=0, max_length=2, similarity=False).fit(GRAPH)
    model._keep(model.graph_, model._scorer.graph, replace(model.model_, similarity=weights))
    if neighbours:
        similar = SimilarEntities(model._scorer.graph, 0, neighbours)
        model._scorer = QueryScorer(model._scorer.graph, model.model_, similar=similar)
    return model


@pytest.fixture(scope="module", params=[(WEIGHTS[0], 0), (WEIGHTS[0], 12), (WEIGHTS[1], 0), (WEIGHTS[2], 0)], ids=str)
def model(request: pytest.FixtureRequest) -> ChainReasoner:
    return weighted(*request.param)


def similar_reasons(completion: Completion) -> list[Reason]:
    return [reason for reason in completion.reasons if reason.kind == "similar"]


@pytest.mark.parametrize("relation", GRAPH.vocabulary.known)
def test_reasons_of_known_and_new_facts_sum_to_the_score(model: ChainReasoner, relation: str) -> None:
    asked = [*model.graph_.triples()[::23]]
    queries = [{"head": head} for head, *_ in asked] + [{"tail": tail} for *_, tail in asked]
    seen = 0
    for query in queries:
        found = model.complete(relation=relation, top=8, known=True, explain=True, **query)
        for answer in found:
            assert sum(reason.weight for reason in answer.reasons) == pytest.approx(answer.score, abs=1e-9)
            seen += len(similar_reasons(answer))
    assert seen or relation == "works_for"  # two firms have nobody in common


def test_facts_of_the_reasons_are_in_the_graph(model: ChainReasoner) -> None:
    there = set(GRAPH.triples()) | {(b, "neighbour", a) for a, name, b in GRAPH.triples() if name == "neighbour"}
    facts = [
        tuple(fact.stored().to_json())
        for answer in model.complete(head="p8", relation="speaks", top=4, explain=True)
        for reason in similar_reasons(answer)
        for fact in reason.facts
    ]
    assert facts
    assert set(facts) <= there


def test_a_known_fact_is_no_reason_for_itself(model: ChainReasoner) -> None:
    for head, relation, tail in GRAPH.triples()[::11]:
        fact = model.score_fact(head, relation, tail, explain=True)
        assert fact.known
        assert sum(reason.weight for reason in fact.reasons) == pytest.approx(fact.score, abs=1e-9)
        for reason in similar_reasons(fact):
            assert (head, relation, tail) not in {tuple(one.stored().to_json()) for one in reason.facts}


def test_scores_of_all_paths_agree(model: ChainReasoner) -> None:
    """Candidates of a query, single facts and new facts are scored by kernels of their own."""
    for given in ({"head": "p8"}, {"tail": "language1"}):
        found = model.complete(relation="speaks", top=50, known=True, **given)
        assert len(found) > 10
        for one in found[:20]:
            alone = model.score_fact(*one.fact.to_json())
            assert alone.probability == one.probability
    new = model.new_facts(10)
    assert [one.probability for one in new] == [model.score_fact(*one.fact.to_json()).probability for one in new]


def test_entities_of_another_graph_have_the_same_evidence(model: ChainReasoner) -> None:
    renamed = Graph.from_triples([(f"new {head}", relation, f"new {tail}") for head, relation, tail in GRAPH.triples()])
    for query in ({"head": "p8"}, {"tail": "language1"}):
        (end,) = query.items()
        own = weighted(model.model_.similarity).complete(relation="speaks", explain=True, **query)
        found = model.complete(renamed, relation="speaks", explain=True, **{end[0]: f"new {end[1]}"})
        assert [one.entity for one in found] == [f"new {one.entity}" for one in own]
        assert [one.score for one in found] == [one.score for one in own]
        assert [one.kind for one in found[0].reasons] == [one.kind for one in own[0].reasons]
        assert similar_reasons(found[0])


def test_no_query_leaves_a_trace(model: ChainReasoner) -> None:
    first = model.complete(head="p8", relation="speaks", explain=True, known=True)
    model.audit(5)
    model.new_facts(5)
    model.complete(tail="town2", relation="lives_in", known=True)
    assert model.complete(head="p8", relation="speaks", explain=True, known=True) == first
    scratch = model._scorer.evidence_scratch
    assert not (scratch.values.any() or scratch.is_found.any() or scratch.has.any())


def test_a_stored_model_has_the_same_evidence(tmp_path: Path) -> None:
    model = weighted(SimilarityWeights(20.0, 10.0))
    model.save(tmp_path / "model")
    again = r5.load_model(tmp_path / "model")
    assert isinstance(again, ChainReasoner)
    assert again.model_.similarity == model.model_.similarity
    first = model.complete(head="p8", relation="speaks", explain=True)
    assert similar_reasons(first[0])
    assert again.complete(head="p8", relation="speaks", explain=True) == first


@pytest.mark.parametrize("values", [[-1.0, 0.0], [np.nan, 0.0], [1e9, 0.0], [1.0], [1.0, 2.0, 3.0]])
def test_damaged_weights_of_similar_entities_are_refused(tmp_path: Path, values: list[float]) -> None:
    model = weighted(SimilarityWeights(20.0, 10.0))
    broken = replace(model.model_, similarity=np.array(values))  # type: ignore[arg-type]
    model._keep(model.graph_, model._scorer.graph, broken)
    model.save(tmp_path / "model")
    with pytest.raises(ModelError, match="similarity"):
        r5.load_model(tmp_path / "model")


def test_a_reason_names_the_most_similar_entities() -> None:
    model = weighted(SimilarityWeights(20.0, 0.0))
    answer = model.complete(head="p8", relation="speaks", top=1, explain=True)[0]
    (reason,) = similar_reasons(answer)
    similar = model._scorer.similar
    node = model._scorer.graph.entities.index
    speakers = {head for head, name, tail in GRAPH.triples() if (name, tail) == ("speaks", answer.entity)}
    values = {name: similar.between(node("p8"), node(name)) for name in speakers - {"p8"}}
    best = sorted(values, key=lambda name: -abs(values[name]))[:3]
    assert [fact.source for fact in reason.facts] == best
    assert str(reason).startswith("similar to p8: " + ", ".join(f"{name} ({values[name]:.2f})" for name in best))
    assert reason.weight == pytest.approx(20.0 * sum(values.values()))
    assert reason.groundings == sum(value != 0.0 for value in values.values())
