"""Rule candidates, for data with too many relations to consider all rules.

With few relations every rule may have weight. With many, the candidates are the rules of the paths of two
relations and, length by length, those that would complete the derivation of a path without one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import log
from r5._util.runtime.budget import Budget
from r5._util.runtime.memory import check_memory
from r5.grammar.charts.cell_kernels import Chart, entries
from r5.grammar.charts.filling import inside
from r5.grammar.charts.suggestion_kernels import ByHead, suggest
from r5.grammar.corpus.batches import Batch
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.model import Grammar
from r5.grammar.rule_index import RuleIndex
from r5.grammar.settings import GrammarSettings

__all__ = ["find_candidates", "suggest_in_batch", "uniform_grammar", "with_confusions"]

Keys = NDArray[np.int64]
_NONE: Keys = np.empty(0, dtype=np.int64)

_RANDOM_HEADS = 8
"""Number of random heads of a pair without a rule."""
_MAX_SUGGESTIONS = 5_000_000
_BYTES_PER_RULE = 150
"""Peak memory of a rule, with the models of the restarts."""


def find_candidates(
    corpus: Corpus,
    settings: GrammarSettings,
    rng: np.random.Generator,
    known: RuleIndex | None = None,
    budget: Budget | None = None,
    stages: Callable[[int], Corpus] | None = None,
) -> RuleIndex:
    """Return all rules for few relations; else the known ones and those that the paths suggest.

    Args:
        corpus: The training examples.
        settings: The hyperparameters.
        rng: Source of the random heads of pairs without a rule.
        known: Rules to begin with.
        budget: The time limit.
        stages: Returns the examples up to a length; `Corpus.up_to` by default.
    """
    if corpus.relations**3 <= settings.dense_rules:
        check_memory(
            _BYTES_PER_RULE * corpus.relations**3,
            f"considering all rules over {corpus.relations:,} relations",
            "set dense_rules lower",
        )
        return RuleIndex.full(corpus.relations)
    index = known or RuleIndex.of(corpus.relations, [], [], [])
    for length in corpus.lengths:
        part = (stages or corpus.up_to)(length)
        for _ in range(length):
            found = _suggestions(index, part, budget)
            more = found.rules if len(found.rules) else _guesses(index, found.pairs, rng)
            grown = index.union(more)
            if len(grown) == len(index):
                break
            index = grown
    return index


def with_confusions(index: RuleIndex, corpus: Corpus) -> RuleIndex:
    """Return the index with the confusions that would alone explain a path without a derivation."""
    return index.union(_suggestions(index, corpus).confusions)


class _Suggestions(NamedTuple):
    """Rules and confusions, each of which would complete the derivation of some example."""

    rules: RuleIndex
    confusions: RuleIndex
    pairs: Keys
    """Sorted adjacent pairs of relations on the paths of examples without a derivation, as left * relations + right."""


def _suggestions(index: RuleIndex, corpus: Corpus, budget: Budget | None = None) -> _Suggestions:
    relations = index.relations
    found = [(_NONE, _NONE, _NONE), *corpus.batches.map(suggest_in_batch, index, budget)]
    rules, confusions, pairs = (np.concatenate(parts) for parts in zip(*found, strict=True))
    bodies, heads = np.divmod(rules, relations)
    lefts, rights = np.divmod(bodies, relations)
    observed, true = np.divmod(confusions, relations)
    return _Suggestions(
        rules=RuleIndex.of(relations, heads, lefts, rights),
        confusions=RuleIndex.of(relations, [], [], [], confusions=(true, observed)),
        pairs=np.unique(pairs),
    )


def suggest_in_batch(batch: Batch, index: RuleIndex, budget: Budget | None = None) -> tuple[Keys, Keys, Keys]:
    """Return the sorted rules, confusions and pairs of `_Suggestions` for one batch."""
    chart = inside(batch.spans.arrays, uniform_grammar(index, noise=0.1).arrays, budget)
    paths = _unexplained(batch, chart)[batch.example_of]
    wanted = (batch.spans.roots[paths], batch.labels[batch.example_of[paths]])
    rules, confusions = suggest(batch.spans.arrays, _by_head(index), chart, *wanted, _MAX_SUGGESTIONS)
    sizes = batch.spans.lengths[batch.spans.roots]
    on_those = np.repeat(paths, sizes)
    on_those[np.cumsum(sizes) - 1] = False  # nothing comes after the last relation of a path
    first = np.flatnonzero(on_those)
    observed = batch.spans.observed.astype(np.int64)
    return np.unique(rules), np.unique(confusions), np.unique(observed[first] * index.relations + observed[first + 1])


def _unexplained(batch: Batch, chart: Chart) -> NDArray[np.bool_]:
    """Return a mask of the examples without a derivation."""
    known = entries(chart, batch.spans.roots, batch.labels[batch.example_of]) >= 0
    found: NDArray[np.bool_] = np.bincount(batch.example_of, known, minlength=batch.labels.size) == 0.0
    return found


def _by_head(index: RuleIndex) -> ByHead:
    order, start = index.by_head
    return ByHead(start, index.lefts[order], index.rights[order])


def _guesses(index: RuleIndex, pairs: Keys, rng: np.random.Generator) -> RuleIndex:
    """Return a few random rules for each adjacent pair of relations without a rule."""
    relations = index.relations
    new = np.setdiff1d(pairs, index.keys // relations)
    heads = rng.integers(0, relations, (new.size, _RANDOM_HEADS))
    lefts, rights = np.divmod(np.repeat(new, _RANDOM_HEADS), relations)
    return RuleIndex.of(relations, heads.ravel(), lefts, rights)


def uniform_grammar(index: RuleIndex, noise: float) -> Grammar:
    """Return the initial grammar: half of the mass of each relation on stopping, the rest uniform over its rules."""
    relations = index.relations
    share = np.bincount(index.heads, minlength=relations)
    true, observed = index.leaves
    wrong = np.bincount(true, true != observed, minlength=relations)
    right = np.where(wrong > 0, 1.0 - noise, 1.0)
    return Grammar(
        index=index,
        weight=0.5 / share[index.heads],
        background=np.zeros(relations),
        stop=np.full(relations, 0.5),
        confusion=np.where(true == observed, right[true], noise / np.maximum(wrong, 1)[true]),
        stray=np.zeros(relations),
        prior=np.full(relations, 1.0 / max(relations, 1)),
        log_frequency=np.full(relations + 1, -float(log(relations + 1.0))),
    )
