"""The steps of a restart: curriculum, annealing and sparse steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from r5._util.kernels.elementary_kernels import exp, log
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.em import Pseudocounts
from r5.grammar.training.runs import Step

__all__ = ["geometric", "schedule", "sparse_prior"]

_STEPS_ON_ALL = 5
"""Number of annealing steps, the last ones, that use all paths."""


def sparse_prior(settings: GrammarSettings, relations: int) -> Pseudocounts:
    """Return the pseudo-counts of the sparse steps."""
    return Pseudocounts(
        sparsity=settings.sparsity,
        description_weight=settings.description_weight,
        competition=settings.competition,
        count_floor=settings.count_floor,
        right=settings.correct_pseudocount,
        wrong=settings.confusion_pseudocount / max(relations - 1, 1),
    )


def schedule(
    settings: GrammarSettings, corpus: Corpus, smoothing: float, joining_up_to: int | None = None
) -> list[Step]:
    """Return the steps of one restart; rules are pruned after a quarter of the annealing.

    Args:
        settings: The hyperparameters.
        corpus: The training examples.
        smoothing: Initial smoothing.
        joining_up_to: Maximum length of the examples of early steps, if these are the shortest only.
    """
    lengths = corpus.lengths
    has_early = joining_up_to is not None
    ones = [length for length in lengths if joining_up_to is None or length <= joining_up_to]
    sparse = sparse_prior(settings, corpus.relations)
    smooth = replace(sparse, sparsity=0.0, description_weight=0.0, competition=0.0, count_floor=0.0)
    joining = [length for length in ones for _ in range(settings.curriculum_steps)]
    early = [Step(length, replace(smooth, rule=smoothing), True, has_early) for length in joining]
    falling = geometric(smoothing, settings.final_smoothing, settings.annealing_steps)
    late = [replace(smooth, rule=amount) for amount in falling] + [sparse] * settings.sparse_steps
    every = settings.annealing_steps // 4
    short = settings.annealing_steps - _STEPS_ON_ALL
    return early + [
        Step(lengths[-1], pseudocounts, n < every, has_early and n < short) for n, pseudocounts in enumerate(late)
    ]


def geometric(first: float, last: float, count: int) -> list[float]:
    """Return a geometric sequence between two numbers."""
    shares = np.arange(count) / max(count - 1, 1)
    between: list[float] = (first * exp(shares * log(last / first))).tolist()
    return [*between[:-1], last] if count > 1 else between
