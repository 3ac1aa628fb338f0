"""AugmentedReasoner: where a reasoner cannot say, another classifier answers (Appendix B of the paper)."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from r5._util.runtime.budget import Budget
from r5.derivations.derivation import Prediction
from r5.errors import R5Error
from r5.examples import Examples
from r5.reasoners.base import Progress, ProgressCallback, Reasoner
from r5.reasoners.neural import ranked
from r5.reasoners.registry import stored_reasoner
from r5.relations import Vocabulary
from r5.rules.ruleset import RuleSet
from r5.storage.folder import ModelError, StoredModel, read_model, write_model

__all__ = ["AugmentedReasoner"]

_PARTS = ("reasoner", "fallback")


class Fallback(Protocol):
    """Any classifier of examples; a `Reasoner` is one, and so is `r5.reasoners.features.FeatureClassifier`.

    The names of the columns are in `classes_` once it has learned; those of a reasoner are its known relations.
    """

    def fit(self, examples: Examples, /) -> Any:
        """Learn from examples."""

    def predict_proba(self, examples: Examples, /) -> NDArray[np.float64]:
        """How likely each class is, [examples, classes]."""


@dataclass(frozen=True)
class AugmentedSettings:
    """The engine and the hyperparameters of both parts."""

    reasoner: Mapping[str, Any]
    fallback: Mapping[str, Any]


class AugmentedReasoner(Reasoner):
    """The answers of `reasoner` and, where it has none, those of `fallback`, which come without a derivation.

    Both learn from the same examples when `fit` is called; parts that have learned already can be put together as
    they are.

    >>> from r5.data.generators.world.dataset import generate_world
    >>> from r5.reasoners.neural import NeuralReasoner
    >>> from r5.reasoners.r5 import R5Reasoner
    >>> data = generate_world(train=100, test=20)
    >>> first, second = R5Reasoner(epochs=1, network=False), NeuralReasoner("gru", epochs=2, hidden=32)
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
        self.settings = AugmentedSettings(*map(_described, self._parts))
        if hasattr(reasoner, "vocabulary_") and _columns(fallback):
            self._keep()

    def fit(
        self,
        examples: Examples,
        valid: Examples | None = None,
        progress: ProgressCallback | None = None,
        budget: Budget | None = None,
    ) -> Self:
        """Let both learn from the examples."""
        examples, valid = self._to_learn_from(examples, valid)
        first = budget and budget.fraction(0.5)
        self.reasoner.fit(examples, valid, _half(progress, 0), first)
        if isinstance(self.fallback, Reasoner):
            self.fallback.fit(examples, valid, _half(progress, 1), budget)
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
        """The reasoner's answers, the fallback's where it has none."""
        examples = self._to_answer(examples)
        answers = self.reasoner.predict_many(examples)
        silent = [number for number, answer in enumerate(answers) if answer.relation is None]
        if silent:
            names = _columns(self.fallback)
            likely = self.fallback.predict_proba(examples.select(silent))
            for number, row in zip(silent, likely, strict=True):
                answers[number] = ranked(row, names) or answers[number]
        return answers

    def predict_proba(self, examples: Examples) -> NDArray[np.float64]:
        """How likely each known relation is, [examples, known relations], by whoever answers."""
        examples = self._to_answer(examples)
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
        """Both parts and, where `deep`, their hyperparameters, such as `reasoner__seed`."""
        inner = {
            f"{name}__{key}": value
            for name, part in zip(_PARTS, self._parts, strict=True)
            if deep and hasattr(part, "get_params")
            for key, value in part.get_params().items()
        }
        return {"reasoner": self.reasoner, "fallback": self.fallback, **inner}

    def set_params(self, **changes: Any) -> Self:
        """Change a part, or a hyperparameter of one, such as `reasoner__seed`."""
        for name, value in changes.items():
            part, _, key = name.partition("__")
            if part not in _PARTS:
                raise R5Error(f"an AugmentedReasoner has no setting {name!r}; it has {', '.join(_PARTS)}")
            if key:
                getattr(self, part).set_params(**{key: value})
            else:
                setattr(self, part, value)
        self.settings = AugmentedSettings(*map(_described, self._parts))
        return self

    def __sklearn_clone__(self) -> Self:
        return type(self)(*map(_fresh, self._parts))

    def __repr__(self) -> str:
        return f"AugmentedReasoner({self.reasoner!r}, {self.fallback!r})"

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write both to one folder that `r5.load_model` reads; a fallback that is not a `Reasoner` cannot be saved."""
        self._fitted()
        if not isinstance(self.fallback, Reasoner):
            raise R5Error(f"a fallback of the kind {type(self.fallback).__name__} cannot be saved; a reasoner can")
        if any(isinstance(part, AugmentedReasoner) for part in self._parts):
            raise R5Error("an AugmentedReasoner within another cannot be saved")
        parts = {name: _stored(part) for name, part in zip(_PARTS, (self.reasoner, self.fallback), strict=True)}
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
        """The reasoner that was saved, or a `ModelError` where its parts do not fit together."""
        reasoner, fallback = (stored_reasoner(_part(stored, name)) for name in _PARTS)
        return cls(reasoner, fallback)


def _columns(part: Any) -> tuple[str, ...]:
    """The names of the columns of `predict_proba`; none before it has learned."""
    if hasattr(part, "classes_"):
        return tuple(str(name) for name in part.classes_)
    return part.vocabulary_.known if hasattr(part, "vocabulary_") else ()


def _fresh(part: Any) -> Any:
    """A part that has learned nothing, with the same hyperparameters."""
    if hasattr(part, "__sklearn_clone__"):
        return part.__sklearn_clone__()
    return type(part)(**part.get_params(deep=False))


def _described(part: Any) -> dict[str, Any]:
    """The engine (of another classifier, its class) and the hyperparameters."""
    settings = part.get_params(deep=False) if hasattr(part, "get_params") else {}
    return {"engine": getattr(part, "engine", type(part).__name__), **settings}


def _half(progress: ProgressCallback | None, half: int) -> ProgressCallback | None:
    """Progress of one part as progress of both; a stage that is counted for itself stays so."""
    if progress is None:
        return None

    def tell(part: Progress) -> None:
        message = f"{_PARTS[half]}: {part.message}"
        if part.stage:
            progress(replace(part, message=message))
        else:
            progress(replace(part, done=half * part.total + part.done, total=2 * part.total, message=message))

    return tell


def _stored(reasoner: Reasoner) -> StoredModel:
    """What the reasoner would write to a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        reasoner.save(Path(folder) / "model")
        return read_model(Path(folder) / "model")


def _part(stored: StoredModel, name: str) -> StoredModel:
    """One of the two models in a folder; the rules in it are the reasoner's."""
    found = stored.settings.get(name)
    try:
        engine, settings, words = (found[key] for key in ("engine", "settings", "vocabulary"))  # type: ignore[index]
        vocabulary = Vocabulary(tuple(words["known"]), tuple(words["invented"]))
        good = all(isinstance(word, str) for word in vocabulary) and isinstance(settings, dict)
    except (TypeError, KeyError, R5Error):
        good = False
    if not good or not isinstance(engine, str) or engine == AugmentedReasoner.engine:
        raise ModelError(f"the model's {name} lacks an engine, settings or a vocabulary")
    arrays = {key.removeprefix(f"{name}."): array for key, array in stored.arrays.items() if key.startswith(f"{name}.")}
    rules = stored.rules if name == "reasoner" else RuleSet()
    summary = stored.summary.get(name)
    return StoredModel(engine, settings, vocabulary, rules, arrays, summary if isinstance(summary, dict) else {})
