"""Giving way: how strongly rivals count, and how usual candidates are, by facts that were not learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from r5._util.ordering import argmax
from r5.chains.answering import Answerer
from r5.chains.asking import ask_each
from r5.chains.calibrating import ASKED
from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.looking import some_questions
from r5.chains.model import ChainModel
from r5.chains.rivals import Rivals
from r5.chains.steps import IdArray, StepGraph, distinct

__all__ = ["held_questions", "measure_force", "measure_usual", "reciprocal_ranks", "surest"]

FloatArray = NDArray[np.float64]
Question = tuple[int, int, int, IdArray]
"""A step, where it leads from, the answer, and all known answers."""

_FORCES = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
_FIRST = 150
"""Where no force gains anything in so many questions, no more are asked: rivals take time."""
_STRENGTHS = (0.0, -0.4, -0.2, 0.2, 0.4)
_DOUBT = 3.0
"""Weights are changed only where so many standard errors of the gain leave some of it: they were learned from more."""


def measure_force(answerer: Answerer, held: IdArray, rng: np.random.Generator, threads: int = 1) -> Rivals:
    """The rivals of a model with the force that brings right answers to the front; none where no force surely does."""
    rivals = answerer.model.rivals
    questions = held_questions(answerer, held, rng) if len(rivals.pairs) else []

    def gains(question: Question, answerer: Answerer) -> list[float]:
        if not answerer.rivals(answerer.model.targets[question[0]])[0]:
            return [0.0 for _ in _FORCES]
        return _gains(reciprocal_ranks(answerer, question, np.array(_FORCES)))

    found = ask_each([answerer], gains, questions[:_FIRST], threads)
    if not found or max(np.mean(found, axis=0).tolist()) <= 0.0:
        return Rivals()
    force = surest(_FORCES, [*found, *ask_each([answerer], gains, questions[_FIRST:], threads)])
    return replace(rivals, force=force) if force else Rivals()


def measure_usual(answerer: Answerer, held: IdArray, rng: np.random.Generator, threads: int = 1) -> ChainModel:
    """The model with weights changed that say how much it counts how often a candidate has the relation asked for.

    Each fact is hidden while weights are learned from it, so candidates look as if they had it more often than the
    answer; where facts are missing, that is not so. The tails of all relations change by the same, and the heads.
    """
    graph, model = answerer.graph, answerer.model
    targets = dict(model.targets)
    asked = held_questions(answerer, held, rng)
    for backwards in (False, True):
        steps = {graph.step(relation, backwards) for relation in graph.used()} & targets.keys()
        these = [question for question in asked if question[0] in steps]
        strength = surest(_STRENGTHS, ask_each([answerer], _gains_of_usual, these, threads), _DOUBT)
        for step in steps if strength else ():
            weights = targets[step].weights
            own = weights.steps.copy()
            own[graph.steps.inverse[step], 2] += strength
            targets[step] = replace(targets[step], weights=weights._replace(steps=own))
    return replace(model, targets=targets)


def _gains_of_usual(question: Question, answerer: Answerer) -> list[float]:
    """What each strength gains."""
    often = _how_often(answerer.graph, int(answerer.graph.steps.inverse[question[0]]))
    return _gains(reciprocal_ranks(answerer, question, np.zeros(len(_STRENGTHS)), often, np.array(_STRENGTHS)))


def _how_often(graph: StepGraph, step: int) -> FloatArray:
    """log(1 + how often each entity has a step), [entities]."""
    rows = np.flatnonzero(graph.steps.row_steps == step)
    found = np.zeros(graph.number_of_nodes)
    found[graph.steps.row_nodes[rows]] = graph.steps.kind_logs[graph.steps.kinds[rows]]
    return found


def held_questions(answerer: Answerer, held: IdArray, rng: np.random.Generator, most: int = ASKED) -> list[Question]:
    """The questions about facts that were not learned from, which tell."""
    graph = answerer.graph
    known = KnownAnswers(distinct(np.concatenate([graph.facts, held])), len(graph.relations))
    found = []
    for (source, relation, backwards), answer in some_questions(answerer, held, rng, most):
        others = known.of(source, relation, backwards)
        found.append((graph.step(relation, backwards), source, answer, others))
    return found


def reciprocal_ranks(
    answerer: Answerer,
    question: Question,
    forces: FloatArray,
    more: FloatArray | None = None,
    strengths: FloatArray | None = None,
) -> FloatArray:
    """One over the place of a question's answer, with each force and strength, as in `Answerer.place`."""
    step, source, answer, others = question
    found = answerer.place(answerer.model.targets[step], source, answer, others, forces, more, strengths)
    return 1.0 / (1.0 + found[:, 0] + found[:, 1] / 2.0)


def _gains(ranks: FloatArray) -> list[float]:
    """By how much each is above the first."""
    found: list[float] = (ranks - ranks[0]).tolist()
    return found


def surest(values: Sequence[float], gains: list[list[float]], doubt: float = 1.0) -> float:
    """The value that gains most, less what chance may have given it: a standard error or more."""
    if len(gains) < 2:
        return values[0]
    found = np.array(gains)
    return values[argmax(found.mean(axis=0) - doubt * found.std(axis=0, ddof=1) / np.sqrt(len(found)))]
