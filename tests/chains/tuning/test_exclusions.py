"""Relations that exclude each other: which they are, what scores give way, and when that is of use."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import r5
from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.graph.step_graph import StepGraph
from r5.chains.graph.step_kernels import Mask
from r5.chains.inference.query_scorer import NO_MASK, QueryScorer
from r5.chains.model import Target
from r5.chains.tuning.exclusion_kernels import exclusion_penalties
from r5.chains.tuning.exclusion_strength import fit_exclusion_strength
from r5.chains.tuning.exclusions import Exclusions, find_exclusions
from r5.chains.tuning.held_out import remove_facts
from r5.reasoners.chains import ChainReasoner
from r5.storage.folder import ModelError
from tests.oracle import exclusions as oracle

Facts = list[tuple[str, str, str]]
fact = st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 4))


def circle(size: int = 40, seed: int = 0) -> Facts:
    """People who sit in a circle: each has one relation to each of the next three, of which some are not told."""
    rng = np.random.default_rng(seed)
    names = ("beside", "near", "far")
    facts = [(f"p{i}", names[d], f"p{(i + d + 1) % size}") for i in range(size) for d in range(3)]
    return [one for one in facts if rng.random() < 0.7]


@settings(deadline=None)
@given(st.lists(fact, min_size=1, max_size=40))
def test_rivals_are_those_of_the_slow_twin(facts: list[tuple[int, int, int]]) -> None:
    triples = [(f"e{h}", f"r{r}", f"e{t}") for h, r, t in facts]
    graph = StepGraph.of(r5.Graph.from_triples(triples), tuple(f"r{r}" for r in range(4)))
    found = find_exclusions(graph)
    there = [(int(h), int(r), int(t)) for h, r, t in graph.facts]
    assert list(map(tuple, found.pairs.tolist())) == oracle.exclusions(there, graph.symmetric.tolist(), 0.05)
    counts = np.array([len(graph.queries(r)[0]) for r in range(4)])
    for (one, other), log_odds in zip(found.pairs.tolist(), found.log_odds.tolist(), strict=True):
        assert np.exp(log_odds) <= counts[other] / counts[one] * (2 + 1e-9)  # a symmetric fact told twice is one
        assert found.of(one)[0].tolist().count(other) == 1


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(-50, 50), st.floats(-50, 50)), min_size=1, max_size=9))
def test_scores_give_way_as_in_the_slow_twin(rows: list[tuple[float, float, float]]) -> None:
    scores, others = np.array([row[0] for row in rows]), np.array([row[1:] for row in rows]).T.copy()
    log_odds, less = np.array([0.5, -0.25]), np.zeros(len(rows))
    exclusion_penalties(scores, others, log_odds, less)
    wanted = [oracle.less(row[0], row[1:], log_odds.tolist()) for row in rows]
    assert less == pytest.approx(wanted, rel=1e-12, abs=1e-12)


def model(strength: float) -> ChainReasoner:
    """A model of the circle whose rivals have a force."""
    fitted = ChainReasoner(seed=0, epochs=2).fit(r5.Graph.from_triples(circle()))
    exclusions = replace(find_exclusions(fitted._answerer.graph), strength=strength)
    assert exclusions.pairs.tolist() == [[a, b] for a in range(3) for b in range(3) if a != b]
    fitted._keep(fitted.graph_, fitted._answerer.graph, replace(fitted.model_, exclusions=exclusions))
    return fitted


def test_reasons_sum_to_the_score_and_name_a_rival() -> None:
    answers = model(1.5).complete(head="p3", relation="near", top=5, explain=True)
    for answer in answers:
        assert sum(reason.weight for reason in answer.reasons) == pytest.approx(answer.score, abs=1e-9)
    found = [reason for answer in answers for reason in answer.reasons if reason.kind == "exclusion"]
    assert found
    assert all(reason.against for reason in found)
    assert {str(reason).partition(" ")[0] for reason in found} <= {"beside", "far"}


def test_places_are_those_of_the_scores() -> None:
    query_scorer = model(1.5)._answerer
    graph = query_scorer.graph
    known = KnownAnswers(graph.facts, 3)
    for relation in range(3):
        for back in (False, True):
            target = query_scorer.target(relation, back)
            assert target is not None
            sources, answers = graph.queries(target.step)
            better, equal = query_scorer.rank_answers(relation, back, sources, answers, known)
            for row, (source, answer) in enumerate(zip(sources.tolist(), answers.tolist(), strict=True)):
                scores = np.round(query_scorer.scores(target, source), 6)
                others = set(known.answers(np.array([source]), relation, back)[0].tolist()) - {answer}
                left = [scores[node] for node in range(scores.size) if node not in others and node != answer]
                assert better[row] == sum(score > scores[answer] for score in left)
                assert equal[row] == sum(score == scores[answer] for score in left)


def test_a_model_with_exclusions_is_stored(tmp_path: Path) -> None:
    first = model(2.0)
    first.save(tmp_path / "model")
    again = r5.load_model(tmp_path / "model")
    assert isinstance(again, ChainReasoner)
    assert again.complete(head="p3", relation="near") == first.complete(head="p3", relation="near")
    exclusions = first.model_.exclusions
    broken = replace(first.model_, exclusions=replace(exclusions, pairs=exclusions.pairs[::-1]))
    first._keep(first.graph_, first._answerer.graph, broken)
    first.save(tmp_path / "broken")
    with pytest.raises(ModelError, match="exclusions"):
        r5.load_model(tmp_path / "broken")


class Notify(QueryScorer):
    """What the rules say is given: `often` leads to the next one and, a little more, to the one after it."""

    def rule_scores(self, target: Target, source: int, mask: Mask = NO_MASK) -> np.ndarray:
        scores = np.zeros(self.graph.number_of_nodes)
        often = target.step % 2 == 0
        scores[(source + 1) % scores.size] = 2.0 if often else self.rival_of_the_answer
        scores[(source + 2) % scores.size] = 2.1 if often else 4.0
        return scores

    rival_of_the_answer = 0.0


@pytest.mark.parametrize("against, strength", [(0.0, True), (8.0, False)])
def test_rivals_have_force_where_that_brings_answers_to_the_front(against: float, strength: bool) -> None:
    """`seldom` is sure of the one after the next, which is then no answer for `often`; or of the answer itself."""
    facts = [(f"p{i}", "often", f"p{(i + 1) % 30}") for i in range(30)]
    facts += [(f"p{i}", "seldom", f"p{(i + 2) % 30}") for i in range(30)]
    fitted = ChainReasoner(seed=0, epochs=1, rules=1).fit(r5.Graph.from_triples(facts))
    graph = fitted._answerer.graph
    assert graph.entities == tuple(f"p{i}" for i in range(30))
    asked = graph.facts[graph.facts[:, 1] == 0]
    query_scorer = Notify(remove_facts(graph, asked), replace(fitted.model_, exclusions=find_exclusions(graph)))
    query_scorer.rival_of_the_answer = against
    found = fit_exclusion_strength(query_scorer, asked, np.random.default_rng(0))
    assert (found.strength > 0) == strength
    assert bool(len(found.pairs)) == strength


def test_no_held_facts_no_force() -> None:
    query_scorer = model(0.0)._answerer
    assert fit_exclusion_strength(query_scorer, query_scorer.graph.facts[:0], np.random.default_rng(0)).strength == 0.0
    assert Exclusions().of(3)[0].size == 0
