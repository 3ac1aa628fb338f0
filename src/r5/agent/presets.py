"""Presets: the paper as written, the tuned engine, and what is decided by looking at the training data.

`paper` changes nothing but v_T,pos, which Appendix A.2 lets depend on the data. `tuned` turns the additions on. `auto`
is `tuned` with what depends on the data decided. No rule here knows a data set by name or looks at test data.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from r5._util.settings import SettingsError, build_settings
from r5.agent.settings import R5Settings
from r5.agent.state import Paths
from r5.agent.training import TrainingQuery

__all__ = ["PRESETS", "VARYING", "Decision", "Preset", "TrainingFacts", "decide", "settings_of"]

Preset = Literal["paper", "tuned", "auto"]

_TUNED: dict[str, Any] = {
    "simulations": 16,
    "combine": "vote",
    "solved_nodes": True,
    "free_visits": 100,
    "invention_cost": 0.1,
    "hidden_answers": 0.7,
    "hidden_answers_too": 0.4,
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
"""What each preset changes of the paper's settings, before the data is looked at."""

_CLEAN = 0.01
"""Answers of equal paths disagree in fewer queries than this share: there is next to no noise."""
_FEW = 3
"""With fewer examples than so many for each distinct path, a rule is met too rarely for v_T,pos = 0.1 to keep it."""


@dataclass(frozen=True, slots=True)
class TrainingFacts:
    """What decisions are made from: counts over the training queries that have paths."""

    queries: int
    distinct: int
    """Queries that differ in their paths."""
    simple: int
    """Queries with a path of two relations, from which a rule can be read off."""
    repeated: int
    """Queries whose paths are those of another query too."""
    outvoted: int
    """Of the repeated ones, those whose answer is not the most frequent one for their paths."""

    @classmethod
    def of(cls, queries: Sequence[TrainingQuery]) -> TrainingFacts:
        """Look at the training queries."""
        simple = sum(any(len(path) == 2 for path in query.paths) for query in queries)
        answers: defaultdict[Paths, Counter[int]] = defaultdict(Counter)
        for query in queries:
            answers[query.paths][query.answer] += 1
        repeated = [counts for counts in answers.values() if counts.total() > 1]
        total = sum(counts.total() for counts in repeated)
        return cls(len(queries), len(answers), simple, total, total - sum(max(c.values()) for c in repeated))

    @property
    def is_clean(self) -> bool:
        """Whether equal paths have, but for a few exceptions, equal answers; told from repeated paths."""
        return self.repeated > 0 and self.outvoted < _CLEAN * self.repeated


@dataclass(frozen=True, slots=True)
class Decision:
    """A setting that the training data decides, and why."""

    name: str
    value: Any
    reason: str

    def __str__(self) -> str:
        return f"{self.name} = {self.value} ({self.reason})"


def settings_of(preset: str, given: Mapping[str, Any]) -> R5Settings:
    """The settings of a preset with what the user gave, before the training data is looked at.

    >>> settings_of("tuned", {"epochs": 3}).solved_nodes
    True
    """
    if preset not in PRESETS:
        raise SettingsError(f"no preset is called {preset!r}; expected {', '.join(get_args(Preset))}")
    # A share that is given is the only one to try.
    alone = {"hidden_answers_too": 0.0} if "hidden_answers" in given else {}
    return build_settings(R5Settings, "the engine r5", {**PRESETS[preset], **alone, **given})


def decide(
    preset: str, given: Mapping[str, Any], queries: Sequence[TrainingQuery]
) -> tuple[R5Settings, tuple[Decision, ...]]:
    """The settings to train with, and what of them the training data decided; what the user gave stays."""
    decisions = tuple(one for one in _decisions(preset, TrainingFacts.of(queries)) if one.name not in given)
    settings = asdict(settings_of(preset, given)) | {one.name: one.value for one in decisions}
    return R5Settings(**settings), decisions


def _decisions(preset: str, facts: TrainingFacts) -> list[Decision]:
    """What the data decides: Appendix A.2's v_T,pos for `paper` and `auto`, and more for `auto`."""
    if preset == "tuned":
        return []
    decided = _end_right(facts)
    return decided if preset == "paper" else [*decided, *_without_simple_paths(facts), *_without_noise(facts)]


def _end_right(facts: TrainingFacts) -> list[Decision]:
    """v_T,pos is 0.1, 0.35 or 0.8: more where rules are met more rarely, and most where none can be read off."""
    if not facts.simple:
        return [Decision("end_right", 0.8, _NO_SIMPLE_PATHS)]
    if facts.queries < _FEW * facts.distinct:
        return [Decision("end_right", 0.35, f"fewer than {_FEW} examples for each distinct path")]
    return [Decision("end_right", 0.1, f"{_FEW} examples or more for each distinct path")]


def _without_simple_paths(facts: TrainingFacts) -> list[Decision]:
    """All rules must be inferred by way of inventions: likenesses help, and the outcome depends on luck."""
    if facts.simple:
        return []
    return [Decision(name, value, _NO_SIMPLE_PATHS) for name, value in _INFERRED.items()]


def _without_noise(facts: TrainingFacts) -> list[Decision]:
    """A repeated example tells nothing new and a simple one settles its rule; time saved goes into more search."""
    if not facts.simple or not facts.is_clean:
        return []
    reason = f"{facts.outvoted} of {facts.repeated} repeated paths have another answer than most of their kind"
    return [Decision(name, value, reason) for name, value in _CERTAIN.items()]


_NO_SIMPLE_PATHS = "no training example has a path of two relations"
_INFERRED: dict[str, Any] = {
    "equate": 2.0,
    "associate": True,
    "restarts": 4,
    "pool_rules": True,
    "hidden_answers": 0.8,
    "hidden_answers_too": 0.0,
}
_CERTAIN: dict[str, Any] = {
    "distinct": True,
    "simulations": 200,
    "simple_true": 10.0,
    "simple_wrong": 0.0,
    "restarts": 3,
}

VARYING = frozenset().union(*PRESETS.values(), _INFERRED, _CERTAIN, ["end_right"])
"""Settings that depend on the preset, or on the training data."""
