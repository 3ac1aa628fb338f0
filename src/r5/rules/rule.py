"""Rule: `head <= body` by name, with what is known about how good it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from r5._util.order import natural_key
from r5.relations import DUMMY
from r5.rules.formats.text import spelled, variables, written_body

__all__ = ["Rule"]


@dataclass(frozen=True, slots=True)
class Rule:
    """`head(X, Y) <= body[0](X, Z), body[1](Z, Y)`; a body of one relation is a unary rule, longer ones are chains.

    >>> print(Rule("grandmother", ("mother", "mother")))
    grandmother <= mother, mother
    """

    head: str
    body: tuple[str, ...]
    probability: float | None = None
    score: float | None = None
    support: float | None = None
    invented: bool = False
    """Whether an invented relation occurs in it."""
    body_probability: float | None = None
    """P(body | head), for reasoners that know it; `probability` is P(head | body)."""
    predictions: float | None = None
    """How many pairs the body connects, where that was counted: `probability` is then `support / predictions`."""

    @property
    def key(self) -> tuple[str, tuple[str, ...]]:
        """What the rule says, without how sure we are of it."""
        return self.head, self.body

    @property
    def relations(self) -> tuple[str, ...]:
        """The body without the dummy relation: `h <= r, <dummy>` stands for `h <= r`."""
        return tuple(name for name in self.body if name != DUMMY)

    @property
    def strength(self) -> float:
        """How sure we are: the probability, or else the score, or else 0."""
        return self.probability if self.probability is not None else self.score or 0.0

    def order(self) -> tuple[Any, ...]:
        """Sort key, strongest first: strength to three decimals, then support, then the names."""
        names = [natural_key(name) for name in (self.head, *self.body)]
        return -round(self.strength, 3), -(self.support or 0.0), len(names), names

    def text(self) -> str:
        """The rule with its variables and figures, as people write it.

        >>> Rule("aunt", ("father", "sister"), probability=0.98, support=412).text()
        'aunt(X, Y) <= father(X, Z), sister(Z, Y)   p=0.98 support=412'
        """
        places = variables(len(self.body))
        body = ", ".join(f"{spelled(name)}({places[i]}, {places[i + 1]})" for i, name in enumerate(self.body))
        return f"{spelled(self.head)}(X, Y) <= {body}" + (f"   {self.figures()}" if self.figures() else "")

    def figures(self) -> str:
        """How good the rule is, as `text` shows it."""
        known = (("p", self.probability), ("score", self.score), ("support", self.support))
        return " ".join(f"{key}={_figure(value)}" for key, value in known if value is not None)

    def to_json(self) -> dict[str, Any]:
        """What `r5 rules --format json` prints of it."""
        figures = {
            "probability": self.probability,
            "body_probability": self.body_probability,
            "score": self.score,
            "support": self.support,
            "predictions": self.predictions,
        }
        known = {key: value for key, value in figures.items() if value is not None}
        return {"head": self.head, "body": list(self.body), **known, "invented": self.invented}

    def __str__(self) -> str:
        return f"{spelled(self.head)} <= {written_body(self.body)}"


def _figure(value: float) -> str:
    """Three digits, and whole numbers in full."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else f"{value:.3g}"
