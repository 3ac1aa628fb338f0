"""Presets: the paper, the tuned engine, and settings decided from the training data.

`paper` changes only v_T,pos, which Appendix A.2 lets depend on the data. `tuned` turns additions on. `auto` is `tuned`
with the settings that depend on the data decided. No decision uses the name of a data set or test data.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from r5._util.settings import SettingsError, build_settings
from r5.agent.settings import R5Settings
from r5.agent.state.states import Paths
from r5.agent.training.training import TrainingQuery

__all__ = ["PRESETS", "VARYING", "DataStatistics", "Decision", "Preset", "decide", "settings_of"]

Preset = Literal["paper", "tuned", "auto"]

_TUNED: dict[str, Any] = {
    "simulations": 16,
    "combine": "vote",
    "solved_nodes": True,
    "free_visits": 100,
    "hidden_answers": 0.7,
    "ending_value": "shares",
    "keep_epoch": "answers",
    "patience": 3,
    "restarts": 2,
}
PRESETS: dict[str, dict[str, Any]] = {
    "paper": {},
    "tuned": _TUNED,
    "auto": {**_TUNED, "answer_paths": "auto"},
}
"""Settings that each preset changes before the data is known."""

_MAX_NOISE = 0.01
"""Share of the repeated paths with another answer below which data counts as free of noise."""
_MIN_REPEATS = 3
"""Examples for each distinct path below which v_T,pos = 0.1 does not keep a rule."""


@dataclass(frozen=True, slots=True)
class DataStatistics:
    """Counts over the training queries with paths, from which settings are decided."""

    queries: int
    distinct: int
    """Queries with different paths."""
    simple: int
    """Queries with a path of two relations, which shows a rule."""
    repeated: int
    """Queries with the same paths as another query."""
    minority: int
    """Repeated queries whose answer is not the most frequent one of their paths."""

    @classmethod
    def of(cls, queries: Sequence[TrainingQuery]) -> DataStatistics:
        """Count over the training queries."""
        simple = sum(any(len(path) == 2 for path in query.paths) for query in queries)
        answers: defaultdict[Paths, Counter[int]] = defaultdict(Counter)
        for query in queries:
            answers[query.paths][query.answer] += 1
        repeated = [counts for counts in answers.values() if counts.total() > 1]
        total = sum(counts.total() for counts in repeated)
        return cls(
            queries=len(queries),
            distinct=len(answers),
            simple=simple,
            repeated=total,
            minority=total - sum(max(counts.values()) for counts in repeated),
        )

    @property
    def is_clean(self) -> bool:
        """True where repeated paths have equal answers with few exceptions; False without repeated paths."""
        return self.repeated > 0 and self.minority < _MAX_NOISE * self.repeated


@dataclass(frozen=True, slots=True)
class Decision:
    """A setting decided from the training data, with the reason."""

    name: str
    value: Any
    reason: str

    def __str__(self) -> str:
        return f"{self.name} = {self.value} ({self.reason})"


def settings_of(preset: str, given: Mapping[str, Any]) -> R5Settings:
    """Return the settings of a preset with the user's changes, before the training data is known.

    Args:
        preset: Name of the preset.
        given: Settings of the user by name.

    Raises:
        SettingsError: A name is unknown or a value out of range.

    >>> settings_of("tuned", {"epochs": 3}).solved_nodes
    True
    """
    if preset not in PRESETS:
        raise SettingsError(f"no preset is called {preset!r}; expected {', '.join(get_args(Preset))}")
    return build_settings(R5Settings, "the engine r5", {**PRESETS[preset], **given})


def decide(
    preset: str, given: Mapping[str, Any], queries: Sequence[TrainingQuery]
) -> tuple[R5Settings, tuple[Decision, ...]]:
    """Decide the settings that depend on the training data; settings of the user stay.

    Args:
        preset: Name of the preset.
        given: Settings of the user by name.
        queries: Training examples with paths.

    Returns:
        The settings to train with, and the decisions.
    """
    decisions = tuple(one for one in _decisions(preset, DataStatistics.of(queries)) if one.name not in given)
    settings = asdict(settings_of(preset, given)) | {one.name: one.value for one in decisions}
    return R5Settings(**settings), decisions


def _decisions(preset: str, statistics: DataStatistics) -> list[Decision]:
    """Return the decisions: v_T,pos of Appendix A.2 for `paper` and `auto`, and more for `auto`."""
    if preset == "tuned":
        return []
    decided = _end_right(statistics)
    if preset == "paper":
        return decided
    return [*decided, *_without_simple_paths(statistics), *_without_noise(statistics)]


def _end_right(statistics: DataStatistics) -> list[Decision]:
    """Decide v_T,pos: 0.1, 0.35 where rules occur rarely, 0.8 where no path shows a rule."""
    if not statistics.simple:
        return [Decision("end_right", 0.8, _NO_SIMPLE_PATHS)]
    if statistics.queries < _MIN_REPEATS * statistics.distinct:
        return [Decision("end_right", 0.35, f"fewer than {_MIN_REPEATS} examples for each distinct path")]
    return [Decision("end_right", 0.1, f"{_MIN_REPEATS} examples or more for each distinct path")]


def _without_simple_paths(statistics: DataStatistics) -> list[Decision]:
    """Decide settings for data in which all rules must be inferred by way of invented relations."""
    if statistics.simple:
        return []
    return [Decision(name, value, _NO_SIMPLE_PATHS) for name, value in _INFERRED.items()]


def _without_noise(statistics: DataStatistics) -> list[Decision]:
    """Decide settings for data without noise: repeated examples add nothing, and the time saved goes into search."""
    if not statistics.simple or not statistics.is_clean:
        return []
    reason = (
        f"{statistics.minority} of {statistics.repeated} repeated paths have another answer than most of their kind"
    )
    return [Decision(name, value, reason) for name, value in _CLEAN.items()]


_NO_SIMPLE_PATHS = "no training example has a path of two relations"
_INFERRED: dict[str, Any] = {
    "equivalence_threshold": 2.0,
    "associativity": True,
    "restarts": 4,
    "pool_rules": True,
    "hidden_answers": 0.8,
}
_CLEAN: dict[str, Any] = {
    "distinct": True,
    "simulations": 200,
    "simple_true": 10.0,
    "simple_wrong": 0.0,
    "restarts": 3,
}

VARYING = frozenset().union(*PRESETS.values(), _INFERRED, _CLEAN, ["end_right"])
"""Settings that depend on the preset or on the training data."""
