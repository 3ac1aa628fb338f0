"""Fact, Step, Derivation and Prediction: how an answer was reached, in the names of the data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from r5.relations import DUMMY

__all__ = ["Derivation", "Fact", "Merge", "Prediction", "Step", "Suspicion"]


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

    @property
    def reasons(self) -> tuple[Fact, ...]:
        """The facts joined; of a unary rule, the one fact."""
        return tuple(fact for fact in (self.left, self.right) if fact.relation != DUMMY)

    def __str__(self) -> str:
        return f"{self.result}  because  {', '.join(map(str, self.reasons))}"


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
    belief: tuple[float, ...] = ()
    """How likely each of the believed facts is, for reasoners that know."""

    @classmethod
    def replay(
        cls,
        path: Sequence[Fact],
        merges: Iterable[Merge],
        believed: Sequence[Fact] = (),
        belief: Sequence[float] = (),
    ) -> Derivation:
        """The derivation in which these merges are applied one after the other."""
        facts = list(believed or path)
        steps = []
        for merge in merges:
            left, right = facts[merge.position : merge.position + 2]
            result = Fact(left.source, merge.head, right.target)
            facts[merge.position : merge.position + 2] = [result]
            steps.append(Step(result, left, right, merge.score))
        return cls(tuple(path), tuple(steps), tuple(believed), tuple(belief))

    @property
    def doubts(self) -> tuple[tuple[Fact, Fact], ...]:
        """The facts taken to be wrong: as observed, and as believed."""
        pairs = zip(self.path, self.believed, strict=False)
        return tuple((seen, meant) for seen, meant in pairs if seen != meant)

    def __str__(self) -> str:
        sure = [p for p, seen, meant in zip(self.belief, self.path, self.believed, strict=False) if seen != meant]
        shown = [f": {p:.2f}" for p in sure] or [""] * len(self.doubts)
        doubts = [
            f"(observed {seen}, taken to be {meant.relation}{how})"
            for (seen, meant), how in zip(self.doubts, shown, strict=True)
        ]
        return "\n".join([*doubts, *map(str, self.steps)])


@dataclass(frozen=True, slots=True)
class Suspicion:
    """An edge that is likely to carry a wrong relation.

    >>> print(Suspicion(Fact("a", "R_8", "b"), 0.95, "R_5", 0.93))
    observed a -R_8-> b, most likely R_5: 0.93
    """

    fact: Fact
    """As observed."""
    probability: float
    """How likely it is to be wrong."""
    believed: str
    """The most likely relation other than the observed one."""
    believed_probability: float

    def __str__(self) -> str:
        return f"observed {self.fact}, most likely {self.believed}: {self.believed_probability:.2f}"


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

    def to_json(self, top: int = 1) -> dict[str, Any]:
        """What `r5 predict --json` prints: the answer and up to `top` - 1 alternatives."""
        figures = {"relation": self.relation, "probability": self.probability, "score": self.score}
        steps = [] if self.derivation is None else self.derivation.steps
        derivation = [{"result": _names(s.result), "because": [_names(fact) for fact in s.reasons]} for s in steps]
        doubts = [] if self.derivation is None else self.derivation.doubts
        wrong = [{"observed": _names(seen), "believed": meant.relation} for seen, meant in doubts]
        others = [other.to_json() for other in self.alternatives[: max(top - 1, 0)]]
        return {**figures, "reason": self.reason, "derivation": derivation, "doubts": wrong, "alternatives": others}

    def __str__(self) -> str:
        if self.relation is None:
            return f"cannot say: {self.reason}"
        return self.relation if self.probability is None else f"{self.relation} ({self.probability:.3f})"


def _names(fact: Fact) -> list[str]:
    return [fact.source, fact.relation, fact.target]
