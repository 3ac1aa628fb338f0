"""The candidate kernel agrees with its slow twin, with and without a masked fact."""

from __future__ import annotations

import numpy as np
import pytest

import r5
from r5.chains.graph.step_kernels import Mask
from r5.chains.inference.candidate_kernels import QueryRows
from r5.chains.inference.candidates import CandidateFinder
from r5.chains.inference.query_scorer import NO_MASK, QueryScorer
from r5.chains.model import RelationModel
from r5.reasoners.chains import ChainReasoner
from tests.oracle import candidates as oracle

LEAST = -7.0


@pytest.fixture(scope="module")
def query_scorer() -> QueryScorer:
    rng = np.random.default_rng(3)
    facts = {(f"e{h}", f"r{r}", f"e{t}") for h, r, t in rng.integers(0, [30, 4, 30], (220, 3)).tolist()}
    facts |= {(t, "r3", h) for h, r, t in facts if r == "r3"}
    return ChainReasoner(seed=0, epochs=2).fit(r5.Graph.from_triples(sorted(facts)))._answerer


def reached(query_scorer: QueryScorer, target: RelationModel, source: int, mask: Mask) -> set[int]:
    """Entities that a rule leads to; the source and the masked answer have scores of their own too."""
    workspace = query_scorer.workspace
    from r5.chains.inference import scoring_kernels as answer_kernels

    count = answer_kernels.reach(
        query_scorer.graph.steps,
        target.trie,
        query_scorer.constants(target),
        source,
        mask,
        query_scorer.model.frontier,
        workspace.walker,
        workspace.reached,
    )
    return {source, *workspace.reached.entities[: workspace.reached.starts[count]].tolist()}


@pytest.mark.parametrize("relation", range(4))
@pytest.mark.parametrize("backwards", [False, True])
def test_candidates_are_those_of_the_slow_twin(query_scorer: QueryScorer, relation: int, backwards: bool) -> None:
    target = query_scorer.target(relation, backwards)
    assert target is not None
    sources = np.arange(query_scorer.graph.number_of_nodes)
    known, offsets = query_scorer.known.answers(sources, relation, backwards)
    wanted = np.tile(np.arange(5), sources.size)
    rows = QueryRows(sources, known, offsets, wanted, np.arange(0, wanted.size + 1, 5))
    found = CandidateFinder(query_scorer, 2).find(target, rows, top=4, least=LEAST)
    for source in sources.tolist():
        scores = query_scorer.rule_scores(target, source).tolist()
        there = set(known[offsets[source] : offsets[source + 1]].tolist())
        joint, fresh = oracle.log_probabilities(scores, there)
        best = oracle.best(scores, reached(query_scorer, target, source, NO_MASK), there, 4, LEAST)
        size = int(found.sizes[source])
        assert found.entities[source, :size].tolist() == best
        assert found.joint[source, :size] == pytest.approx([joint[node] for node in best], abs=1e-9)
        assert found.fresh[source, :size] == pytest.approx([fresh[node] for node in best], abs=1e-9)
        part = slice(5 * source, 5 * source + 5)
        assert found.wanted_joint[part] == pytest.approx(joint[:5], abs=1e-9)
        assert found.wanted_fresh[part] == pytest.approx(fresh[:5], abs=1e-9)


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("relation", [0, 3])
def test_a_masked_fact_is_scored_as_if_it_were_missing(
    query_scorer: QueryScorer, relation: int, backwards: bool
) -> None:
    target = query_scorer.target(relation, backwards)
    assert target is not None
    facts = query_scorer.graph.facts[query_scorer.graph.facts[:, 1] == relation]
    sources, answers = (facts[:, 2], facts[:, 0]) if backwards else (facts[:, 0], facts[:, 2])
    step = query_scorer.graph.step(relation, backwards)
    known, offsets = query_scorer.known.answers(sources, relation, backwards)
    rows = QueryRows(sources, known, offsets, answers, np.arange(answers.size + 1))
    found = CandidateFinder(query_scorer).find(target, rows, top=2, masked=step)
    for row, (source, answer) in enumerate(zip(sources.tolist(), answers.tolist(), strict=True)):
        mask = Mask(source, step, answer)
        scores = query_scorer.rule_scores(target, source, mask).tolist()
        others = set(known[offsets[row] : offsets[row + 1]].tolist()) - {answer}
        joint, fresh = oracle.log_probabilities(scores, others)
        assert found.wanted_joint[row] == pytest.approx(joint[answer], abs=1e-9)
        assert found.wanted_fresh[row] == pytest.approx(fresh[answer], abs=1e-9)
        there = reached(query_scorer, target, source, mask) | {answer}
        best = oracle.best(scores, there, others | {answer}, 2, -np.inf)
        assert found.entities[row, : found.sizes[row]].tolist() == best


def test_results_do_not_depend_on_the_number_of_threads(query_scorer: QueryScorer) -> None:
    target = query_scorer.target(0, False)
    assert target is not None
    sources = np.tile(np.arange(query_scorer.graph.number_of_nodes), 40)
    known, offsets = query_scorer.known.answers(sources, 0, False)
    rows = QueryRows(sources, known, offsets, np.zeros(0, np.int64), np.zeros(sources.size + 1, np.int64))
    one, two = (CandidateFinder(query_scorer, threads).find(target, rows, top=3, least=LEAST) for threads in (1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
