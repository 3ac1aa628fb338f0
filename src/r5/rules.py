"""Rules `head <= body` by name, and sets of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

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

    @property
    def key(self) -> tuple[str, tuple[str, ...]]:
        """What the rule says, without how sure we are of it."""
        return self.head, self.body

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
