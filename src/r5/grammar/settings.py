"""GrammarSettings: the hyperparameters of the grammar engine, a sentence on each."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass, fields
from numbers import Integral, Real

from r5.errors import R5Error

__all__ = ["COMBINATIONS", "GrammarSettings"]

COMBINATIONS = ("mixture", "average", "product", "best")
_POLICIES = ("shortest", "simple", "trail")
_ABOVE_0 = sys.float_info.min

_CHOICES = {
    "training_policy": _POLICIES,
    "answer_policy": ("auto", *_POLICIES),
    "combine": COMBINATIONS,
    "direct": ("skip", "keep", "dummy"),
}
_WHOLE = {
    "seed": (0, math.inf),
    "max_length": (1, 10_000),
    "path_limit": (1, 100_000),
    "invented": (0, 10_000),
    "curriculum_steps": (0, 1_000_000),
    "annealing_steps": (0, 1_000_000),
    "sparse_steps": (0, 1_000_000),
    "dense_rules": (0, math.inf),
    "suggested_heads": (1, math.inf),
    "threads": (1, 10_000),
}
"""The least and the most."""
_REAL = {
    "negligible": 0.0,
    "last_smoothing": _ABOVE_0,
    "sparsity": 0.0,
    "rivalry": 0.0,
    "floor": _ABOVE_0,
    "first_noise": _ABOVE_0,
    "right_pseudocount": _ABOVE_0,
    "wrong_pseudocount": _ABOVE_0,
    "stop_pseudocount": _ABOVE_0,
}
"""The least."""


@dataclass(frozen=True)
class GrammarSettings:
    """One set of defaults serves every data set; each can be changed by name."""

    seed: int = 0
    """Decides the random differences between the first weights of the restarts, and which paths are drawn."""

    training_policy: str = "shortest"
    """Which paths of a training question may be the reason for its answer: shortest, simple or trail."""
    answer_policy: str = "auto"
    """Which paths a question is answered over; auto takes the one under which the training answers are most likely."""
    combine: str = "average"
    """How the answers of several paths become one: average, product (independent witnesses), best (the surest) or
    mixture (one is the reason, the better explained the more likely)."""
    max_length: int = 10
    """The longest path looked at, in relations, where the policy is not shortest."""
    path_limit: int = 100
    """The most paths of one question."""
    direct: str = "skip"
    """A path of a single edge: skip it, keep it, or pair it with the dummy relation (unary rules)."""

    invented: int = 0
    """Relations of the learner's own, for what no known relation names; they have not helped so far."""
    restarts: tuple[float, ...] = (0.1, 0.3, 0.5, 0.7, 0.9)
    """One run of learning for each: the smoothing it starts with, added to the count of every rule."""
    curriculum_steps: int = 2
    """Steps of learning as each path length joins; more would settle on rules before longer paths have a say."""
    annealing_steps: int = 30
    """Steps during which the smoothing falls geometrically to `last_smoothing`."""
    negligible: float = 1e-3
    """While annealing, a rule used less often than this is no longer kept track of."""
    last_smoothing: float = 0.03
    """The smoothing at the end of annealing."""
    sparse_steps: int = 20
    """Steps at the end that drive out rules without use."""
    sparsity: float = 0.9
    """What the sparse steps take from the count of each rule (a Dirichlet prior with alpha = 1 - sparsity)."""
    rivalry: float = 0.2
    """A rule used for less than about this share of its body is taken to be noise in the sparse steps."""
    floor: float = 1e-4
    """The count that a rule without use is left with, so that no path is impossible."""

    first_noise: float = 0.1
    """How likely an edge is to be wrong, to begin with."""
    right_pseudocount: float = 9.0
    """Imagined correct observations of each relation, which keep the confusion matrix sane."""
    wrong_pseudocount: float = 2.0
    """Imagined wrong observations of each relation, evenly as each other one."""
    stop_pseudocount: float = 1.0
    """Imagined observations of each relation as an edge rather than as two."""

    dense_rules: int = 300_000
    """Up to so many conceivable rules (relations ** 3), all are considered; beyond, only those that paths suggest."""
    suggested_heads: int = 8
    """Beyond `dense_rules`: how many meanings are tried for a pair of relations about which nothing is known."""
    threads: int | None = None
    """Restarts that run side by side; None for one on each core. The outcome does not depend on it."""

    def __post_init__(self) -> None:
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                raise R5Error(f"{name} must be one of {', '.join(allowed)}, not {getattr(self, name)!r}")
        for name, (least, most) in _WHOLE.items():
            if not (name == "threads" and self.threads is None):
                object.__setattr__(self, name, _whole(name, getattr(self, name), least, most))
        for name, lowest in _REAL.items():
            object.__setattr__(self, name, _real(name, getattr(self, name), lowest))
        object.__setattr__(self, "restarts", _smoothings(self.restarts))
        if self.first_noise >= 1:
            raise R5Error(f"first_noise must be between 0 and 1, not {self.first_noise}")
        if self.annealing_steps + self.sparse_steps == 0:
            raise R5Error("annealing_steps and sparse_steps must make at least one step together")

    @classmethod
    def from_names(cls, **values: object) -> GrammarSettings:
        """The settings with these values; a name that is not a setting is an error.

        >>> GrammarSettings.from_names(floor=1e-3).floor
        0.001
        """
        names = [field.name for field in fields(cls)]
        unknown = next((name for name in values if name not in names), None)
        if unknown is not None:
            raise R5Error(f"the grammar engine has no setting {unknown!r}; it has {', '.join(names)}")
        return cls(**values)  # type: ignore[arg-type]


def _whole(name: str, value: object, least: int, most: float) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or not least <= int(value) <= most:
        bounds = f"from {least} on" if most == math.inf else f"from {least} to {most:,}"
        raise R5Error(f"{name} must be a whole number {bounds}, not {value!r}")
    return int(value)


def _real(name: str, value: object, least: float) -> float:
    """A finite number; `least` is allowed unless it is `_ABOVE_0`."""
    try:
        number = math.nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    except OverflowError:
        number = math.inf
    if not least <= number < math.inf:
        bounds = "above 0" if least == _ABOVE_0 else f"not below {least:g}"
        raise R5Error(f"{name} must be a number {bounds}, not {value!r}")
    return number


def _smoothings(values: object) -> tuple[float, ...]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise R5Error(f"restarts must be a list of numbers, the first smoothing of each run, not {values!r}")
    smoothings = tuple(_real("each of the restarts", value, _ABOVE_0) for value in values)
    if not smoothings:
        raise R5Error("restarts must name at least one smoothing above 0")
    return smoothings
