"""FoundPaths: the paths of many questions in the relations of a grammar, and the nodes they lead through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5._util.ragged import Ragged
from r5.examples import Examples
from r5.grammar.settings import GrammarSettings
from r5.paths.find import PathSet, find_paths
from r5.paths.settings import Policy
from r5.relations import Vocabulary

__all__ = ["FoundPaths", "find_all_paths", "in_words_of"]

_ANY_LENGTH = 10_000
"""A shortest path may be this long."""


@dataclass(frozen=True, eq=False)
class FoundPaths:
    """The distinct relation sequences of each question; question q has rows `starts[q]:starts[q + 1]`."""

    starts: NDArray[np.int64]
    sequences: Ragged
    nodes: Ragged
    vocabulary: Vocabulary

    def __len__(self) -> int:
        return int(self.starts.size) - 1

    def of(self, question: int) -> range:
        """The rows of one question."""
        return range(int(self.starts[question]), int(self.starts[question + 1]))


def find_all_paths(examples: Examples, policy: str, settings: GrammarSettings) -> FoundPaths:
    """The paths under a policy, and always the shortest ones: others can be too many for all to be looked at."""
    shortest = _found(examples, "shortest", _ANY_LENGTH, settings)
    if policy == "shortest":
        return shortest
    return _joined(
        shortest, _found(examples, "simple" if policy == "simple" else "trail", settings.max_length, settings)
    )


def _found(examples: Examples, policy: Policy, max_length: int, settings: GrammarSettings) -> FoundPaths:
    paths: PathSet = find_paths(
        examples,
        policy,
        max_length=max_length,
        limit=settings.path_limit,
        direct=settings.direct,
        nodes=True,
        seed=settings.seed,
    )
    assert paths.nodes is not None  # noqa: S101  they were asked for
    return FoundPaths(paths.starts, paths.sequences, paths.nodes, paths.vocabulary)


def _joined(first: FoundPaths, second: FoundPaths) -> FoundPaths:
    """The paths of both, equal sequences once."""
    rows: list[int] = []
    starts = [0]
    offset = len(first.sequences)
    sequences, nodes = _stacked(first.sequences, second.sequences), _stacked(first.nodes, second.nodes)
    words = list(map(tuple, sequences.rows()))
    for question in range(len(first)):
        both = [*first.of(question), *(row + offset for row in second.of(question))]
        rows += {words[row]: row for row in reversed(both)}.values()
        starts.append(len(rows))
    chosen = np.array(rows, dtype=np.int64)
    return FoundPaths(np.array(starts), sequences.take(chosen), nodes.take(chosen), first.vocabulary)


def _stacked(first: Ragged, second: Ragged) -> Ragged:
    values = np.concatenate([first.values, second.values])
    return Ragged(values, np.concatenate([first.offsets, second.offsets[1:] + first.offsets[-1]]))


def in_words_of(sequences: Ragged, vocabulary: Vocabulary, names: tuple[str, ...]) -> Ragged:
    """The sequences with each relation's place among `names`; len(names) for a relation that is not there."""
    place = {name: number for number, name in enumerate(names)}
    table = np.array([place.get(name, len(names)) for name in vocabulary], dtype=np.int32)
    return Ragged(table[sequences.values] if sequences.values.size else sequences.values, sequences.offsets)
