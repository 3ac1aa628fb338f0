"""Learning possibilities: each path of a question is a question of its own, for each must allow the answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from r5._util.arrays import FloatArray
from r5.composition.table import CompositionTable
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.counts import ExpectedCounts
from r5.grammar.model import FittedGrammar
from r5.grammar.settings import GrammarSettings

__all__ = ["composition_settings", "counts_of", "has_many_paths", "path_by_path", "table_of"]

MOST_RELATIONS = 200
"""A table of possibilities has relations ** 3 entries."""
_MANY = 0.1
"""The share of questions with several paths from which on it is worth asking which kind of evidence they are."""


def path_by_path(corpus: Corpus) -> Corpus:
    """The corpus in which each path of a question stands alone, with the same answer."""
    paths = [((path,), question) for question in corpus.questions for path in question.paths]
    weights: dict[tuple[tuple[tuple[int, ...], ...], int], float] = {}
    for path, question in paths:
        key = path, question.label
        weights[key] = weights.get(key, 0.0) + question.weight
    return Corpus.weighted(weights, corpus.relations)


def composition_settings(settings: GrammarSettings) -> GrammarSettings:
    """The settings under which expectation-maximisation counts what is possible.

    Rules with the same body are no rivals, rare ones are no noise, and no edge is taken to be wrong: wrong edges
    would explain away what is possible but rare. They are told apart afterwards, by how often each comes.
    """
    return replace(
        settings,
        restarts=(0.5,),
        early_work=1e300,
        negligible=1e-3,
        annealing_steps=15,
        last_smoothing=0.01,
        sparse_steps=5,
        sparsity=0.0,
        description=0.0,
        rivalry=0.0,
        first_noise=1e-6,
        right_pseudocount=1e6,
        wrong_pseudocount=1e-9,
    )


def counts_of(counts: ExpectedCounts) -> FloatArray:
    """How often each relation was the meaning of each pair, [relations, relations, relations]."""
    support = counts.support
    table = np.zeros((support.relations,) * 3)
    table[support.lefts, support.rights, support.heads] = counts.rules
    return table


def table_of(learned: FittedGrammar) -> CompositionTable:
    """What has been learned, as a table of possibilities."""
    return CompositionTable.of(counts_of(learned.counts))


def has_many_paths(corpus: Corpus) -> bool:
    """Whether there is a question of what several paths are to each other, and room for a table."""
    several = sum(question.weight for question in corpus.questions if len(question.paths) > 1)
    return corpus.relations <= MOST_RELATIONS and several >= _MANY * corpus.weight
