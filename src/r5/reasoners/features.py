"""FeatureClassifier: an adapter from a classifier of feature rows to a classifier of examples."""

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
    """Interface of the classifiers of scikit-learn."""

    classes_: Any

    def fit(self, features: FloatTable, labels: NDArray[np.str_], /) -> Any: ...

    def predict_proba(self, features: FloatTable, /) -> FloatTable: ...


def path_features(examples: Examples, vocabulary: Vocabulary) -> FloatTable:
    """Return the mean number of times that each relation is first, last and anywhere on a shortest path.

    Args:
        examples: The examples.
        vocabulary: Relations to count; all others are ignored.

    Returns:
        [examples, 3 * relations].

    """
    path_set = find_paths(examples, "shortest", max_length=20, limit=20)
    size = len(vocabulary)
    features = np.zeros((len(examples), 3, size + 1))
    ids = np.array(path_set.vocabulary.ids_in(vocabulary) or [-1])
    for number in range(len(examples)):
        paths = path_set[number]
        for path in paths:
            relations = ids[list(path)]
            features[number, 0, relations[0]] += 1 / len(paths)
            features[number, 1, relations[-1]] += 1 / len(paths)
            np.add.at(features[number, 2], relations, 1 / len(paths))
    return features[:, :, :size].reshape(len(examples), 3 * size)


class FeatureClassifier:
    """Classifier of examples by their features.

    Args:
        classifier: Object with the `fit`, `predict_proba` and `classes_` of scikit-learn.
        features: Function from examples and the vocabulary of the training data to features, [examples, features].

    """

    def __init__(
        self, classifier: TableClassifier, features: Callable[[Examples, Vocabulary], FloatTable] = path_features
    ) -> None:
        self.classifier = classifier
        self.features = features

    def fit(self, examples: Examples) -> Self:
        """Fit the classifier to the features of the examples that have an answer."""
        examples = examples.select(np.flatnonzero(examples.answers >= 0))
        self.vocabulary_ = examples.vocabulary
        labels = np.array(examples.vocabulary.names(examples.answers))
        self.classifier.fit(self.features(examples, self.vocabulary_), labels)
        self.classes_ = tuple(map(str, self.classifier.classes_))
        return self

    def predict_proba(self, examples: Examples) -> FloatTable:
        """Return the probability of each class, [examples, classes]."""
        return np.asarray(self.classifier.predict_proba(self.features(examples, self.vocabulary_)), dtype=np.float64)
