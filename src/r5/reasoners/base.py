"""Reasoner: what both engines offer, in the manner of scikit-learn."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self, overload

import numpy as np
from numpy.typing import NDArray

from r5._util.runtime.budget import Budget
from r5._util.runtime.progress import Progress, ProgressCallback
from r5.data.formats.pairs import Pair
from r5.dataset import Dataset
from r5.derivations.derivation import Prediction
from r5.errors import R5Error
from r5.examples import Example, Examples, Query
from r5.graph import Graph
from r5.paths.find import Tick
from r5.reasoners.many import answer_frame, answer_pairs
from r5.reasoners.unseen import unseen
from r5.relations import Vocabulary
from r5.rules.rule import Rule
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
    learned is in attributes that end in an underscore. It is an estimator as scikit-learn asks:
    `clone`, `cross_val_score`, `GridSearchCV` and `Pipeline` take it with `Examples` for data.
    """

    engine: ClassVar[str]
    has_checkpoints: ClassVar[bool] = False
    """Whether `fit` takes `checkpoint`, a folder to keep its state in, and `resume`."""
    runs_on_clusters: ClassVar[bool] = False
    """Whether `fit` takes `cluster`, machines to run on."""
    several_hold: ClassVar[bool] = False
    """Whether several relations may hold between two entities, each with a probability of its own."""
    leaves_out_unseen: ClassVar[bool] = False
    """Whether paths that use a relation never seen in training are left out."""
    settings: Any
    given: dict[str, Any]
    """The settings that were named when it was made."""
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

    def predict_plain(self, examples: Examples) -> list[Prediction]:
        """The answers of `predict_many` and how sure they are; derivations are left out where that is faster."""
        return self.predict_many(examples)

    def predict_held_out(self, examples: Examples) -> list[Prediction]:
        """Return the answers that evaluation compares: relations that a knowledge graph has already are left out."""
        return self.predict_plain(examples)

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

    @overload
    def predict(self, examples: Example) -> Prediction: ...
    @overload
    def predict(self, examples: Sequence[Example]) -> list[Prediction]: ...
    def predict(self, examples: Example | Sequence[Example]) -> Prediction | list[Prediction]:
        """Answer one question, or each of many."""
        answers = self.predict_many(Examples.read(examples))
        return answers[0] if isinstance(examples, Example) else answers

    def ask(self, graph: Graph, source: str, target: str) -> Prediction:
        """How are two entities of a graph related? An unknown name is refused, with the nearest ones."""
        if not isinstance(graph, Graph):
            raise R5Error(f"expected a Graph, such as Graph.from_triples(...), not a {type(graph).__name__}")
        return self.predict(Example(graph, Query(graph.node(source), graph.node(target))))

    def predict_pairs(
        self, graph: Graph | Dataset, pairs: Iterable[Pair], *, explain: bool = True
    ) -> Iterator[tuple[Pair, Prediction | None]]:
        """The answer to each of many pairs of names, in their order and as they come; see `r5.reasoners.many`."""
        return answer_pairs(self, graph, pairs, explain)

    def predict_frame(self, graph: Graph | Dataset, pairs: Any, *, explain: bool = False) -> Any:
        """The answers to a frame of pairs, as further columns: relation, probability, score and reason.

        The frame is of pandas or polars, and so is the result; its columns are called source and target or the like,
        or stand in that order. With `explain` a column `derivation` tells how each answer was reached.
        """
        return answer_frame(self, graph, pairs, explain)

    @property
    def number_of_rules(self) -> int:
        """Number of rules learned; `rules_` may list fewer."""
        return len(self.rules_)

    def predict_as(self, example: Example, relation: str) -> Prediction:
        """The best case that can be made for one answer, right or not: how sure it is and its derivation.

        A prediction without a relation, and with the reason, where nothing speaks for it.
        """
        answer = self.predict(example)
        others = (answer, *answer.alternatives)
        nothing = Prediction(None, reason=f"nothing speaks for {relation}")
        return next((one for one in others if one.relation == relation), nothing)

    def unseen_relations(self, graph: Graph) -> tuple[str, ...]:
        """Return the relations of a graph that were never seen in training, in natural order.

        Args:
            graph: The graph that is asked about.

        Returns:
            Their names; an inverse goes by the name of its relation, where that is unseen as well.

        """
        self._fitted()
        used = graph.vocabulary.names(np.unique(graph.relations))
        return unseen(used, self._seen)

    @property
    def _seen(self) -> frozenset[str]:
        """Relations seen in training."""
        return frozenset(self.vocabulary_.known)

    def without_rules(self, rules: Iterable[Rule]) -> Self:
        """A copy that answers without these rules, all else being as it was learned."""
        raise R5Error(f"the engine {self.engine} answers with all its rules: none can be switched off")

    def score(self, examples: Sequence[Example], answers: Sequence[str] | None = None) -> float:
        """The share of right answers: those of the examples, unless others are given by name."""
        asked = Examples.read(examples)
        asked = asked if answers is None else asked.with_answers(answers)
        wanted = asked.vocabulary.names(asked.answers)
        found = self.predict_many(asked)
        return float(np.mean([p.relation == name for p, name in zip(found, wanted, strict=True)]))

    def __repr__(self) -> str:
        given = getattr(self, "given", {})
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    # What scikit-learn asks of an estimator.

    @property
    def classes_(self) -> NDArray[np.str_]:
        """The names of the columns of `predict_proba`: the known relations."""
        if not hasattr(self, "vocabulary_"):
            raise AttributeError(f"{type(self).__name__} has learned nothing yet: call fit first")
        return np.array(self.vocabulary_.known, dtype=np.str_)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The hyperparameters by name; `deep` makes no difference, for none of them is an estimator."""
        return dataclasses.asdict(self.settings)

    def set_params(self, **changes: Any) -> Self:
        """Change hyperparameters by name; what was learned stays until `fit` is called."""
        fresh = type(self)(**{**self.given, **changes})
        self.given, self.settings = fresh.given, fresh.settings
        return self

    def __sklearn_clone__(self) -> Self:
        return type(self)(**self.given)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "vocabulary_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        inputs = InputTags(two_d_array=False)
        return Tags("classifier", TargetTags(required=False), classifier_tags=ClassifierTags(), input_tags=inputs)

    # What subclasses share.

    @staticmethod
    def _to_learn_from(
        examples: Sequence[Example], valid: Examples | Sequence[str] | None
    ) -> tuple[Examples, Examples | None]:
        """Examples that have an answer, and those to validate with.

        In place of the latter scikit-learn gives answers by name, as it calls `fit(X, y)`.
        """
        found = Examples.read(examples)
        if valid is not None and not isinstance(valid, Examples):
            if not all(isinstance(name, str) for name in valid):
                raise R5Error(f"expected Examples to validate with, or answers by name, not a {type(valid).__name__}")
            found, valid = found.with_answers(valid), None
        return found.select(np.flatnonzero(found.answers >= 0)), valid

    def _to_answer(self, examples: Sequence[Example]) -> Examples:
        """The questions, once something was learned to answer them with."""
        self._fitted()
        return Examples.read(examples)

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
