"""Which rule learners there are."""

from __future__ import annotations

from r5.baselines.ctp import ProverLearner
from r5.baselines.inputs import Codes
from r5.baselines.learner import RuleLearner
from r5.baselines.learner_settings import LearnerSettings, NeuralLPSettings, ProverSettings, RNNLogicSettings
from r5.baselines.neural_lp import NeuralLPLearner
from r5.baselines.rnnlogic import RNNLogicLearner

__all__ = ["make_learner"]


def make_learner(settings: LearnerSettings, codes: Codes) -> RuleLearner:
    """The learner that the settings are of, with random weights."""
    if isinstance(settings, ProverSettings):
        return ProverLearner(settings, codes)
    if isinstance(settings, NeuralLPSettings):
        return NeuralLPLearner(settings, codes)
    assert isinstance(settings, RNNLogicSettings)  # noqa: S101  there are no others
    return RNNLogicLearner(settings, codes)
