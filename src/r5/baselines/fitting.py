"""Training and loading of a baseline by its settings. Importing this module needs PyTorch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from r5._util.runtime.budget import Budget
from r5.baselines.epochs import ReportEpoch
from r5.baselines.model import AnswerStatistics, BaselineModel
from r5.baselines.networks.fitting import fit_network
from r5.baselines.networks.model import NetworkModel
from r5.baselines.rule_learners.fitting import fit_rule_learner
from r5.baselines.rule_learners.model import RuleLearnerModel
from r5.baselines.settings import LearnerSettings, TrainingSettings
from r5.examples import Examples
from r5.storage.folder import StoredModel

__all__ = ["fit_models", "restore_model"]


def fit_models(
    settings: Sequence[TrainingSettings | LearnerSettings],
    examples: Examples,
    valid: Examples | None,
    report: ReportEpoch,
    budget: Budget | None,
) -> list[tuple[BaselineModel, dict[str, Any]]]:
    """Train a baseline.

    Args:
        settings: Settings of one network, which may be several that differ in `held_out` only, or of one rule learner.
        examples: Training examples, all with an answer.
        valid: Validation examples; rule learners do not use them.
        report: Callback after each epoch.
        budget: Time limit.

    Returns:
        Model and training summary for each of the settings.

    Raises:
        R5Error: The examples have nothing that the baseline can read.

    """
    if isinstance(settings[0], LearnerSettings):
        return [fit_rule_learner(settings[0], examples, report, budget)]
    return [*fit_network(cast(Sequence[TrainingSettings], settings), examples, valid, report, budget)]


def restore_model(settings: TrainingSettings | LearnerSettings, stored: StoredModel) -> BaselineModel:
    """Return the model of a folder.

    Raises:
        ModelError: The arrays of the folder do not fit the settings.

    """
    statistics = AnswerStatistics.restore(stored)
    if isinstance(settings, LearnerSettings):
        return RuleLearnerModel.restore(settings, statistics, stored)
    return NetworkModel.restore(settings, statistics, stored)
