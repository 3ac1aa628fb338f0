"""ChainDiscovery: new facts, known facts that look wrong, and relations that are duplicates."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from r5.chains.inference.discovery import FactFilter
from r5.derivations.completion import AuditFinding, Completion
from r5.errors import R5Error
from r5.graph import Graph
from r5.knowledge.contradictions import Duplicate, duplicate_relations
from r5.reasoners.base import Progress, ProgressCallback
from r5.reasoners.chain_queries.completion import ChainCompletion

__all__ = ["ChainDiscovery"]


class ChainDiscovery(ChainCompletion):
    """Methods that search a whole graph."""

    def new_facts(
        self,
        count: int = 100,
        graph: Graph | None = None,
        *,
        relation: str | None = None,
        head: str | None = None,
        tail: str | None = None,
        min_probability: float = 0.0,
        explain: bool = False,
        progress: ProgressCallback | None = None,
    ) -> list[Completion]:
        """Return the most probable facts that the graph lacks, over all entities, relations and directions.

        Of a large graph only the most plausible queries are searched, and a warning says how many.

        Args:
            count: Maximum number of facts.
            graph: The graph that is queried; the training graph by default.
            relation: Only facts of this relation.
            head: Only facts with this head.
            tail: Only facts with this tail.
            min_probability: Minimum probability of a fact.
            explain: Also find the reasons.
            progress: Called as queries are done.
        """
        if count < 1:
            raise R5Error(f"the number of facts must be a whole number from 1 on, not {count}")
        completer = self._completer(graph)
        number = None if relation is None else completer.query_scorer.graph.relation_named(relation)
        ends = [None if name is None else completer.node(name) for name in (head, tail)]
        wanted = FactFilter(number, ends[0], ends[1], min_probability)
        found, searched = completer.new_facts(count, wanted, explain, _stages(progress))
        if searched.searched < searched.queries:
            text = (
                f"the graph is large: of {searched.queries:,} plausible queries (an entity, a relation and a "
                f"direction) the {searched.searched:,} most plausible ones were searched"
            )
            warnings.warn(text, UserWarning, stacklevel=2)
        return self._with_counts(found, graph, explain)

    def audit(
        self,
        top: int = 20,
        graph: Graph | None = None,
        *,
        relation: str | None = None,
        explain: bool = False,
        progress: ProgressCallback | None = None,
    ) -> list[AuditFinding]:
        """Return the known facts that the rest of the graph supports least, against the median of their relation.

        Args:
            top: Maximum number of facts.
            graph: The graph that is audited; the training graph by default.
            relation: Only facts of this relation.
            explain: Also find the reasons.
            progress: Called as facts are judged.
        """
        if top < 1:
            raise R5Error(f"top must be a whole number from 1 on, not {top}")
        return self._completer(graph).audit(top, relation, explain, _stages(progress))

    def duplicate_relations(self, graph: Graph | None = None) -> list[Duplicate]:
        """Return pairs of relations that hold between the same entities, the surest first."""
        steps = self._scorer_on(graph).graph
        return duplicate_relations(steps.facts, steps.relations, steps.number_of_nodes)


def _stages(progress: ProgressCallback | None) -> Callable[[str, int, int], None] | None:
    """Return a callback for stages of work."""
    return None if progress is None else lambda stage, done, total: progress(Progress(done, total, "", stage=stage))
