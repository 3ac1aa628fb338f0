"""The trainer that all baselines share: Adam on the weighted cross entropy, and the best epoch wins."""

from __future__ import annotations

import contextlib
import copy
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from r5._util.runtime.budget import Budget
from r5.baselines.inputs import Bags, IntColumn, TrainingPairs
from r5.baselines.settings import TrainingSettings

__all__ = ["Choice", "Epoch", "ValidationBags", "answer", "seeded", "train"]

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


class Choice:
    """Which epoch is the best so far by one kind of validation data, and the weights after it."""

    def __init__(self, network: nn.Module, validation: ValidationBags | None, patience: int) -> None:
        self.validation = validation
        self.epochs: list[Epoch] = []
        self.weights = copy.deepcopy(network.state_dict())
        self._best: tuple[float, ...] = (math.inf,)
        self._since, self._patience = 0, patience

    @property
    def is_over(self) -> bool:
        """Whether it has been waited long enough for a better epoch."""
        return self._since == self._patience > 0

    def judge(self, network: nn.Module, number: int, loss: float) -> None:
        """Look at the network after an epoch."""
        self.epochs.append(Epoch(number, loss, *_validated(network, self.validation)))
        if self.epochs[-1].badness < self._best:
            self._best, self.weights, self._since = self.epochs[-1].badness, copy.deepcopy(network.state_dict()), 0
        else:
            self._since += 1


def train(
    network: nn.Module,
    pairs: TrainingPairs,
    validations: Sequence[ValidationBags | None],
    settings: TrainingSettings,
    tick: Callable[[Epoch], None],
    budget: Budget | None = None,
) -> list[Choice]:
    """One choice for each validation, as if it were the only one; the network is left as after the first one's best.

    To be called inside `seeded`.
    """
    optimizer = torch.optim.Adam(network.parameters(), lr=settings.learning_rate, foreach=False)
    budget = budget or Budget()
    passes = math.ceil(_LEAST_STEPS / math.ceil(pairs.rows.size / settings.batch_size))
    choices = [Choice(network, validation, settings.patience) for validation in validations]
    for number in range(1, settings.epochs + 1):
        loss = [_one_pass(network, pairs, optimizer, settings.batch_size, budget) for _ in range(passes)][-1]
        waiting = [choice for choice in choices if not choice.is_over]
        for choice in waiting:
            choice.judge(network, number, loss)
        tick(waiting[0].epochs[-1])
        if all(choice.is_over for choice in choices) or budget.is_exhausted:
            break
    network.load_state_dict(choices[0].weights)
    network.eval()
    return choices


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
        if budget.is_exhausted:
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
