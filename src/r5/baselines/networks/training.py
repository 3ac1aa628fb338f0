"""Training of the networks: Adam on the weighted cross entropy, with early stopping."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from r5._util.runtime.budget import Budget
from r5.baselines.epochs import EpochResult, ReportEpoch, passes_per_epoch
from r5.baselines.inputs.bags import Bags, TrainingPairs
from r5.baselines.inputs.relation_index import IntArray
from r5.baselines.networks.settings import TrainingSettings

__all__ = ["EarlyStopping", "ValidatedEpoch", "ValidationData", "predict_answers", "train"]

_BATCH_SIZE = 512
"""Number of inputs in a batch of predictions."""


@dataclass(frozen=True)
class ValidationData:
    """Bags of the validation examples and their answers."""

    bags: Bags
    answers: IntArray
    """Class of each example, -1 for a relation that is no answer in training, [examples]."""


@dataclass(frozen=True)
class ValidatedEpoch(EpochResult):
    """Result of one epoch with the figures on validation data, None without such data."""

    valid_loss: float | None
    valid_accuracy: float | None

    @property
    def figures(self) -> str:
        """Text for a progress message."""
        accuracy = "" if self.valid_accuracy is None else f", validation accuracy {self.valid_accuracy:.3f}"
        return super().figures + accuracy

    @property
    def objective(self) -> tuple[float, ...]:
        """Sort key, smaller is better: validation accuracy and loss, or else the training loss."""
        if self.valid_accuracy is None or self.valid_loss is None:
            return (self.loss,)
        return (-self.valid_accuracy, self.valid_loss)


class EarlyStopping:
    """Best epoch so far by one validation set, with the weights of that epoch."""

    def __init__(self, network: nn.Module, validation: ValidationData | None, patience: int) -> None:
        self.validation = validation
        self.epochs: list[ValidatedEpoch] = []
        self.weights = copy.deepcopy(network.state_dict())
        self._best: tuple[float, ...] = (math.inf,)
        self._waited, self._patience = 0, patience

    @property
    def should_stop(self) -> bool:
        """Return whether `patience` epochs have passed without improvement."""
        return self._waited == self._patience > 0

    def update(self, network: nn.Module, epoch: int, loss: float) -> None:
        """Evaluate the network after an epoch, and keep its weights if it is the best so far."""
        self.epochs.append(ValidatedEpoch(epoch, loss, *_validate(network, self.validation)))
        if self.epochs[-1].objective < self._best:
            self._best, self._waited = self.epochs[-1].objective, 0
            self.weights = copy.deepcopy(network.state_dict())
        else:
            self._waited += 1


def train(
    network: nn.Module,
    pairs: TrainingPairs,
    validations: Sequence[ValidationData | None],
    settings: TrainingSettings,
    report: ReportEpoch,
    budget: Budget | None = None,
) -> list[EarlyStopping]:
    """Train a network once, with early stopping by each of several validation sets. Call it inside `seed_torch`.

    Args:
        network: The network; at the end it has the weights of the best epoch by the first validation set.
        pairs: Training inputs and answers.
        validations: Validation sets; None chooses by the training loss.
        settings: Hyperparameters.
        report: Callback after each epoch.
        budget: Time limit.

    Returns:
        Epochs and best weights by each validation set, the same as in a training with that set alone.

    """
    optimizer = torch.optim.Adam(network.parameters(), lr=settings.learning_rate, foreach=False)
    budget = budget or Budget()
    passes = passes_per_epoch(pairs.rows.size, settings.batch_size, settings.min_steps)
    stopping = [EarlyStopping(network, validation, settings.patience) for validation in validations]
    for epoch in range(1, settings.epochs + 1):
        loss = [_train_once(network, pairs, optimizer, settings.batch_size, budget) for _ in range(passes)][-1]
        active = [one for one in stopping if not one.should_stop]
        for one in active:
            one.update(network, epoch, loss)
        report(active[0].epochs[-1])
        if all(one.should_stop for one in stopping) or budget.is_exhausted:
            break
    network.load_state_dict(stopping[0].weights)
    network.eval()
    return stopping


def _train_once(
    network: nn.Module, pairs: TrainingPairs, optimizer: torch.optim.Optimizer, batch_size: int, budget: Budget
) -> float:
    """Make one pass over the pairs, or the part that the budget allows, and return the mean loss."""
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


def _validate(network: nn.Module, validation: ValidationData | None) -> tuple[float | None, float | None]:
    """Return loss and accuracy on validation data; an example without inputs counts as wrong."""
    if validation is None:
        return None, None
    probabilities = predict_answers(network, validation.bags)
    known = np.flatnonzero(validation.answers >= 0)
    likelihood = np.full(validation.answers.size, 1e-9)
    likelihood[known] = np.maximum(probabilities[known, validation.answers[known]], 1e-9)
    correct = (probabilities.argmax(axis=1) == validation.answers) & probabilities.any(axis=1)
    return float(-np.log(likelihood).mean()), float(correct.mean())


def predict_answers(network: nn.Module, bags: Bags) -> NDArray[np.float64]:
    """Return the probability of each answer, [examples, answers]; zeros for an example without inputs."""
    network.eval()
    rows = np.arange(len(bags.inputs))
    batches = [rows[start : start + _BATCH_SIZE] for start in range(0, rows.size, _BATCH_SIZE)]
    with torch.no_grad():
        logits = [network(bags.inputs.batch(batch)) for batch in batches]
    # Very large weights make logits that are not a number; such a logit counts as 0.
    parts = [torch.softmax(part.double().nan_to_num(), dim=1).numpy() for part in logits]
    answers = int(network.get_parameter("classifier.bias").numel()) if not parts else parts[0].shape[1]
    return bags.average(np.concatenate([np.zeros((0, answers)), *parts]))
