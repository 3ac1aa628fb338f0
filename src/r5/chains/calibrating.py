"""Calibrating: the temperature at which first answers are right as often as their probability says.

Facts that the model has not learned from are asked for. Other candidates that are true but nobody says so must not
count as mistakes; which they are is not known, but how likely each is one (`r5.chains.missing`). The more one
candidate stands out, the higher the temperature, and a part of the probability is spread over all candidates, where
that makes probabilities more honest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5._util.elementary_kernels import exp, log
from r5._util.order import first_largest
from r5.chains.answering import Answerer, Filter
from r5.chains.missing import Missing, find_missing
from r5.chains.model import Heat
from r5.chains.steps import IdArray, distinct

__all__ = ["ASKED", "calibrate", "some_questions"]

_HEATS = np.linspace(-2.0, 1.5, 36)
"""The logarithms of the temperatures that are tried."""
_RISES = np.linspace(0.0, 1.5, 16)
_SPREADS = np.linspace(0.0, 0.6, 13)
ASKED = 700
"""So many facts are asked for, at the most, ..."""
_CANDIDATES, _FEWEST = 100_000_000, 100
"""... with so many candidates in all, but so many facts at least."""
_ENOUGH = 500
"""So many questions can tell whether the temperature should rise with the share of the first answer, and the spread."""
_USUAL, _DEVIATION = -0.5, 0.5
"""What the logarithm of the temperature is taken to be before anything is asked, ..."""
_USUAL_SPREAD = 0.25
"""... and about how much may be spread evenly."""
_NEAR = 1e-4
"""Candidates with a smaller share are taken to be wrong, ..."""
_APART = 300
"""... and no more than so many are looked at one by one."""
_BINS = 64

FloatArray = NDArray[np.float64]
Question = tuple[int, int, bool]
"""Source, relation, backwards."""


@dataclass(frozen=True, eq=False)
class _Look:
    """What a model says about a question, facts that it knows aside."""

    near: IdArray  # the likeliest candidates, best first
    scores: FloatArray  # of these
    likely: FloatArray  # the logarithm of how likely each is the answer, known answers competing, times their number
    rest: tuple[FloatArray, FloatArray]  # scores of the others, and how many have each
    share: float  # of the first among all


def calibrate(answerer: Answerer, held: IdArray, rng: np.random.Generator) -> Heat:
    """The temperature for a model, by facts that are neither in its graph nor learned from."""
    graph = answerer.graph
    known = Filter(distinct(np.concatenate([graph.facts, held])), len(graph.relations))
    asked = some_questions(answerer, held, rng, ASKED)
    if not asked:
        return Heat(float(exp(_USUAL)), 0.0)
    looks = [_look(answerer, question) for question, _ in asked]
    there = [known.answers(np.array([question[0]]), *question[1:])[0] for question, _ in asked]
    missing = _missing(asked, looks, there)
    said, left = np.zeros((len(asked), _HEATS.size)), np.zeros((len(asked), _HEATS.size))
    right, shares = np.zeros(len(asked), dtype=bool), np.zeros(len(asked))
    for row, ((_, answer), look) in enumerate(zip(asked, looks, strict=True)):
        shares[row] = look.share
        said[row], left[row], right[row] = _first(look, answer, there[row], missing, rng)
    return _suits(said, left, right, shares)


def _missing(asked: list[tuple[Question, int]], looks: list[_Look], there: list[IdArray]) -> Missing:
    """What the candidates of all questions tell, the answers aside."""
    numbers = {question: number for number, question in enumerate(dict.fromkeys(question for question, _ in asked))}
    likely, taken, above, owner = [], [], [], []
    for (question, answer), look, known in zip(asked, looks, there, strict=True):
        other = look.near != answer
        likely.append(look.likely[other])
        taken.append(np.isin(look.near[other], known))
        above.append(np.logical_and.accumulate(other)[other])
        owner.append(np.full(int(other.sum()), numbers[question]))
    return find_missing(*(np.concatenate(part) for part in (likely, taken, above, owner)))


def some_questions(
    answerer: Answerer, facts: IdArray, rng: np.random.Generator, most: int
) -> list[tuple[Question, int]]:
    """Questions about some of the facts, from both ends, with their answers, where the model can be asked."""
    found: list[tuple[Question, int]] = []
    most = min(most, max(_CANDIDATES // max(answerer.graph.number_of_nodes, 1), _FEWEST))
    for head, relation, tail in rng.permutation(facts)[:most].tolist():
        for backwards, source, answer in ((False, head, tail), (True, tail, head)):
            if answerer.target(relation, backwards) is not None:
                found.append(((source, relation, backwards), answer))
    return found


def _look(answerer: Answerer, question: Question) -> _Look:
    source, relation, backwards = question
    scores = answerer.scores(answerer.model.targets[answerer.graph.step(relation, backwards)], source).copy()
    there = answerer.known.answers(np.array([source]), relation, backwards)[0]
    weights = exp(scores - scores.max())
    everything = float(np.cumsum(weights)[-1])
    scores[there] = -np.inf
    weights[there] = 0.0
    rest = max(float(np.cumsum(weights)[-1]), 1e-300)
    near = np.flatnonzero(weights > _NEAR * rest)
    near = near[np.argsort(-weights[near], kind="stable")][:_APART]
    likely = log(weights[near] * ((there.size + 1) / everything))
    far = scores.copy()
    far[near] = -np.inf
    far = far[far > -np.inf]
    counts, edges = np.histogram(far, _BINS) if far.size else (np.zeros(0), np.zeros(1))
    share = float(weights[near[0]]) / rest if near.size else 0.0
    return _Look(near, scores[near], likely, ((edges[1:] + edges[:-1]) / 2, counts.astype(np.float64)), share)


def _first(
    look: _Look, answer: int, known: IdArray, missing: Missing, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, bool]:
    """The probability of the first answer at each temperature, other true answers aside, and whether it is right.

    Also how much probability these leave.
    """
    is_answer = look.near == answer
    unsaid = rng.random(look.near.size) < missing.unsaid(look.likely, ~np.logical_or.accumulate(is_answer))
    stays = is_answer | ~(unsaid | np.isin(look.near, known))
    near, scores = look.near[stays], look.scores[stays]
    if not near.size:
        near, scores = np.array([-1]), look.rest[0][-1:] if look.rest[0].size else np.zeros(1)
    best = first_largest(scores)
    heats = exp(_HEATS)[:, None]
    total = exp((scores - scores[best]) / heats).sum(axis=1)
    total += (exp((look.rest[0] - scores[best]) / heats) * look.rest[1]).sum(axis=1)
    others = exp((look.scores[~stays] - scores[best]) / heats).sum(axis=1)
    return 1.0 / total, total / (total + others), bool(near[best] == answer)


def _suits(said: FloatArray, left: FloatArray, right: NDArray[np.bool_], shares: FloatArray) -> Heat:
    """The temperature, how it rises with the share of the first answer, and the spread that suit what was right."""
    rows, width = np.arange(right.size), _HEATS[1] - _HEATS[0]
    best = (-np.inf, _USUAL, 0.0, 0.0)
    for rise in _RISES.tolist() if right.size >= _ENOUGH else [0.0]:
        for heat in _HEATS.tolist():
            at = np.clip((heat + rise * shares - _HEATS[0]) / width, 0.0, _HEATS.size - 1.001)
            below = at.astype(np.int64)
            part = at - below
            first, rest = (one[rows, below] * (1.0 - part) + one[rows, below + 1] * part for one in (said, left))
            for spread in _SPREADS.tolist() if right.size >= _ENOUGH else [0.0]:
                # What is spread goes to one of many candidates, and hardly to the first.
                chance = (1.0 - spread) * first * rest / np.maximum(1.0 - (1.0 - spread) * (1.0 - rest), 1e-9)
                chance = np.clip(chance, 1e-6, 1.0 - 1e-6)
                fit = float(log(np.where(right, chance, 1.0 - chance)).sum())
                fit -= (heat + rise / 2 - _USUAL) ** 2 / (2 * _DEVIATION**2) + spread / _USUAL_SPREAD
                if fit > best[0] + 1e-9:
                    best = fit, heat, rise, spread
    return Heat(float(exp(best[1])), *best[2:])
