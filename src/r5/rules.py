"""Rules `head <= body` by name, and sets of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Rule", "RuleSet"]


@dataclass(frozen=True, slots=True)
class Rule:
    """`head(X, Y) <= body[0](X, Z), body[1](Z, Y)`; a body of one relation is a unary rule.

    >>> print(Rule("grandmother", ("mother", "mother")))
    grandmother <= mother, mother
    """

    head: str
    body: tuple[str, ...]
    probability: float | None = None
    score: float | None = None
    support: float | None = None
    invented: bool = False
    body_probability: float | None = None
    """P(body | head), for reasoners that know it; `probability` is P(head | body)."""

    @property
    def key(self) -> tuple[str, tuple[str, ...]]:
        """What the rule says, without how sure we are of it."""
        return self.head, self.body

    @property
    def strength(self) -> float:
        """How sure we are: the probability, or else the score, or else 0."""
        return self.probability if self.probability is not None else self.score or 0.0

    def text(self) -> str:
        """The rule with its variables and figures, as people write it.

        >>> Rule("aunt", ("father", "sister"), probability=0.98, support=412).text()
        'aunt(X, Y) <= father(X, Z), sister(Z, Y)   p=0.98 support=412'
        """
        variables = ["X", *("ZUVW"[i] if i < 4 else f"Z{i}" for i in range(len(self.body) - 1)), "Y"]
        body = ", ".join(f"{name}({variables[i]}, {variables[i + 1]})" for i, name in enumerate(self.body))
        figures = (("p", self.probability), ("score", self.score), ("support", self.support))
        shown = " ".join(f"{key}={value:.3g}" for key, value in figures if value is not None)
        return f"{self.head}(X, Y) <= {body}" + (f"   {shown}" if shown else "")

    def to_json(self) -> dict[str, Any]:
        """What `r5 rules --format json` prints of it."""
        figures = {
            "probability": self.probability,
            "body_probability": self.body_probability,
            "score": self.score,
            "support": self.support,
        }
        known = {key: value for key, value in figures.items() if value is not None}
        return {"head": self.head, "body": list(self.body), **known, "invented": self.invented}

    def __str__(self) -> str:
        return f"{self.head} <= {', '.join(self.body)}"


@dataclass(frozen=True, slots=True)
class RuleSet:
    """An ordered collection of rules; learned ones come strongest first."""

    rules: tuple[Rule, ...] = ()

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> RuleSet:
        """The rules in the order given."""
        return cls(tuple(rules))

    def with_body_of(self, length: int) -> RuleSet:
        """Only the rules with so many relations in the body."""
        return RuleSet(tuple(rule for rule in self.rules if len(rule.body) == length))

    def heads(self, *body: str) -> tuple[str, ...]:
        """What this body becomes, strongest rule first.

        >>> RuleSet.of([Rule("aunt", ("father", "sister"))]).heads("father", "sister")
        ('aunt',)
        """
        return tuple(rule.head for rule in self.rules if rule.body == body)

    def recall(self, truth: RuleSet) -> float | None:
        """The share of the true rules that are in this set; None where there are no true rules."""
        wanted = {rule.key for rule in truth}
        found = {rule.key for rule in self.rules}
        return len(wanted & found) / len(wanted) if wanted else None

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)
