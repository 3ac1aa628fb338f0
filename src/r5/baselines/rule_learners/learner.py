"""RuleLearner: the interface and shared code of the rule learners."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from r5._util.runtime.budget import Budget
from r5.baselines.epochs import EpochResult, ReportEpoch, passes_per_epoch
from r5.baselines.inputs.bags import Bags
from r5.baselines.inputs.paths import PathInputs
from r5.baselines.inputs.relation_index import IntArray, RelationIndex
from r5.baselines.rule_learners.settings import LearnerSettings
from r5.baselines.rule_learners.spans import Path
from r5.storage.folder import StoredModel

__all__ = [
    "LearnedRule",
    "Proof",
    "RuleLearner",
    "normalize_scores",
    "train_epoch",
    "train_epochs",
    "usable_rows",
]


@dataclass(frozen=True)
class LearnedRule:
    """Learned rule; its relations are ids of the vocabulary."""

    head: int
    body: tuple[int, ...]
    score: float


@dataclass(frozen=True)
class Proof:
    """Merges that prove an answer from a path: position, relation nearest to the goal, and score of each."""

    merges: tuple[tuple[int, int, float], ...]


class RuleLearner(ABC):
    """Learner of rules from the paths of examples; `network` holds the learned parameters.

    A path is a tuple of positions in `relations`.
    """

    network: nn.Module

    def __init__(self, index: RelationIndex) -> None:
        self.index = index
        self.relations = tuple(sorted({*index.inputs, *index.answers}))
        """All known relations, as ids of the vocabulary."""
        self.answers = tuple(self.relations.index(answer) for answer in index.answers)
        """Position of each answer in `relations`."""
        self._positions = (-1, *(self.relations.index(relation) for relation in index.inputs))

    @abstractmethod
    def train(self, bags: Bags, answers: IntArray, report: ReportEpoch, budget: Budget) -> list[EpochResult]:
        """Learn from the paths of examples. Call it inside `seed_torch`.

        Args:
            bags: Paths of the examples.
            answers: Class of each example, [examples].
            report: Callback after each epoch.
            budget: Time limit.

        Returns:
            The epochs of the trained model.

        """

    @abstractmethod
    def score_answers(self, bags: Bags) -> NDArray[np.float64]:
        """Return the normalised score of each answer, [examples, answers]; zeros where no rule applies."""

    @abstractmethod
    def rules(self) -> list[LearnedRule]:
        """Return the learned rules, without duplicates."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all arrays that prediction needs, for a model folder."""
        return {f"network.{name}": value.detach().numpy() for name, value in self.network.state_dict().items()}

    def restore(self, stored: StoredModel) -> None:
        """Load the arrays of a model folder.

        Raises:
            ModelError: An array is missing or does not have the shape that the settings ask for.

        """
        weights = {
            name: torch.from_numpy(stored.array(f"network.{name}", tuple(value.shape)).astype(np.float32))
            for name, value in self.network.state_dict().items()
        }
        self.network.load_state_dict(weights, assign=True)

    def score_paths(self, bags: Bags) -> NDArray[np.float64]:
        """Return the score of each answer by the rules whose body is the path, [paths, answers].

        Learners whose answers have proofs return zeros.
        """
        return np.zeros((len(bags.inputs), len(self.answers)))

    def prove(self, path: Path, answer: int) -> Proof | None:
        """Return the best proof of an answer from a path; None for learners without proofs.

        Args:
            path: The path.
            answer: Class of the answer.

        """
        return None

    def paths(self, bags: Bags) -> list[Path | None]:
        """Return the distinct paths; None for a path with a relation unseen in training."""
        return [self.path(bags, row) for row in range(len(bags.inputs))]

    def path(self, bags: Bags, row: int) -> Path | None:
        """Return one of the distinct paths."""
        inputs = bags.inputs
        assert isinstance(inputs, PathInputs)  # noqa: S101  rule learners read paths
        numbers = inputs.relations[row, : inputs.lengths[row]].tolist()
        return None if 0 in numbers else tuple(self._positions[number] for number in numbers)


def train_epochs(
    rows: Sequence[IntArray],
    loss_of: Callable[[IntArray], torch.Tensor],
    optimizer: torch.optim.Optimizer,
    settings: LearnerSettings,
    report: ReportEpoch,
    budget: Budget,
) -> list[EpochResult]:
    """Train for all epochs, or until the time is over.

    Args:
        rows: Usable paths of each example; examples without any are left out.
        loss_of: Loss of a batch of examples.
        optimizer: The optimiser.
        settings: Hyperparameters.
        report: Callback after each epoch.
        budget: Time limit.

    """
    epochs: list[EpochResult] = []
    for epoch in range(1, settings.epochs + 1):
        epochs.append(EpochResult(epoch, train_epoch(rows, loss_of, optimizer, settings, budget)))
        report(epochs[-1])
        if budget.is_exhausted:
            break
    return epochs


def train_epoch(
    rows: Sequence[IntArray],
    loss_of: Callable[[IntArray], torch.Tensor],
    optimizer: torch.optim.Optimizer,
    settings: LearnerSettings,
    budget: Budget,
) -> float:
    """Train for one epoch, or the part that the budget allows, and return the mean loss; see `train_epochs`."""
    usable = np.array([n for n, some in enumerate(rows) if some.size], dtype=np.int64)
    losses: list[float] = []
    for _ in range(passes_per_epoch(usable.size, settings.batch_size, settings.min_steps)):
        order = usable[torch.randperm(usable.size).numpy()]
        for start in range(0, order.size, settings.batch_size):
            loss = loss_of(order[start : start + settings.batch_size])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            losses.append(float(loss.detach()))
            if budget.is_exhausted:
                return float(np.mean(losses))
    return float(np.mean(losses)) if losses else 0.0


def normalize_scores(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide non-negative scores by the sum of their row, [rows, answers]; a row of zeros stays."""
    total = scores.sum(axis=1, keepdims=True)
    normalized: NDArray[np.float64] = np.divide(scores, total, out=np.zeros_like(scores), where=total > 0)
    return normalized


def usable_rows(bags: Bags, usable: Sequence[bool]) -> list[IntArray]:
    """Return the usable paths of each example.

    Args:
        bags: Paths of the examples.
        usable: Whether each distinct path is usable.

    """
    mask = np.array(usable, dtype=bool)
    parts = (bags.rows[start:end] for start, end in zip(bags.offsets[:-1], bags.offsets[1:], strict=True))
    return [rows[mask[rows]] for rows in parts]
