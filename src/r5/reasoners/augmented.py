"""AugmentedReasoner: a reasoner with a fallback classifier (Appendix B of the paper)."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from r5._util.runtime.budget import Budget
from r5.baselines.model import rank_answers
from r5.derivations.derivation import Prediction
from r5.errors import R5Error
from r5.examples import Examples
from r5.reasoners.base import Progress, ProgressCallback, Reasoner
from r5.reasoners.registry import restore_reasoner
from r5.relations import Vocabulary
from r5.rules.ruleset import RuleSet
from r5.storage.folder import ModelError, StoredModel, read_model, write_model

__all__ = ["AugmentedReasoner"]

_PARTS = ("reasoner", "fallback")


class Fallback(Protocol):
    """Classifier of examples, such as a `Reasoner` or a `r5.reasoners.features.FeatureClassifier`.

    A fitted classifier has the names of its columns in `classes_`; those of a reasoner are its known relations.
    """

    def fit(self, examples: Examples, /) -> Any:
        """Learn from examples."""

    def predict_proba(self, examples: Examples, /) -> NDArray[np.float64]:
        """Return the probability of each class, [examples, classes]."""


@dataclass(frozen=True)
class AugmentedSettings:
    """Engine and hyperparameters of both parts."""

    reasoner: Mapping[str, Any]
    fallback: Mapping[str, Any]


class AugmentedReasoner(Reasoner):
    """Reasoner whose missing answers come from a fallback classifier, without a derivation.

    `fit` fits both parts to the same examples. Parts that are fitted already can be combined without `fit`.

    Args:
        reasoner: The reasoner that answers first.
        fallback: The classifier that answers the rest.

    >>> from r5.data.generators.world.dataset import generate_world
    >>> from r5.reasoners.baseline import BaselineReasoner
    >>> from r5.reasoners.r5 import R5Reasoner
    >>> data = generate_world(train=100, test=20)
    >>> first, second = R5Reasoner(epochs=1, network=False), BaselineReasoner("gru", epochs=2, hidden=32)
    >>> model = AugmentedReasoner(first, second).fit(data.train)
    >>> model.score(data.test) >= first.score(data.test)
    True
    """

    engine: ClassVar[str] = "augmented"
    settings: AugmentedSettings

    def __init__(self, reasoner: Reasoner, fallback: Fallback) -> None:
        if not isinstance(reasoner, Reasoner):
            raise R5Error(f"expected a reasoner of r5 to answer first, not a {type(reasoner).__name__}")
        if not hasattr(fallback, "predict_proba"):
            raise R5Error(f"expected a fallback with fit and predict_proba, not a {type(fallback).__name__}")
        self.reasoner = reasoner
        self.fallback = fallback
        self.settings = AugmentedSettings(*map(_describe, self._parts))
        if hasattr(reasoner, "vocabulary_") and _columns(fallback):
            self._keep()

    def fit(
        self,
        examples: Examples,
        valid: Examples | None = None,
        progress: ProgressCallback | None = None,
        budget: Budget | None = None,
    ) -> Self:
        """Fit both parts to the examples; each gets half of the time, see `Reasoner.fit`."""
        examples, valid = self._training_examples(examples, valid)
        first = budget and budget.fraction(0.5)
        self.reasoner.fit(examples, valid, _half_progress(progress, 0), first)
        if isinstance(self.fallback, Reasoner):
            self.fallback.fit(examples, valid, _half_progress(progress, 1), budget)
        else:
            self.fallback.fit(examples)
        self._keep()
        return self

    def _keep(self) -> None:
        self.vocabulary_: Vocabulary = self.reasoner.vocabulary_.with_known(*_columns(self.fallback))
        self.rules_: RuleSet = self.reasoner.rules_
        parts = {name: getattr(part, "summary_", {}) for name, part in zip(_PARTS, self._parts, strict=True)}
        seconds = sum(float(summary.get("seconds", 0.0)) for summary in parts.values())
        self.summary_ = {"seconds": seconds, **parts}

    @property
    def _parts(self) -> tuple[Reasoner, Fallback]:
        return self.reasoner, self.fallback

    def predict_many(self, examples: Examples) -> list[Prediction]:
        """Return the answers of the reasoner, and those of the fallback for queries without one."""
        examples = self._queries(examples)
        answers = self.reasoner.predict_many(examples)
        silent = [number for number, answer in enumerate(answers) if answer.relation is None]
        if silent:
            names = _columns(self.fallback)
            likely = self.fallback.predict_proba(examples.select(silent))
            for number, row in zip(silent, likely, strict=True):
                answers[number] = rank_answers(row, names) or answers[number]
        return answers

    def predict_proba(self, examples: Examples) -> NDArray[np.float64]:
        """Return the probabilities of the part that answers, [examples, known relations]."""
        examples = self._queries(examples)
        answers = self.reasoner.predict_many(examples) if len(examples) else []
        silent = np.array([answer.relation is None for answer in answers], dtype=bool)
        columns = {name: number for number, name in enumerate(self.vocabulary_.known)}
        probabilities = np.zeros((len(examples), len(columns)))
        for part, rows in zip(self._parts, (np.flatnonzero(~silent), np.flatnonzero(silent)), strict=True):
            if rows.size:
                places = [columns[name] for name in _columns(part)]
                probabilities[rows[:, None], places] = part.predict_proba(examples.select(rows))
        return probabilities

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return both parts and, if `deep`, their hyperparameters, such as `reasoner__seed`."""
        inner = {
            f"{name}__{key}": value
            for name, part in zip(_PARTS, self._parts, strict=True)
            if deep and hasattr(part, "get_params")
            for key, value in part.get_params().items()
        }
        return {"reasoner": self.reasoner, "fallback": self.fallback, **inner}

    def set_params(self, **changes: Any) -> Self:
        """Set a part, or a hyperparameter of a part, such as `reasoner__seed`."""
        for name, value in changes.items():
            part, _, key = name.partition("__")
            if part not in _PARTS:
                raise R5Error(f"an AugmentedReasoner has no setting {name!r}; it has {', '.join(_PARTS)}")
            if key:
                getattr(self, part).set_params(**{key: value})
            else:
                setattr(self, part, value)
        self.settings = AugmentedSettings(*map(_describe, self._parts))
        return self

    def __sklearn_clone__(self) -> Self:
        return type(self)(*map(_clone, self._parts))

    def __repr__(self) -> str:
        return f"AugmentedReasoner({self.reasoner!r}, {self.fallback!r})"

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write both parts to one folder that `r5.load_model` reads; the fallback must be a `Reasoner`."""
        self._check_fitted()
        if not isinstance(self.fallback, Reasoner):
            raise R5Error(f"a fallback of the kind {type(self.fallback).__name__} cannot be saved; a reasoner can")
        if any(isinstance(part, AugmentedReasoner) for part in self._parts):
            raise R5Error("an AugmentedReasoner within another cannot be saved")
        parts = {name: _to_stored(part) for name, part in zip(_PARTS, (self.reasoner, self.fallback), strict=True)}
        settings = {
            name: {
                "engine": part.engine,
                "settings": dict(part.settings),
                "vocabulary": {"known": list(part.vocabulary.known), "invented": list(part.vocabulary.invented)},
            }
            for name, part in parts.items()
        }
        arrays = {f"{name}.{key}": array for name, part in parts.items() for key, array in part.arrays.items()}
        whole = StoredModel(self.engine, settings, self.vocabulary_, self.rules_, arrays, self.summary_)
        write_model(path, whole, force)

    @classmethod
    def from_stored(cls, stored: StoredModel) -> Self:
        """Return the reasoner of a stored model, or raise a `ModelError` if its parts do not fit together."""
        reasoner, fallback = (restore_reasoner(_stored_part(stored, name)) for name in _PARTS)
        return cls(reasoner, fallback)


def _columns(part: Any) -> tuple[str, ...]:
    """Return the names of the columns of `predict_proba`; none of a classifier that is not fitted."""
    if hasattr(part, "classes_"):
        return tuple(str(name) for name in part.classes_)
    return part.vocabulary_.known if hasattr(part, "vocabulary_") else ()


def _clone(part: Any) -> Any:
    """Return an unfitted copy of a part with the same hyperparameters."""
    if hasattr(part, "__sklearn_clone__"):
        return part.__sklearn_clone__()
    return type(part)(**part.get_params(deep=False))


def _describe(part: Any) -> dict[str, Any]:
    """Return the engine, or the class of another classifier, and the hyperparameters."""
    settings = part.get_params(deep=False) if hasattr(part, "get_params") else {}
    return {"engine": getattr(part, "engine", type(part).__name__), **settings}


def _half_progress(progress: ProgressCallback | None, half: int) -> ProgressCallback | None:
    """Return a callback that turns the progress of one part into that of both; the counts of a stage stay."""
    if progress is None:
        return None

    def report(part: Progress) -> None:
        message = f"{_PARTS[half]}: {part.message}"
        if part.stage:
            progress(replace(part, message=message))
        else:
            progress(replace(part, done=half * part.total + part.done, total=2 * part.total, message=message))

    return report


def _to_stored(reasoner: Reasoner) -> StoredModel:
    """Return the reasoner as a stored model."""
    with tempfile.TemporaryDirectory() as folder:
        reasoner.save(Path(folder) / "model")
        return read_model(Path(folder) / "model")


def _stored_part(stored: StoredModel, name: str) -> StoredModel:
    """Return one of the two models in a folder; its rules are those of the reasoner."""
    found = stored.settings.get(name)
    try:
        engine, settings, names = (found[key] for key in ("engine", "settings", "vocabulary"))  # type: ignore[index]
        vocabulary = Vocabulary(tuple(names["known"]), tuple(names["invented"]))
        is_valid = all(isinstance(name, str) for name in vocabulary) and isinstance(settings, dict)
    except (TypeError, KeyError, R5Error):
        is_valid = False
    if not is_valid or not isinstance(engine, str) or engine == AugmentedReasoner.engine:
        raise ModelError(f"the model's {name} lacks an engine, settings or a vocabulary")
    arrays = {key.removeprefix(f"{name}."): array for key, array in stored.arrays.items() if key.startswith(f"{name}.")}
    rules = stored.rules if name == "reasoner" else RuleSet()
    summary = stored.summary.get(name)
    return StoredModel(engine, settings, vocabulary, rules, arrays, summary if isinstance(summary, dict) else {})
