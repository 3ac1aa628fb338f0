"""The trainer that all baselines share: Adam on the weighted cross entropy, and the best epoch wins."""

from __future__ import annotations

import contextlib
import copy
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from r5._util.budget import Budget
from r5.baselines.inputs import Bags, IntColumn, TrainingPairs
from r5.baselines.settings import TrainingSettings

__all__ = ["Epoch", "ValidationBags", "answer", "seeded", "train"]

_AT_ONCE = 512
_LEAST_STEPS = 16
"""Steps of an epoch: where there are few distinct pairs, several passes over them make one."""


@dataclass(frozen=True)
class ValidationBags:
    """Validation data: bags and their answers, -1 for one that was no answer in training."""

    bags: Bags
    answers: IntColumn


@dataclass(frozen=True)
class Epoch:
    """How one pass over the pairs went, or several where they are few."""

    epoch: int
    loss: float
    """The mean cross entropy on the pairs, measured while they are learned from."""
    valid_loss: float | None
    valid_accuracy: float | None

    @property
    def badness(self) -> tuple[float, ...]:
        """Smaller is better: validation decides where there is any, or else the training loss."""
        if self.valid_accuracy is None or self.valid_loss is None:
            return (self.loss,)
        return (-self.valid_accuracy, self.valid_loss)


def train(
    network: nn.Module,
    pairs: TrainingPairs,
    validation: ValidationBags | None,
    settings: TrainingSettings,
    tick: Callable[[Epoch], None],
    budget: Budget | None = None,
) -> list[Epoch]:
    """Leave the network as it was after its best epoch; all epochs are returned. To be called inside `seeded`."""
    optimizer = torch.optim.Adam(network.parameters(), lr=settings.learning_rate, foreach=False)
    budget = budget or Budget()
    passes = math.ceil(_LEAST_STEPS / math.ceil(pairs.rows.size / settings.batch_size))
    best: tuple[float, ...] = (math.inf,)
    kept, since = copy.deepcopy(network.state_dict()), 0
    epochs: list[Epoch] = []
    for number in range(1, settings.epochs + 1):
        loss = [_one_pass(network, pairs, optimizer, settings.batch_size, budget) for _ in range(passes)][-1]
        epochs.append(Epoch(number, loss, *_validated(network, validation)))
        tick(epochs[-1])
        if epochs[-1].badness < best:
            best, kept, since = epochs[-1].badness, copy.deepcopy(network.state_dict()), 0
        else:
            since += 1
        if since == settings.patience > 0 or budget.is_over:
            break
    network.load_state_dict(kept)
    network.eval()
    return epochs


def _one_pass(
    network: nn.Module, pairs: TrainingPairs, optimizer: torch.optim.Optimizer, batch_size: int, budget: Budget
) -> float:
    """Learn from all pairs once, or from as many as there is time for; the mean loss."""
    network.train()
    order = torch.randperm(pairs.rows.size).numpy()
    answers, weights = torch.from_numpy(pairs.answers), torch.from_numpy(pairs.weights)
    mean_weight = weights.mean()
    total, seen = 0.0, 0
    for start in range(0, order.size, batch_size):
        rows = order[start : start + batch_size]
        logits = network(pairs.inputs.batch(pairs.rows[rows]))
        losses = nn.functional.cross_entropy(logits, answers[rows], reduction="none")
        loss = (losses * weights[rows]).sum() / (mean_weight * rows.size)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        total += float(loss.detach()) * rows.size
        seen += rows.size
        if budget.is_over:
            break
    return total / seen


def _validated(network: nn.Module, validation: ValidationBags | None) -> tuple[float | None, float | None]:
    """Loss and accuracy on validation data; a question that cannot be read is answered wrongly."""
    if validation is None:
        return None, None
    probabilities = answer(network, validation.bags)
    known = np.flatnonzero(validation.answers >= 0)
    likely = np.full(validation.answers.size, 1e-9)
    likely[known] = np.maximum(probabilities[known, validation.answers[known]], 1e-9)
    right = (probabilities.argmax(axis=1) == validation.answers) & probabilities.any(axis=1)
    return float(-np.log(likely).mean()), float(right.mean())


def answer(network: nn.Module, bags: Bags) -> NDArray[np.float64]:
    """How likely each answer is, [questions, answers]; zeros where nothing can be read."""
    network.eval()
    rows = np.arange(len(bags.inputs))
    with torch.no_grad():
        logits = [network(bags.inputs.batch(rows[start : start + _AT_ONCE])) for start in range(0, rows.size, _AT_ONCE)]
    # Weights can be so large that what they add up to is no number; it then says nothing.
    parts = [torch.softmax(part.double().nan_to_num(), dim=1).numpy() for part in logits]
    answers = int(network.get_parameter("classifier.bias").numel()) if not parts else parts[0].shape[1]
    return bags.averaged(np.concatenate([np.zeros((0, answers)), *parts]))


@contextlib.contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Random numbers of this seed, the caller's left as they were, on one thread: results are the same anywhere."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed % 2**63)
            yield
    finally:
        torch.set_num_threads(before)
