"""Choosing the step size and the temperature: some facts are taken out of the graph and asked for.

They are taken out altogether, as the facts that are missing are: a fact that is hidden only while it is asked for
is known whenever another answer to the same question is learned, which is too good to be true.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from r5._util.budget import Budget
from r5._util.elementary_kernels import exp, log
from r5._util.order import first_largest
from r5.chains.answering import Answerer, Filter
from r5.chains.calibrating import calibrate
from r5.chains.fitter import Fitter, Told, side_by_side
from r5.chains.learning import Bodies
from r5.chains.model import ChainModel, Target
from r5.chains.settings import ChainSettings
from r5.chains.steps import IdArray, StepGraph

__all__ = ["choose"]

PACES = (0.1, 0.2, 0.5)
"""The step sizes that are tried."""
_HELD_OUT = 0.1
_QUESTIONS = 1_600
"""So many questions, or a little more, are learned from to choose, ..."""
_OF_ONE = 400
"""... of one step no more than these, so that there are several."""
_ASKED = 60
"""So many of the facts taken out are asked for, for each step."""


def choose(
    graph: StepGraph, settings: ChainSettings, budget: Budget, told: Told, given: Mapping[int, Bodies] | None
) -> tuple[float, float]:
    """The step size that suits facts that were taken out best, and the temperature."""
    rng = np.random.default_rng([settings.seed, 4])
    order = rng.permutation(len(graph.facts))
    size = int(_HELD_OUT * order.size)
    held, rest = graph.facts[np.sort(order[:size])], graph.facts[np.sort(order[size:])]
    paces = PACES if settings.step is None else (settings.step,)
    if not size:
        return paces[0], 1.0
    known = Filter(graph.facts, len(graph.relations))
    fitter = Fitter(graph.with_facts(rest), replace(settings, questions=_OF_ONE), budget, given)

    def tried(step: int) -> list[tuple[Target, float]]:
        questions = fitter.questions(step)
        everything, found = np.arange(len(questions)), []
        for pace in paces:
            weights = questions.weigh(
                pace, fitter.settings, np.random.default_rng([settings.seed, step, 3]), everything
            )
            target = Target(step, tuple(fitter.mined[step][0]), weights)
            found.append((target, _judge(fitter.graph, target, settings.frontier, held, known)))
            fitter.tick()
        return found

    trials = side_by_side(budget, tried, _steps(fitter.graph, rng), told)
    likely = [sum(trial[place][1] for trial in trials) for place in range(len(paces))]
    best = first_largest(likely)
    targets = [trial[best][0] for trial in trials]
    return paces[best], calibrate(fitter.graph, targets, held, graph, settings.frontier, rng)


def _steps(graph: StepGraph, rng: np.random.Generator) -> list[int]:
    """The steps that are tried: drawn until they have enough questions."""
    chosen: list[int] = []
    questions = 0
    for step in rng.permutation(graph.targets()).tolist():
        if questions >= _QUESTIONS:
            break
        chosen.append(step)
        questions += min(graph.questions(step)[0].size, _OF_ONE)
    return chosen


def _judge(graph: StepGraph, target: Target, frontier: int, held: IdArray, known: Filter) -> float:
    """The log likelihood of facts that were taken out, other known answers aside."""
    model = ChainModel(graph.relations, graph.symmetric, {target.step: target}, frontier, 1.0, 0.0)
    answerer = Answerer(graph, model)
    total = 0.0
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
            total -= float(log(exp(scores - right).sum()))
    return total
