"""Fact, Step, Derivation and Prediction: answers and their derivations, by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from r5._util.ordering import at_least, format_number
from r5.errors import R5Error
from r5.relations import DUMMY
from r5.rules.disjunction import joined
from r5.rules.formats.text import direct_atom

__all__ = ["Derivation", "Fact", "Merge", "Prediction", "Step", "Suspicion", "Witness"]


@dataclass(frozen=True, slots=True)
class Fact:
    """`source -relation-> target`, by name."""

    source: str
    relation: str
    target: str

    def to_json(self) -> list[str]:
        """Return source, relation and target."""
        return [self.source, self.relation, self.target]

    def stored(self) -> Fact:
        """Return the fact as a graph has it: one of an inverse relation is turned round.

        A relation composed of several, `mother, brother^-1`, stays as it is.

        >>> Fact("Eve", "mother^-1", "Ann").stored()
        Fact(source='Ann', relation='mother', target='Eve')
        """
        if ", " in self.relation:
            return self
        relation, source, target = direct_atom(self.relation, self.source, self.target)
        return Fact(source, relation, target)

    def __str__(self) -> str:
        """Return the fact in its stored direction.

        >>> print(Fact("Eve", "mother^-1", "Ann"))
        Ann -mother-> Eve
        """
        shown = self.stored()
        return f"{shown.source} -{shown.relation}-> {shown.target}"


@dataclass(frozen=True, slots=True)
class Merge:
    """Merge of the facts at `position` and `position + 1` of the current path to one with relation `head`."""

    position: int
    head: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """Application of a rule: two facts that share an entity are merged to one."""

    result: Fact
    left: Fact
    right: Fact
    score: float | None = None
    """Score or probability of the rule."""
    position: int = 0
    """Position of the left fact on the current path."""

    @property
    def reasons(self) -> tuple[Fact, ...]:
        """The merged facts; the single fact of a unary rule."""
        return tuple(fact for fact in (self.left, self.right) if fact.relation != DUMMY)

    def to_json(self) -> dict[str, Any]:
        """Return the rule, the merged facts, the resulting fact and the score.

        >>> Step(Fact("a", "aunt", "c"), Fact("a", "father", "b"), Fact("b", "sister", "c"), 0.9).to_json()["rule"]
        {'head': 'aunt', 'body': ['father', 'sister']}
        """
        return {
            "rule": {"head": self.result.relation, "body": [fact.relation for fact in self.reasons]},
            "because": [fact.to_json() for fact in self.reasons],
            "result": self.result.to_json(),
            "score": self.score,
            "position": self.position,
        }

    def __str__(self) -> str:
        return f"{self.result}  because  {', '.join(map(str, self.reasons))}"


@dataclass(frozen=True, slots=True)
class Derivation:
    """A path and the steps that merge it to one fact.

    >>> path = [Fact("Jason", "wife", "Ruth"), Fact("Ruth", "daughter", "Ann"), Fact("Ann", "aunt", "Eve")]
    >>> print(Derivation.replay(path, [Merge(0, "daughter"), Merge(0, "sister")]))
    Jason -daughter-> Ann  because  Jason -wife-> Ruth, Ruth -daughter-> Ann
    Jason -sister-> Eve  because  Jason -daughter-> Ann, Ann -aunt-> Eve
    """

    path: tuple[Fact, ...]
    """Observed facts."""
    steps: tuple[Step, ...]
    believed: tuple[Fact, ...] = ()
    """Most probable true facts under label noise; empty if they are the observed ones."""
    belief: tuple[float, ...] = ()
    """Probability of each believed fact, if known."""
    witnesses: tuple[Witness, ...] = ()
    """All paths of an answer that only several paths together decide, this one first."""

    @classmethod
    def replay(
        cls,
        path: Sequence[Fact],
        merges: Iterable[Merge],
        believed: Sequence[Fact] = (),
        belief: Sequence[float] = (),
    ) -> Derivation:
        """Apply merges to a path one after the other.

        Args:
            path: Observed facts.
            merges: The merges in order.
            believed: Most probable true facts; by default the observed ones.
            belief: Probability of each believed fact.
        """
        facts = list(believed or path)
        steps = []
        for merge in merges:
            left, right = facts[merge.position : merge.position + 2]
            result = Fact(left.source, merge.head, right.target)
            facts[merge.position : merge.position + 2] = [result]
            steps.append(Step(result, left, right, merge.score, merge.position))
        return cls(tuple(path), tuple(steps), tuple(believed), tuple(belief))

    @property
    def doubts(self) -> tuple[tuple[Fact, Fact], ...]:
        """The facts with a wrong relation, each as observed and as believed."""
        pairs = zip(self.path, self.believed, strict=False)
        return tuple((observed, believed) for observed, believed in pairs if observed != believed)

    def to_json(self) -> dict[str, Any]:
        """Return `path`, `believed` and `belief` (empty if as observed), `steps` and, if any, `witnesses`."""
        real = [index for index, fact in enumerate(self.path) if fact.relation != DUMMY]
        return {
            "path": [self.path[index].to_json() for index in real],
            "believed": [self.believed[index].to_json() for index in real if self.believed],
            "belief": [self.belief[index] for index in real if self.belief],
            "steps": [step.to_json() for step in self.steps],
            **({"witnesses": [witness.to_json() for witness in self.witnesses]} if self.witnesses else {}),
        }

    def tree(self) -> str:
        """Return the derivation as a text tree, with conclusions above their reasons.

        >>> path = [Fact("Jason", "wife", "Ruth"), Fact("Ruth", "daughter", "Ann"), Fact("Ann", "aunt", "Eve")]
        >>> print(Derivation.replay(path, [Merge(0, "daughter"), Merge(0, "sister")]).tree())
        Jason -sister-> Eve
        ├── Jason -daughter-> Ann
        │   ├── Jason -wife-> Ruth
        │   └── Ruth -daughter-> Ann
        └── Ann -aunt-> Eve
        """
        from r5.derivations.tree import build_trees, format_lines

        roots = [root for witness in self.witnesses for root in build_trees(witness.derivation)] or build_trees(self)
        lines = [line for root in roots for line in format_lines(root)]
        return "\n".join([*lines, *self._intersection()])

    def _intersection(self) -> list[str]:
        """Return a line with the relations that all witnesses allow."""
        if not self.witnesses:
            return []
        return [f"together they leave {joined(self.witnesses[-1].left) or 'nothing'}"]

    def to_svg(self) -> str:
        """Return the derivation as an SVG picture: the path, and an arc over it for each step."""
        from r5.derivations.picture import draw_derivation, draw_derivations

        if self.witnesses:
            return draw_derivations([witness.derivation for witness in self.witnesses], "; ".join(self._intersection()))
        return draw_derivation(self)

    def __str__(self) -> str:
        belief = [p for p, one, other in zip(self.belief, self.path, self.believed, strict=False) if one != other]
        shown = [f": {format_number(p, '.2f')}" for p in belief] or [""] * len(self.doubts)
        doubts = [
            f"(observed {observed}, taken to be {believed.relation}{probability})"
            for (observed, believed), probability in zip(self.doubts, shown, strict=True)
        ]
        if self.witnesses:
            return "\n".join([*map(str, self.witnesses), *self._intersection()])
        return "\n".join([*doubts, *map(str, self.steps)])


@dataclass(frozen=True, slots=True)
class Witness:
    """One of several paths that decide together.

    >>> path = [Fact("a", "EC", "b"), Fact("b", "TPPI", "c")]
    >>> print(Witness(Derivation.replay(path, [Merge(0, "DC or EC")]), ("DC", "EC"), ("EC",)))
    a -DC or EC-> c  because  a -EC-> b, b -TPPI-> c
      so DC or EC; with the paths before: EC
    """

    derivation: Derivation
    possible: tuple[str, ...]
    """Relations that the path allows."""
    left: tuple[str, ...]
    """Relations that this path and the previous ones allow."""

    def to_json(self) -> dict[str, Any]:
        """Return the derivation, the relations it allows and the relations left."""
        return {**self.derivation.to_json(), "possible": list(self.possible), "left": list(self.left)}

    def __str__(self) -> str:
        so = f"  so {joined(self.possible)}"
        more = "" if self.left == self.possible else f"; with the paths before: {joined(self.left) or 'nothing'}"
        return "\n".join([str(self.derivation), so + more])


@dataclass(frozen=True, slots=True)
class Suspicion:
    """An edge that probably carries a wrong relation.

    >>> print(Suspicion(Fact("a", "R_8", "b"), 0.95, "R_5", 0.93))
    observed a -R_8-> b, most likely R_5: 0.93
    """

    fact: Fact
    """The observed fact."""
    probability: float
    """Probability that the observed relation is wrong."""
    believed: str
    """Most probable other relation."""
    believed_probability: float
    """Probability of that relation."""

    def __str__(self) -> str:
        return f"observed {self.fact}, most likely {self.believed}: {format_number(self.believed_probability, '.2f')}"


@dataclass(frozen=True, slots=True, repr=False)
class Prediction:
    """Answer to a query with its derivation, or no answer with a reason."""

    relation: str | None
    """The answer; None if there is none."""
    probability: float | None = None
    """Probability of the answer, for engines with probabilities."""
    score: float | None = None
    """Score of the answer, for engines without probabilities."""
    derivation: Derivation | None = None
    alternatives: tuple[Prediction, ...] = ()
    """Other answers, best first."""
    reason: str | None = None
    """Reason for a missing answer or derivation."""
    known: bool = False
    """True if the graph has this fact; `probability` is then computed without it."""

    def at_least(self, minimum: float) -> Prediction:
        """Return the answer if its probability reaches a minimum, else a refusal.

        Args:
            minimum: Minimum probability, from 0 to 1; compared with the score of engines without probabilities.

        Returns:
            This prediction, or one with `relation` None, the reason, and the refused answers as `alternatives`.

        >>> print(Prediction("uncle", 0.42).at_least(0.5))
        cannot say: the best answer, uncle, has probability 0.42, below 0.5

        """
        if not 0.0 <= minimum <= 1.0:
            raise R5Error(f"the minimum probability must be from 0 to 1, not {minimum}")
        if self.relation is None:
            return self
        if self.known:
            kept = (one for one in self.alternatives if one.known or at_least(one.probability or 0.0, minimum))
            return replace(self, alternatives=tuple(kept))
        measure = "score" if self.probability is None else "probability"
        value = getattr(self, measure)
        if value is None:
            raise R5Error(f"the answer {self.relation} has no probability and no score to compare with {minimum:g}")
        if at_least(value, minimum):
            return self
        # The value has enough digits to be visibly below the minimum.
        shown = next((text for n in range(2, 17) if float(text := f"{value:.{n}g}") < minimum), repr(value))
        reason = f"the best answer, {self.relation}, has {measure} {shown}, below {minimum:g}"
        return Prediction(None, reason=reason, alternatives=(replace(self, alternatives=()), *self.alternatives))

    def to_json(self, top: int = 1) -> dict[str, Any]:
        """Return the JSON object of `r5 predict --json`: the answer and up to `top` - 1 alternatives."""
        derivation = self.derivation or Derivation((), ())
        parts = derivation.to_json()
        doubts = [{"observed": one.to_json(), "believed": other.relation} for one, other in derivation.doubts]
        return {
            "relation": self.relation,
            "probability": self.probability,
            "score": self.score,
            "reason": self.reason,
            "known": self.known,
            "path": parts["path"],
            "believed": parts["believed"],
            "belief": parts["belief"],
            "derivation": parts["steps"],
            "doubts": doubts,
            **({"witnesses": parts["witnesses"]} if "witnesses" in parts else {}),
            "alternatives": [other.to_json() for other in self.alternatives[: max(top - 1, 0)]],
        }

    def explain(self, top: int = 1, tree: bool = False) -> str:
        """Return the answer, its derivation and the next best answers as text.

        Args:
            top: Maximum number of answers.
            tree: Show the derivation as a tree.

        >>> path = [Fact("Ann", "mother", "Eve"), Fact("Eve", "brother", "Tom")]
        >>> steps = Derivation.replay(path, [Merge(0, "uncle")])
        >>> other = Prediction("father", probability=0.02)
        >>> print(Prediction("uncle", 0.98, derivation=steps, alternatives=(other,)).explain(top=2))
        uncle (0.980)
          Ann -uncle-> Tom  because  Ann -mother-> Eve, Eve -brother-> Tom
          or father (0.020)

        """
        reason = "" if self.reason is None or self.relation is None else f"because {self.reason}"
        steps = reason if self.derivation is None else self.derivation.tree() if tree else str(self.derivation)
        others = [f"{'also' if self.known else 'or'} {other}" for other in self.alternatives[: max(top - 1, 0)]]
        return "\n  ".join([str(self), *steps.splitlines(), *others])

    def __repr__(self) -> str:
        """Return the answer without its derivation, which `explain` shows.

        >>> Prediction("uncle", 0.98, alternatives=(Prediction("father", 0.02),))
        Prediction('uncle', probability=0.98, 1 alternative)
        """
        if self.relation is None:
            return f"Prediction(None, reason={self.reason!r})"
        figures = {"probability": self.probability, "score": self.score}
        parts = [repr(self.relation), *(f"{name}={value:.3g}" for name, value in figures.items() if value is not None)]
        if self.alternatives:
            parts.append(f"{len(self.alternatives)} alternative{'s' * (len(self.alternatives) > 1)}")
        return f"Prediction({', '.join(parts)})"

    def _repr_html_(self) -> str:
        """Return the answer with the picture of its derivation for notebooks."""
        from r5.derivations.notebook import prediction_html

        return prediction_html(self)

    def __str__(self) -> str:
        if self.relation is None:
            return f"cannot say: {self.reason}"
        if self.known:
            return f"{self.relation} (in the graph)"
        if self.probability is not None:
            return f"{self.relation} ({format_number(self.probability, '.3f')})"
        return self.relation if self.score is None else f"{self.relation} (score {format_number(self.score, '.3f')})"
