"""Fact, Step, Derivation and Prediction: how an answer was reached, in the names of the data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from r5.relations import DUMMY

__all__ = ["Derivation", "Fact", "Merge", "Prediction", "Step"]


@dataclass(frozen=True, slots=True)
class Fact:
    """`source -relation-> target`, by name."""

    source: str
    relation: str
    target: str

    def __str__(self) -> str:
        return f"{self.source} -{self.relation}-> {self.target}"


@dataclass(frozen=True, slots=True)
class Merge:
    """Replace the facts at `position` and `position + 1` of the path as it then is by one with relation `head`."""

    position: int
    head: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One use of a rule: two facts that share an entity become one."""

    result: Fact
    left: Fact
    right: Fact
    score: float | None = None

    def __str__(self) -> str:
        reasons = [str(fact) for fact in (self.left, self.right) if fact.relation != DUMMY]
        return f"{self.result}  because  {', '.join(reasons)}"


@dataclass(frozen=True, slots=True)
class Derivation:
    """A path and the steps that merge it into one fact.

    >>> path = [Fact("Jason", "wife", "Ruth"), Fact("Ruth", "daughter", "Ann"), Fact("Ann", "aunt", "Eve")]
    >>> print(Derivation.replay(path, [Merge(0, "daughter"), Merge(0, "sister")]))
    Jason -daughter-> Ann  because  Jason -wife-> Ruth, Ruth -daughter-> Ann
    Jason -sister-> Eve  because  Jason -daughter-> Ann, Ann -aunt-> Eve
    """

    path: tuple[Fact, ...]
    """The facts as observed."""
    steps: tuple[Step, ...]
    believed: tuple[Fact, ...] = ()
    """The facts as the reasoner takes them to be, where it doubts what was observed; empty: as observed."""

    @classmethod
    def replay(cls, path: Sequence[Fact], merges: Iterable[Merge], believed: Sequence[Fact] = ()) -> Derivation:
        """The derivation in which these merges are applied one after the other."""
        facts = list(believed or path)
        steps = []
        for merge in merges:
            left, right = facts[merge.position : merge.position + 2]
            result = Fact(left.source, merge.head, right.target)
            facts[merge.position : merge.position + 2] = [result]
            steps.append(Step(result, left, right, merge.score))
        return cls(tuple(path), tuple(steps), tuple(believed))

    @property
    def doubts(self) -> tuple[tuple[Fact, Fact], ...]:
        """The facts taken to be wrong: as observed, and as believed."""
        pairs = zip(self.path, self.believed, strict=False)
        return tuple((seen, meant) for seen, meant in pairs if seen != meant)

    def __str__(self) -> str:
        doubts = [f"(observed {seen}, taken to be {meant.relation})" for seen, meant in self.doubts]
        return "\n".join([*doubts, *map(str, self.steps)])


@dataclass(frozen=True, slots=True)
class Prediction:
    """An answer with its derivation, or None with the reason why nothing can be said."""

    relation: str | None
    probability: float | None = None
    """How likely the answer is, for reasoners that know."""
    score: float | None = None
    """What the scores of the rules used come to, for reasoners without probabilities."""
    derivation: Derivation | None = None
    alternatives: tuple[Prediction, ...] = ()
    """Other answers, best first."""
    reason: str | None = None
    """Why there is no answer."""

    def __str__(self) -> str:
        if self.relation is None:
            return f"cannot say: {self.reason}"
        return self.relation if self.probability is None else f"{self.relation} ({self.probability:.3f})"
