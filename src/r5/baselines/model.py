"""BaselineModel: the interface and shared code of trained baselines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from r5._util.ordering import at_least, top_indices
from r5.baselines.inputs.relation_index import RelationIndex
from r5.derivations.derivation import Prediction
from r5.examples import Examples
from r5.relations import Vocabulary
from r5.rules.ruleset import RuleSet
from r5.storage.folder import ModelError, StoredModel

__all__ = ["AnswerStatistics", "BaselineModel", "rank_answers"]

_MAX_ALTERNATIVES = 3
_MIN_PROBABILITY = 0.01
"""Minimum probability of an alternative."""


@dataclass(frozen=True)
class AnswerStatistics:
    """Relations of the training data and the frequencies of its answers."""

    vocabulary: Vocabulary
    index: RelationIndex
    frequencies: NDArray[np.float64]
    """Number of training examples with each answer, [answers]."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the answers."""
        return self.vocabulary.names(self.index.answers)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of a model folder."""
        return {
            "relations": np.array(self.index.inputs, dtype=np.int32),
            "answers": np.array(self.index.answers, dtype=np.int32),
            "frequencies": self.frequencies,
        }

    @classmethod
    def restore(cls, stored: StoredModel) -> Self:
        """Read the arrays of a model folder.

        Raises:
            ModelError: An array is missing, out of range or out of order.

        """
        index = RelationIndex(_stored_ids(stored, "relations"), _stored_ids(stored, "answers"))
        if not index.answers:
            raise ModelError("the model has no answers")
        return cls(stored.vocabulary, index, stored.array("frequencies", (len(index.answers),), least=1.0))


class BaselineModel(ABC):
    """Trained baseline."""

    statistics: AnswerStatistics
    rules: RuleSet
    """Learned rules; none of a network."""

    @abstractmethod
    def score_answers(self, examples: Examples) -> NDArray[np.float64]:
        """Return the probability of each answer, [examples, answers]; zeros for an example that the model cannot read.

        Args:
            examples: The queries.

        """

    @abstractmethod
    def predict(self, examples: Examples, explain: bool) -> list[Prediction]:
        """Return the most probable answer of each query, with up to three alternatives.

        Args:
            examples: The queries.
            explain: Add a proof or a reason where the model has one, which takes longer.

        """

    @abstractmethod
    def parameters(self) -> dict[str, NDArray[Any]]:
        """Return the learned parameters, for a model folder."""

    def predict_proba(self, examples: Examples) -> NDArray[np.float64]:
        """Return the probability of each known relation, [examples, known relations].

        An example that the model cannot read gets the answer frequencies of the training data.
        """
        answers = self.score_answers(examples)
        frequencies = self.statistics.frequencies
        answers[~answers.any(axis=1)] = frequencies / frequencies.sum()
        probabilities = np.zeros((len(examples), len(self.statistics.vocabulary.known)))
        probabilities[:, list(self.statistics.index.answers)] = answers
        return probabilities


def rank_answers(probabilities: NDArray[np.float64], names: tuple[str, ...]) -> Prediction | None:
    """Return the most probable answer with up to three alternatives; None if all probabilities are 0.

    Equal answers are ranked by position.

    Args:
        probabilities: [answers].
        names: Name of each answer.

    >>> print(rank_answers(np.array([0.25, 0.75]), ("aunt", "uncle")))
    uncle (0.750)
    """
    order = top_indices(probabilities, 1 + _MAX_ALTERNATIVES)
    if not probabilities[order[0]] > 0:
        return None
    alternatives = tuple(
        Prediction(names[n], float(probabilities[n])) for n in order[1:] if at_least(probabilities[n], _MIN_PROBABILITY)
    )
    return Prediction(names[order[0]], float(probabilities[order[0]]), alternatives=alternatives)


def _stored_ids(stored: StoredModel, name: str) -> tuple[int, ...]:
    """Return distinct known relations in ascending order."""
    ids = tuple(stored.array(name, (None,), "i", least=0, most=len(stored.vocabulary.known) - 1).tolist())
    if list(ids) != sorted(set(ids)):
        raise ModelError(f"the model's {name} are not in order")
    return ids
