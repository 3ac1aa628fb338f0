"""Slow twin of the training of weights: dictionaries, softmax over candidates, Adagrad."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Feature = tuple[str, int, int]
"""Key of a weight: rule, step or start, number of that, number of the weight."""

_MIN_LOSS = 0.002
"""Minimum of 1 - P(answer) for an update."""
_MIN_ERROR = 1e-6
"""Minimum absolute error of an entity for an update of bias weights."""
_EPSILON = 1e-4
"""Initial value of the accumulators."""


@dataclass(frozen=True)
class Candidate:
    """Features of one candidate: those of rules, its own, and the number of entities that it represents.

    Candidates that the masked fact is about have no `entity`, because their own features depend on the query.
    """

    rules: Mapping[Feature, float]
    own: Mapping[Feature, float]
    stands_for: float
    entity: int | None


@dataclass
class Learner:
    """Adagrad with weights that start at 0."""

    learning_rate: float
    weight_decay: float
    batch: int
    weights: dict[Feature, float] = field(default_factory=dict)
    accumulator: dict[Feature, float] = field(default_factory=dict)

    def learn(self, queries: Sequence[Sequence[Candidate]]) -> None:
        """Learn from queries in order; the first candidate of each is the answer."""
        bias_gradients: dict[Feature, float] = {}
        entity_bias: dict[int, tuple[float, Mapping[Feature, float]]] = {}
        old = dict(self.weights)
        for number, candidates in enumerate(queries, start=1):
            scores = [
                sum(self.weights.get(f, 0.0) * x for f, x in candidate.rules.items())
                + sum(old.get(f, 0.0) * x for f, x in candidate.own.items())
                for candidate in candidates
            ]
            shares = [
                math.exp(s - max(scores)) * candidate.stands_for
                for s, candidate in zip(scores, candidates, strict=True)
            ]
            errors = [share / sum(shares) for share in shares]
            errors[0] -= 1.0
            if errors[0] >= -_MIN_LOSS:
                errors = [0.0 for _ in errors]
            gradients: dict[Feature, float] = {}
            for candidate, error in zip(candidates, errors, strict=True):
                for feature, x in candidate.rules.items():
                    gradients[feature] = gradients.get(feature, 0.0) + error * x
                if candidate.entity is None and any(errors):
                    _add(bias_gradients, error, candidate.own)
                else:
                    entity_bias[candidate.entity] = entity_bias.get(candidate.entity, (0.0,))[0] + error, candidate.own
            if any(errors):
                self._update(gradients, self.learning_rate, self.weight_decay)
            if number % self.batch == 0 or number == len(queries):
                for error, own in entity_bias.values():
                    if abs(error) > _MIN_ERROR:
                        _add(bias_gradients, error, own)
                self._update(bias_gradients, self.learning_rate, self.weight_decay * self.batch)
                bias_gradients, entity_bias, old = {}, {}, dict(self.weights)

    def _update(self, gradients: Mapping[Feature, float], learning_rate: float, weight_decay: float) -> None:
        for feature, loss_gradient in gradients.items():
            weight = self.weights.get(feature, 0.0)
            gradient = loss_gradient + (0.0 if feature[0].startswith("start") else weight_decay * weight)
            self.accumulator[feature] = self.accumulator.get(feature, 0.0) + gradient * gradient
            self.weights[feature] = weight - learning_rate * gradient / math.sqrt(self.accumulator[feature] + _EPSILON)


def _add(gradients: dict[Feature, float], error: float, own: Mapping[Feature, float]) -> None:
    for feature, x in own.items():
        gradients[feature] = gradients.get(feature, 0.0) + error * x
