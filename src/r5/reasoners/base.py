"""Reasoner: the interface of all engines and baselines, in the manner of scikit-learn."""

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
from r5.paths.search import Tick
from r5.reasoners.batch_answers import answer_frame, answer_pairs
from r5.reasoners.chain_queries.interface import GraphQueries
from r5.reasoners.unseen_relations import list_unseen
from r5.relations import Vocabulary
from r5.rules.rule import Rule
from r5.rules.ruleset import RuleSet
from r5.storage.folder import StoredModel, settings_error, write_model

__all__ = ["Progress", "ProgressCallback", "Reasoner", "path_reporter"]


def path_reporter(progress: ProgressCallback | None, budget: Budget | None) -> Tick:
    """Return a callback for `find_paths` that reports progress and checks the time."""

    def report(done: int, total: int) -> None:
        if progress is not None:
            progress(Progress(done, total, "", stage="finding paths"))
        if budget is not None:
            budget.check()

    return report


class Reasoner(GraphQueries, ABC):
    """Estimator that learns rules from examples and answers queries with them.

    A subclass keeps its hyperparameters in one frozen dataclass, `settings`; learned attributes end in an underscore.
    Reasoners follow the conventions of scikit-learn: `clone`, `cross_val_score`, `GridSearchCV` and `Pipeline` take
    them, with `Examples` for data.
    """

    engine: ClassVar[str]
    """Name of the engine or baseline."""
    has_checkpoints: ClassVar[bool] = False
    """`fit` takes `checkpoint`, a folder for its state, and `resume`."""
    runs_on_clusters: ClassVar[bool] = False
    """`fit` takes `cluster`, the machines to run on."""
    is_multilabel: ClassVar[bool] = False
    """Several relations may hold between two entities, each with a probability of its own."""
    skips_unseen: ClassVar[bool] = False
    """Paths that use a relation unseen in training are left out."""
    settings: Any
    """Hyperparameters."""
    given: dict[str, Any]
    """Settings that the constructor was called with."""
    vocabulary_: Vocabulary
    """Known relations."""
    rules_: RuleSet
    """Learned rules."""
    summary_: dict[str, Any]
    """Training summary."""

    @abstractmethod
    def fit(
        self,
        examples: Examples,
        valid: Examples | None = None,
        progress: ProgressCallback | None = None,
        budget: Budget | None = None,
    ) -> Self:
        """Learn from examples.

        Args:
            examples: Training examples; those without an answer are left out.
            valid: Validation examples, which may choose among models. Test data never does.
            progress: Callback for progress.
            budget: Time limit. When it is over, the best model so far is kept, and `summary_["cut_short"]` tells where
                training stopped.

        """

    @abstractmethod
    def predict_many(self, examples: Examples) -> list[Prediction]:
        """Return the answer to each query."""

    def predict_plain(self, examples: Examples) -> list[Prediction]:
        """Return the answers of `predict_many`, without derivations where that is faster."""
        return self.predict_many(examples)

    def predict_held_out(self, examples: Examples) -> list[Prediction]:
        """Return the answers for evaluation, without relations that the knowledge graph has already."""
        return self.predict_plain(examples)

    @abstractmethod
    def predict_proba(self, examples: Examples) -> NDArray[np.float64]:
        """Return the probability of each known relation, [examples, known relations]."""

    @abstractmethod
    def save(self, path: str | Path, force: bool = False) -> None:
        """Write the model to a folder that `r5.load_model` reads.

        Args:
            path: The model folder.
            force: Replace an existing model.

        """

    @classmethod
    @abstractmethod
    def from_stored(cls, stored: StoredModel) -> Self:
        """Return the reasoner of a stored model.

        Raises:
            ModelError: Its parts do not fit together.

        """

    @overload
    def predict(self, examples: Example) -> Prediction: ...
    @overload
    def predict(self, examples: Sequence[Example]) -> list[Prediction]: ...
    def predict(self, examples: Example | Sequence[Example]) -> Prediction | list[Prediction]:
        """Return the answer to one query, or to each of several."""
        answers = self.predict_many(Examples.read(examples))
        return answers[0] if isinstance(examples, Example) else answers

    def ask(self, graph: Graph, source: str, target: str) -> Prediction:
        """Return the relation of two entities of a graph.

        Args:
            graph: The graph.
            source: Name of the first entity.
            target: Name of the second entity.

        Raises:
            R5Error: The graph has no such entity; the message has the most similar names.

        """
        if not isinstance(graph, Graph):
            raise R5Error(f"expected a Graph, such as Graph.from_triples(...), not a {type(graph).__name__}")
        return self.predict(Example(graph, Query(graph.node(source), graph.node(target))))

    def predict_pairs(
        self, graph: Graph | Dataset, pairs: Iterable[Pair], *, explain: bool = True
    ) -> Iterator[tuple[Pair, Prediction | None]]:
        """Yield each pair of names with its answer, see `r5.reasoners.batch_answers.answer_pairs`."""
        return answer_pairs(self, graph, pairs, explain)

    def predict_frame(self, graph: Graph | Dataset, pairs: Any, *, explain: bool = False) -> Any:
        """Return a frame of pairs with the answers as further columns: relation, probability, score and reason.

        Args:
            graph: The graph, or a data set.
            pairs: Frame of pandas or polars, with columns called source and target or the like, or in that order.
            explain: Add a column `derivation`.

        """
        return answer_frame(self, graph, pairs, explain)

    @property
    def number_of_rules(self) -> int:
        """Number of learned rules; `rules_` may list fewer."""
        return len(self.rules_)

    def predict_as(self, example: Example, relation: str) -> Prediction:
        """Return the prediction of a given answer, right or not, with its probability and best derivation.

        Args:
            example: The query.
            relation: The answer.

        Returns:
            The prediction; without a relation, and with the reason, if there is no evidence for the answer.

        """
        answer = self.predict(example)
        others = (answer, *answer.alternatives)
        nothing = Prediction(None, reason=f"nothing speaks for {relation}")
        return next((one for one in others if one.relation == relation), nothing)

    def unseen_relations(self, graph: Graph) -> tuple[str, ...]:
        """Return the relations of a graph that are unseen in training, in natural order.

        Args:
            graph: The graph.

        Returns:
            Their names; an inverse has the name of its relation if that is unseen as well.

        """
        self._check_fitted()
        used = graph.vocabulary.names(np.unique(graph.relations))
        return list_unseen(used, self._seen)

    @property
    def _seen(self) -> frozenset[str]:
        """Relations of the training data."""
        return frozenset(self.vocabulary_.known)

    def without_rules(self, rules: Iterable[Rule]) -> Self:
        """Return a copy without some rules, all else as learned."""
        raise R5Error(f"the engine {self.engine} answers with all its rules: none can be switched off")

    def score(self, examples: Sequence[Example], answers: Sequence[str] | None = None) -> float:
        """Return the accuracy.

        Args:
            examples: The queries.
            answers: Names of the correct answers, by default those of the examples.

        """
        queries = Examples.read(examples)
        queries = queries if answers is None else queries.with_answers(answers)
        wanted = queries.vocabulary.names(queries.answers)
        found = self.predict_many(queries)
        return float(np.mean([p.relation == name for p, name in zip(found, wanted, strict=True)]))

    def __repr__(self) -> str:
        given = getattr(self, "given", {})
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    # Interface of scikit-learn.

    @property
    def classes_(self) -> NDArray[np.str_]:
        """Names of the columns of `predict_proba`, the known relations."""
        if not hasattr(self, "vocabulary_"):
            raise AttributeError(f"{type(self).__name__} has learned nothing yet: call fit first")
        return np.array(self.vocabulary_.known, dtype=np.str_)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the hyperparameters by name; `deep` has no effect, since none of them is an estimator."""
        return dataclasses.asdict(self.settings)

    def set_params(self, **changes: Any) -> Self:
        """Set hyperparameters by name; the learned model stays until `fit` is called."""
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

    # For subclasses.

    @staticmethod
    def _training_examples(
        examples: Sequence[Example], valid: Examples | Sequence[str] | None
    ) -> tuple[Examples, Examples | None]:
        """Return the examples that have an answer, and the validation examples.

        scikit-learn calls `fit(X, y)`, so `valid` may also be the names of the answers.
        """
        found = Examples.read(examples)
        if valid is not None and not isinstance(valid, Examples):
            if not all(isinstance(name, str) for name in valid):
                raise R5Error(f"expected Examples to validate with, or answers by name, not a {type(valid).__name__}")
            found, valid = found.with_answers(valid), None
        return found.select(np.flatnonzero(found.answers >= 0)), valid

    def _queries(self, examples: Sequence[Example]) -> Examples:
        """Return the queries of a fitted reasoner."""
        self._check_fitted()
        return Examples.read(examples)

    def _write(self, path: str | Path, arrays: Mapping[str, NDArray[Any]], force: bool) -> None:
        """Write settings, vocabulary, rules, summary and arrays to a model folder."""
        settings = dataclasses.asdict(self.settings)
        stored = StoredModel(self.engine, settings, self.vocabulary_, self.rules_, arrays, self.summary_)
        write_model(path, stored, force)

    @classmethod
    def _with_settings(cls, stored: StoredModel) -> Self:
        """Return an unfitted reasoner with the settings and the summary of a model folder."""
        try:
            model = cls(**stored.settings)
        except (R5Error, TypeError) as error:
            raise settings_error(error) from None
        model.summary_ = dict(stored.summary)
        return model

    def _check_fitted(self) -> None:
        """Raise an `R5Error` if the reasoner is not fitted."""
        if not hasattr(self, "vocabulary_"):
            raise R5Error(f"{type(self).__name__} has learned nothing yet: call fit first")
