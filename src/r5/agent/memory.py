"""RuleMemory: the dynamic rule memory D_rl and D_rls with its buffer B_unkn of invented relations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from r5._util.ordering import sort_descending
from r5.agent import learning_kernels, rewriting_kernels
from r5.agent import memory_kernels as kernels
from r5.agent.learning_kernels import Values
from r5.agent.memory_kernels import MemoryArrays
from r5.agent.search import copy_into
from r5.agent.settings import R5Settings
from r5.relations import Vocabulary
from r5.rules.ruleset import Rule, RuleSet

__all__ = ["RuleMemory"]


class RuleMemory:
    """One head and one score for each body of two relations; learns from finished episodes.

    Room grows with the rules: about 50 bytes each, and 5 for each invented relation.

    >>> memory = RuleMemory(Vocabulary.of("abc").with_invented(2), R5Settings(invented=2))
    >>> memory.commit([0, 1], [0], answer=2, draws=[0.0])  # NEW: the body was not known
    -2
    >>> memory.head_of(0, 1), memory.head_of(1, 0)
    (2, None)
    """

    def __init__(self, vocabulary: Vocabulary, settings: R5Settings) -> None:
        self.vocabulary = vocabulary
        self.known = len(vocabulary.known)
        self.values = Values(
            settings.known_rule,
            settings.known_head,
            settings.invented_head,
            settings.new_known_body,
            settings.new_invented_body,
            settings.end_right,
            settings.end_wrong,
            settings.simple_true,
            settings.simple_wrong,
            settings.decay,
            settings.threshold,
        )
        self.arrays = _empty(256, len(vocabulary.invented))
        self.observed = np.zeros(len(vocabulary))
        """How much of each relation is observed rather than derived, in units of scores: see `beyond.shares`."""

    def __len__(self) -> int:
        return int(self.arrays.size[0])

    def row_of(self, left: int, right: int) -> int:
        """Where the rule with this body stands, or -1."""
        return int(kernels.find(self.arrays.slots, self.arrays.bodies, left, right))

    def head_of(self, left: int, right: int) -> int | None:
        """D_rl[left, right], or None."""
        row = self.row_of(left, right)
        return None if row < 0 else int(self.arrays.heads[row])

    @property
    def invented_in_use(self) -> int:
        """How many invented relations are not in B_unkn."""
        return int((self.arrays.free == 0).sum())

    def commit(
        self,
        path: Sequence[int] | NDArray[np.int32],
        positions: Sequence[int] | NDArray[np.int64],
        answer: int,
        draws: Sequence[float] | NDArray[np.float64],
    ) -> int:
        """Learn from an episode: merge the path's relations at these positions, one after the other.

        Returns the relation the episode ended in, NEW for one just invented, -1 for unfinished.
        """
        steps = len(positions)
        self._make_room(steps)
        return int(
            learning_kernels.commit(
                self.arrays,
                self.values,
                np.array(path, dtype=np.int32),
                np.asarray(positions, dtype=np.int64),
                answer,
                self.known,
                np.asarray(draws, dtype=np.float64),
                np.empty((steps, 2), dtype=np.int32),
                np.empty(steps),
            )
        )

    def rewrite(self, relation: int, answer: int) -> None:
        """Algorithm 1: the invented relation turns out to be the known relation `answer`."""
        self._make_room(len(self))
        rewriting_kernels.rewrite(self.arrays, relation, answer, self.known)

    def items(self) -> list[tuple[tuple[int, int], int, float, int]]:
        """Body, head, score and support of each rule, in the order in which the rules came."""
        size = len(self)
        rows = zip(
            self.arrays.bodies[:size].tolist(),
            self.arrays.heads[:size].tolist(),
            self.arrays.scores[:size].tolist(),
            self.arrays.support[:size].tolist(),
            strict=True,
        )
        return [((left, right), head, score, support) for (left, right), head, score, support in rows]

    def put(self, rules: Sequence[tuple[tuple[int, int], int, float, int]]) -> None:
        """Replace the whole content, as `items` gives it."""
        self.arrays.size[0] = 0
        self._make_room(len(rules))
        for row, (body, head, score, support) in enumerate(rules):
            self.arrays.bodies[row] = body
            self.arrays.heads[row] = head
            self.arrays.scores[row] = score
            self.arrays.support[row] = support
        self.arrays.size[0] = len(rules)
        kernels.reindex(self.arrays, self.known)

    def rules(self) -> RuleSet:
        """The rules by name, highest score first, then by body."""
        name = self.vocabulary.name
        ordered = sort_descending(self.items(), lambda item: item[2], key=lambda item: item[0])
        return RuleSet.of(
            Rule(
                name(head),
                (name(left), name(right)),
                score=score,
                support=support,
                invented=max(left, right, head) >= self.known,
            )
            for (left, right), head, score, support in ordered
        )

    def _make_room(self, more: int) -> None:
        """See to it that `more` rules can be added: rewriting may for a while hold each rule twice."""
        needed = 2 * (len(self) + more) + 16
        if needed <= self.arrays.heads.size:
            return
        old, size = self.arrays, len(self)
        self.arrays = _empty(2 * needed, old.free.size)
        copy_into(self.arrays[:4], tuple(array[:size] for array in (old.bodies, old.heads, old.scores, old.support)))
        self.arrays.size[0] = size
        kernels.reindex(self.arrays, self.known)


def _empty(capacity: int, invented: int) -> MemoryArrays:
    """Arrays for so many rules; the hash index is kept at most half full."""
    slots = 1 << int(2 * capacity - 1).bit_length()
    return MemoryArrays(
        bodies=np.zeros((capacity, 2), dtype=np.int32),
        heads=np.zeros(capacity, dtype=np.int32),
        scores=np.zeros(capacity, dtype=np.float64),
        support=np.zeros(capacity, dtype=np.int64),
        size=np.zeros(1, dtype=np.int64),
        slots=np.full(slots, -1, dtype=np.int32),
        free=np.ones(invented, dtype=np.uint8),
        used=np.zeros(invented, dtype=np.bool_),
        bad=np.zeros(invented, dtype=np.bool_),
        doomed=np.zeros(capacity, dtype=np.bool_),
    )
