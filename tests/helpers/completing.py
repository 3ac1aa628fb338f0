"""An engine for completing graphs whose answers are known, so that what is made of them can be tested alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from r5.derivations.completion import AuditFinding, Completion, Reason
from r5.derivations.derivation import Fact
from r5.examples import Examples
from r5.graph import Graph
from r5.knowledge.top_answers import Candidate
from r5.ranking import RankCounts
from r5.reasoners.chains import ChainReasoner
from r5.rules.rule import Rule
from r5.rules.ruleset import RuleSet

GRAPH = Graph.from_triples(
    [("Ann", "mother", "Eve"), ("Eve", "sister", "Zoe"), ("Eve", "sister", "Ida"), ("Tom", "aunt", "Ida")]
)
RULE = Rule("aunt", ("mother", "sister"), 0.5, support=3, predictions=6, body_probability=0.75, pca=1.0, weight=2.5)
FOR = Reason(RULE, 2.5, (Fact("Ann", "mother", "Eve"), Fact("Eve", "sister", "Zoe")), groundings=2)
AGAINST = Reason(Rule("aunt", ("sister^-1",)), -0.75, kind="candidate", text="Zoe is nobody's aunt yet")
MANY = tuple(Reason(Rule("aunt", (f"r{i}",)), 0.125) for i in range(10))


class StandIn(ChainReasoner):
    """Answers that were written down, and what was asked."""

    def __init__(self) -> None:
        self.graph_ = GRAPH
        self.summary_ = {}
        self.vocabulary_ = GRAPH.vocabulary
        self.asked: list[Any] = []

    def complete(self, graph: Graph | None = None, **asked: Any) -> list[Completion]:  # type: ignore[override]
        self.asked.append((graph, asked))
        if asked["head"] == "Zoe":
            return []
        reasons = (FOR, AGAINST, *MANY) if asked.get("explain") else ()
        return [
            Completion("Zoe", 0.9, 3.0, reasons, "Ann", "aunt", None),
            Completion("Ida", 0.05, -1.0, reasons[:1], "Ann", "aunt", None, known=True),
        ][: asked["top"]]

    def complete_many(self, questions: Iterable[Any], graph: Graph | None = None, **more: Any) -> Iterator[Any]:  # type: ignore[override]
        for head, relation, tail in questions:
            yield self.complete(graph, head=head, relation=relation, tail=tail, **more)

    def rank_candidates(self, queries: Iterable[Any], graph: Graph | None = None, *, top: int = 10) -> Iterator[Any]:  # type: ignore[override]
        """The shares of Zoe and Ida are their probabilities."""
        for head, relation, tail in queries:
            found = self.complete(graph, head=head, relation=relation, tail=tail, top=top)
            yield [Candidate(one.entity, one.probability) for one in found]

    def score_candidates(  # type: ignore[override]
        self, query: Any, entities: Iterable[str], graph: Graph | None = None, *, explain: bool = False
    ) -> list[Completion]:
        head, relation, tail = query
        found = {one.entity: one for one in self.complete(graph, head="Ann", top=2, explain=explain)}
        every = [found.get(name, Completion(name, 0.01, -2.0)) for name in entities]
        return [replace(one, head=head or one.entity, relation=relation, tail=tail or one.entity) for one in every]

    def score_facts(  # type: ignore[override]
        self, facts: Iterable[tuple[str, str, str]], graph: Graph | None = None, *, explain: bool = False
    ) -> list[Completion]:
        return [self.score_candidates((h, r, None), [t], graph, explain=explain)[0] for h, r, t in facts]

    def audit(self, top: int = 20, graph: Graph | None = None, **more: Any) -> list[AuditFinding]:  # type: ignore[override]
        """Eve as the mother of Ann looks wrong; Zoe is more probable."""
        fact = Completion("Eve", 0.02, -2.0, (FOR,), "Ann", "mother", "Eve", known=True)
        better = Completion("Zoe", 0.7, 1.0, (), "Ann", "mother", "Zoe")
        return [AuditFinding(fact, 4.0, 0.95, better, ("Ann -mother-> Ida",))][:top]

    def new_facts(self, count: int = 100, graph: Graph | None = None, **more: Any) -> list[Completion]:  # type: ignore[override]
        return self.complete(graph, **{**more, "head": more.get("head"), "top": count})

    def rank_answers(  # type: ignore[override]
        self, examples: Examples, known: Iterable[Any] = (), progress: object = None, graph: Graph | None = None
    ) -> RankCounts:
        """The tail is always first with two ties, the head always fourth."""
        self.known = list(known)
        better = np.tile([0, 3], (len(examples), 1))
        return RankCounts(better, np.tile([2, 0], (len(examples), 1)))

    def get_params(self) -> dict[str, Any]:
        return {"seed": 0}

    @property
    def rules_(self) -> RuleSet:  # type: ignore[override]
        return RuleSet.of([RULE])
