"""Rule: `head <= body` by name, with what is known about how good it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from r5._util.ordering import format_number, is_close, natural_key, round_half_up, sort_descending
from r5.errors import R5Error
from r5.relations import DUMMY
from r5.rules.formats.text import quoted, spelled, variables, written_body

__all__ = ["Key", "Rule"]

_UNSEEN = 5.0
"""Counterexamples added for each relation of the body, for `Rule.smoothed_pca`."""

Key = tuple[str, tuple[str, ...], str | None, str | None]
"""What a rule says: head, body, target and ending."""


@dataclass(frozen=True, slots=True)
class Rule:
    """`head(X, Y) <= body[0](X, Z), body[1](Z, Y)`; a body of one relation is a unary rule, longer ones are chains.

    With a `target` the head is about one entity, and the body a chain from X to the entity `ending`, or to any.

    >>> print(Rule("grandmother", ("mother", "mother")))
    grandmother <= mother, mother
    >>> print(Rule("speaks", ("lives_in", "part_of"), target="English", ending="UK"))
    speaks(X, "English") <= lives_in(X, Z), part_of(Z, "UK")
    """

    head: str
    body: tuple[str, ...]
    probability: float | None = None
    score: float | None = None
    support: float | None = None
    invented: bool = False
    """Whether an invented relation occurs in it."""
    body_probability: float | None = None
    """P(body | head), for reasoners that know it; where `predictions` were counted it is the head coverage."""
    predictions: float | None = None
    """How many pairs the body connects, where that was counted: `probability` is then `support / predictions`."""
    pca: float | None = None
    """The PCA confidence, where it was counted: the ratio over those pairs whose first entity has the head at all."""
    weight: float | None = None
    """What it adds to a score where it holds, for reasoners that add up rules; below zero it speaks against."""
    possibility: float | None = None
    """How possible the head is where the body holds; the rules of one body with possibilities are alternatives."""
    target: str | None = None
    """The entity that stands in place of Y in the head; None where it is any."""
    ending: str | None = None
    """The entity that the body ends at, for rules with a target; None where it is any."""

    def __post_init__(self) -> None:
        if self.target is None and (self.ending is not None or not self.body):
            raise R5Error("a rule without a body, or whose body ends at one entity, needs a head about one entity")
        if self.ending is not None and not self.relations:
            raise R5Error("a rule without a body cannot end at an entity")

    @property
    def key(self) -> Key:
        """What the rule says, without how sure we are of it."""
        return self.head, self.body, self.target, self.ending

    @property
    def relations(self) -> tuple[str, ...]:
        """The body without the dummy relation: `h <= r, <dummy>` stands for `h <= r`."""
        return tuple(name for name in self.body if name != DUMMY)

    @property
    def strength(self) -> float:
        """How sure we are: the probability, or else the score, or the possibility; 0 where none is known."""
        known = (self.probability, self.score, self.possibility)
        return next((value for value in known if value is not None), 0.0)

    @property
    def smoothed_pca(self) -> float:
        """The PCA confidence with five counterexamples added for each relation of the body (at least five).

        This is support / (support / pca + 5 * length): rules that few facts or many relations speak for get less.
        It is 0 where nothing was counted.

        >>> [round(Rule("h", ("b",), support=n, pca=1.0).smoothed_pca, 2) for n in (2, 20, 200)]
        [0.29, 0.8, 0.98]
        """
        if not self.support or not self.pca:
            return 0.0
        return self.support / (self.support / self.pca + _UNSEEN * max(len(self.body), 1))

    def places(self, inner: str = "ZUVW") -> tuple[str | None, ...]:
        """Names for the variables along the body, the last being Y where the head has it; None for the ending."""
        names: list[str | None] = [*variables(len(self.body), inner)]
        if self.target is not None and self.body:
            names[-1] = None if self.ending is not None else variables(len(self.body) + 1, inner)[-2]
        return tuple(names)

    @staticmethod
    def in_order(rules: Iterable[Rule], *measures: Callable[[Rule], float]) -> list[Rule]:
        """Strongest first: by the measures, then strength to three decimals, support, length and names."""
        return sort_descending(
            rules,
            *measures,
            lambda rule: round_half_up(rule.strength, 3),
            lambda rule: rule.support or 0.0,
            key=lambda rule: (len(rule.body), [*map(natural_key, rule._names())]),
        )

    def _names(self) -> tuple[str, ...]:
        return self.head, *self.body, self.target or "", self.ending or ""

    def text(self) -> str:
        """The rule with its variables and figures, as people write it.

        >>> Rule("aunt", ("father", "sister"), probability=0.98, support=412).text()
        'aunt(X, Y) <= father(X, Z), sister(Z, Y)   p=0.98 support=412'
        """
        return self.sentence() + (f"   {self.figures()}" if self.figures() else "")

    def sentence(self) -> str:
        """The rule with its variables and entities; one without a body always holds."""
        places = [quoted(self.ending or "") if place is None else place for place in self.places()]
        body = ", ".join(f"{spelled(name)}({places[i]}, {places[i + 1]})" for i, name in enumerate(self.body))
        last = "Y" if self.target is None else quoted(self.target)
        return f"{spelled(self.head)}(X, {last}) <= {body or 'true'}"

    def figures(self) -> str:
        """How good the rule is, as `text` shows it: counted on a graph, or else as learned."""
        counted = self.predictions is not None
        known = (
            ("weight", self.weight),
            ("confidence" if counted else "p", self.probability),
            ("score", self.score),
            ("possible", self.possibility),
            ("support", self.support),
            ("coverage", self.body_probability if counted else None),
            ("pca", self.pca),
        )
        return " ".join(f"{key}={_figure(value)}" for key, value in known if value is not None)

    def to_json(self) -> dict[str, Any]:
        """What `r5 rules --format json` prints of it."""
        known = {
            "target": self.target,
            "ending": self.ending,
            "weight": self.weight,
            "probability": self.probability,
            "body_probability": self.body_probability,
            "score": self.score,
            "possibility": self.possibility,
            "support": self.support,
            "predictions": self.predictions,
            "pca": self.pca,
        }
        told = {key: value for key, value in known.items() if value is not None}
        return {"head": self.head, "body": list(self.body), **told, "invented": self.invented}

    def __str__(self) -> str:
        return f"{spelled(self.head)} <= {written_body(self.body)}" if self.target is None else self.sentence()


def _figure(value: float) -> str:
    """Three digits, and whole numbers in full."""
    return str(round(value)) if abs(value) < 1e15 and is_close(value, round(value)) else format_number(value, ".3g")
