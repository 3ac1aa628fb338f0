"""ChainCompletion: the most probable facts that answer a query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from r5._util.frames import make_frame
from r5.chains.inference.completions import Query
from r5.data.formats.answers import COLUMNS, answer_rows
from r5.derivations.completion import Completion, Reason
from r5.errors import R5Error
from r5.graph import Graph
from r5.knowledge.top_answers import Candidate
from r5.reasoners.chain_queries.fitted import FittedChains
from r5.rules.rule import Key, Rule
from r5.rules.ruleset import RuleSet

__all__ = ["ChainCompletion", "with_figures"]


class ChainCompletion(FittedChains):
    """Methods that complete queries and score facts."""

    def complete(
        self,
        graph: Graph | None = None,
        *,
        head: str | None = None,
        relation: str | None = None,
        tail: str | None = None,
        top: int = 10,
        explain: bool = False,
        known: bool = False,
    ) -> list[Completion]:
        """Return the most probable facts that answer a query, best first.

        Args:
            graph: The graph that is queried; the training graph by default.
            head: The head of the fact.
            relation: Its relation; every plausible relation by default.
            tail: Its tail. With head, relation and tail, that fact is scored; without relation, all relations between
                the two are, those that the graph has first.
            top: Maximum number of facts.
            explain: Also find the reasons, which sum to the score.
            known: Also facts that the graph has, each masked while it is scored.
        """
        found = self._completer(graph).complete((head, relation, tail), top, explain, known)
        return self._with_counts(found, graph, explain)

    def complete_many(
        self,
        queries: Iterable[Query],
        graph: Graph | None = None,
        *,
        top: int = 10,
        explain: bool = False,
        known: bool = False,
    ) -> Iterator[list[Completion]]:
        """Answer many queries, one after the other."""
        completer = self._completer(graph)
        return (self._with_counts(completer.complete(query, top, explain, known), graph, explain) for query in queries)

    def complete_frame(
        self, queries: Iterable[Query], graph: Graph | None = None, library: str = "pandas", **options: Any
    ) -> Any:
        """Return the answers to many queries as a frame, a row per answer.

        Args:
            queries: Head, relation and tail of each, None for the part that is wanted.
            graph: The graph that is queried; the training graph by default.
            library: `pandas` or `polars`.
            options: Those of `complete_many`.

        Returns:
            A frame with the columns query (counted from 1), head, relation, tail, rank, entity, probability, share,
            score, known and reasons (JSON).
        """
        rows = [
            row
            for number, answers in enumerate(self.complete_many(queries, graph, **options), start=1)
            for row in answer_rows(number, answers)
        ]
        return make_frame({name: [row[place] for row in rows] for place, name in enumerate(COLUMNS)}, library)

    def rank_candidates(
        self, queries: Iterable[Query], graph: Graph | None = None, *, top: int = 10
    ) -> Iterator[list[Candidate]]:
        """Return the best new candidates of each query and their shares, P(candidate | the query has a new answer).

        The order is that of the scores, as in `r5.rank`. No P(fact) is computed: this is faster than `complete_many`.

        Args:
            queries: Head, relation and tail of each; one end is None.
            graph: The graph that is queried; the training graph by default.
            top: Maximum number of candidates per query.
        """
        if top < 1:
            raise R5Error(f"top must be a whole number from 1 on, not {top}")
        completer = self._completer(graph)
        return (completer.rank_candidates(query, top) for query in queries)

    def score_candidates(
        self, query: Query, entities: Iterable[str], graph: Graph | None = None, *, explain: bool = False
    ) -> list[Completion]:
        """Return the facts that given entities make of a query for one end, in their order, each with its share.

        Args:
            query: Head, relation and tail; one end is None.
            entities: The candidates.
            graph: The graph that is queried; the training graph by default.
            explain: Also find the reasons, those of the query's own direction.
        """
        found = self._completer(graph).score_candidates(query, list(entities), explain)
        return self._with_counts(found, graph, explain)

    def score_fact(
        self, head: str, relation: str, tail: str, graph: Graph | None = None, *, explain: bool = False
    ) -> Completion:
        """Return one fact with its probability and, if asked for, the reasons for and against it."""
        return self.score_facts([(head, relation, tail)], graph, explain=explain)[0]

    def score_facts(
        self, facts: Iterable[tuple[str, str, str]], graph: Graph | None = None, *, explain: bool = False
    ) -> list[Completion]:
        """Return facts with their probabilities, in the order given. One that the graph has is masked meanwhile."""
        return self._with_counts(self._completer(graph).score_facts(list(facts), explain), graph, explain)

    def _with_counts(self, found: list[Completion], graph: Graph | None, explain: bool) -> list[Completion]:
        """Return the completions, with the counts of their rules on the graph if reasons are wanted."""
        if not explain:
            return found
        if graph is not None and graph is not self.graph_:
            return with_figures(found, graph, {})
        if not hasattr(self, "_figures"):
            counted = self.__dict__.get("rules_", ())
            self._figures: dict[Key, Rule] = {rule.key: rule for rule in counted}
        return with_figures(found, self.graph_, self._figures)


def with_figures(found: Sequence[Completion], graph: Graph, known: dict[Key, Rule]) -> list[Completion]:
    """Return the completions with measures of their rules; `known` caches what was counted."""
    used = {reason.rule.key: reason.rule for one in found for reason in one.reasons if reason.kind == "rule"}
    new = RuleSet.of(rule for key, rule in used.items() if key not in known)
    if len(new):
        known.update((rule.key, rule) for rule in new.evaluate(graph))

    def counted(reason: Reason) -> Reason:
        if reason.kind != "rule":
            return reason
        return replace(reason, rule=replace(known[reason.rule.key], weight=reason.rule.weight))

    return [replace(one, reasons=tuple(map(counted, one.reasons))) for one in found]
