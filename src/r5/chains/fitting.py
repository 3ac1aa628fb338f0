"""Fitting: rules and weights for every step of a graph."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from r5._util.budget import Budget
from r5.chains.choosing import choose
from r5.chains.fitter import Fitter, Told, side_by_side
from r5.chains.learning import Bodies
from r5.chains.model import ChainModel
from r5.chains.settings import ChainSettings
from r5.chains.steps import StepGraph

__all__ = ["fit_chains"]


def fit_chains(
    graph: StepGraph, settings: ChainSettings, budget: Budget, told: Told, given: Mapping[int, Bodies] | None = None
) -> tuple[ChainModel, int]:
    """Learn all steps; `given` has the bodies where they are not to be mined. Also how many steps there was time for.

    `told` is called as each step is done. Where the budget is used up, the steps that are done are kept.
    """
    pace, heat = choose(graph, settings, budget, told, given)
    fitter = Fitter(graph, settings, budget, given)
    steps = graph.targets()
    # The largest relations first, so that no thread is left with one at the end.
    sizes = np.bincount(graph.facts[:, 1], minlength=len(graph.relations))
    steps.sort(key=lambda step: (-sizes[step % len(graph.relations)], step))
    targets = side_by_side(budget, lambda step: fitter.target(step, pace), steps, told)
    model = ChainModel(
        graph.relations,
        graph.symmetric,
        {target.step: target for target in sorted(targets, key=lambda target: target.step)},
        settings.frontier,
        heat,
        pace,
    )
    return model, len(targets)
