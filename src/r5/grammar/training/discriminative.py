"""Learning by the answers: steps that make the answers likelier, given the paths, and not the paths themselves.

With few examples and many rules, wrong rules can make the paths far likelier than the true ones do; what they cannot
do as well is to tell the answers. A step costs about twice as much as one of expectation-maximisation, so that
this is for where that does not find the same explanation twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.budget import Budget
from r5._util.elementary_kernels import exp, log
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.counts import ExpectedCounts
from r5.grammar.model import Grammar
from r5.grammar.rule_index import RuleIndex
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.clamped_counts import ClampedFreeCounts, clamped_free_counts
from r5.grammar.training.em import expect, log_frequency
from r5.grammar.training.rule_candidates import uniform_grammar
from r5.grammar.training.schedule import geometric

__all__ = ["discriminative_runs", "fit_discriminative"]

_WEIGHT = 0.05
"""Of a rule of which nothing is known but that it is one."""
_SMOOTHINGS = (0.05, 0.5, 0.1, 0.2)
"""What is added to the count of every rule, to begin with; and at the end of annealing:"""
_LAST_SMOOTHING = 0.03
_ANNEALING_STEPS, _THINNING_STEPS, _SETTLING_STEPS = 60, 25, 10
_EVEN = 3.0
"""Uses that each rule is imagined to have at the end, in just the proportion of `_WEIGHT`."""
_GONE = 1e-6
"""A weight below this is not followed further, while rules are shortest_part out; at the end of that, one below:"""
_NO_RULE = 2e-3
_FURTHEST = 5.0
"""A weight changes by this factor at most in one step."""
_LEAVES = 0.5
"""How far the confusions that whatever answer needs speak against those that the given ones need."""
_BACKGROUND = 1e-7
_NOTHING = 1e-15
"""A weight up to this is what rounding left of 0."""


class _Pull(NamedTuple):
    """What is added to how often a rule is used for the answers, and to how often for whatever might be answered."""

    added: float
    against: float
    """For each so much of its weight as `at` says."""
    at: float
    pace: float = 1.0
    """The root of the factor that is taken."""


def discriminative_runs(
    stages: Mapping[int, Corpus], settings: GrammarSettings, rng: np.random.Generator, budget: Budget
) -> Iterator[tuple[Grammar, ExpectedCounts]]:
    """The rules that each of some runs finds, with the weights that suit the answers.

    `stages` has the questions up to each length, all of them up to the greatest.
    """
    for place, child in enumerate(rng.spawn(settings.answer_runs)):
        found = _found(stages, _SMOOTHINGS[place % len(_SMOOTHINGS)], settings, child, budget)
        yield fit_discriminative(found, stages[max(stages)], settings, budget)


def _found(
    stages: Mapping[int, Corpus],
    smoothing: float,
    settings: GrammarSettings,
    rng: np.random.Generator,
    budget: Budget,
) -> Grammar:
    """All rules to begin with, less and less smoothed, then shortest_part out."""
    longest = max(stages)
    corpus = stages[longest]
    relations = corpus.relations
    even = _WEIGHT / relations
    model = uniform_grammar(RuleIndex.full(relations), settings.first_noise)
    weight = even * rng.uniform(0.5, 1.5, model.weight.size)
    model = replace(model, weight=weight, background=np.full(relations, 1e-9))
    falling = geometric(smoothing, _LAST_SMOOTHING, _ANNEALING_STEPS)
    joining = [(length, smoothing) for length in stages for _ in range(settings.curriculum_steps)]
    for length, amount in [*joining, *((longest, amount) for amount in falling)]:
        model = _step(model, stages[length], _Pull(amount, amount, even), settings, budget)
    for step in range(1, _THINNING_STEPS + 1):
        pull = _Pull(-settings.sparsity * step / _THINNING_STEPS, _LAST_SMOOTHING, _WEIGHT)
        model = _only(_step(model, corpus, pull, settings, budget), _GONE)
    return _only(model, _NO_RULE)


def fit_discriminative(
    model: Grammar, corpus: Corpus, settings: GrammarSettings, budget: Budget | None = None
) -> tuple[Grammar, ExpectedCounts]:
    """The rules of a model, all alike to begin with, with the weights and confusions that make the answers likely."""
    relations = corpus.relations
    model = _only(model, _NOTHING)
    model = replace(
        model,
        weight=np.full(model.weight.size, _WEIGHT),
        background=np.full(relations, _BACKGROUND),
        stop=np.full(relations, 0.5),
        prior=np.full(relations, 1.0 / relations),
    )
    for _ in range(_SETTLING_STEPS):
        model = _step(model, corpus, _Pull(_EVEN, _EVEN, _WEIGHT, pace=0.75), settings, budget)
    model = _adding_up(model)
    counts = expect(model, corpus, budget)
    return replace(model, prior=_debias_prior(model.prior, counts.labels), log_frequency=log_frequency(counts)), counts


def _step(model: Grammar, corpus: Corpus, pull: _Pull, settings: GrammarSettings, budget: Budget | None) -> Grammar:
    """Weights a little nearer to where the answers given need each rule as often as whatever might be answered."""
    found = clamped_free_counts(model, corpus, budget)
    wanted = np.maximum(found.clamped.rules + pull.added, 1e-6)
    unwanted = np.maximum(found.free.rules + pull.against * model.weight / pull.at, 1e-9)
    factor = exp(log(wanted / unwanted) / pull.pace)
    weight = np.clip(model.weight * np.clip(factor, 1.0 / _FURTHEST, _FURTHEST), 1e-10, 1.0)
    return replace(model, weight=weight, confusion=_confusion(model, found, settings))


def _confusion(model: Grammar, found: ClampedFreeCounts, settings: GrammarSettings) -> FloatArray:
    """How likely each relation is to be observed as what: as for the answers given, rather than for any."""
    true, observed = model.support.leaves
    relations = model.relations
    other = _LEAVES * found.free.leaves
    kept = np.bincount(true, other, minlength=relations)[true] * model.confusion
    wrong = settings.wrong_pseudocount / max(relations - 1, 1)
    imagined = np.where(true == observed, settings.right_pseudocount, wrong)
    seen = np.maximum(found.clamped.leaves - other, 0.0) + kept + imagined
    confusion: FloatArray = seen / np.bincount(true, seen, minlength=relations)[true]
    return confusion


def _only(model: Grammar, least: float) -> Grammar:
    """The rules with more weight than that."""
    kept = model.weight > least
    return replace(model, support=model.support.subset(kept), weight=model.weight[kept])


def _debias_prior(prior: FloatArray, answers: FloatArray) -> FloatArray:
    """How likely each answer is to be asked for, where weights suit training questions with so many of each answer.

    Such weights make an answer the likelier, the more common it is in training, and other questions have other answers:
    how common, nobody knows, so that what is taken is halfway, in logarithms, to where each is as common as any other.

    >>> _debias_prior(np.array([0.5, 0.5]), np.array([8.0, 2.0])).round(3).tolist()
    [0.333, 0.667]
    """
    seen = answers > 0.0
    common = np.where(seen, answers, answers[seen].mean() if seen.any() else 1.0)
    less = prior / np.sqrt(common)
    halfway: FloatArray = less / less.sum()
    return halfway


def _adding_up(model: Grammar) -> Grammar:
    """The same answers to any path, with weights that add up to one for each relation.

    Scaling all rules alike changes no answer to paths of one length, nor does it to take a factor from all
    rules and the stopping of a relation and give it to the relation wherever a rule or an answer mentions it.
    """
    support = model.support
    scale = 1.0
    while (total := _all_there_is(model, scale)) is None:
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


def _all_there_is(model: Grammar, scale: float) -> FloatArray | None:
    """What all derivations from each relation weigh together, [relations]; None where that is without bounds."""
    support = model.support
    total = model.stop
    for _ in range(200):
        more = scale * model.weight * total[support.lefts] * total[support.rights]
        total = model.stop + np.bincount(support.heads, more, minlength=model.relations)
        if total.max() > 2.0:
            return None
    return total
