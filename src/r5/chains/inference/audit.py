"""Audit: known facts that the rest of the graph supports least, against what is usual for their relation."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5.chains.graph.step_graph import IdArray, StepGraph
from r5.chains.inference.fact_scorer import PLAUSIBLE, FactScorer, ScoredFacts
from r5.chains.inference.log_probabilities import new_candidates
from r5.chains.inference.queries import Queries
from r5.chains.inference.query_scorer import QueryScorer

__all__ = ["Audited", "audit_facts"]

FloatArray = NDArray[np.float64]
_WORK = 200_000
"""Maximum number of facts judged; of more, a random part."""
_SPREAD = 0.5
"""Added to the standard deviation of a relation, in nats: no relation is free of surprise."""
_SHRINKAGE = 5.0
"""Facts of a relation count against this number of facts of all relations."""
_REMOVED, _SHARE_REMOVED = 1_000, 20
"""Replacements are looked for on the graph without the most surprising facts: this number or one in twenty at most."""
_LOWEST = -12.0
"""Lower bound of a log-probability."""
_RATIO = 2.0
"""An end is replaced if the relation has at most this many times as many answers there as at the other end."""
_CANDIDATES = 3
"""Candidates per end that are scored as replacements."""


@dataclass(frozen=True, eq=False)
class Audited:
    """Known facts, the most surprising first."""

    scored: ScoredFacts
    surprise: FloatArray
    """Standard deviations below the mean log-probability of the relation's facts."""
    usual: FloatArray
    """Median probability of the relation's facts, each masked."""
    better: list[int | None]
    """Row of the replacement of each fact: a more probable fact that differs in one end."""
    replacements: ScoredFacts
    """Facts that would fit better, scored on the graph without the most surprising facts."""
    cleaned: FactScorer
    """The probability of facts on the graph without the most surprising ones."""
    judged: int
    """Number of facts judged."""


