"""Evidence of similar entities against sums over all pairs, given the same similarities."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from r5.chains.graph.step_kernels import Mask
from r5.chains.similarity.evidence import SimilarityWeights, make_evidence, new_scratch
from r5.chains.similarity.evidence_kernels import EvidenceScratch, sum_evidence
from r5.chains.similarity.similar_entities import SimilarEntities
from tests.chains.similarity.test_similar_entities import matrix
from tests.helpers.chain_graphs import ENTITIES, FACTS, RELATIONS, made_of
from tests.oracle import similarity as oracle

Facts = list[tuple[int, int, int]]
SIZE = len(RELATIONS)
WEIGHTS = st.sampled_from([(20.0, 10.0), (5.0, 0.0), (0.0, 40.0)])
STORED = st.sampled_from([(1000, 0), (0, ENTITIES), (0, 2)])
"""Dense similarities, all neighbours, and two of them."""


def evidence(facts: Facts, stored: tuple[int, int], weights: tuple[float, float], query: oracle.Query) -> NDArray:
    """Return the evidence for each candidate, and check that it is that of the oracle and leaves the scratch clean."""
    similar = SimilarEntities(made_of(facts), *stored)
    rows = matrix(similar)
    made = make_evidence(similar, SimilarityWeights(*weights))
    scratch = new_scratch(made, ENTITIES)
    mask = Mask(-1, -1, -1) if query.masked is None else Mask(*query)
    scores = np.zeros(ENTITIES)
    sum_evidence(similar.graph.steps, made, query.source, query.step, mask, scratch, scores)
    wanted = oracle.evidence(facts, SIZE, ENTITIES, rows, weights, query)
    assert np.allclose(scores, wanted, rtol=1e-12, atol=1e-12)
    assert is_clean(scratch)
    return scores


def is_clean(scratch: EvidenceScratch) -> bool:
    """Return whether no query left a value or a flag."""
    return not (scratch.values.any() or scratch.is_found.any() or scratch.has.any())


@settings(deadline=None, max_examples=150)
@given(FACTS, STORED, WEIGHTS, st.data())
def test_evidence_is_that_of_the_oracle(
    facts: Facts, stored: tuple[int, int], weights: tuple[float, float], data: st.DataObject
) -> None:
    graph = made_of(facts)
    source, step = data.draw(st.integers(0, ENTITIES - 1)), data.draw(st.sampled_from(graph.targets()))
    evidence(facts, stored, weights, oracle.Query(source, step, None))


@settings(deadline=None, max_examples=150)
@given(FACTS, STORED, WEIGHTS, st.data())
def test_evidence_with_a_masked_fact_is_that_of_the_oracle(
    facts: Facts, stored: tuple[int, int], weights: tuple[float, float], data: st.DataObject
) -> None:
    graph = made_of(facts)
    head, relation, tail = data.draw(st.sampled_from(facts))
    step = data.draw(st.sampled_from([relation, graph.step(relation, True)]))
    source, target = (head, tail) if step == relation else (tail, head)
    evidence(facts, stored, weights, oracle.Query(source, step, target))


SYMMETRIC = [(0, 0, 1), (1, 0, 0), (0, 0, 2), (2, 0, 0), (3, 0, 1), (3, 0, 2), (4, 0, 4), (4, 0, 1), (1, 0, 4)]
"""Facts both ways, so that edges are repeated, facts in one direction, and a self loop."""


def test_symmetric_relations_repeated_edges_and_self_loops() -> None:
    assert made_of(SYMMETRIC).symmetric[0]
    for stored in ((1000, 0), (0, ENTITIES)):
        for source, step, target in SYMMETRIC:
            known = evidence(SYMMETRIC, stored, (1.0, 1.0), oracle.Query(source, step, None))
            masked = evidence(SYMMETRIC, stored, (1.0, 1.0), oracle.Query(source, step, target))
            assert known.any()
            assert not np.array_equal(known, masked)


def test_a_masked_fact_is_no_evidence_for_itself() -> None:
    """Entities 0, 1 and 2 share nothing but the property that the masked fact gives to 0."""
    facts = [(0, 0, 3), (1, 0, 3), (2, 0, 3), (1, 1, 4), (0, 2, 5)]
    for stored in ((1000, 0), (0, ENTITIES)):
        query = oracle.Query(0, 0, None)
        assert evidence(facts, stored, (1.0, 1.0), query)[3] > 0.05
        assert not evidence(facts, stored, (1.0, 1.0), query._replace(masked=3)).any()
        # Neither are other properties that it gives: 4 and 3 are answers of 1 and share that only.
        both = [*facts, (1, 0, 4)]
        assert evidence(both, stored, (0.0, 1.0), oracle.Query(1, 0, None))[3] > 0.01
        assert evidence(both, stored, (0.0, 1.0), oracle.Query(1, 0, 3))[3] == 0.0


def test_weights_of_0_need_no_similarities() -> None:
    similar = SimilarEntities(made_of(SYMMETRIC))
    made = make_evidence(similar, SimilarityWeights())
    scores, scratch = np.zeros(ENTITIES), new_scratch(made, ENTITIES)
    sum_evidence(similar.graph.steps, made, 0, 0, Mask(-1, -1, -1), scratch, scores)
    assert not scores.any()
    assert "similarities" not in similar.__dict__ and "table" not in similar.__dict__
