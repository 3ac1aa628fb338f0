"""What the other end of a relation says for each entity, by the formula and a library that sums exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence


def other_side(facts: Sequence[tuple[int, int]], entities: int, said: Callable[[int], Sequence[float]]) -> list[float]:
    """`facts` are an entity and an answer that it has; `said` are the scores of all answers to an entity's question."""
    answers: dict[int, set[int]] = {}
    for source, answer in facts:
        answers.setdefault(source, set()).add(answer)
    left = {
        source: math.log(1 + len(known)) - math.log(math.fsum(math.exp(score) for score in said(source)))
        for source, known in answers.items()
    }
    usual = math.fsum(left.values()) / max(len(left), 1)
    return [left[entity] - usual if entity in left else 0.0 for entity in range(entities)]
