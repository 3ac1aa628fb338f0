"""Completion and Reason: a candidate for the missing end of a fact, and the reasons for and against it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from r5.derivations.derivation import Fact
from r5.rules.formats.direct import direct_text
from r5.rules.rule import Rule

__all__ = ["KINDS", "AuditFinding", "Completion", "Reason"]

KINDS = ("rule", "candidate", "constant", "similar", "exclusion", "bias")
"""Kinds of reasons: a chain rule, a step of the candidate, a rule with constants, similar entities, an excluding
relation, a bias."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One term of a score: a rule, its contribution (negative: against the fact), and a grounding."""

    rule: Rule
    """The rule with the measures counted on the graph; for other kinds only its head has a meaning."""
    weight: float
    """Summand of the score."""
    facts: tuple[Fact, ...] = ()
    """One concrete grounding, from the entity of the query to the candidate; empty where no facts are needed."""
    groundings: int = 1
    """Number of groundings of the body between the two entities."""
    kind: str = "rule"
    """One of `KINDS`."""
    text: str = ""
    """Sentence for kinds other than rule."""

    @property
    def against(self) -> bool:
        """Return whether the weight is negative."""
        return self.weight < 0

    def to_json(self) -> dict[str, Any]:
        """Return the JSON of `r5 complete --explain --json`."""
        return {
            "kind": self.kind,
            "rule": self.rule.to_json(),
            "weight": self.weight,
            "facts": [fact.to_json() for fact in self.facts],
            "groundings": self.groundings,
            "text": str(self),
        }

    def sentence(self) -> str:
        """Return the reason for people: a rule has no inverse relations.

        >>> print(Reason(Rule("wrote", ("written_by^-1",)), 1.0).sentence())
        wrote(X, Y) <= written_by(Y, X)
        """
        return self.text or direct_text(self.rule)

    def __str__(self) -> str:
        return self.text or self.rule.text()


@dataclass(frozen=True, slots=True)
class Completion:
    """An entity that may be the missing end of a fact, how likely that is, and why."""

    entity: str
    """The candidate."""
    probability: float
    """P(fact is true), the same for head and tail queries; of a known fact, given the rest of the graph."""
    score: float
    """Sum of the weights of the reasons; comparable among candidates of one query."""
    reasons: tuple[Reason, ...] = ()
    """Reasons by absolute weight; empty unless they were wanted."""
    head: str | None = None
    """Head of the fact; `entity` is one of its ends."""
    relation: str | None = None
    tail: str | None = None
    known: bool = False
    """True if the graph has this fact."""
    share: float | None = None
    """P(this candidate | the query has one new answer): sums to 1 over the new candidates of one query."""
    existing: int = 0
    """Number of other answers that the graph has for the same query."""

    @property
    def fact(self) -> Fact:
        """The completed fact."""
        return Fact(self.head or self.entity, self.relation or "", self.tail or self.entity)

    def __str__(self) -> str:
        return f"{self.fact} {'(in the graph) ' if self.known else ''}{self.probability:.3f}"

    def _repr_html_(self) -> str:
        """Return the fact with a picture of its reasons for notebooks."""
        from r5.derivations.notebook import completion_html

        return completion_html(self)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON of `r5 complete --json`."""
        return {
            "entity": self.entity,
            "probability": self.probability,
            "share": self.share,
            "score": self.score,
            "existing": self.existing,
            "fact": self.fact.to_json(),
            "known": self.known,
            "reasons": [reason.to_json() for reason in self.reasons],
        }


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """A known fact that the rest of the graph hardly supports."""

    completion: Completion
    """The fact; its probability is that given the rest of the graph."""
    surprise: float
    """Standard deviations below the mean log-probability of the facts of its relation."""
    usual: float
    """Median probability of the facts of its relation, each masked."""
    better: Completion | None
    """The most probable fact with another tail or head, where it is more probable."""
    contradictions: tuple[str, ...] = ()
    """Other facts of the graph that it contradicts, as sentences."""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON of `r5 audit --json`."""
        return {
            **self.completion.to_json(),
            "surprise": self.surprise,
            "usual_probability": self.usual,
            "better": None if self.better is None else self.better.to_json(),
            "contradictions": list(self.contradictions),
        }
