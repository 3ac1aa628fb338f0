"""Explanations: Viterbi trees as derivations with entity names, and suspicious edges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.ordering import argmax, sort_descending
from r5._util.ragged import Ragged
from r5.derivations.derivation import Derivation, Fact, Merge, Suspicion
from r5.grammar.charts.filling import inside
from r5.grammar.charts.spans import Spans
from r5.grammar.inference.answers import ViterbiTree, leaf_posteriors
from r5.grammar.model import Grammar

__all__ = ["explain", "first_gap", "suspect"]


def explain(
    model: Grammar,
    names: Sequence[str],
    tree: ViterbiTree,
    answer: int,
    *,
    shares: FloatArray,
    facts: Sequence[Fact],
    words: Sequence[int],
) -> Derivation:
    """Return the derivation of a tree.

    Args:
        model: The grammar.
        names: Names of the relations.
        tree: The tree.
        answer: The answer.
        shares: P(head | body) of each rule, the scores of the steps; a background step has the score 0.
        facts: The edges of the path.
        words: Ids of the observed relations.
    """
    merges = [Merge(start, names[head], float(shares[rule]) if rule >= 0 else 0.0) for start, head, rule in tree.merges]
    if tree.leaves == list(words):
        return Derivation.replay(facts, merges)
    weights = np.zeros(model.relations)
    weights[answer] = 1.0
    likely = leaf_posteriors(model, list(words), weights)
    believed = [
        fact if leaf == word else Fact(fact.source, names[leaf], fact.target)
        for fact, leaf, word in zip(facts, tree.leaves, words, strict=True)
    ]
    return Derivation.replay(facts, merges, believed, [float(likely[n, leaf]) for n, leaf in enumerate(tree.leaves)])


def first_gap(model: Grammar, words: Sequence[int]) -> range | None:
    """Return the shortest part of a path without a derivation, the first of equals; None if there is none."""
    spans = Spans.of(Ragged.of([list(words)]), model.relations)
    empty = np.flatnonzero(inside(spans.arrays, model.arrays).filled == 0)
    if not empty.size:
        return None
    shortest = empty[spans.lengths[empty] == spans.lengths[empty].min()]
    first = int(spans.tokens[shortest].min())
    return range(first, first + int(spans.lengths[shortest[0]]))


def suspect(
    model: Grammar,
    names: Sequence[str],
    paths: Sequence[tuple[Sequence[Fact], Sequence[int]]],
    shares: Sequence[float],
    weights: FloatArray,
) -> list[Suspicion]:
    """Return the edges of a query's paths by probability of being wrong, the highest first.

    Args:
        model: The grammar.
        names: Names of the relations.
        paths: Edges and observed ids of each path.
        shares: Probability that each path is the reason for the answer.
        weights: Probability of each answer.
    """
    beliefs: dict[Fact, FloatArray] = {}
    observed: dict[Fact, int] = {}
    for (facts, words), share in zip(paths, shares, strict=True):
        if share <= 0.0:
            continue
        likely = leaf_posteriors(model, list(words), weights)
        for place, (fact, word) in enumerate(zip(facts, words, strict=True)):
            beliefs[fact] = beliefs.get(fact, np.zeros(model.relations)) + share * likely[place]
            observed[fact] = word
    found = []
    for fact, belief in beliefs.items():
        likely = belief / belief.sum() if belief.sum() > 0.0 else belief
        word = observed[fact]
        wrong = likely.copy()
        if word < model.relations:
            wrong[word] = 0.0
        found.append(Suspicion(fact, float(wrong.sum()), names[argmax(wrong)], float(wrong.max())))
    places = sort_descending(range(len(found)), lambda place: found[place].probability, key=int)
    return [found[place] for place in places]
