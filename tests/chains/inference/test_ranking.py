"""Ranks on threads: independent of their number, with scores that queries of one source share."""

from __future__ import annotations

import numpy as np
import pytest

import r5
from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.inference.ranking import rank_facts
from r5.chains.inference.scoring_kernels import GRID
from r5.reasoners.chains import ChainReasoner
from tests.oracle import chains as oracle


@pytest.fixture(scope="module")
def query_scorer() -> QueryScorer:
    rng = np.random.default_rng(3)
    facts = {(f"e{h}", f"r{r}", f"e{t}") for h, r, t in rng.integers(0, [30, 4, 30], (300, 3)).tolist()}
    return ChainReasoner(seed=0, epochs=2).fit(r5.Graph.from_triples(sorted(facts)))._scorer


@pytest.mark.parametrize("threads", [1, 3])
def test_ranks_of_all_facts_are_those_of_the_oracle(query_scorer: QueryScorer, threads: int) -> None:
    facts = query_scorer.graph.facts
    known = KnownAnswers(facts, 4)
    done = []
    ranked = list(rank_facts(query_scorer, facts, known, lambda _, number: done.append(number), None, threads))
    assert sum(done) == 2 * len(facts)
    found = {(int(row), part.side) for part in ranked for row in part.rows}
    assert found == {(row, side) for row in range(len(facts)) for side in (0, 1)}
    for part in ranked:
        for place, row in enumerate(part.rows.tolist()):
            head, relation, tail = facts[row].tolist()
            source, answer = (tail, head) if part.side else (head, tail)
            target = query_scorer.target(relation, bool(part.side))
            assert target is not None
            scores = np.rint(query_scorer.scores(target, source) * GRID).tolist()
            right = oracle.places(scores, answer, known.of(source, relation, bool(part.side)).tolist())
            assert (part.better[place], part.equal[place]) == right


def test_answer_that_is_no_known_answer_is_not_its_own_tie(query_scorer: QueryScorer) -> None:
    facts = query_scorer.graph.facts
    head, relation, tail = facts[0].tolist()
    nothing = KnownAnswers(np.zeros((0, 3), np.int64), 4)
    (part,) = (found for found in rank_facts(query_scorer, facts[:1], nothing, lambda *_: None) if found.side == 0)
    target = query_scorer.target(relation, False)
    assert target is not None
    scores = np.rint(query_scorer.scores(target, head) * GRID).tolist()
    assert (part.better[0], part.equal[0]) == oracle.places(scores, tail, [])
