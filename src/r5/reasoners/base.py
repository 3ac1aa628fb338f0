"""Reasoner: what both engines offer, in the manner of scikit-learn."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from r5._util.budget import Budget
from r5._util.progress import Progress, ProgressCallback
from r5.derivations.derivation import Prediction
from r5.errors import R5Error
from r5.examples import Example, Examples, Query
from r5.graph import Graph
from r5.paths.find import Tick
from r5.relations import Vocabulary
from r5.rules.ruleset import RuleSet
from r5.storage.folder import StoredModel, settings_error, write_model

__all__ = ["Progress", "ProgressCallback", "Reasoner", "path_ticker"]


def path_ticker(progress: ProgressCallback | None, budget: Budget | None) -> Tick:
    """What `find_paths` calls: tells how far it is, and ends it where the budget does."""

    def tick(done: int, total: int) -> None:
        if progress is not None:
            progress(Progress(done, total, "", stage="finding paths"))
        if budget is not None:
            budget.check()

    return tick


class Reasoner(ABC):
    """Learns rules from examples and answers questions with them.

    A subclass keeps its hyperparameters in one frozen dataclass, `settings`; what it has
    learned is in attributes that end in an underscore.
    """

    engine: ClassVar[str]
    has_checkpoints: ClassVar[bool] = False
    """Whether `fit` takes `checkpoint`, a folder to keep its state in, and `resume`."""
    settings: Any
    vocabulary_: Vocabulary
    rules_: RuleSet
    summary_: dict[str, Any]
    """How training went."""

    @abstractmethod
    def fit(
        self,
        examples: Examples,
        valid: Examples | None = None,
        progress: ProgressCallback | None = None,
        budget: Budget | None = None,
    ) -> Self:
        """Learn from examples; `valid` may be used to choose among models, test data never.

        Where the `budget` is used up, what was learned is kept, and `summary_["cut_short"]` says how far that was.
        """

    @abstractmethod
    def predict_many(self, examples: Examples) -> list[Prediction]:
        """Answer many questions at once."""

    @abstractmethod
    def predict_proba(self, examples: Examples) -> NDArray[np.float64]:
        """How likely each known relation is as the answer, [examples, known relations]."""

    @abstractmethod
    def save(self, path: str | Path, force: bool = False) -> None:
        """Write the model to a folder that `r5.load_model` reads."""

    @classmethod
    @abstractmethod
    def from_stored(cls, stored: StoredModel) -> Self:
        """The reasoner that was saved, or a `ModelError` where its parts do not fit together."""

    def predict(self, example: Example) -> Prediction:
        """Answer one question."""
        return self.predict_many(Examples.of([example]))[0]

    def ask(self, graph: Graph, source: str, target: str) -> Prediction:
        """How are two entities of a graph related? An unknown name is refused, with the nearest ones."""
        return self.predict(Example(graph, Query(graph.node(source), graph.node(target))))

    def score(self, examples: Examples) -> float:
        """The share of right answers."""
        wanted = examples.vocabulary.names(examples.answers)
        answers = self.predict_many(examples)
        return float(np.mean([p.relation == name for p, name in zip(answers, wanted, strict=True)]))

    def get_params(self) -> dict[str, Any]:
        """The hyperparameters by name."""
        return dataclasses.asdict(self.settings)

    def _write(self, path: str | Path, arrays: Mapping[str, NDArray[Any]], force: bool) -> None:
        """Write what every reasoner has, and these arrays, to a model folder."""
        settings = dataclasses.asdict(self.settings)
        stored = StoredModel(self.engine, settings, self.vocabulary_, self.rules_, arrays, self.summary_)
        write_model(path, stored, force)

    @classmethod
    def _with_settings(cls, stored: StoredModel) -> Self:
        """A reasoner with the settings and the summary of a model folder, which has learned nothing yet."""
        try:
            model = cls(**stored.settings)
        except (R5Error, TypeError) as error:
            raise settings_error(error) from None
        model.summary_ = dict(stored.summary)
        return model

    def _fitted(self) -> None:
        if not hasattr(self, "vocabulary_"):
            raise R5Error(f"{type(self).__name__} has learned nothing yet: call fit first")
