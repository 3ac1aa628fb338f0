"""FeatureClassifier: a classifier of rows of numbers, in the manner of scikit-learn, as a classifier of examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from r5.examples import Examples
from r5.paths.search import find_paths
from r5.relations import Vocabulary

__all__ = ["FeatureClassifier", "path_features"]

FloatTable = NDArray[np.float64]


class TableClassifier(Protocol):
    """What scikit-learn's classifiers offer."""

    classes_: Any

    def fit(self, features: FloatTable, labels: NDArray[np.str_], /) -> Any: ...

    def predict_proba(self, features: FloatTable, /) -> FloatTable: ...


def path_features(examples: Examples, vocabulary: Vocabulary) -> FloatTable:
    """How often each relation of the vocabulary is first, last and anywhere on the shortest paths, on average.

    [examples, 3 x relations]; relations that are not in the vocabulary are passed over.
    """
    found = find_paths(examples, "shortest", max_length=20, limit=20)
    size = len(vocabulary)
    features = np.zeros((len(examples), 3, size + 1))
    ids = np.array(found.vocabulary.ids_in(vocabulary) or [-1])
    for number in range(len(examples)):
        paths = found[number]
        for path in paths:
            relations = ids[list(path)]
            features[number, 0, relations[0]] += 1 / len(paths)
            features[number, 1, relations[-1]] += 1 / len(paths)
            np.add.at(features[number, 2], relations, 1 / len(paths))
    return features[:, :, :size].reshape(len(examples), 3 * size)


class FeatureClassifier:
    """Wraps any object with scikit-learn's `fit`, `predict_proba` and `classes_`, so that it takes examples.

    `features` makes a row of numbers of each example, given the relations of the training data.
    """

    def __init__(
        self, classifier: TableClassifier, features: Callable[[Examples, Vocabulary], FloatTable] = path_features
    ) -> None:
        self.classifier = classifier
        self.features = features

    def fit(self, examples: Examples) -> Self:
        """Let the classifier learn from the features of the examples that have an answer."""
        examples = examples.select(np.flatnonzero(examples.answers >= 0))
        self.vocabulary_ = examples.vocabulary
        labels = np.array(examples.vocabulary.names(examples.answers))
        self.classifier.fit(self.features(examples, self.vocabulary_), labels)
        self.classes_ = tuple(map(str, self.classifier.classes_))
        return self

    def predict_proba(self, examples: Examples) -> FloatTable:
        """How likely each of `classes_` is, [examples, classes]."""
        return np.asarray(self.classifier.predict_proba(self.features(examples, self.vocabulary_)), dtype=np.float64)
