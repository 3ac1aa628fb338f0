"""BaselineReasoner: published networks and rule learners behind the interface of the engines."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from r5._util.runtime.budget import Budget
from r5._util.runtime.progress import ProgressCounter
from r5._util.signatures import takes_settings
from r5.baselines.epochs import EpochResult, ReportEpoch
from r5.baselines.settings import (
    VARYING,
    BaselineSettings,
    GraphSettings,
    HeldOut,
    LearnerSettings,
    TrainingSettings,
    baseline_settings,
)
from r5.derivations.derivation import Prediction
from r5.errors import need
from r5.examples import Examples
from r5.reasoners.base import ProgressCallback, Reasoner
from r5.storage.folder import ModelError, StoredModel

if TYPE_CHECKING:
    from r5.baselines.model import BaselineModel

__all__ = ["BaselineReasoner"]


class BaselineReasoner(Reasoner):
    """Published network or rule learner, to compare the engines with.

    The `method` is a sequence encoder (rnn, lstm, gru, cnn, cnnh, mha), which reads the paths between two entities; a
    story encoder (story-rnn, ...), which reads all facts; a graph network (gcn, gat, rgcn, egat, story-gcn, story-gat);
    or a rule learner (ctp-l, ctp-a, ctp-m, gntp, neural-lp, rnnlogic). Each has the settings of its kind, those of
    `SequenceSettings`, `StorySettings`, `GraphSettings`, `ProverSettings`, `NeuralLPSettings` or `RNNLogicSettings` in
    `r5.baselines.settings`.

    Networks answer without rules and derivations. CTP and GNTP explain an answer by a proof, Neural-LP and RNNLogic by
    the strongest rule and the path that it fits.

    >>> from r5.data.generators.world.dataset import generate_world
    >>> data = generate_world(train=60, test=20)
    >>> model = BaselineReasoner("gru", seed=0, epochs=12, hidden=32, learning_rate=0.02).fit(data.train)
    >>> model.score(data.train) > 0.9
    True
    >>> model = BaselineReasoner("rnnlogic", seed=0, epochs=1, longest_rule=3).fit(data.train)
    >>> model.score(data.train) > 0.8
    True
    """

    settings: TrainingSettings | LearnerSettings
    model_: BaselineModel
    variants_: dict[HeldOut, BaselineReasoner]
    """Models of the last training by other values of `held_out`, see `fit`."""

    @takes_settings(BaselineSettings, varying=VARYING)
    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given
        self.settings = baseline_settings(**{"method": "lstm", **given})

    @property
    def engine(self) -> str:  # type: ignore[override]
        """Name of the baseline."""
        return self.settings.method

    def fit(
        self,
        examples: Examples,
        valid: Examples | None = None,
        progress: ProgressCallback | None = None,
        budget: Budget | None = None,
        variants: Sequence[HeldOut] = (),
    ) -> Self:
        """Learn from examples.

        Args:
            examples: Training examples; those without an answer are left out.
            valid: Validation examples. With at least 50 of them, they choose the epoch of a network, and otherwise the
                training loss does. Rule learners do not use them.
            progress: Callback after each epoch.
            budget: Time limit.
            variants: Further values of `held_out`. `variants_` has the same network after the epoch that each of them
                chooses, as a training of its own would.

        Raises:
            R5Error: The examples have nothing that the baseline can read.

        """
        start = time.perf_counter()
        _check_installed(self.settings)
        from r5.baselines.fitting import fit_models

        examples, valid = self._training_examples(examples, valid)
        self.variants_ = {kind: type(self)(**{**self.given, "held_out": kind}) for kind in variants}
        reasoners: list[BaselineReasoner] = [self, *self.variants_.values()]
        settings = [one.settings for one in reasoners]
        trained = fit_models(settings, examples, valid, _epoch_reporter(progress, self.settings), budget)
        for reasoner, (model, summary) in zip(reasoners, trained, strict=True):
            reasoner._keep(model)
            seconds = time.perf_counter() - start
            reasoner.summary_ = {"seconds": seconds, "seed": self.settings.seed, **summary}
        return self

    def _keep(self, model: BaselineModel) -> None:
        self.model_ = model
        self.vocabulary_ = model.statistics.vocabulary
        self.rules_ = model.rules

    def predict_many(self, examples: Examples) -> list[Prediction]:
        """Return the most probable answers, with up to three alternatives and the explanation of a rule learner."""
        examples = self._queries(examples)
        return self.model_.predict(examples, explain=True)

    def predict_plain(self, examples: Examples) -> list[Prediction]:
        """Return the answers of `predict_many` without explanations."""
        examples = self._queries(examples)
        return self.model_.predict(examples, explain=False)

    def predict_proba(self, examples: Examples) -> NDArray[np.float64]:
        """Return the probability of each known relation, [examples, known relations of `vocabulary_`].

        An example that the baseline cannot read gets the answer frequencies of the training data.
        """
        examples = self._queries(examples)
        return self.model_.predict_proba(examples)

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write the model to a folder that `r5.load_model` reads; the loaded model predicts the same."""
        self._check_fitted()
        self._write(path, {**self.model_.statistics.arrays(), **self.model_.parameters()}, force)

    @classmethod
    def from_stored(cls, stored: StoredModel) -> Self:
        """Return the reasoner of a model folder.

        Raises:
            ModelError: Its parts do not fit together.

        """
        reasoner = cls._with_settings(stored)
        if reasoner.engine != stored.engine:
            raise ModelError(f"the model's settings are of the baseline {reasoner.engine}, not of {stored.engine}")
        _check_installed(reasoner.settings)
        from r5.baselines.fitting import restore_model

        reasoner._keep(restore_model(reasoner.settings, stored))
        return reasoner


def _check_installed(settings: TrainingSettings | LearnerSettings) -> None:
    """Raise a `MissingExtraError` if a library that the baseline needs is not installed."""
    try:
        import torch  # noqa: F401
    except ImportError:
        raise need("torch", "torch") from None
    if isinstance(settings, GraphSettings):
        try:
            import torch_geometric  # noqa: F401
        except ImportError:
            raise need("torch_geometric", "gnn") from None


def _epoch_reporter(progress: ProgressCallback | None, settings: TrainingSettings | LearnerSettings) -> ReportEpoch:
    """Return a callback that turns epochs into progress."""
    count = ProgressCounter(progress, settings.total_epochs)

    def report(epoch: EpochResult) -> None:
        count(f"epoch {epoch.epoch}/{settings.epochs}, {epoch.figures}")

    return report
