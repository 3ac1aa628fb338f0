"""The hyperparameters of the rule learners that the engines are compared with, a sentence on each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from r5._util.settings import Settings, SettingsError, build_settings, setting
from r5.paths.settings import PathSettings

__all__ = [
    "RULE_LEARNERS",
    "VARYING_OF_LEARNERS",
    "LearnerSettings",
    "NeuralLPSettings",
    "ProverSettings",
    "RNNLogicSettings",
    "RuleLearnerSettings",
    "learner_settings",
    "running_attempts",
]

RuleLearnerName = Literal["ctp-l", "ctp-a", "ctp-m", "gntp", "neural-lp", "rnnlogic"]
RULE_LEARNERS: tuple[str, ...] = get_args(RuleLearnerName)
_MOST_GOALS = 2**20
"""Sub-goals of one answer: all are kept at once, and the settings of a model folder may ask for any number."""


@dataclass(frozen=True)
class SystemSettings(Settings):
    """Apart, so that it is the first parameter of `RuleLearnerReasoner`."""

    system: RuleLearnerName = "ctp-l"
    """Which of the rule learners it is."""


@dataclass(frozen=True)
class LearnerSettings(PathSettings, SystemSettings):
    """What all rule learners have in common."""

    epochs: int = setting(5, least=1, most=1_000_000)
    """Passes over the training examples, or rounds of RNNLogic."""
    least_steps: int = setting(200, least=1, most=1_000_000)
    """Steps of the optimiser in an epoch: where one pass takes fewer, several passes make one."""
    batch_size: int = setting(32, least=1, most=1_000_000)
    """Examples in one step of the optimiser."""
    learning_rate: float = setting(0.1, above=0)
    """The step size of the optimiser."""
    embedding: int = setting(20, least=1, most=10_000)
    """Numbers that describe a relation."""
    edge_questions: int = setting(0, least=0, most=10_000_000)
    """So many edges of the training graphs, each hidden in its turn, are learned from as further questions."""


@dataclass(frozen=True)
class ProverSettings(LearnerSettings):
    """Of CTP and GNTP: a goal is replaced by two sub-goals until facts match."""

    modules: int = setting(6, least=1, most=1000)
    """Ways to replace a goal: the reformulators of CTP, or all the rules of GNTP."""
    slots: int = setting(64, least=1, most=10_000)
    """Rows of the memory of ctp-m."""
    depth: int = setting(2, least=1, most=10)
    """How often a goal is replaced in training; a proof reads up to 2 ** depth facts."""
    answer_depth: int = setting(4, least=1, most=10)
    """How often a goal is replaced when a question is answered."""
    restarts: int = setting(1, least=1, most=1000)
    """Models that begin to train; after each epoch the half with the lower training loss goes on."""

    def check(self) -> None:
        """All sub-goals of an answer are kept at once."""
        deepest = max(self.depth, self.answer_depth)
        if self.system.startswith("ctp") and (2 * self.modules) ** deepest > _MOST_GOALS:
            raise SettingsError(
                f"modules must be fewer, or depth and answer_depth smaller: {self.modules} modules make "
                f"{(2 * self.modules) ** deepest:,} sub-goals at depth {deepest}, of which {_MOST_GOALS:,} are allowed"
            )


def running_attempts(settings: ProverSettings) -> list[int]:
    """How many models are trained in each epoch.

    >>> running_attempts(ProverSettings(restarts=6, epochs=5))
    [6, 3, 2, 1, 1]
    """
    counts = [settings.restarts]
    while len(counts) < settings.epochs:
        counts.append(-(-counts[-1] // 2))
    return counts


@dataclass(frozen=True)
class NeuralLPSettings(LearnerSettings):
    """Of Neural-LP: a controller attends to relations, step by step."""

    hidden: int = setting(128, least=1, most=10_000)
    """Units of the controller."""
    steps: int = setting(5, least=1, most=100)
    """Steps along a path: rules have up to so many relations in their body."""


@dataclass(frozen=True)
class RNNLogicSettings(LearnerSettings):
    """Of RNNLogic: a generator of rules and a predictor that weighs them."""

    hidden: int = setting(64, least=1, most=10_000)
    """Units of the generator."""
    longest_rule: int = setting(5, least=1, most=100)
    """The most relations in the body of a rule."""
    sampled: int = setting(500, least=1, most=100_000)
    """Rules of each answer that training paths suggest in the first round, and that the generator draws in others."""
    inverse: bool = True
    """Whether rules may read edges backwards, as relations of their own."""
    kept: int = setting(300, least=1, most=100_000)
    """Rules of each answer that are kept in the end, those that explain the most."""


@dataclass(frozen=True)
class RuleLearnerSettings(ProverSettings, NeuralLPSettings, RNNLogicSettings):
    """All that any rule learner has, for the signature of `RuleLearnerReasoner`; each has those of its own kind."""


_KINDS: dict[str, type[LearnerSettings]] = {
    **dict.fromkeys(("ctp-l", "ctp-a", "ctp-m", "gntp"), ProverSettings),
    "neural-lp": NeuralLPSettings,
    "rnnlogic": RNNLogicSettings,
}
_PRESETS: dict[str, dict[str, Any]] = {
    **{name: {"restarts": 8, "answer_depth": 5, "modules": 8, "learning_rate": 0.05} for name in ("ctp-l", "ctp-a")},
    "ctp-m": {"restarts": 8, "answer_depth": 5},
    "gntp": {"modules": 256},
    "neural-lp": {
        **{"epochs": 10, "batch_size": 64, "learning_rate": 0.001, "embedding": 128, "edge_questions": 10_000},
        **{"training_paths": "simple", "longest_path": 5, "path_limit": 20},
    },
    "rnnlogic": {
        **{"epochs": 3, "learning_rate": 0.01, "embedding": 32, "edge_questions": 20_000},
        **{"training_paths": "simple", "longest_path": 5, "path_limit": 50},
    },
}
VARYING_OF_LEARNERS = frozenset(
    {
        *("epochs", "batch_size", "learning_rate", "embedding", "modules", "hidden", "restarts", "answer_depth"),
        *("training_paths", "longest_path", "path_limit", "edge_questions"),
    }
)
"""Settings whose defaults depend on the system."""


def learner_settings(system: str, **changes: Any) -> LearnerSettings:
    """The settings of a rule learner, with changes; a name that is not a setting of it is an error.

    >>> learner_settings("neural-lp", seed=3).epochs
    10
    """
    if system not in _KINDS:
        raise SettingsError(f"no rule learner is called {system!r}; expected one of {', '.join(RULE_LEARNERS)}")
    values = {**_PRESETS.get(system, {}), **changes, "system": system}
    return build_settings(_KINDS[system], f"the baseline {system}", values)
