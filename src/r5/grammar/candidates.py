"""Candidates: which rules are worth a weight where there are too many relations to consider all.

With few relations every rule may have weight, and learning sorts them out. With many, the
rules are those of the paths of two relations and, length by length, those which would complete
the derivation of a path that has none yet.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from r5.grammar.charts import inside
from r5.grammar.corpus import Batch, Corpus
from r5.grammar.model import GrammarModel, Support
from r5.grammar.settings import GrammarSettings
from r5.grammar.suggestion_kernels import ByHead, suggest

__all__ = ["even_model", "find_candidates", "with_mistakes"]

_MOST_SUGGESTIONS = 5_000_000


def find_candidates(
    corpus: Corpus, settings: GrammarSettings, rng: np.random.Generator, known: Support | None = None
) -> Support:
    """All rules, where there are few relations; else those that are known already or that the paths suggest."""
    if corpus.relations**3 <= settings.dense_rules:
        return Support.full(corpus.relations)
    guesses = rng.integers(0, corpus.relations, size=(corpus.relations, corpus.relations % 7 + 7))
    support = known or Support.of(corpus.relations, [], [], [])
    for length in corpus.lengths:
        part = corpus.up_to(length)
        for _ in range(length):
            more, _ = _suggestions(support, part)
            more = more if len(more) else _guesses(support, part, settings, guesses)
            grown = support.joined(more)
            if len(grown) == len(support):
                break
            support = grown
    return support


def with_mistakes(support: Support, corpus: Corpus) -> Support:
    """The support and the mistakes that would explain, alone, a path that the rules do not."""
    _, more = _suggestions(support, corpus)
    return Support.of(support.relations, support.heads, support.lefts, support.rights, mistakes=support.mistakes | more)


def _suggestions(support: Support, corpus: Corpus) -> tuple[Support, NDArray[np.bool_]]:
    """The rules and the mistakes that would each complete the derivation of some question."""
    relations = support.relations
    rules, mistakes = [np.empty((0, 3), dtype=np.int32)], np.zeros((relations, relations), dtype=bool)
    for batch in corpus.batches:
        new_rules, new_mistakes = _batch_suggestions(support, batch)
        rules.append(np.unique(new_rules, axis=0))
        seen = new_mistakes[new_mistakes[:, 1] < relations]
        mistakes[seen[:, 0], seen[:, 1]] = True
    columns = np.concatenate(rules).T
    return Support.of(relations, columns[0], columns[1], columns[2]), mistakes


def _batch_suggestions(support: Support, batch: Batch) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    spans = batch.spans
    chart = inside(spans.arrays, even_model(support, noise=0.1).arrays)
    labels = batch.labels[batch.question_of]
    explained = np.zeros(batch.labels.size, dtype=bool)
    np.logical_or.at(explained, batch.question_of, chart.cells[spans.roots, labels] > 0.0)
    missing = ~explained[batch.question_of]
    wanted = np.zeros(chart.cells.shape, dtype=bool)
    wanted[spans.roots[missing], labels[missing]] = True
    order = np.argsort(support.heads, kind="stable")
    head_start = np.concatenate([[0], np.cumsum(np.bincount(support.heads, minlength=support.relations))])
    by_head = ByHead(head_start.astype(np.int64), support.lefts[order], support.rights[order])
    rules, mistakes = suggest(spans.arrays, by_head, chart, wanted, _MOST_SUGGESTIONS)
    return rules, mistakes


def _guesses(support: Support, corpus: Corpus, settings: GrammarSettings, guesses: NDArray[np.int64]) -> Support:
    """A few meanings for each adjacent pair of relations that has none: the same few wherever the pair occurs."""
    relations = support.relations
    known = set((support.lefts.astype(np.int64) * relations + support.rights).tolist())
    pairs = {pair for question in corpus.questions for path in question.paths for pair in pairwise(path)}
    new = sorted((a, b) for a, b in pairs if max(a, b) < relations and a * relations + b not in known)
    width = guesses.shape[1]
    rows = [
        (int(guesses[(a + n) % relations, (b + n) % width]), a, b)
        for a, b in new
        for n in range(settings.suggested_heads)
    ]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return Support.of(relations, columns[0], columns[1], columns[2])


def even_model(support: Support, noise: float) -> GrammarModel:
    """Where learning starts: half of each relation's weight on stopping, the rest even over its rules."""
    relations = support.relations
    share = np.bincount(support.heads, minlength=relations)
    wrong = support.mistakes & ~np.eye(relations, dtype=bool)
    confusion = wrong * (noise / np.maximum(wrong.sum(axis=1, keepdims=True), 1))
    confusion[np.diag_indices(relations)] = 1.0 - confusion.sum(axis=1)
    return GrammarModel(
        support=support,
        weight=0.5 / share[support.heads],
        background=np.zeros(relations),
        stop=np.full(relations, 0.5),
        confusion=confusion,
        prior=np.full(relations, 1.0 / max(relations, 1)),
        commonness=np.full(relations + 1, -np.log(relations + 1.0)),
    )
