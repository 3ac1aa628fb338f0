"""The predictor of RNNLogic: candidate rules from training paths, and their weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from r5._util.ordering import top_indices
from r5.baselines.inputs.bags import Bags
from r5.baselines.inputs.relation_index import IntArray
from r5.baselines.rule_learners.spans import Path

__all__ = ["TrainingBodies", "best_rules", "fit_weights"]

_STEPS = 200
_LEARNING_RATE = 0.1
_L2 = 1e-4
"""L2 penalty of rule weights; without it the weight of a rule that is never wrong grows without end."""


@dataclass(frozen=True)
class TrainingBodies:
    """Bodies that connect the pairs of training examples; a rule is a row (answer, body)."""

    bodies: list[Path]
    number: dict[Path, int]
    """Number of each body."""
    pairs: IntArray
    """Example of each connection, [connections]."""
    connected_by: IntArray
    """Body of each connection, [connections]."""
    answers: IntArray
    """Class of each example, [examples]."""
    classes: int

    @classmethod
    def of(cls, bags: Bags, paths: list[Path | None], answers: IntArray, classes: int, longest: int) -> TrainingBodies:
        """Return the paths of training examples that have at most `longest` relations.

        Args:
            bags: Paths of the examples.
            paths: The distinct paths.
            answers: Class of each example, [examples].
            classes: Number of classes.
            longest: Maximum length of a body.

        """
        bodies = [path for path in paths if path is not None and len(path) <= longest]
        number = {body: row for row, body in enumerate(bodies)}
        body_of = np.array([-1 if path is None else number.get(path, -1) for path in paths], dtype=np.int64)
        body = body_of[bags.rows]
        return cls(bodies, number, bags.owners[body >= 0], body[body >= 0], answers, classes)

    def candidate_rules(self) -> IntArray:
        """Return each answer with each body that connects a pair with it, [rules, 2]."""
        return np.unique(np.stack([self.answers[self.pairs], self.connected_by], axis=1), axis=0)

    def rule_quality(self, rules: IntArray, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the quality H of each rule, [rules].

        Args:
            rules: [rules, 2].
            weights: [rules].

        """
        counts = np.zeros((self.classes, len(self.bodies)))
        np.add.at(counts, (self.answers[self.pairs], self.connected_by), 1.0)
        correct, total = counts[rules[:, 0], rules[:, 1]], counts.sum(axis=0)[rules[:, 1]]
        quality: NDArray[np.float64] = weights * (correct - total / self.classes)
        return quality


def best_rules(rules: IntArray, quality: NDArray[np.float64], count: int) -> IntArray:
    """Return the `count` best rules of each answer, [rules, 2]."""
    kept: list[int] = []
    for head in np.unique(rules[:, 0]):
        own = np.flatnonzero(rules[:, 0] == head)
        kept += own[top_indices(quality[own], count)].tolist()
    return rules[np.sort(np.array(kept, dtype=np.int64))]


def fit_weights(training: TrainingBodies, rules: IntArray) -> tuple[NDArray[np.float64], float]:
    """Fit rule weights to the answers of the training pairs.

    Args:
        training: Bodies that connect the training pairs.
        rules: [rules, 2].

    Returns:
        Weights, [rules], and the cross entropy.

    """
    if not len(rules):
        return np.zeros(0), 0.0
    # Only connections by bodies of the rules: most bodies are of no rule, and most pairs are connected by few.
    bodies, body = np.unique(rules[:, 1], return_inverse=True)
    used = np.isin(training.connected_by, bodies)
    connected, pair = np.unique(training.pairs[used], return_inverse=True)
    answers = torch.from_numpy(training.answers[connected])
    pairs, found = torch.from_numpy(pair), torch.from_numpy(np.searchsorted(bodies, training.connected_by[used]))
    cells = torch.from_numpy(np.stack([rules[:, 0], body.reshape(-1)], axis=1))
    weights = torch.zeros(len(rules), requires_grad=True)
    optimizer = torch.optim.Adam([weights], lr=_LEARNING_RATE, foreach=False)
    for _ in range(_STEPS):
        table = torch.zeros(len(bodies), training.classes).index_put((cells[:, 1], cells[:, 0]), weights)
        scores = torch.zeros(len(answers), training.classes).index_add(0, pairs, table[found])
        cross_entropy = nn.functional.cross_entropy(scores, answers)
        loss = cross_entropy + _L2 * (weights**2).sum()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return weights.detach().double().numpy(), float(cross_entropy.detach())
