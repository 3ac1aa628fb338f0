"""RuleMemory: the dynamic rule memory D_rl and D_rls with the buffer B_unkn of invented relations (Section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from r5._util.ordering import sort_descending
from r5.agent.arrays import copy_rows
from r5.agent.memory import memory_kernels, rewriting_kernels, update_kernels
from r5.agent.memory.memory_kernels import MemoryArrays
from r5.agent.memory.score_kernels import EpisodeArrays, ScoreValues
from r5.agent.settings import R5Settings
from r5.relations import Vocabulary
from r5.rules.ruleset import Rule, RuleSet

__all__ = ["Body", "RuleMemory", "StoredRule"]

Body = tuple[int, int]
"""a_B, the two relations of a body."""
StoredRule = tuple[Body, int, float, int]
"""Body, head, score and support of a rule."""


class RuleMemory:
    """One head (D_rl) and one score (D_rls) for each body of two relations.

    Memory use grows with the rules: about 50 bytes each, and 5 for each invented relation.

    Attributes:
        vocabulary: Names of the known and the invented relations.
        known: m, the number of known relations; ids from m on are invented.
        values: Constants of Equations 2 to 4.
        arrays: The rules as arrays.
        observed: Frequency of each relation as an edge, in units of scores, [m + n]; see `beyond.rule_shares`.

    >>> memory = RuleMemory(Vocabulary.of("abc").with_invented(2), R5Settings(invented=2))
    >>> memory.update([0, 1], [0], answer=2, draws=[0.0])  # NEW: the body was not in the memory
    -2
    >>> memory.head_of(0, 1), memory.head_of(1, 0)
    (2, None)
    """

    def __init__(self, vocabulary: Vocabulary, settings: R5Settings) -> None:
        self.vocabulary = vocabulary
        self.known = len(vocabulary.known)
        self.values = ScoreValues(
            v0=settings.known_rule,
            v1=settings.known_head,
            v2=settings.invented_head,
            v3=settings.new_known_body,
            v4=settings.new_invented_body,
            end_right=settings.end_right,
            end_wrong=settings.end_wrong,
            simple_true=settings.simple_true,
            simple_wrong=settings.simple_wrong,
            decay=settings.decay,
            threshold=settings.threshold,
        )
        self.arrays = _empty(256, len(vocabulary.invented))
        self.observed = np.zeros(len(vocabulary))

    def __len__(self) -> int:
        return int(self.arrays.size[0])

    def row_of(self, left: int, right: int) -> int:
        """Return the row of the rule with this body, or -1."""
        return int(memory_kernels.find(self.arrays.slots, self.arrays.bodies, left, right))

    def head_of(self, left: int, right: int) -> int | None:
        """Return D_rl[left, right], or None."""
        row = self.row_of(left, right)
        return None if row < 0 else int(self.arrays.heads[row])

    @property
    def invented_in_use(self) -> int:
        """Number of invented relations that are not in B_unkn."""
        return int((self.arrays.free == 0).sum())

    def update(
        self,
        path: Sequence[int] | NDArray[np.int32],
        positions: Sequence[int] | NDArray[np.int64],
        answer: int,
        draws: Sequence[float] | NDArray[np.float64],
    ) -> int:
        """Update rules and scores from an episode (Equations 1 to 4, Algorithm 1).

        Args:
            path: Relations of the path, [relations].
            positions: Place of the pair that each step merges, [steps].
            answer: y, the target relation.
            draws: Random numbers in [0, 1) for Equation 1, [steps].

        Returns:
            The relation at the end, NEW for a new last body, -1 for an unfinished episode.
        """
        steps = len(positions)
        self._reserve(steps)
        episode = EpisodeArrays(
            path=np.array(path, dtype=np.int32),
            positions=np.asarray(positions, dtype=np.int64),
            draws=np.asarray(draws, dtype=np.float64),
            bodies=np.empty((steps, 2), dtype=np.int32),
            action_scores=np.empty(steps),
        )
        return int(update_kernels.update_memory(self.arrays, self.values, episode, answer, self.known))

    def rewrite(self, relation: int, answer: int) -> None:
        """Replace the invented relation by the relation `answer` in all rules (Algorithm 1)."""
        self._reserve(len(self))
        rewriting_kernels.rewrite(self.arrays, relation, answer, self.known)

    def items(self) -> list[StoredRule]:
        """Return body, head, score and support of each rule, in order of insertion."""
        size = len(self)
        rows = zip(
            self.arrays.bodies[:size].tolist(),
            self.arrays.heads[:size].tolist(),
            self.arrays.scores[:size].tolist(),
            self.arrays.support[:size].tolist(),
            strict=True,
        )
        return [((left, right), head, score, support) for (left, right), head, score, support in rows]

    def replace(self, rules: Sequence[StoredRule]) -> None:
        """Replace all rules by these, in the form that `items` returns."""
        self.arrays.size[0] = 0
        self._reserve(len(rules))
        for row, (body, head, score, support) in enumerate(rules):
            self.arrays.bodies[row] = body
            self.arrays.heads[row] = head
            self.arrays.scores[row] = score
            self.arrays.support[row] = support
        self.arrays.size[0] = len(rules)
        memory_kernels.reindex(self.arrays, self.known)

    def rules(self) -> RuleSet:
        """Return the rules by name, highest score first, then by body."""
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

    def _reserve(self, more: int) -> None:
        """Ensure capacity for `more` rules; rewriting holds each rule twice for a while."""
        needed = 2 * (len(self) + more) + 16
        if needed <= self.arrays.heads.size:
            return
        old, size = self.arrays, len(self)
        self.arrays = _empty(2 * needed, old.free.size)
        copy_rows(self.arrays[:4], tuple(array[:size] for array in (old.bodies, old.heads, old.scores, old.support)))
        self.arrays.size[0] = size
        memory_kernels.reindex(self.arrays, self.known)


def _empty(capacity: int, invented: int) -> MemoryArrays:
    """Return arrays for `capacity` rules; the hash index is at most half full."""
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
        undefined=np.zeros(invented, dtype=np.bool_),
        marked=np.zeros(capacity, dtype=np.bool_),
    )
