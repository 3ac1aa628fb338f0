"""Fitting: rules and weights for every step of a graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from r5._util.budget import Budget
from r5.chains.checkpoint import Keeper
from r5.chains.choosing import choose
from r5.chains.fitter import Fitter, Told, side_by_side
from r5.chains.learning import Premises
from r5.chains.model import ChainModel
from r5.chains.pruning import number_of_rules, strongest
from r5.chains.settings import ChainSettings
from r5.chains.steps import StepGraph

__all__ = ["fit_chains"]


def fit_chains(
    graph: StepGraph,
    settings: ChainSettings,
    budget: Budget,
    told: Told,
    given: Mapping[int, Premises] | None = None,
    keeper: Keeper | None = None,
) -> tuple[ChainModel, int]:
    """Learn all steps; `given` has the bodies where they are not to be mined. Also how many steps there was time for.

    `told` is called as each relation is done. Where the budget is used up, the steps that are done are kept.
    """
    keeper = keeper or Keeper()
    keeper.begin(graph, settings, given)
    try:
        if keeper.heat is None:
            keeper.heat = choose(graph, settings, budget, told, given)
        fitter = Fitter(graph, settings, budget, given)
        _learn_all(fitter, keeper, told)
    except KeyboardInterrupt:
        keeper.write()
        raise
    done = dict(sorted(keeper.done.items()))
    if len(done) < len(graph.targets()):
        keeper.write()
    elif settings.rules_limit is not None and number_of_rules(graph, done) > settings.rules_limit:
        kept = strongest(fitter, done, settings.rules_limit, told)
        return fit_chains(graph, replace(settings, rules_limit=None), budget, told, kept)
    return ChainModel(graph.relations, graph.symmetric, done, settings.frontier, graph.entities, keeper.heat), len(done)


def _learn_all(fitter: Fitter, keeper: Keeper, told: Told) -> None:
    """Learn the relations that are not done yet."""
    graph = fitter.graph
    relations = [relation for relation in graph.used() if not keeper.done.keys() >= set(graph.steps_of(relation))]
    # The largest relations first, so that no thread is left with one at the end.
    sizes = np.bincount(graph.facts[:, 1], minlength=len(graph.relations))
    relations.sort(key=lambda relation: (-sizes[relation], relation))

    def learn(relation: int) -> None:
        keeper.done.update((target.step, target) for target in fitter.targets(relation))

    def heard(message: str) -> None:
        told(message)
        keeper.now_and_then()

    side_by_side(fitter.budget, learn, relations, heard)
