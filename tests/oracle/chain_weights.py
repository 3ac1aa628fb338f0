"""Learning of weights by dictionaries: softmax over candidates, Adagrad a question, or a batch for properties."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Feature = tuple[str, int, int]
"""What a weight belongs to: rule, step or start, its number, and which of its weights."""

_SURE = 0.002
"""Answers whose probability lacks no more than this of 1 move nothing."""
_NOTHING = 1e-6
"""Errors of an entity that are smaller move nothing."""


_CALM = 1e-4
"""What squares of slopes start from."""


@dataclass(frozen=True)
class Candidate:
    """What one candidate has: of rules, and by itself; and how many entities it stands for.

    Those that the hidden fact is about have no `entity`: what they are by themselves differs from question to question.
    """

    rules: Mapping[Feature, float]
    own: Mapping[Feature, float]
    stands_for: float
    entity: int | None


@dataclass
class Learner:
    """Weights that start at 0."""

    learning_rate: float
    bias_learning_rate: float
    """For what candidates are by themselves."""
    weight_decay: float
    batch: int
    weights: dict[Feature, float] = field(default_factory=dict)
    accumulator: dict[Feature, float] = field(default_factory=dict)

    def learn(self, queries: Sequence[Sequence[Candidate]]) -> None:
        """One question after the other; the first candidate of each is the answer."""
        waiting: dict[Feature, float] = {}
        entity_bias: dict[int, tuple[float, Mapping[Feature, float]]] = {}
        old = dict(self.weights)
        for number, candidates in enumerate(queries, start=1):
            scores = [
                sum(self.weights.get(f, 0.0) * x for f, x in one.rules.items())
                + sum(old.get(f, 0.0) * x for f, x in one.own.items())
                for one in candidates
            ]
            shares = [math.exp(s - max(scores)) * one.stands_for for s, one in zip(scores, candidates, strict=True)]
            errors = [share / sum(shares) for share in shares]
            errors[0] -= 1.0
            if errors[0] >= -_SURE:
                errors = [0.0 for _ in errors]
            gradients: dict[Feature, float] = {}
            for one, error in zip(candidates, errors, strict=True):
                for feature, x in one.rules.items():
                    gradients[feature] = gradients.get(feature, 0.0) + error * x
                if one.entity is None and any(errors):
                    _add(waiting, error, one.own)
                else:
                    entity_bias[one.entity] = entity_bias.get(one.entity, (0.0,))[0] + error, one.own
            if any(errors):
                self._move(gradients, self.learning_rate, self.weight_decay)
            if number % self.batch == 0 or number == len(queries):
                for error, own in entity_bias.values():
                    if abs(error) > _NOTHING:
                        _add(waiting, error, own)
                self._move(waiting, self.bias_learning_rate, self.weight_decay * self.batch)
                waiting, entity_bias, old = {}, {}, dict(self.weights)

    def _move(self, gradients: Mapping[Feature, float], learning_rate: float, weight_decay: float) -> None:
        for feature, slope in gradients.items():
            weight = self.weights.get(feature, 0.0)
            all_of_it = slope + (0.0 if feature[0].startswith("start") else weight_decay * weight)
            self.accumulator[feature] = self.accumulator.get(feature, 0.0) + all_of_it * all_of_it
            self.weights[feature] = weight - learning_rate * all_of_it / math.sqrt(self.accumulator[feature] + _CALM)


def _add(gradients: dict[Feature, float], error: float, own: Mapping[Feature, float]) -> None:
    for feature, x in own.items():
        gradients[feature] = gradients.get(feature, 0.0) + error * x
