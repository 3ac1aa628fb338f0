"""Relations that exclude each other: detection, penalties of scores, and the choice of their strength."""

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
from r5.chains.model import RelationModel
from r5.chains.tuning.exclusion_kernels import exclusion_penalties
from r5.chains.tuning.exclusion_strength import fit_exclusion_strength
from r5.chains.tuning.exclusions import Exclusions, find_exclusions
from r5.reasoners.chains import ChainReasoner
from r5.storage.folder import ModelError
from tests.helpers.chain_graphs import made_of
from tests.oracle import exclusions as oracle

Facts = list[tuple[str, str, str]]
fact = st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 4))


def circle(size: int = 40, seed: int = 0) -> Facts:
    """People in a circle, each with a different relation to each of the next three; 30 % of the facts are missing."""
    rng = np.random.default_rng(seed)
    names = ("beside", "near", "far")
    facts = [(f"p{i}", names[d], f"p{(i + d + 1) % size}") for i in range(size) for d in range(3)]
    return [fact for fact in facts if rng.random() < 0.7]


def test_large_graphs_have_no_exclusions() -> None:
    facts = [(number, more, (number + more + 1) % 40) for number in range(40) for more in range(3)]
    assert find_exclusions(made_of(facts, 40)).pairs.size > 0
    assert find_exclusions(made_of(facts, 100_001)).pairs.size == 0


@settings(deadline=None)
@given(st.lists(fact, min_size=1, max_size=40))
def test_exclusions_are_those_of_a_slow_twin(facts: list[tuple[int, int, int]]) -> None:
    triples = [(f"e{h}", f"r{r}", f"e{t}") for h, r, t in facts]
    graph = StepGraph.of(r5.Graph.from_triples(triples), tuple(f"r{r}" for r in range(4)))
    found = find_exclusions(graph)
    rows = [(int(h), int(r), int(t)) for h, r, t in graph.facts]
    assert list(map(tuple, found.pairs.tolist())) == oracle.exclusions(rows, graph.symmetric.tolist(), 0.05)
    counts = np.array([len(graph.queries(r)[0]) for r in range(4)])
    for (one, other), log_odds in zip(found.pairs.tolist(), found.log_odds.tolist(), strict=True):
        # A symmetric fact stored both ways counts once.
        assert np.exp(log_odds) <= counts[other] / counts[one] * (2 + 1e-9)
        assert found.of(one)[0].tolist().count(other) == 1


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(-50, 50), st.floats(-50, 50)), min_size=1, max_size=9))
def test_penalties_are_those_of_a_slow_twin(rows: list[tuple[float, float, float]]) -> None:
    scores, others = np.array([row[0] for row in rows]), np.array([row[1:] for row in rows]).T.copy()
    log_odds, penalties = np.array([0.5, -0.25]), np.zeros(len(rows))
    exclusion_penalties(scores, others, log_odds, -1, 0.0, penalties)
    expected = [oracle.penalty(row[0], row[1:], log_odds.tolist()) for row in rows]
    assert penalties == pytest.approx(expected, rel=1e-12, abs=1e-12)


def model(strength: float) -> ChainReasoner:
    """Return a model of the circle with exclusions of some strength."""
    fitted = ChainReasoner(seed=0, epochs=2).fit(r5.Graph.from_triples(circle()))
    exclusions = replace(find_exclusions(fitted._scorer.graph), strength=strength)
    assert exclusions.pairs.tolist() == [[a, b] for a in range(3) for b in range(3) if a != b]
    fitted._keep(fitted.graph_, fitted._scorer.graph, replace(fitted.model_, exclusions=exclusions))
    return fitted


def test_reasons_sum_to_the_score_and_name_excluding_relations() -> None:
    answers = model(1.5).complete(head="p3", relation="near", top=5, explain=True)
    for answer in answers:
        assert sum(reason.weight for reason in answer.reasons) == pytest.approx(answer.score, abs=1e-9)
    found = [reason for answer in answers for reason in answer.reasons if reason.kind == "exclusion"]
    assert found
    assert all(reason.against for reason in found)
    assert {str(reason).partition(" ")[0] for reason in found} <= {"beside", "far"}


def test_ranks_are_those_of_the_scores() -> None:
    query_scorer = model(1.5)._scorer
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


def test_model_with_exclusions_is_stored(tmp_path: Path) -> None:
    first = model(2.0)
    first.save(tmp_path / "model")
    again = r5.load_model(tmp_path / "model")
    assert isinstance(again, ChainReasoner)
    assert again.complete(head="p3", relation="near") == first.complete(head="p3", relation="near")
    exclusions = first.model_.exclusions
    broken = replace(first.model_, exclusions=replace(exclusions, pairs=exclusions.pairs[::-1]))
    first._keep(first.graph_, first._scorer.graph, broken)
    first.save(tmp_path / "broken")
    with pytest.raises(ModelError, match="exclusions"):
        r5.load_model(tmp_path / "broken")


class FixedScorer(QueryScorer):
    """Scores rules as given: `often` leads to the next person and, with a slightly higher score, to the one after."""

    excluding_score = 0.0
    """Score of the next person by `seldom`."""

    def rule_scores(self, target: RelationModel, source: int, mask: Mask = NO_MASK) -> np.ndarray:
        scores = np.zeros(self.graph.number_of_nodes)
        often = target.step % 2 == 0
        scores[(source + 1) % scores.size] = 2.0 if often else self.excluding_score
        scores[(source + 2) % scores.size] = 2.1 if often else 4.0
        return scores


@pytest.mark.parametrize("excluding_score, is_useful", [(0.0, True), (8.0, False)])
def test_exclusions_have_a_strength_only_if_it_improves_ranks(excluding_score: float, is_useful: bool) -> None:
    """`seldom` is sure of the person after the next, a wrong answer of `often`; or surer of the answer itself."""
    facts = [(f"p{i}", "often", f"p{(i + 1) % 30}") for i in range(30)]
    facts += [(f"p{i}", "seldom", f"p{(i + 2) % 30}") for i in range(30)]
    fitted = ChainReasoner(seed=0, epochs=1, rules=1).fit(r5.Graph.from_triples(facts))
    graph = fitted._scorer.graph
    assert graph.entities == tuple(f"p{i}" for i in range(30))
    held = graph.facts[graph.facts[:, 1] == 0]
    query_scorer = FixedScorer(graph.without(held), replace(fitted.model_, exclusions=find_exclusions(graph)))
    query_scorer.excluding_score = excluding_score
    found = fit_exclusion_strength(query_scorer, held, np.random.default_rng(0))
    assert (found.strength > 0) == is_useful
    assert bool(len(found.pairs)) == is_useful


def test_without_held_out_facts_the_strength_is_zero() -> None:
    query_scorer = model(0.0)._scorer
    assert fit_exclusion_strength(query_scorer, query_scorer.graph.facts[:0], np.random.default_rng(0)).strength == 0.0
    assert Exclusions().of(3)[0].size == 0
