"""Fitting of a chains model: training of all relations, tuning and calibration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from r5._util.runtime.budget import Budget
from r5.chains.calibration.fitting import calibrate_facts, count_confidences
from r5.chains.calibration.temperature import calibrate_temperature
from r5.chains.graph.step_graph import IdArray, StepGraph
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.inference.ranking import rank_held_out
from r5.chains.model import ChainModel, RelationModel, Temperature
from r5.chains.settings import ChainSettings
from r5.chains.training.checkpoint import Checkpointer
from r5.chains.training.initial_weights import MANY_FACTS, InitialWeights
from r5.chains.training.pruning import number_of_rules, select_rules
from r5.chains.training.queries import RuleBodies
from r5.chains.training.relation_trainer import Notify, RelationTrainer, train_relations
from r5.chains.tuning.exclusion_strength import fit_exclusion_strength
from r5.chains.tuning.exclusions import find_exclusions
from r5.chains.tuning.held_out import hold_out
from r5.chains.tuning.similarity_weights import fit_similarity_weights
from r5.errors import ClusterLostError
from r5.parallel.cluster import Cluster

__all__ = ["fit_chains"]

_PRUNING_FACTOR = 3
"""Each round of pruning keeps one rule in this many."""
_PRUNED_EPOCHS, _MAX_PRUNED_EPOCHS = 3, 100
"""Factor of the epochs after pruning, with a learning rate as much smaller, and the limit of the result: few rules
train fast."""


def fit_chains(
    graph: StepGraph,
    settings: ChainSettings,
    budget: Budget,
    notify: Notify,
    given: Mapping[int, RuleBodies] | None = None,
    checkpointer: Checkpointer | None = None,
    held: IdArray | None = None,
    cluster: Cluster | None = None,
) -> tuple[ChainModel, int, dict[str, float]]:
    """Fit a model: train all steps, then tune and calibrate on held-out facts.

    If the budget is used up, the model has the steps trained until then.

    Args:
        graph: The graph to learn from.
        settings: Hyperparameters.
        budget: Time limit and number of threads.
        notify: Called after each relation.
        given: Rule bodies by step; None to mine them.
        checkpointer: Keeps the trained targets; None for no checkpoint.
        held: Held-out facts that the graph lacks, [facts, 3]. None to hold out a few of its own facts, which are not
            learned from.
        cluster: Processes that train relations; None for threads of this one.

    Returns:
        The model, the number of trained steps, and the metrics of `rank_held_out`.
    """
    rng = np.random.default_rng([settings.seed, 4])
    returned = held is None
    if held is None:
        held = hold_out(graph, rng)
        learned = graph.without(held)
    else:
        learned = graph
    checkpointer = checkpointer or Checkpointer()
    checkpointer.begin(learned, settings, given)
    trainer = RelationTrainer(learned, settings, budget, given)
    try:
        _train_all(trainer, checkpointer, notify, cluster)
    except (KeyboardInterrupt, ClusterLostError):
        checkpointer.write()
        raise
    done = dict(sorted(checkpointer.done.items()))
    if len(done) < len(graph.targets()):
        checkpointer.write()
    elif settings.rules_limit is not None:
        done = _prune(trainer, done, settings.rules_limit, notify, cluster)
    model = ChainModel(
        graph.relations,
        graph.symmetric,
        done,
        settings.frontier,
        graph.entities,
        Temperature(),
        find_exclusions(learned),
    )
    # The stages below draw the same queries, so the scorer computes their rule scores once for all of them.
    query_scorer = QueryScorer(learned, model)
    threads = budget.threads
    if given is None and settings.similarity:
        weights = fit_similarity_weights(query_scorer, held, np.random.default_rng([settings.seed, 5]), threads)
        query_scorer = query_scorer.with_similarity(weights)
    exclusions = fit_exclusion_strength(query_scorer, held, np.random.default_rng([settings.seed, 5]), threads)
    query_scorer = query_scorer.with_exclusions(exclusions)
    metrics = rank_held_out(query_scorer, held, np.random.default_rng([settings.seed, 5]), threads)
    temperature = calibrate_temperature(query_scorer, held, np.random.default_rng([settings.seed, 5]), threads)
    rng = np.random.default_rng([settings.seed, 6])
    model = replace(
        query_scorer.model, temperature=temperature, confidences=count_confidences(query_scorer, rng, threads)
    )
    facts = calibrate_facts(replace(query_scorer, model=model), held, rng, returned=returned, threads=threads)
    return replace(model, facts=facts), len(done), metrics


def _prune(
    trainer: RelationTrainer, targets: dict[int, RelationModel], limit: int, notify: Notify, cluster: Cluster | None
) -> dict[int, RelationModel]:
    """Prune to the rules with the greatest influence, in rounds; train the rest again after each round."""
    number = number_of_rules(trainer.graph, targets)
    epochs = trainer.settings.epochs
    settings = replace(trainer.settings, epochs=max(epochs, min(_PRUNED_EPOCHS * epochs, _MAX_PRUNED_EPOCHS)))
    while number > limit:
        number = max(limit, number // _PRUNING_FACTOR)
        trainer = replace(trainer, given=select_rules(trainer, targets, number, notify), settings=settings)
        trained = train_relations(trainer, trainer.graph.used(), notify, cluster=cluster)
        targets = dict(sorted((target.step, target) for both in trained for target in both))
    return targets


def _train_all(trainer: RelationTrainer, checkpointer: Checkpointer, notify: Notify, cluster: Cluster | None) -> None:
    """Train the relations that the checkpoint lacks; those with few facts last, from the weights of the others."""
    graph = trainer.graph
    relations = [relation for relation in graph.used() if not checkpointer.done.keys() >= set(graph.steps_of(relation))]
    # Largest relations first, so that no thread ends with a large one alone.
    sizes = np.bincount(graph.facts[:, 1], minlength=len(graph.relations))
    relations.sort(key=lambda relation: (-sizes[relation], relation))

    def keep(targets: list[RelationModel]) -> None:
        checkpointer.done.update((target.step, target) for target in targets)

    def notify_and_write(message: str) -> None:
        notify(message)
        checkpointer.write_if_due()

    few = [relation for relation in relations if graph.number_of_facts(relation) < MANY_FACTS]
    train_relations(trainer, relations[: len(relations) - len(few)], notify_and_write, keep, cluster)
    has_many = sizes >= MANY_FACTS
    many = [target for step, target in sorted(checkpointer.done.items()) if has_many[step % len(graph.relations)]]
    trainer = replace(trainer, initial=InitialWeights.of(graph, many))
    train_relations(trainer, few, notify_and_write, keep, cluster)
