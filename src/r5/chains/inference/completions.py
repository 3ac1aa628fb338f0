"""Completions: facts with their probability, score and reasons, for queries, for given facts and for whole graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from r5.chains.explain.reasons import find_exclusion_reason, find_reasons, strongest_first
from r5.chains.graph.step_graph import IdArray, distinct
from r5.chains.graph.step_kernels import Mask
from r5.chains.inference.audit import audit_facts
from r5.chains.inference.discovery import Discovered, FactFilter, Progress, discover
from r5.chains.inference.fact_scorer import FactScorer, ScoredFacts
from r5.chains.inference.log_probabilities import new_candidates
from r5.chains.inference.queries import plausible_queries
from r5.chains.inference.query_scorer import NO_MASK, QueryScorer
from r5.derivations.completion import AuditFinding, Completion, Reason
from r5.errors import R5Error
from r5.graph import Graph
from r5.knowledge.contradictions import Contradictions
from r5.knowledge.top_answers import Candidate
from r5.relations import Vocabulary, inverse_name

__all__ = ["Completer", "Query"]

Query = tuple[str | None, str | None, str | None]
"""Head, relation and tail; None for what is asked."""
_POOL = 60
"""Candidates of a query that are scored from both ends, at least; three times as many as are wanted."""
_LEAST_SHOWN = 0.005
"""Minimum probability of an answer to a query without relation."""
_RELATIONS, _MIN_TOP = 20, 10
"""Candidates of a query without relation are scored for this number of times the facts wanted, at most, which count as
this many at least."""


@dataclass(frozen=True, eq=False)
class Completer:
    """Completions on one graph. Every probability is P(fact is true) of `FactScorer`.

    Args:
        scorer: The probability of facts on the graph.
    """

    scorer: FactScorer

    @property
    def query_scorer(self) -> QueryScorer:
        """The model on the graph."""
        return self.scorer.query_scorer

    def complete(self, query: Query, top: int, explain: bool = False, known: bool = False) -> list[Completion]:
        """Return the most probable facts that answer a query, best first.

        Args:
            query: (h, r, ?), (?, r, t), (h, ?, ?), (?, ?, t), (h, ?, t), or a whole fact, which is scored.
            top: Maximum number of facts.
            explain: Also find the reasons.
            known: Also facts that the graph has, each masked while it is scored.
        """
        head, relation, tail = query
        if head is None and tail is None:
            raise R5Error("give a head, a tail, or both")
        if top < 1:
            raise R5Error(f"top must be a whole number from 1 on, not {top}")
        ends = [None if name is None else self.node(name) for name in (head, tail)]
        number = None if relation is None else self.query_scorer.graph.relation_named(relation)
        if ends[0] is not None and ends[1] is not None:
            return self._between(ends[0], number, ends[1], top, explain)
        backwards = ends[0] is None
        source = ends[1] if ends[0] is None else ends[0]
        assert source is not None  # noqa: S101, one end is given
        shares: dict[int, float] = {}
        if number is None:
            facts = self._any_relation(source, backwards, top)
        else:
            nodes, chances = self._shares(source, number, backwards, max(_POOL, 3 * top))
            facts = _facts(source, number, np.array(nodes, np.int64), backwards)
            shares = dict(zip(nodes, chances, strict=True))
        if known:
            graph = self.query_scorer.graph.facts
            own = graph[(graph[:, 2 if backwards else 0] == source) & (number is None or graph[:, 1] == number)]
            facts = distinct(np.concatenate([facts, own]))
        scored = self.scorer.score(facts)
        if not known:
            scored = scored.select(~scored.in_graph)
        if number is None:
            scored = scored.select(scored.in_graph | (scored.probabilities >= _LEAST_SHOWN))
        return self._shown(scored.select(self.scorer.order(scored)[:top]), backwards, explain, shares)

    def rank_candidates(self, query: Query, top: int) -> list[Candidate]:
        """Return the new candidates of (h, r, ?) or (?, r, t) with the highest scores, and their shares.

        No candidate is scored from its own end, so this takes a fraction of the time of `complete`.

        Args:
            query: Head, relation and tail; one end is None.
            top: Maximum number of candidates.
        """
        source, number, backwards = self._one_end(query)
        best, shares = self._shares(source, number, backwards, top)
        names = self.query_scorer.graph.entities
        return [Candidate(names[node], share) for node, share in zip(best, shares, strict=True)]

    def score_candidates(self, query: Query, entities: Sequence[str], explain: bool = False) -> list[Completion]:
        """Return the facts that given entities make of (h, r, ?) or (?, r, t), in their order, with share and reasons.

        Args:
            query: Head, relation and tail; one end is None.
            entities: The candidates.
            explain: Also find the reasons, those of the query's own direction.
        """
        source, number, backwards = self._one_end(query)
        nodes = np.array([self.node(name) for name in entities], np.int64)
        target = self.query_scorer.target(number, backwards)
        shares: dict[int, float] = {}
        if target is not None:
            known = self.query_scorer.known.of(source, number, backwards)
            every = self.query_scorer.probabilities(self.query_scorer.scores(target, source), known)
            new = nodes[~np.isin(nodes, known)]
            shares = dict(zip(new.tolist(), every[new].tolist(), strict=True))
        scored = self.scorer.score(_facts(source, number, nodes, backwards))
        return self._shown(scored, backwards, explain, shares)

    def _one_end(self, query: Query) -> tuple[int, int, bool]:
        """The entity and relation of a query for one end, and whether that is the head."""
        head, relation, tail = query
        if relation is None or (head is None) == (tail is None):
            raise R5Error("give a relation and one end: the other end is what is asked for")
        source = self.node(str(head if tail is None else tail))
        return source, self.query_scorer.graph.relation_named(relation), tail is not None

    def score_facts(self, facts: Sequence[tuple[str, str, str]], explain: bool = False) -> list[Completion]:
        """Return facts with their probabilities, in the order given; those that the graph has are masked."""
        rows = [(self.node(h), self.query_scorer.graph.relation_named(r), self.node(t)) for h, r, t in facts]
        return self._shown(self.scorer.score(np.array(rows, np.int64).reshape(-1, 3)), False, explain)

    def new_facts(
        self, count: int, wanted: FactFilter, explain: bool = False, progress: Progress | None = None
    ) -> tuple[list[Completion], Discovered]:
        """Return the most probable facts that the graph lacks, and what was searched for them."""
        found = discover(self.scorer, count, wanted, progress)
        return self._shown(found.scored, False, explain), found

    def audit(
        self, top: int, relation: str | None = None, explain: bool = False, progress: Progress | None = None
    ) -> list[AuditFinding]:
        """Return the known facts that are most surprising, with what fits better and what they contradict."""
        graph = self.query_scorer.graph
        number = None if relation is None else graph.relation_named(relation)
        found = audit_facts(self.scorer, top, number, progress)
        contradictions = Contradictions(graph.facts, graph.entities, graph.relations)
        shown = self._shown(found.scored, False, explain)
        better = found.replacements.select(np.array([row for row in found.better if row is not None], np.int64))
        scored = iter(Completer(found.cleaned)._shown(better, False, explain))
        return [
            AuditFinding(
                one, float(surprise), float(usual), None if row is None else next(scored), contradictions.of(*fact)
            )
            for one, surprise, usual, row, fact in zip(
                shown, found.surprise, found.usual, found.better, found.scored.facts.tolist(), strict=True
            )
        ]

    def node(self, name: str) -> int:
        """Return the number of an entity; an unknown name raises an error with similar ones."""
        graph, nothing = self.query_scorer.graph, np.zeros(0, np.int32)
        if name not in self.query_scorer.numbers:
            Graph(Vocabulary(graph.relations), graph.entities, nothing, nothing, nothing, nothing).node(name)
        return self.query_scorer.numbers[name]

    def _shares(self, source: int, relation: int, backwards: bool, top: int) -> tuple[list[int], list[float]]:
        """Candidates of a query with the highest scores, known answers left out, and the share of each."""
        target = self.query_scorer.target(relation, backwards)
        if target is None:
            return [], []
        scores = self.query_scorer.scores(target, source)
        there = self.query_scorer.known.of(source, relation, backwards)
        best = self.query_scorer.best(scores, there, top)
        return best, self.query_scorer.probabilities(scores, there)[best].tolist()

    def _any_relation(self, source: int, backwards: bool, top: int) -> IdArray:
        """Candidates of all relations that an entity plausibly has, as facts."""
        ends = {"tail": source} if backwards else {"head": source}
        facts, fresh, _ = new_candidates(self.scorer.finder, plausible_queries(self.query_scorer, **ends))
        return distinct(facts[np.argsort(-fresh, kind="stable")[: _RELATIONS * max(top, _MIN_TOP)]])

    def _between(self, head: int, relation: int | None, tail: int, top: int, explain: bool) -> list[Completion]:
        """One fact, or every relation between two entities, those of the graph first."""
        relations = range(len(self.query_scorer.graph.relations)) if relation is None else [relation]
        facts = np.array([(head, number, tail) for number in relations], np.int64).reshape(-1, 3)
        scored = self.scorer.score(facts)
        if relation is None:
            scored = scored.select(scored.in_graph | (scored.probabilities >= _LEAST_SHOWN))
        order = self.scorer.order(scored)
        order = order[np.argsort(~scored.in_graph[order], kind="stable")]
        return self._shown(scored.select(order[:top]), False, explain)

    def _shown(
        self, scored: ScoredFacts, backwards: bool, explain: bool, shares: dict[int, float] | None = None
    ) -> list[Completion]:
        """Facts by name, with scores and, if asked for, reasons."""
        query_scorer, graph = self.query_scorer, self.query_scorer.graph
        found = []
        for (head, relation, tail), chance, known in zip(
            scored.facts.tolist(), scored.probabilities.tolist(), scored.in_graph.tolist(), strict=True
        ):
            source, node = (tail, head) if backwards else (head, tail)
            existing = query_scorer.known.of(source, relation, backwards).size - known
            target, score = query_scorer.target(relation, backwards), 0.0
            reasons: tuple[Reason, ...] = ()
            if target is not None:
                mask = Mask(source, target.step, node) if known else NO_MASK
                scores = (
                    query_scorer.rule_scores(target, source, mask) if known else query_scorer.scores(target, source)
                )
                score = float(scores[node])
            if target is not None and explain:
                name = inverse_name(graph.relations[relation]) if backwards else graph.relations[relation]
                reasons = find_reasons(query_scorer, target, source, node, name, mask)
                if not known:
                    more = find_exclusion_reason(query_scorer, target, source, node, name)
                    reasons = strongest_first([*reasons, *more])
            found.append(
                Completion(
                    entity=graph.entities[node],
                    probability=chance,
                    score=score,
                    reasons=reasons,
                    head=graph.entities[head],
                    relation=graph.relations[relation],
                    tail=graph.entities[tail],
                    known=known,
                    share=None if shares is None else shares.get(node),
                    existing=int(existing),
                )
            )
        return found


def _facts(source: int, relation: int, candidates: IdArray, backwards: bool) -> IdArray:
    """The facts that candidates make of a query, [candidates, 3]."""
    given = np.full(candidates.size, source)
    ends = (candidates, given) if backwards else (given, candidates)
    return np.column_stack([ends[0], np.full(candidates.size, relation), ends[1]])
