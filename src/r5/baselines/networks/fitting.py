"""Training of a network on examples, with the choice of its epoch."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from r5._util.runtime.budget import Budget
from r5.baselines.epochs import ReportEpoch
from r5.baselines.model import AnswerStatistics
from r5.baselines.networks.held_out import FOLDS, compose_longer, hold_out
from r5.baselines.networks.model import NetworkModel
from r5.baselines.networks.readers import Reader, make_reader
from r5.baselines.networks.settings import TrainingSettings
from r5.baselines.networks.training import EarlyStopping, ValidationData, train
from r5.baselines.seeding import seed_torch
from r5.errors import R5Error
from r5.examples import Examples

__all__ = ["fit_network"]

_MIN_VALIDATION = 50
"""Minimum number of validation examples that choose an epoch; with fewer the training loss does."""
_CHOSEN = {
    "short": "the epoch with the best accuracy on a tenth of the training examples, held out",
    "long": "the epoch with the best accuracy on longer examples, put together of a tenth of the training examples",
}


def fit_network(
    settings: Sequence[TrainingSettings],
    examples: Examples,
    valid: Examples | None,
    report: ReportEpoch,
    budget: Budget | None,
) -> list[tuple[NetworkModel, dict[str, Any]]]:
    """Train a network once, and choose an epoch by each of several settings, which differ in `held_out` only.

    Args:
        settings: One or several settings.
        examples: Training examples, all with an answer.
        valid: Validation examples.
        report: Callback after each epoch.
        budget: Time limit.

    Returns:
        Model and training summary for each of the settings, the same as in a training of its own.

    Raises:
        R5Error: The examples have no inputs.

    """
    reader = make_reader(settings[0])
    examples, is_split, validation = _split(settings, examples, valid)
    vocabulary, index, bags = reader.read_training(examples)
    answers = index.answer_numbers(examples.vocabulary, vocabulary)[examples.answers]
    pairs = bags.pairs(answers)
    if not pairs.rows.size:
        raise R5Error(
            f"none of the {len(examples)} training examples has an answer and something to read: "
            "there is nothing to learn from"
        )
    frequencies = np.bincount(answers, minlength=len(index.answers)).astype(np.float64)
    statistics = AnswerStatistics(vocabulary, index, frequencies)
    validations = [_read_validation(reader, statistics, some) for some in validation]
    with seed_torch(settings[0].seed):
        network = reader.make_network(index)
        stopping = train(network, pairs, validations, settings[0], report, budget)
    trained = []
    for own, epochs in zip(settings, stopping, strict=True):
        chosen = copy.deepcopy(network)
        chosen.load_state_dict(epochs.weights)
        model = NetworkModel(own, statistics, chosen)
        summary = {"examples": len(examples), "pairs": int(pairs.rows.size)}
        trained.append((model, {**summary, **_summary(model, epochs, is_split, budget)}))
    return trained


def _split(
    settings: Sequence[TrainingSettings], examples: Examples, valid: Examples | None
) -> tuple[Examples, bool, list[Examples | None]]:
    """Return training examples, whether some are held out, and the validation examples for each of the settings."""
    seed, kinds = settings[0].seed, [one.held_out for one in settings]
    if "none" in kinds or valid is not None or len(examples) < FOLDS * _MIN_VALIDATION:
        return examples, False, [valid for _ in kinds]
    examples, held = hold_out(examples, seed)
    return examples, True, [compose_longer(held, seed) if kind == "long" else held for kind in kinds]


def _read_validation(reader: Reader, statistics: AnswerStatistics, valid: Examples | None) -> ValidationData | None:
    """Return validation data, None if there are too few examples with an answer."""
    valid = None if valid is None else valid.select(np.flatnonzero(valid.answers >= 0))
    if valid is None or len(valid) < _MIN_VALIDATION:
        return None
    index, vocabulary = statistics.index, statistics.vocabulary
    answers = index.answer_numbers(valid.vocabulary, vocabulary)[valid.answers]
    return ValidationData(reader.read(valid, index, vocabulary), answers)


def _summary(model: NetworkModel, epochs: EarlyStopping, is_split: bool, budget: Budget | None) -> dict[str, Any]:
    """Return the epochs and how one of them was chosen."""
    summary: dict[str, Any] = {
        "parameters": sum(parameter.numel() for parameter in model.network.parameters()),
        "best_epoch": min(epochs.epochs, key=lambda epoch: epoch.objective).epoch,
        "chosen_by": "training loss" if epochs.validation is None else "validation accuracy",
        "history": [asdict(epoch) for epoch in epochs.epochs],
    }
    if is_split and epochs.validation is not None:
        summary["chosen"] = _CHOSEN[model.settings.held_out]
    if budget is not None and budget.is_exhausted:
        summary["cut_short"] = f"epoch {len(epochs.epochs)} of {model.settings.epochs}"
    return summary
