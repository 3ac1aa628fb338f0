"""Choice of the kind of evidence: one path is the reason, or every path must allow the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.kernels.elementary_kernels import log
from r5._util.ordering import argmax
from r5._util.ragged import Ragged
from r5._util.runtime.budget import Budget, TimeLimitError
from r5._util.runtime.progress import ProgressCallback, ProgressCounter
from r5.grammar.corpus.corpus import Corpus, WeightedExample
from r5.grammar.inference.answers import answer
from r5.grammar.model import FittedGrammar
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.trainer import learn, number_of_steps
from r5.reasoners.evidence.composition_training import composition_settings, has_many_paths, path_by_path, table_of

__all__ = ["Evidence", "choose_evidence"]

Evidence = Literal["one", "every"]

_MAX_EXAMPLES = 3_000
"""Maximum number of examples."""
_HELD_OUT_STRIDE = 6
"""One example in this many is held out."""
_MIN_PROBABILITY = 1e-6
_POWERS = (1.0, 2.0, 3.0, 4.0)
"""Candidate powers of the possibilities."""


def choose_evidence(
    corpus: Corpus, settings: GrammarSettings, budget: Budget, progress: ProgressCallback | None = None
) -> tuple[Evidence, dict[str, float]]:
    """Return the kind with the higher held-out log likelihood, and the mean of each kind tried.

    On a timeout, one path is taken to be the reason.
    """
    if settings.evidence != "auto":
        return settings.evidence, {}
    if not has_many_paths(corpus):
        return "one", {}
    order = np.random.default_rng(settings.seed).permutation(corpus.distinct_examples)[:_MAX_EXAMPLES]
    cut = max(len(order) // _HELD_OUT_STRIDE, 1)
    held_out, known = corpus.take(np.sort(order[:cut])).examples, corpus.take(np.sort(order[cut:]))
    if not known.distinct_examples:
        return "one", {}
    middle = replace(settings, restarts=settings.restarts[len(settings.restarts) // 2 :][:1])
    single, together = path_by_path(known), composition_settings(settings)
    steps = number_of_steps(middle, known) + number_of_steps(together, single)
    tick = ProgressCounter(progress, steps, "choosing evidence")
    try:
        one = _train(known, middle, budget.fraction(0.5), tick)
        every = _train(single, together, budget.fraction(1.0), tick)
        tried = {"one": _fit_of_one(one, held_out), "every": _fit_of_every(every, held_out)}
    except TimeLimitError:
        return "one", {}
    kinds: tuple[Evidence, ...] = ("one", "every")
    return kinds[argmax([tried[kind] for kind in kinds])], tried


def _fit_of_one(learned: FittedGrammar, held_out: Sequence[WeightedExample]) -> float:
    starts = np.cumsum([0, *(len(example.paths) for example in held_out)])
    paths = Ragged.of([path for example in held_out for path in example.paths])
    return _fit(held_out, answer(learned.model, starts, paths).posterior)


def _fit_of_every(learned: FittedGrammar, held_out: Sequence[WeightedExample]) -> float:
    table = table_of(learned)
    possible = np.ones((len(held_out), table.possible.shape[0]))
    for place, example in enumerate(held_out):
        for path in example.paths:
            possible[place] *= table.compose(path)
    return _fit(held_out, possible / possible.sum(axis=1, keepdims=True))


def _fit(held_out: Sequence[WeightedExample], shares: FloatArray) -> float:
    """Return the mean held-out log likelihood under the best power.

    Possibilities are not probabilities: their sharpness is arbitrary.
    """
    weights = np.array([example.weight for example in held_out])
    labels = np.array([example.label for example in held_out])
    fits = []
    for power in _POWERS:
        sharp = np.maximum(shares, _MIN_PROBABILITY) ** power
        likely = sharp[np.arange(labels.size), labels] / sharp.sum(axis=1)
        fits.append(float((weights * log(np.maximum(likely, _MIN_PROBABILITY))).sum() / weights.sum()))
    return max(fits)


def _train(corpus: Corpus, settings: GrammarSettings, budget: Budget, tick: ProgressCounter) -> FittedGrammar:
    """Return a finished model: models that were cut short cannot be compared."""
    learned = learn(corpus, settings, tick, budget)
    if learned.cut_short:
        raise TimeLimitError(f"the trial was cut short: {learned.cut_short}")
    return learned
