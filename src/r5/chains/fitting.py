"""Fitting: rules and weights for every step of a graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from r5._util.runtime.budget import Budget
from r5.chains.answering import Answerer
from r5.chains.calibrating import calibrate
from r5.chains.calibration.fitting import calibrate_facts, count_confidences
from r5.chains.checkpoint import Keeper
from r5.chains.choosing import set_aside, without
from r5.chains.fitter import Fitter, Told, learn_each
from r5.chains.giving_way import measure_force, measure_usual
from r5.chains.learning import Premises
from r5.chains.model import ChainModel, Heat, Target
from r5.chains.pruning import number_of_rules, strongest
from r5.chains.regression import with_regression
from r5.chains.rivals import find_rivals
from r5.chains.settings import ChainSettings
from r5.chains.steps import IdArray, StepGraph
from r5.errors import ClusterLostError
from r5.parallel.cluster import Cluster

__all__ = ["fit_chains"]

_FEWER = 3
"""Pruning leaves one rule in so many at a time, ..."""
_EPOCHS, _ENOUGH = 3, 100
"""... which are weighed in so many times the epochs, in smaller steps, as few rules take little time: up to 100."""


def fit_chains(
    graph: StepGraph,
    settings: ChainSettings,
    budget: Budget,
    told: Told,
    given: Mapping[int, Premises] | None = None,
    keeper: Keeper | None = None,
    held: IdArray | None = None,
    cluster: Cluster | None = None,
) -> tuple[ChainModel, int]:
    """Learn all steps; `given` has the bodies where they are not to be mined. Also how many steps there was time for.

    `told` is called as each relation is done. Where the budget is used up, the steps that are done are kept.
    The facts `held`, which the graph does not have, tell the temperature and the force of rivals; without them, a few
    of its own, set aside.
    """
    rng = np.random.default_rng([settings.seed, 4])
    returned = held is None
    if held is None:
        held = set_aside(graph, rng)
        learned = without(graph, held)
    else:
        learned = graph
    keeper = keeper or Keeper()
    keeper.begin(learned, settings, given)
    fitter = Fitter(learned, settings, budget, given)
    try:
        _learn_all(fitter, keeper, told, cluster)
    except (KeyboardInterrupt, ClusterLostError):
        keeper.write()
        raise
    done = dict(sorted(keeper.done.items()))
    if len(done) < len(graph.targets()):
        keeper.write()
    elif settings.rules_limit is not None:
        done = _pruned(fitter, done, settings.rules_limit, told, cluster)
    model = ChainModel(
        graph.relations, graph.symmetric, done, settings.frontier, graph.entities, Heat(), find_rivals(learned)
    )
    # The same questions for all: what the rules say about them is worked out once, unless weights change.
    answerer = Answerer(learned, model)
    threads = budget.threads
    usual = measure_usual(answerer, held, np.random.default_rng([settings.seed, 5]), threads)
    if any(usual.targets[step] is not target for step, target in done.items()):
        answerer = Answerer(learned, usual)
    if given is None and settings.rules_limit is None:
        more = with_regression(answerer, held, np.random.default_rng([settings.seed, 5]), settings.regressors, threads)
        answerer = answerer if more is answerer.model else Answerer(learned, more)
    answerer = answerer.with_rivals(measure_force(answerer, held, np.random.default_rng([settings.seed, 5]), threads))
    heat = calibrate(answerer, held, np.random.default_rng([settings.seed, 5]), threads)
    rng = np.random.default_rng([settings.seed, 6])
    model = replace(answerer.model, heat=heat, confidences=count_confidences(answerer, rng, threads))
    facts = calibrate_facts(replace(answerer, model=model), held, rng, returned=returned, threads=threads)
    return replace(model, facts=facts), len(done)


def _pruned(
    fitter: Fitter, targets: dict[int, Target], most: int, told: Told, cluster: Cluster | None
) -> dict[int, Target]:
    """The rules with the most influence: weaker ones go a few at a time, and the others are weighed again."""
    number = number_of_rules(fitter.graph, targets)
    epochs = fitter.settings.epochs
    settings = replace(fitter.settings, epochs=max(epochs, min(_EPOCHS * epochs, _ENOUGH)))
    while number > most:
        number = max(most, number // _FEWER)
        fitter = replace(fitter, given=strongest(fitter, targets, number, told), settings=settings)
        weighed = learn_each(fitter, fitter.graph.used(), told, cluster=cluster)
        targets = dict(sorted((target.step, target) for both in weighed for target in both))
    return targets


def _learn_all(fitter: Fitter, keeper: Keeper, told: Told, cluster: Cluster | None) -> None:
    """Learn the relations that are not done yet."""
    graph = fitter.graph
    relations = [relation for relation in graph.used() if not keeper.done.keys() >= set(graph.steps_of(relation))]
    # The largest relations first, so that no thread is left with one at the end.
    sizes = np.bincount(graph.facts[:, 1], minlength=len(graph.relations))
    relations.sort(key=lambda relation: (-sizes[relation], relation))

    def keep(targets: list[Target]) -> None:
        keeper.done.update((target.step, target) for target in targets)

    def heard(message: str) -> None:
        told(message)
        keeper.now_and_then()

    learn_each(fitter, relations, heard, keep, cluster)
