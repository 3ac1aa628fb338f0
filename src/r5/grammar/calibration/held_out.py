"""Held-out answers: training examples, each answered by a model without its own part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import FloatArray
from r5._util.runtime.budget import Budget
from r5.grammar.calibration.temperature import fit_temperature
from r5.grammar.inference.scorer import GrammarScorer
from r5.paths.search import PathSet

__all__ = ["HeldOutAnswers"]


@dataclass(frozen=True, eq=False)
class HeldOutAnswers:
    """Held-out examples and their answers."""

    posterior: FloatArray  # [examples, relations]
    evidence: FloatArray  # [examples]
    labels: NDArray[np.int64]  # [examples]
    share: float
    """Share of all training examples."""

    @classmethod
    def of(
        cls, by: GrammarScorer, paths: PathSet, labels: NDArray[np.int64], share: float, budget: Budget | None
    ) -> HeldOutAnswers:
        """Return the answers of a scorer to examples with these paths and labels."""
        answers = by.answers(paths, budget)
        return cls(answers.posterior, answers.evidence, labels, share)

    @classmethod
    def empty(cls, relations: int) -> HeldOutAnswers:
        """Return no examples."""
        return cls(np.zeros((0, relations)), np.zeros(0), np.zeros(0, dtype=np.int64), 0.0)

    @classmethod
    def union(cls, parts: Sequence[HeldOutAnswers], relations: int) -> HeldOutAnswers:
        """Return the union of some parts."""
        every = (cls.empty(relations), *parts)
        return cls(
            np.concatenate([part.posterior for part in every]),
            np.concatenate([part.evidence for part in every]),
            np.concatenate([part.labels for part in every]),
            sum(part.share for part in every),
        )

    @property
    def accuracy(self) -> float:
        """Share of examples whose label is the most probable answer; an example without evidence counts as wrong."""
        if not self.labels.size:
            return 0.0
        chosen = self.posterior.argmax(axis=1)
        answered = self.posterior.max(axis=1) > self.posterior.min(axis=1)
        return float((answered & (chosen == self.labels)).mean())

    def to_json(self) -> dict[str, float]:
        """Return accuracy and number of examples, for the summary of a model."""
        return {"accuracy": self.accuracy, "examples": int(self.labels.size)}

    @cached_property
    def temperature(self) -> tuple[float, float]:
        """Best temperature, and the log likelihood of the labels under it."""
        return fit_temperature(self.posterior, self.labels)
