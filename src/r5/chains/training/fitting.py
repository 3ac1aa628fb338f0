"""Fitting: rules and weights for every step of a graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from r5._util.runtime.budget import Budget
from r5.chains.calibration.fitting import calibrate_facts, count_confidences
from r5.chains.calibration.temperature import calibrate
from r5.chains.graph.step_graph import IdArray, StepGraph
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.model import ChainModel, Heat, Target
from r5.chains.settings import ChainSettings
from r5.chains.training.checkpoint import Checkpointer
from r5.chains.training.pruning import number_of_rules, select_rules
from r5.chains.training.queries import RuleBodies
from r5.chains.training.relation_trainer import Notify, RelationTrainer, train_relations
from r5.chains.tuning.exclusion_strength import fit_exclusion_strength
from r5.chains.tuning.exclusions import find_exclusions
from r5.chains.tuning.held_out import hold_out, remove_facts
from r5.chains.tuning.regression import with_regression
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
    notify: Notify,
    given: Mapping[int, RuleBodies] | None = None,
    checkpointer: Checkpointer | None = None,
    held: IdArray | None = None,
    cluster: Cluster | None = None,
) -> tuple[ChainModel, int]:
    """Learn all steps; `given` has the bodies where they are not to be mined. Also how many steps there was time for.

    `notify` is called as each relation is done. Where the budget is used up, the steps that are done are kept.
    The facts `held`, which the graph does not have, tell the temperature and the force of rivals; without them, a few
    of its own, set aside.
    """
    rng = np.random.default_rng([settings.seed, 4])
    returned = held is None
    if held is None:
        held = hold_out(graph, rng)
        learned = remove_facts(graph, held)
    else:
        learned = graph
    checkpointer = checkpointer or Checkpointer()
    checkpointer.begin(learned, settings, given)
    trainer = RelationTrainer(learned, settings, budget, given)
    try:
        _learn_all(trainer, checkpointer, notify, cluster)
    except (KeyboardInterrupt, ClusterLostError):
        checkpointer.write()
        raise
    done = dict(sorted(checkpointer.done.items()))
    if len(done) < len(graph.targets()):
        checkpointer.write()
    elif settings.rules_limit is not None:
        done = _pruned(trainer, done, settings.rules_limit, notify, cluster)
    model = ChainModel(
        graph.relations, graph.symmetric, done, settings.frontier, graph.entities, Heat(), find_exclusions(learned)
    )
    # The same questions for all: what the rules say about them is worked out once, unless weights change.
    query_scorer = QueryScorer(learned, model)
    threads = budget.threads
    if given is None and settings.rules_limit is None:
        more = with_regression(
            query_scorer, held, np.random.default_rng([settings.seed, 5]), settings.regressors, threads
        )
        query_scorer = query_scorer if more is query_scorer.model else QueryScorer(learned, more)
    query_scorer = query_scorer.with_exclusions(
        fit_exclusion_strength(query_scorer, held, np.random.default_rng([settings.seed, 5]), threads)
    )
    heat = calibrate(query_scorer, held, np.random.default_rng([settings.seed, 5]), threads)
    rng = np.random.default_rng([settings.seed, 6])
    model = replace(query_scorer.model, heat=heat, confidences=count_confidences(query_scorer, rng, threads))
    facts = calibrate_facts(replace(query_scorer, model=model), held, rng, returned=returned, threads=threads)
    return replace(model, facts=facts), len(done)


def _pruned(
    trainer: RelationTrainer, targets: dict[int, Target], most: int, notify: Notify, cluster: Cluster | None
) -> dict[int, Target]:
    """The rules with the most influence: weaker ones go a few at a time, and the others are weighed again."""
    number = number_of_rules(trainer.graph, targets)
    epochs = trainer.settings.epochs
    settings = replace(trainer.settings, epochs=max(epochs, min(_EPOCHS * epochs, _ENOUGH)))
    while number > most:
        number = max(most, number // _FEWER)
        trainer = replace(trainer, given=select_rules(trainer, targets, number, notify), settings=settings)
        weighed = train_relations(trainer, trainer.graph.used(), notify, cluster=cluster)
        targets = dict(sorted((target.step, target) for both in weighed for target in both))
    return targets


def _learn_all(trainer: RelationTrainer, checkpointer: Checkpointer, notify: Notify, cluster: Cluster | None) -> None:
    """Learn the relations that are not done yet."""
    graph = trainer.graph
    relations = [relation for relation in graph.used() if not checkpointer.done.keys() >= set(graph.steps_of(relation))]
    # The largest relations first, so that no thread is left with one at the end.
    sizes = np.bincount(graph.facts[:, 1], minlength=len(graph.relations))
    relations.sort(key=lambda relation: (-sizes[relation], relation))

    def keep(targets: list[Target]) -> None:
        checkpointer.done.update((target.step, target) for target in targets)

    def heard(message: str) -> None:
        notify(message)
        checkpointer.write_if_due()

    train_relations(trainer, relations, heard, keep, cluster)
