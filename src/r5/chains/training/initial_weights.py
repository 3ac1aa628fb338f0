"""InitialWeights: the weights that the rules of relations with few facts start from.

A few facts move weights hardly at all. So rules with a single step start from the mean weights that rules of their kind
have in relations with many facts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from r5.chains.graph.step_graph import StepGraph
from r5.chains.model import RelationModel

__all__ = ["MANY_FACTS", "InitialWeights"]

FloatArray = NDArray[np.float64]
MANY_FACTS = 100
"""Relations with fewer facts start from initial weights."""
_USUAL = {"symmetric": 2.0, "inverse": 1.5, "single": 0.1}
"""Weights of each kind of rule where no relation has many facts."""
_USUAL_RULES = 2.0
"""Number of rules that the usual weights stand for in the means."""


def _usual() -> dict[str, FloatArray]:
    return {kind: np.full(3, value) for kind, value in _USUAL.items()}


@dataclass(frozen=True)
class InitialWeights:
    """Mean weights of rules with a single step, by kind."""

    weights: dict[str, FloatArray] = field(default_factory=_usual)
    """Weights, [3], of `symmetric` rules (r <= r, the reversed fact), `inverse` rules (r <= r^-1) and other `single`
    steps."""

    @classmethod
    def of(cls, graph: StepGraph, targets: Iterable[RelationModel]) -> InitialWeights:
        """Return the means over the rules of relations with many facts that speak for an answer.

        Args:
            graph: The training graph.
            targets: Trained relations.
        """
        sums = {kind: _USUAL_RULES * usual for kind, usual in _usual().items()}
        counts = dict.fromkeys(sums, _USUAL_RULES)
        for target in targets:
            for body, weights in zip(target.bodies, target.weights.rules, strict=False):  # constants follow
                if len(body) == 1 and weights[0] > 0.0:
                    kind = _kind(graph, target.step, body[0])
                    sums[kind] = sums[kind] + weights
                    counts[kind] += 1.0
        return cls({kind: sums[kind] / counts[kind] for kind in sums})

    def for_rules(
        self, graph: StepGraph, step: int, bodies: Iterable[tuple[int, ...]], supported: NDArray[np.bool_]
    ) -> FloatArray:
        """Return the initial weights of the rules of a step, [rules, 3].

        Args:
            graph: The training graph.
            step: The step of the queries.
            bodies: Bodies of the chain rules.
            supported: Whether each rule connects a training fact, [rules]; the others start from 0.
        """
        weights = np.zeros((supported.size, 3))
        for rule, body in enumerate(bodies):
            if len(body) == 1 and supported[rule]:
                weights[rule] = self.weights[_kind(graph, step, body[0])]
        return weights


def _kind(graph: StepGraph, step: int, body: int) -> str:
    """Return the kind of a rule whose body is a single step."""
    if body == step:
        return "symmetric"
    return "inverse" if body == int(graph.steps.inverse[step]) else "single"
