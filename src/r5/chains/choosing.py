"""Choosing the step size and the temperature: some facts are taken out of the graph and asked for.

They are taken out altogether, as the facts that are missing are: a fact that is hidden only while it is asked for
is known whenever another answer to the same question is learned, which is too good to be true.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from r5._util.budget import Budget
from r5.chains.answering import Answerer, Filter
from r5.chains.fitter import Fitter, Told, side_by_side
from r5.chains.learning import Bodies
from r5.chains.model import ChainModel, Target
from r5.chains.settings import ChainSettings
from r5.chains.steps import IdArray, StepGraph

__all__ = ["choose"]

PACES = (0.1, 0.2, 0.5)
"""The step sizes that are tried."""
HEATS = np.exp(np.linspace(-1.2, 1.2, 25))
"""The temperatures."""
_HELD_OUT = 0.1
_QUESTIONS = 1_200
"""So many questions, or a little more, are learned from to choose; of one step no more."""
_ASKED = 60
"""So many of the facts taken out are asked for, for each step."""


def choose(
    graph: StepGraph, settings: ChainSettings, budget: Budget, told: Told, given: Mapping[int, Bodies] | None
) -> tuple[float, float]:
    """The step size and the temperature that suit facts that were taken out best."""
    rng = np.random.default_rng([settings.seed, 4])
    order = rng.permutation(len(graph.facts))
    size = int(_HELD_OUT * order.size)
    held, rest = graph.facts[np.sort(order[:size])], graph.facts[np.sort(order[size:])]
    paces = PACES if settings.step is None else (settings.step,)
    if not size:
        return paces[0], 1.0
    known = Filter(graph.facts, len(graph.relations))
    fitter = Fitter(graph.with_facts(rest), replace(settings, questions=_QUESTIONS), budget, given)

    def tried(step: int) -> NDArray[np.float64]:
        questions = fitter.questions(step)
        everything, found = np.arange(len(questions)), []
        for pace in paces:
            weights = questions.weigh(
                pace, fitter.settings, np.random.default_rng([settings.seed, step, 3]), everything
            )
            target = Target(step, tuple(fitter.mined[step][0]), weights)
            found.append(_judge(fitter.graph, target, settings.frontier, held, known))
            fitter.tick()
        return np.array(found)

    judged = np.zeros((len(paces), HEATS.size))
    for found in side_by_side(budget, tried, _steps(fitter.graph, rng), told):
        judged += found
    best, heat = np.unravel_index(judged.argmax(), judged.shape)
    return paces[int(best)], float(HEATS[int(heat)])


def _steps(graph: StepGraph, rng: np.random.Generator) -> list[int]:
    """The steps that are tried: drawn until they have enough questions."""
    chosen: list[int] = []
    questions = 0
    for step in rng.permutation(graph.targets()).tolist():
        if questions >= _QUESTIONS:
            break
        chosen.append(step)
        questions += min(graph.questions(step)[0].size, _QUESTIONS)
    return chosen


def _judge(graph: StepGraph, target: Target, frontier: int, held: IdArray, known: Filter) -> NDArray[np.float64]:
    """The log likelihood, at each temperature, of facts that were taken out, other known answers aside."""
    model = ChainModel(graph.relations, graph.symmetric, {target.step: target}, frontier, 1.0, 0.0)
    answerer = Answerer(graph, model)
    found = np.zeros(HEATS.size)
    relation = target.step % len(graph.relations)
    facts = held[held[:, 1] == relation][:_ASKED]
    for backwards in (False, True):
        if graph.step(relation, backwards) != target.step:
            continue
        sources, answers = (facts[:, 2], facts[:, 0]) if backwards else (facts[:, 0], facts[:, 2])
        filtered, offsets = known.answers(sources, relation, backwards)
        for i in range(sources.size):
            scores = answerer.scores(target, int(sources[i]))
            others = filtered[offsets[i] : offsets[i + 1]]
            right = scores[answers[i]]
            scores[others[others != answers[i]]] = -np.inf
            near = scores[scores > scores.max() - 20 * HEATS[-1]] - right
            found -= np.log(np.exp(near[None] / HEATS[:, None]).sum(axis=1))
    return found
