"""Bags, training pairs, the relation index and path inputs."""

from __future__ import annotations

import numpy as np

from r5.baselines.inputs.bags import Bags
from r5.baselines.inputs.paths import PathInputs, read_paths
from r5.baselines.inputs.relation_index import RelationIndex
from r5.baselines.networks.settings import SequenceSettings
from r5.paths.selection import select_paths
from r5.relations import Vocabulary
from tests.helpers.relatives import chain, examples

NO_INPUTS = PathInputs(np.zeros((3, 1), dtype=np.int64), np.ones(3, dtype=np.int64))


def bags(*rows: list[int]) -> Bags:
    flat = np.array([row for several in rows for row in several], dtype=np.int64)
    return Bags(NO_INPUTS, flat, np.cumsum([0, *map(len, rows)]))


def test_equal_pairs_of_input_and_answer_add_their_weights() -> None:
    pairs = bags([0], [1, 2], [0], [], [0]).pairs(np.array([1, 0, 1, 0, 0]))
    found = set(zip(pairs.rows.tolist(), pairs.answers.tolist(), pairs.weights.tolist(), strict=True))
    assert found == {(0, 1, 2.0), (0, 0, 1.0), (1, 0, 0.5), (2, 0, 0.5)}


def test_probabilities_of_several_inputs_are_averaged() -> None:
    probabilities = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    averaged = bags([0], [1, 2], [], [2, 2]).average(probabilities)
    np.testing.assert_allclose(averaged, [[1, 0], [0.25, 0.75], [0, 0], [0, 1]])


def test_unseen_relations_have_no_number() -> None:
    vocabulary = Vocabulary.of(["a", "b", "c", "d"])
    index = RelationIndex.of(np.array([3, 1, 1]), np.array([2, 2]))
    asked = Vocabulary(("d", "e", "c", "b"))
    assert index.input_numbers(asked, vocabulary).tolist() == [2, 0, 0, 1]
    assert index.answer_numbers(asked, vocabulary).tolist() == [-1, -1, 0, -1, -1]


def test_equal_paths_are_one_input_with_the_numbers_of_training() -> None:
    train = examples([chain("father sister", "aunt"), chain("wife daughter", "daughter")])
    settings = SequenceSettings()
    found = select_paths(train, "shortest", settings, nodes=False)
    index = RelationIndex.of(found.sequences.values, train.answers)
    other = examples([chain("wife sister", None), chain("uncle father sister", None), chain("wife sister", None)])
    read = read_paths(select_paths(other, "shortest", settings, nodes=False), index, found.vocabulary)
    number = {found.vocabulary.name(relation): n + 1 for n, relation in enumerate(index.inputs)}
    batch = read.inputs.batch(read.rows)
    assert len(read.inputs) == 2
    assert batch.lengths.tolist() == [2, 3, 2]
    assert batch.relations.tolist() == [
        [number["wife"], number["sister"], 0],
        [0, number["father"], number["sister"]],
        [number["wife"], number["sister"], 0],
    ]