def audit_facts(
    scorer: FactScorer,
    top: int,
    relation: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Audited:
    """Return the known facts that are most surprising.

    Each fact is masked and scored from both ends. Its surprise is the sum of the two log-probabilities, compared with
    the mean and the standard deviation over the facts of its relation: a fact that nothing predicts is no surprise
    in a relation that nothing predicts.

    Args:
        scorer: The probability of facts on a graph.
        top: Maximum number of facts.
        relation: Only facts of this relation.
        progress: Called with the stage, the number of queries done and their total.
    """
    facts = scorer.query_scorer.graph.facts
    if relation is not None:
        facts = facts[facts[:, 1] == relation]
    if len(facts) > _WORK:
        text = f"the graph is large: {_WORK:,} of its {len(facts):,} facts are judged, drawn at random"
        warnings.warn(text, UserWarning, stacklevel=3)
        facts = facts[np.sort(np.random.default_rng(0).choice(len(facts), _WORK, replace=False))]
    done = 0

    def tick(number: int) -> None:
        nonlocal done
        done += number
        if progress is not None:
            progress("judging", min(done, 2 * len(facts)), 2 * len(facts))

    scored = scorer.score(facts, tick=tick)
    support = np.clip(scored.log_probabilities[:, [1, 3]], _LOWEST, 0.0).sum(axis=1)
    surprise = _standardised(support, facts[:, 1], len(scorer.query_scorer.graph.relations))
    names = scorer.query_scorer.name_order
    order = np.lexsort((names[facts[:, 2]], names[facts[:, 0]], facts[:, 1], -np.round(surprise, 9)))[:top]
    medians = {r: float(np.median(scored.probabilities[facts[:, 1] == r])) for r in np.unique(facts[order, 1]).tolist()}
    usual = np.array([medians[r] for r in facts[order, 1].tolist()])
    chosen = scored.select(order)
    examined = min(max(min(_REMOVED, len(scorer.query_scorer.graph.facts) // _SHARE_REMOVED), 1), len(chosen.facts))
    own = scorer.query_scorer
    left = own.graph.without(_suspects(chosen.facts[:examined]))
    cleaned = FactScorer(QueryScorer(left, own.model, own.training or own.graph), scorer.threads)
    better, replacements = _replacements(cleaned, scorer, chosen.select(np.arange(examined)))
    better += [None] * (len(chosen.facts) - examined)
    return Audited(chosen, surprise[order], usual, better, replacements, cleaned, len(facts))


def _standardised(support: FloatArray, relations: IdArray, size: int) -> FloatArray:
    """Return how far each value is below the mean of its relation, in standard deviations."""
    counts = np.bincount(relations, minlength=size)
    overall = float(support.mean()) if support.size else 0.0
    mean = (np.bincount(relations, support, size) + _SHRINKAGE * overall) / (counts + _SHRINKAGE)
    accumulator = np.bincount(relations, (support - mean[relations]) ** 2, size)
    variance = float(((support - overall) ** 2).mean()) if support.size else 0.0
    deviation = np.sqrt((accumulator + _SHRINKAGE * variance) / (counts + _SHRINKAGE))
    return np.asarray((mean[relations] - support) / (deviation[relations] + _SPREAD))


def _suspects(facts: IdArray) -> IdArray:
    """Return the facts, the most surprising first, without those that a more surprising one may explain.

    A true fact about an entity looks odd beside a wrong one: a place of birth beside a wrong citizenship.
    """
    relations: dict[int, int] = {}
    kept = []
    for row, (head, relation, tail) in enumerate(facts.tolist()):
        if all(relations.get(end, relation) == relation for end in (head, tail)):
            kept.append(row)
            relations.setdefault(head, relation)
            relations.setdefault(tail, relation)
    return facts[kept]


def _replacements(cleaned: FactScorer, scorer: FactScorer, chosen: ScoredFacts) -> tuple[list[int | None], ScoredFacts]:
    """Return for each fact the row of the most probable one with another end, and these facts.

    The tail is replaced where the relation has fewer tails per head than heads per tail, else the head. The other end
    is replaced where nothing fits there, if the relation has at most twice as many answers on that side.
    """
    owners, offered, sides = [np.zeros(0, np.int64)], [np.zeros((0, 3), np.int64)], [np.zeros(0, bool)]
    for backwards in (False, True):
        entities = chosen.facts[:, 2 if backwards else 0]
        queries = Queries(entities, chosen.facts[:, 1], np.full(entities.size, backwards))
        facts, _, owner = new_candidates(cleaned.finder, queries, _CANDIDATES)
        owners.append(owner)
        offered.append(facts)
        sides.append(np.full(owner.size, backwards))
    owner, facts, backward = np.concatenate(owners), np.concatenate(offered), np.concatenate(sides)
    new = ~scorer.query_scorer.graph.has(facts)
    owner, backward, scored = owner[new], backward[new], cleaned.score(facts[new])
    tails, heads = _answers_per_query(scorer.query_scorer.graph)[:, scored.facts[:, 1]]
    own, other = np.where(backward, heads, tails), np.where(backward, tails, heads)
    better: list[int | None] = [None] * len(chosen.facts)
    order = cleaned.order(scored)[::-1]  # the most probable last
    for place in order[np.argsort(own[order] <= other[order], kind="stable")].tolist():
        row, plausible = int(owner[place]), max(PLAUSIBLE, float(chosen.probabilities[owner[place]]))
        if own[place] <= _RATIO * other[place] and scored.probabilities[place] > plausible:
            better[row] = place
    return better, scored


def _answers_per_query(graph: StepGraph) -> FloatArray:
    """Return the mean number of tails per head and of heads per tail of each relation, [2, relations]."""
    size = len(graph.relations)
    facts = np.bincount(graph.facts[:, 1], minlength=size)
    queries = [np.bincount(np.unique(graph.facts[:, [side, 1]], axis=0)[:, 1], minlength=size) for side in (0, 2)]
    return np.asarray(facts / np.maximum(queries, 1))
