"""Temperature scaling, fitted on training examples that are answered by counts without their own part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.kernels.elementary_kernels import exp, log
from r5._util.ordering import argmax
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.model import FittedGrammar
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.em import expect, maximise
from r5.grammar.training.schedule import sparse_prior

__all__ = ["apply_temperature", "fit_temperature", "leave_out"]

_MAX_LOG_TEMPERATURE = 1.2
"""Maximum absolute log temperature."""
_GRID_SIZE, _STRIDE = 49, 8
"""Number of temperatures on the grid, and the stride of the coarse search."""
_PENALTY = 1.0
"""Penalty on the squared log temperature."""
_MIN_PROBABILITY = 1e-12


def leave_out(learned: FittedGrammar, corpus: Corpus, settings: GrammarSettings) -> FittedGrammar:
    """Return the grammar of the counts without those of some examples; the rule index stays."""
    part = expect(learned.model, corpus)
    counts = learned.counts
    less = replace(
        counts,
        rules=np.maximum(counts.rules - part.rules, 0.0),
        leaves=np.maximum(counts.leaves - part.leaves, 0.0),
        labels=np.maximum(counts.labels - part.labels, 0.0),
    )
    return replace(learned, model=maximise(less, sparse_prior(settings, corpus.relations)), counts=less)


def fit_temperature(
    posterior: FloatArray, answers: np.ndarray[tuple[int], np.dtype[np.integer]]
) -> tuple[float, float]:
    """Return the temperature of the highest likelihood, and its penalised log likelihood; rows of zeros do not count.

    >>> sure = np.array([[0.9, 0.1]] * 10)
    >>> fit_temperature(sure, np.array([0] * 6 + [1] * 4))[0] > 1.0
    True
    """
    temperatures = exp(np.linspace(-_MAX_LOG_TEMPERATURE, _MAX_LOG_TEMPERATURE, _GRID_SIZE))
    known = posterior.any(axis=1)
    wanted = answers[known]
    logarithms = log(_relative(posterior[known]))
    place = np.arange(wanted.size), wanted

    def fit(temperature: float) -> float:
        odds = exp(logarithms / temperature)
        likely = odds[place] / odds.sum(axis=1)
        return float(log(np.maximum(likely, _MIN_PROBABILITY)).sum() - _PENALTY * log(temperature) ** 2)

    # It rises to one best temperature and falls from there: far ones first, then nearer and nearer to the best so far.
    fits = {number: fit(float(temperatures[number])) for number in range(0, _GRID_SIZE, _STRIDE)}
    best, step = _best(fits), _STRIDE // 2
    while step:
        for number in (best - step, best + step):
            if 0 <= number < _GRID_SIZE:
                fits[number] = fit(float(temperatures[number]))
        best, step = _best(fits), step // 2
    return float(temperatures[best]), fits[best]


def _best(fits: dict[int, float]) -> int:
    """Return the first position of the maximum."""
    places = sorted(fits)
    return places[argmax([fits[place] for place in places])]


def apply_temperature(posterior: FloatArray, temperature: float) -> FloatArray:
    """Return each row raised to 1 / temperature and normalised; rows of zeros stay zero."""
    if temperature == 1.0:
        return posterior
    odds = exp(log(_relative(posterior)) / temperature)
    total = odds.sum(axis=1, keepdims=True)
    scaled: FloatArray = np.divide(odds, total, out=np.zeros_like(odds), where=total > 0.0)
    return scaled


def _relative(posterior: FloatArray) -> FloatArray:
    """Return each row divided by its maximum; rows of zeros stay zero."""
    top = posterior.max(axis=1, keepdims=True, initial=0.0)
    share: FloatArray = np.divide(posterior, top, out=np.zeros_like(posterior), where=top > 0.0)
    return share
