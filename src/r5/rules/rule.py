"""Rule: `head <= body` by name, with its statistics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from r5._util.ordering import format_number, is_close, natural_key, round_half_up, sort_descending
from r5.errors import R5Error
from r5.relations import DUMMY
from r5.rules.formats.text import format_body, format_name, quote_entity, variables

__all__ = ["Key", "Rule"]

_PRIOR_COUNTEREXAMPLES = 5.0
"""Counterexamples added for each relation of the body in `Rule.smoothed_pca`."""

Key = tuple[str, tuple[str, ...], str | None, str | None]
"""Identity of a rule: head, body, target and ending."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Chain rule `head(X, Y) <= body[0](X, Z), body[1](Z, Y)`, or a rule with constants.

    With a `target` the head has a constant in place of Y, and the body is a chain from X to the entity `ending`, or
    to any entity.

    >>> print(Rule("grandmother", ("mother", "mother")))
    grandmother <= mother, mother
    >>> print(Rule("speaks", ("lives_in", "part_of"), target="English", ending="UK"))
    speaks(X, "English") <= lives_in(X, Z), part_of(Z, "UK")
    """

    head: str
    body: tuple[str, ...]
    probability: float | None = None
    """P(head | body): the confidence."""
    score: float | None = None
    """Score of an engine without probabilities."""
    support: float | None = None
    """Number of pairs for which body and head hold, counted or expected."""
    invented: bool = False
    """True if an invented relation occurs in the rule."""
    body_probability: float | None = None
    """P(body | head), if known; for counted rules the head coverage."""
    predictions: float | None = None
    """Number of pairs that the body connects, if counted; then `probability` is `support / predictions`."""
    pca: float | None = None
    """PCA confidence, if counted: the ratio over those pairs whose first entity has the head with some entity."""
    weight: float | None = None
    """Weight of the rule in a score that sums rules; negative weights are evidence against the head."""
    possibility: float | None = None
    """Possibility of the head given the body; rules of one body with possibilities are alternatives."""
    target: str | None = None
    """Constant in place of Y in the head; None for a variable."""
    ending: str | None = None
    """Constant at the end of the body, for rules with a target; None for a variable."""

    def __post_init__(self) -> None:
        if self.target is None and (self.ending is not None or not self.body):
            raise R5Error("a rule without a body, or whose body ends at a constant, needs a constant in its head")
        if self.ending is not None and not self.relations:
            raise R5Error("a rule without a body cannot end at a constant")

    @property
    def key(self) -> Key:
        """The identity of the rule, without its statistics."""
        return self.head, self.body, self.target, self.ending

    @property
    def relations(self) -> tuple[str, ...]:
        """The body without the dummy relation: `h <= r, <dummy>` stands for `h <= r`."""
        return tuple(name for name in self.body if name != DUMMY)

    @property
    def strength(self) -> float:
        """The probability, or else the score, or else the possibility; 0 if none is known."""
        known = (self.probability, self.score, self.possibility)
        return next((value for value in known if value is not None), 0.0)

    @property
    def smoothed_pca(self) -> float:
        """The PCA confidence with five counterexamples added for each relation of the body (at least five).

        The value is support / (support / pca + 5 * length), which lowers rules of small support and long rules.
        It is 0 for rules that were not counted.

        >>> [round(Rule("h", ("b",), support=n, pca=1.0).smoothed_pca, 2) for n in (2, 20, 200)]
        [0.29, 0.8, 0.98]
        """
        if not self.support or not self.pca:
            return 0.0
        return self.support / (self.support / self.pca + _PRIOR_COUNTEREXAMPLES * max(len(self.body), 1))

    def arguments(self, inner: str = "ZUVW") -> tuple[str | None, ...]:
        """Return the variables along the body; the last one is Y if the head has Y, or None for the `ending`."""
        names: list[str | None] = [*variables(len(self.body), inner)]
        if self.target is not None and self.body:
            names[-1] = None if self.ending is not None else variables(len(self.body) + 1, inner)[-2]
        return tuple(names)

    @staticmethod
    def in_order(rules: Iterable[Rule], *measures: Callable[[Rule], float]) -> list[Rule]:
        """Sort rules, strongest first: by measures, then strength to three decimals, support, length and names."""
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
        """Return the rule with its variables and statistics.

        >>> Rule("aunt", ("father", "sister"), probability=0.98, support=412).text()
        'aunt(X, Y) <= father(X, Z), sister(Z, Y)   p=0.98 support=412'
        """
        return self.sentence() + (f"   {self.figures()}" if self.figures() else "")

    def sentence(self) -> str:
        """Return the rule with its variables and constants; an empty body is written `true`."""
        args = [quote_entity(self.ending or "") if arg is None else arg for arg in self.arguments()]
        body = ", ".join(f"{format_name(name)}({args[i]}, {args[i + 1]})" for i, name in enumerate(self.body))
        last = "Y" if self.target is None else quote_entity(self.target)
        return f"{format_name(self.head)}(X, {last}) <= {body or 'true'}"

    def figures(self) -> str:
        """Return the statistics in the form that `text` shows, counted on a graph or learned."""
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
        """Return the JSON object of `r5 rules --format json`."""
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
        present = {key: value for key, value in known.items() if value is not None}
        return {"head": self.head, "body": list(self.body), **present, "invented": self.invented}

    def __str__(self) -> str:
        return f"{format_name(self.head)} <= {format_body(self.body)}" if self.target is None else self.sentence()


def _figure(value: float) -> str:
    """Format a number with three digits, whole numbers in full."""
    return str(round(value)) if abs(value) < 1e15 and is_close(value, round(value)) else format_number(value, ".3g")
