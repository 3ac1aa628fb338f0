"""Settings of the rule learners."""

from __future__ import annotations

from dataclasses import dataclass

from r5._util.settings import SettingsError, setting
from r5.baselines.methods import MethodSettings
from r5.paths.settings import PathSettings

__all__ = ["LearnerSettings", "NeuralLPSettings", "ProverSettings", "RNNLogicSettings"]

_MAX_GOALS = 2**20
"""Maximum number of sub-goals of one answer: all are in memory at once, and model folders may hold any settings."""


@dataclass(frozen=True)
class LearnerSettings(PathSettings, MethodSettings):
    """Settings of all rule learners."""

    epochs: int = setting(5, least=1, most=1_000_000)
    """Number of epochs, or of EM rounds of RNNLogic."""
    min_steps: int = setting(200, least=1, most=1_000_000)
    """Minimum number of optimiser steps in an epoch; a small training set is passed over several times."""
    batch_size: int = setting(32, least=1, most=1_000_000)
    """Number of examples in one step of the optimiser."""
    learning_rate: float = setting(0.1, above=0)
    """Learning rate."""
    embedding: int = setting(20, least=1, most=10_000)
    """Size of the embedding of a relation."""
    edge_queries: int = setting(0, least=0, most=10_000_000)
    """Maximum number of edges of the training graphs that serve as further training queries, each masked."""

    @property
    def total_epochs(self) -> int:
        """Number of epochs of all models that are trained."""
        return self.epochs


@dataclass(frozen=True)
class ProverSettings(LearnerSettings):
    """Settings of CTP and GNTP, which replace a goal by two sub-goals until facts match."""

    modules: int = setting(6, least=1, most=1000)
    """Number of reformulators of CTP, or of rules of GNTP."""
    slots: int = setting(64, least=1, most=10_000)
    """Number of memory rows of ctp-m."""
    depth: int = setting(2, least=1, most=10)
    """Depth of proofs in training; a proof of depth d reads up to 2^d facts."""
    answer_depth: int = setting(4, least=1, most=10)
    """Depth of proofs in prediction."""
    restarts: int = setting(1, least=1, most=1000)
    """Number of models trained at first; after each epoch the half with the lower training loss goes on."""

    def check(self) -> None:
        """Check that all sub-goals of an answer fit in memory."""
        deepest = max(self.depth, self.answer_depth)
        if self.method.startswith("ctp") and (2 * self.modules) ** deepest > _MAX_GOALS:
            raise SettingsError(
                f"modules must be fewer, or depth and answer_depth smaller: {self.modules} modules make "
                f"{(2 * self.modules) ** deepest:,} sub-goals at depth {deepest}, of which {_MAX_GOALS:,} are allowed"
            )

    @property
    def models_per_epoch(self) -> list[int]:
        """Number of models trained in each epoch.

        >>> ProverSettings(restarts=6, epochs=5).models_per_epoch
        [6, 3, 2, 1, 1]
        """
        counts = [self.restarts]
        while len(counts) < self.epochs:
            counts.append(-(-counts[-1] // 2))
        return counts

    @property
    def total_epochs(self) -> int:
        """Number of epochs of all models that are trained."""
        return sum(self.models_per_epoch)


@dataclass(frozen=True)
class NeuralLPSettings(LearnerSettings):
    """Settings of Neural-LP, whose controller attends to relations step by step."""

    hidden: int = setting(128, least=1, most=10_000)
    """Number of units of the controller."""
    steps: int = setting(5, least=1, most=100)
    """Number of steps along a path, which is the maximum body length of a rule."""


@dataclass(frozen=True)
class RNNLogicSettings(LearnerSettings):
    """Settings of RNNLogic: a rule generator and a predictor that weighs the rules."""

    hidden: int = setting(64, least=1, most=10_000)
    """Number of units of the generator."""
    longest_rule: int = setting(5, least=1, most=100)
    """Maximum body length of a rule."""
    sampled_rules: int = setting(500, least=1, most=100_000)
    """Number of rules per answer that the generator samples in a round; maximum number of rules in the first round."""
    inverse: bool = True
    """Allow inverse relations in bodies."""
    kept_rules: int = setting(300, least=1, most=100_000)
    """Maximum number of rules per answer in the trained model."""
