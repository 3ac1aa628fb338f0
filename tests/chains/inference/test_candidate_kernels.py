"""The candidate kernel agrees with its slow twin, with and without a masked fact."""

from __future__ import annotations

import numpy as np
import pytest

import r5
from r5.chains.graph.step_kernels import Mask
from r5.chains.inference.candidate_kernels import QueryRows
from r5.chains.inference.candidates import CandidateFinder
from r5.chains.inference.log_probabilities import fact_log_probabilities, new_candidates
from r5.chains.inference.queries import plausible_queries
from r5.chains.inference.query_scorer import NO_MASK, QueryScorer
from r5.chains.inference.scoring_kernels import reach
from r5.chains.model import RelationModel
from r5.reasoners.chains import ChainReasoner
from tests.oracle import candidates as oracle

LEAST = -7.0


@pytest.fixture(scope="module")
def query_scorer() -> QueryScorer:
    rng = np.random.default_rng(3)
    facts = {(f"e{h}", f"r{r}", f"e{t}") for h, r, t in rng.integers(0, [30, 4, 30], (220, 3)).tolist()}
    facts |= {(t, "r3", h) for h, r, t in facts if r == "r3"}
    return ChainReasoner(seed=0, epochs=2).fit(r5.Graph.from_triples(sorted(facts)))._scorer


def reached(query_scorer: QueryScorer, target: RelationModel, source: int, mask: Mask) -> set[int]:
    """Entities that a rule leads to; the source and the masked answer have scores of their own too."""
    workspace = query_scorer.workspace
    count = reach(query_scorer.walk, target.trie, query_scorer.constants(target), source, mask, workspace.reached)
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
    queries = plausible_queries(query_scorer)
    queries = queries.select(np.tile(np.arange(queries.entities.size), 8))
    assert queries.entities.size > 1_000
    one, two = (new_candidates(CandidateFinder(query_scorer, threads), queries, 3) for threads in (1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    facts = np.tile(query_scorer.graph.facts, (3, 1))
    for masked in (np.full(len(facts), -1), facts[:, 1]):
        logs = [fact_log_probabilities(CandidateFinder(query_scorer, threads), facts, masked) for threads in (1, 2)]
        assert np.array_equal(*logs)


def test_confidences_are_the_shares_of_known_answers(query_scorer: QueryScorer) -> None:
    target = query_scorer.target(1, False)
    assert target is not None
    sources = np.arange(query_scorer.graph.number_of_nodes)
    known, offsets = query_scorer.known.answers(sources, 1, False)
    none = np.zeros(0, np.int64)
    found = CandidateFinder(query_scorer).confidences(target, QueryRows(sources, known, offsets, none, none))
    counts = np.zeros((len(target), 2))
    workspace = query_scorer.workspace
    for source in sources.tolist():
        there = known[offsets[source] : offsets[source + 1]]
        constants, reached = query_scorer.constants(target), workspace.reached
        used = reach(query_scorer.walk, target.trie, constants, source, NO_MASK, reached)
        for use in range(used):
            entities = reached.entities[reached.starts[use] : reached.starts[use + 1]]
            counts[reached.rules[use]] += np.isin(entities, there).sum(), entities.size
    assert found == pytest.approx(counts[:, 0] / (counts[:, 1] + 5.0))
    assert found.max() > 0
