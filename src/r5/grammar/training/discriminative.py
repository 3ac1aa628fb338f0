"""Discriminative training: weights of given rules that maximise the likelihood of the answers given the paths.

A step costs about twice as much as one of expectation-maximisation.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.kernels.elementary_kernels import exp, log
from r5._util.runtime.budget import Budget
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.counts import ExpectedCounts
from r5.grammar.model import Grammar
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.clamped_counts import ClampedFreeCounts, clamped_free_counts
from r5.grammar.training.em import expect, log_frequency

__all__ = ["fit_discriminative"]

_WEIGHT = 0.05
"""Initial weight of each rule."""
_BACKGROUND = 1e-7
_STEPS = 10
_PSEUDOCOUNT = 3.0
"""Imagined uses of each rule, clamped and free, at its initial weight."""
_DAMPING = 0.75
"""Root of the ratio of clamped to free counts that is the factor of a weight."""
_MOST_CHANGE = 5.0
"""Maximum factor of a weight in one step."""
_FREE_CONFUSIONS = 0.5
"""Share of the free counts of confusions that is subtracted from the clamped ones."""
_NOTHING = 1e-15
"""Maximum weight that is a rounding error of 0."""


def fit_discriminative(
    model: Grammar, corpus: Corpus, settings: GrammarSettings, budget: Budget | None = None
) -> tuple[Grammar, ExpectedCounts]:
    """Return the rules of a grammar with discriminative weights and confusions, and its expected counts.

    Args:
        model: Grammar whose rules are kept; its weights are not used.
        corpus: The training examples.
        settings: The hyperparameters.
        budget: The time limit.
    """
    relations = corpus.relations
    kept = model.weight > _NOTHING
    support = model.support.subset(kept)
    model = replace(
        model,
        support=support,
        weight=np.full(len(support), _WEIGHT),
        background=np.full(relations, _BACKGROUND),
        stop=np.full(relations, 0.5),
        prior=np.full(relations, 1.0 / relations),
    )
    for _ in range(_STEPS):
        model = _step(model, corpus, settings, budget)
    model = _normalized(model)
    counts = expect(model, corpus, budget)
    return replace(model, log_frequency=log_frequency(counts)), counts


def _step(model: Grammar, corpus: Corpus, settings: GrammarSettings, budget: Budget | None) -> Grammar:
    """Return the grammar after one multiplicative update by the ratio of clamped to free counts."""
    found = clamped_free_counts(model, corpus, budget)
    wanted = np.maximum(found.clamped.rules + _PSEUDOCOUNT, 1e-6)
    unwanted = np.maximum(found.free.rules + _PSEUDOCOUNT * model.weight / _WEIGHT, 1e-9)
    factor = exp(log(wanted / unwanted) / _DAMPING)
    weight = np.clip(model.weight * np.clip(factor, 1.0 / _MOST_CHANGE, _MOST_CHANGE), 1e-10, 1.0)
    return replace(model, weight=weight, confusion=_confusion(model, found, settings))


def _confusion(model: Grammar, found: ClampedFreeCounts, settings: GrammarSettings) -> FloatArray:
    """Return the confusion probabilities, from clamped counts less a share of the free ones."""
    true, observed = model.support.leaves
    relations = model.relations
    other = _FREE_CONFUSIONS * found.free.leaves
    kept = np.bincount(true, other, minlength=relations)[true] * model.confusion
    wrong = settings.confusion_pseudocount / max(relations - 1, 1)
    imagined = np.where(true == observed, settings.correct_pseudocount, wrong)
    seen = np.maximum(found.clamped.leaves - other, 0.0) + kept + imagined
    confusion: FloatArray = seen / np.bincount(true, seen, minlength=relations)[true]
    return confusion


def _normalized(model: Grammar) -> Grammar:
    """Return a grammar with the same posterior whose weights add up to one for each relation.

    The posterior is unchanged if all rules are scaled alike, for paths of one length, or if a factor is moved from all
    rules and the stop probability of a relation to the rules and answers in which it occurs.
    """
    support = model.support
    scale = 1.0
    while (total := _total_weights(model, scale)) is None:
        scale /= 2.0
    weight = scale * model.weight * total[support.lefts] * total[support.rights] / total[support.heads]
    prior = model.prior * total
    return replace(
        model,
        weight=weight,
        background=model.background / total,
        stop=model.stop / total,
        prior=prior / prior.sum(),
    )


def _total_weights(model: Grammar, scale: float) -> FloatArray | None:
    """Return the total weight of all derivations from each relation, [relations]; None if it diverges."""
    support = model.support
    total = model.stop
    for _ in range(200):
        more = scale * model.weight * total[support.lefts] * total[support.rights]
        total = model.stop + np.bincount(support.heads, more, minlength=model.relations)
        if total.max() > 2.0:
            return None
    return total
