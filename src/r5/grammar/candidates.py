"""Candidates: which rules are worth a weight where there are too many relations to consider all.

With few relations every rule may have weight, and learning sorts them out. With many, the
rules are those of the paths of two relations and, length by length, those which would complete
the derivation of a path that has none yet.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5.grammar.charts import Chart, inside
from r5.grammar.corpus import Batch, Corpus, Question
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
    support = known or Support.of(corpus.relations, [], [], [])
    for length in corpus.lengths:
        part = corpus.up_to(length)
        for _ in range(length):
            found = _suggestions(support, part)
            more = found.rules if len(found.rules) else _guesses(support, found.unexplained, settings, rng)
            grown = support.joined(more)
            if len(grown) == len(support):
                break
            support = grown
    return support


def with_mistakes(support: Support, corpus: Corpus) -> Support:
    """The support and the mistakes that would explain, alone, a path that the rules do not."""
    mistakes = support.mistakes | _suggestions(support, corpus).mistakes
    return Support.of(support.relations, support.heads, support.lefts, support.rights, mistakes=mistakes)


class _Suggestions(NamedTuple):
    """What would each complete the derivation of some question, and the questions that have none."""

    rules: Support
    mistakes: NDArray[np.bool_]
    unexplained: list[Question]


def _suggestions(support: Support, corpus: Corpus) -> _Suggestions:
    relations = support.relations
    rules, mistakes = [np.empty((0, 3), dtype=np.int32)], np.zeros((relations, relations), dtype=bool)
    unexplained: list[Question] = []
    start = 0
    for batch in corpus.batches:
        chart = inside(batch.spans.arrays, even_model(support, noise=0.1).arrays)
        missing = _unexplained(batch, chart)
        unexplained += [corpus.questions[start + number] for number in np.flatnonzero(missing)]
        start += missing.size
        new_rules, new_mistakes = _batch_suggestions(support, batch, chart, missing)
        rules.append(np.unique(new_rules, axis=0))
        mistakes[new_mistakes[:, 0], new_mistakes[:, 1]] = True
    columns = np.concatenate(rules).T
    return _Suggestions(Support.of(relations, columns[0], columns[1], columns[2]), mistakes, unexplained)


def _unexplained(batch: Batch, chart: Chart) -> NDArray[np.bool_]:
    """Which questions have no path with a derivation."""
    value = chart.cells[batch.spans.roots, batch.labels[batch.question_of]]
    found: NDArray[np.bool_] = np.bincount(batch.question_of, value > 0.0, minlength=batch.labels.size) == 0.0
    return found


def _batch_suggestions(
    support: Support, batch: Batch, chart: Chart, missing: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    paths = missing[batch.question_of]
    wanted = np.zeros(chart.cells.shape, dtype=bool)
    wanted[batch.spans.roots[paths], batch.labels[batch.question_of[paths]]] = True
    order = np.argsort(support.heads, kind="stable")
    head_start = np.concatenate([[0], np.cumsum(np.bincount(support.heads, minlength=support.relations))])
    by_head = ByHead(head_start.astype(np.int64), support.lefts[order], support.rights[order])
    rules, mistakes = suggest(batch.spans.arrays, by_head, chart, wanted, _MOST_SUGGESTIONS)
    return rules, mistakes


def _guesses(
    support: Support, questions: list[Question], settings: GrammarSettings, rng: np.random.Generator
) -> Support:
    """A few meanings, drawn once, for each adjacent pair of relations that no rule merges."""
    relations = support.relations
    known = set(zip(support.lefts.tolist(), support.rights.tolist(), strict=True))
    pairs = {pair for question in questions for path in question.paths for pair in pairwise(path)}
    new = np.array(sorted(pairs - known), dtype=np.int64).reshape(-1, 2)
    heads = rng.integers(0, relations, (len(new), settings.suggested_heads))
    lefts, rights = np.repeat(new, settings.suggested_heads, axis=0).T
    return Support.of(relations, heads.ravel(), lefts, rights)


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
