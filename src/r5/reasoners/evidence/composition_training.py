"""Training of a composition table: each path of an example is an example of its own."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np

from r5._util.arrays import FloatArray
from r5.composition.table import CompositionTable
from r5.grammar.corpus.corpus import Corpus, Paths
from r5.grammar.counts import ExpectedCounts
from r5.grammar.model import FittedGrammar
from r5.grammar.settings import GrammarSettings

__all__ = ["composition_settings", "counts_of", "has_many_paths", "path_by_path", "table_of"]

MOST_RELATIONS = 200
"""Maximum number of relations of a composition table, which has relations ** 3 entries."""
_MANY = 0.1
"""Minimum share of examples with several paths for the choice of the kind of evidence."""


def path_by_path(corpus: Corpus) -> Corpus:
    """Return the corpus in which each path is an example of its own, with the same answer."""
    weights: defaultdict[tuple[Paths, int], float] = defaultdict(float)
    for example in corpus.examples:
        for path in example.paths:
            weights[(path,), example.label] += example.weight
    return Corpus.weighted(weights, corpus.relations)


def composition_settings(settings: GrammarSettings) -> GrammarSettings:
    """Return settings under which EM counts all possible compositions.

    Rules with the same body do not compete, rare rules are kept, and no edge is taken to be wrong: label noise would
    explain away rare compositions. The table separates them afterwards by their counts.
    """
    return replace(
        settings,
        restarts=(0.5,),
        step_work_limit=1e300,
        pruning_threshold=1e-3,
        annealing_steps=15,
        final_smoothing=0.01,
        sparse_steps=5,
        sparsity=0.0,
        description_weight=0.0,
        competition=0.0,
        initial_noise=1e-6,
        correct_pseudocount=1e6,
        confusion_pseudocount=1e-9,
    )


def counts_of(counts: ExpectedCounts) -> FloatArray:
    """Return the expected count of each relation as the composition of each pair, [relations, relations, relations]."""
    index = counts.index
    table = np.zeros((index.relations,) * 3)
    table[index.lefts, index.rights, index.heads] = counts.rules
    return table


def table_of(learned: FittedGrammar) -> CompositionTable:
    """Return the composition table of a grammar."""
    return CompositionTable.of(counts_of(learned.counts))


def has_many_paths(corpus: Corpus) -> bool:
    """Return whether enough examples have several paths, and a table fits in memory."""
    several = sum(example.weight for example in corpus.examples if len(example.paths) > 1)
    return corpus.relations <= MOST_RELATIONS and several >= _MANY * corpus.weight
