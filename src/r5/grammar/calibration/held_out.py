"""HeldOutAnswers: training questions, each answered by what others teach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import FloatArray
from r5._util.budget import Budget
from r5.grammar.calibration.temperature import fit_temperature
from r5.grammar.inference.scorer import GrammarScorer
from r5.paths.find import PathSet

__all__ = ["HeldOutAnswers"]


@dataclass(frozen=True, eq=False)
class HeldOutAnswers:
    """Some questions that were left out of learning, and how they are answered then."""

    posterior: FloatArray  # [questions, relations]
    evidence: FloatArray  # [questions]
    wanted: NDArray[np.int64]  # [questions]
    share: float
    """Of all training questions."""
    by: GrammarScorer | None = None
    """What answers them, and over which paths; None for parts that were joined, and where there is no path."""
    paths: PathSet | None = None

    @classmethod
    def asked(
        cls, by: GrammarScorer, paths: PathSet, wanted: NDArray[np.int64], share: float, budget: Budget | None
    ) -> HeldOutAnswers:
        """The questions with these paths, which want these answers."""
        answers = by.answers(paths, budget)
        return cls(answers.posterior, answers.evidence, wanted, share, by, paths)

    @classmethod
    def none(cls, relations: int) -> HeldOutAnswers:
        """No questions."""
        return cls(np.zeros((0, relations)), np.zeros(0), np.zeros(0, dtype=np.int64), 0.0)

    @classmethod
    def joined(cls, parts: Sequence[HeldOutAnswers], relations: int) -> HeldOutAnswers:
        """All of some parts together."""
        every = (cls.none(relations), *parts)
        return cls(
            np.concatenate([part.posterior for part in every]),
            np.concatenate([part.evidence for part in every]),
            np.concatenate([part.wanted for part in every]),
            sum(part.share for part in every),
        )

    def again(self, clarity: float, budget: Budget | None) -> HeldOutAnswers:
        """The same questions where paths with several answers are asked about less often."""
        if self.by is None or self.paths is None:
            return self
        by = replace(self.by, learned=replace(self.by.learned, clarity=clarity))
        return HeldOutAnswers.asked(by, self.paths, self.wanted, self.share, budget)

    @property
    def likelihood(self) -> float:
        """Of the answers, under the temperature that suits them best."""
        return fit_temperature(self.posterior, self.wanted)[1]
