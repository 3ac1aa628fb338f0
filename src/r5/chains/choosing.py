"""Choosing the temperature: some facts are taken out of the graph and asked for.

They are taken out altogether, as the facts that are missing are: a fact that is hidden only while it is asked for
is known whenever another answer to the same question is learned, which is too good to be true.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from r5._util.budget import Budget
from r5.chains.calibrating import calibrate
from r5.chains.fitter import Fitter, Told, side_by_side
from r5.chains.learning import Premises
from r5.chains.settings import ChainSettings
from r5.chains.steps import StepGraph

__all__ = ["choose"]

_HELD_OUT = 0.1
_QUESTIONS = 4_000
"""So many questions, or a little more, are learned from to choose, ..."""
_OF_ONE = 600
"""... of one step no more than these, so that there are several."""


def choose(
    graph: StepGraph, settings: ChainSettings, budget: Budget, told: Told, given: Mapping[int, Premises] | None
) -> float:
    """The temperature that suits facts that were taken out best."""
    rng = np.random.default_rng([settings.seed, 4])
    order = rng.permutation(len(graph.facts))
    size = int(_HELD_OUT * order.size)
    held, rest = graph.facts[np.sort(order[:size])], graph.facts[np.sort(order[size:])]
    if not size:
        return 1.0
    fitter = Fitter(graph.with_facts(rest), replace(settings, questions=_OF_ONE), budget, given)
    learned = side_by_side(budget, fitter.targets, _relations(fitter.graph, rng), told)
    targets = [target for some in learned for target in some]
    return calibrate(fitter.graph, targets, held, graph, settings.frontier, rng)


def _relations(graph: StepGraph, rng: np.random.Generator) -> list[int]:
    """The relations that are tried: drawn until they have enough questions."""
    chosen: list[int] = []
    questions = 0
    for relation in rng.permutation(graph.used()).tolist():
        if questions >= _QUESTIONS:
            break
        chosen.append(relation)
        questions += sum(min(graph.questions(step)[0].size, _OF_ONE) for step in graph.steps_of(relation))
    return chosen
