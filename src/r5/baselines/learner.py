"""RuleLearner: what the rule learners have in common, between examples and their networks."""

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
from r5.baselines.inputs import Bags, Codes, IntColumn
from r5.baselines.learner_settings import LearnerSettings
from r5.baselines.path_inputs import PathInputs
from r5.baselines.spans import Path
from r5.storage.folder import StoredModel

__all__ = ["Found", "Proof", "Round", "RuleLearner", "Tell", "in_rounds", "one_round", "passes_of", "rows_of", "shares"]


@dataclass(frozen=True)
class Round:
    """How one epoch went."""

    epoch: int
    loss: float


@dataclass(frozen=True)
class Found:
    """A rule that was learned, its relations as ids of the vocabulary."""

    head: int
    body: tuple[int, ...]
    score: float


@dataclass(frozen=True)
class Proof:
    """Merges of a path that prove an answer: where, which relation is nearest to the goal there, and how well it is."""

    merges: tuple[tuple[int, int, float], ...]


Tell = Callable[[Round], None]


class RuleLearner(ABC):
    """Learns from the paths of examples and answers with shares; `network` holds all that was learned."""

    network: nn.Module

    def __init__(self, codes: Codes) -> None:
        self.codes = codes
        self.relations = tuple(sorted({*codes.relations, *codes.answers}))
        """All relations that are known, as ids of the vocabulary; a path is a tuple of places in them."""
        self.answers = tuple(self.relations.index(answer) for answer in codes.answers)
        self._places = (-1, *(self.relations.index(relation) for relation in codes.relations))

    @abstractmethod
    def learn(self, bags: Bags, answers: IntColumn, tell: Tell, budget: Budget) -> list[Round]:
        """Learn from the paths of examples and the class of each one's answer. To be called inside `seeded`."""

    @abstractmethod
    def answer(self, bags: Bags) -> NDArray[np.float64]:
        """The share of each answer, [examples, answers]; zeros where nothing speaks for any."""

    @abstractmethod
    def rules(self) -> list[Found]:
        """The rules that were learned, each once."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that is needed to answer, for a model folder."""
        return {f"network.{name}": value.detach().numpy() for name, value in self.network.state_dict().items()}

    def restore(self, stored: StoredModel) -> None:
        """Take the arrays of a model folder; each must have the shape that the settings ask for."""
        weights = {
            name: torch.from_numpy(stored.array(f"network.{name}", tuple(value.shape)).astype(np.float32))
            for name, value in self.network.state_dict().items()
        }
        self.network.load_state_dict(weights, assign=True)

    def strengths(self, bags: Bags) -> NDArray[np.float64]:
        """How much each distinct path speaks for each answer, by a rule whose body it is, [paths, answers].

        For systems that weigh rules over whole paths; those that prove say nothing here.
        """
        return np.zeros((len(bags.inputs), len(self.answers)))

    def prove(self, path: Path, answer: int) -> Proof | None:
        """How a path proves an answer, for systems whose proofs merge two facts at a time."""
        return None

    def paths(self, bags: Bags) -> list[Path | None]:
        """The distinct paths as places in `relations`; None for one with a relation never seen in training."""
        return [self.path(bags, row) for row in range(len(bags.inputs))]

    def path(self, bags: Bags, row: int) -> Path | None:
        """One of the distinct paths."""
        inputs = bags.inputs
        assert isinstance(inputs, PathInputs)  # noqa: S101  rule learners read paths
        codes = inputs.relations[row, : inputs.lengths[row]].tolist()
        return None if 0 in codes else tuple(self._places[code] for code in codes)


def passes_of(examples: int, settings: LearnerSettings) -> int:
    """Passes over the examples that make an epoch; none where there is nothing to pass over.

    >>> passes_of(100, LearnerSettings(batch_size=50, least_steps=5))
    3
    """
    batches = -(-examples // settings.batch_size)
    return -(-settings.least_steps // batches) if batches else 0


def in_rounds(
    rows: Sequence[IntColumn],
    loss_of: Callable[[IntColumn], torch.Tensor],
    optimizer: torch.optim.Optimizer,
    settings: LearnerSettings,
    tell: Tell,
    budget: Budget,
) -> list[Round]:
    """Learn in epochs from the examples that have rows, as long as there is time; `loss_of` takes some examples."""
    rounds: list[Round] = []
    for epoch in range(1, settings.epochs + 1):
        rounds.append(Round(epoch, one_round(rows, loss_of, optimizer, settings, budget)))
        tell(rounds[-1])
        if budget.is_exhausted:
            break
    return rounds


def one_round(
    rows: Sequence[IntColumn],
    loss_of: Callable[[IntColumn], torch.Tensor],
    optimizer: torch.optim.Optimizer,
    settings: LearnerSettings,
    budget: Budget,
) -> float:
    """An epoch, or as much of it as there is time for; the mean loss."""
    usable = np.array([n for n, some in enumerate(rows) if some.size], dtype=np.int64)
    losses: list[float] = []
    for _ in range(passes_of(usable.size, settings)):
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


def shares(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores of at least 0 as shares of their sum, row by row; zeros where all are 0."""
    total = scores.sum(axis=1, keepdims=True)
    shared: NDArray[np.float64] = np.divide(scores, total, out=np.zeros_like(scores), where=total > 0)
    return shared


def rows_of(bags: Bags, usable: Sequence[bool]) -> list[IntColumn]:
    """Of each example the rows of its paths that can be used."""
    fine = np.array(usable, dtype=bool)
    parts = (bags.rows[start:end] for start, end in zip(bags.starts[:-1], bags.starts[1:], strict=True))
    return [rows[fine[rows]] for rows in parts]
