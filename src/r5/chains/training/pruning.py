"""Pruning: the rules with the greatest influence on training queries, few enough to be read in full."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from r5._util.ordering import top_indices
from r5.chains.graph.step_graph import StepGraph
from r5.chains.model import RelationModel
from r5.chains.training.queries import REVERSED, RuleBodies, TrainingQueries
from r5.chains.training.relation_trainer import Notify, RelationTrainer, map_relations
from r5.chains.training.weight_kernels import Weights

__all__ = ["influence", "number_of_rules", "select_rules"]


def number_of_rules(graph: StepGraph, targets: Mapping[int, RelationModel]) -> int:
    """Return the number of rules with weights of their own; both directions of a relation share their rules.

    Equivalent rules of a symmetric relation have separate weights and count separately here;
    `rule_lists.count_rules` counts them once.

    Args:
        graph: The training graph.
        targets: Targets by step.
    """
    return sum(len(targets[graph.steps_of(r)[0]]) for r in graph.used() if graph.steps_of(r)[0] in targets)


def select_rules(
    trainer: RelationTrainer, targets: Mapping[int, RelationModel], limit: int, notify: Notify
) -> dict[int, RuleBodies]:
    """Select the rules with the greatest influence on the training queries of all relations.

    Args:
        trainer: Graph, settings and budget.
        targets: Trained targets by step.
        limit: Maximum number of rules.
        notify: Called after each relation.

    Returns:
        The bodies of the selected rules by step.
    """

    def measure(relation: int) -> tuple[list[RuleBodies], list[int], NDArray[np.float64]]:
        both, parts, _ = trainer.queries(relation)
        values = [influence(part, targets[part.step].weights) for part in parts]
        return both, [part.step for part in parts], np.sum(values, axis=0)

    measured = map_relations(trainer.budget, measure, trainer.graph.used(), notify)
    values = np.concatenate([np.zeros(0), *(value for _, _, value in measured)])
    ends = np.cumsum([value.size for _, _, value in measured])
    selected = np.zeros(values.size, dtype=bool)
    selected[top_indices(values, min(limit, int(np.count_nonzero(values))))] = True
    bodies: dict[int, RuleBodies] = {}
    for (both, steps, value), end in zip(measured, ends.tolist(), strict=True):
        own = selected[end - value.size : end]
        for step, rule_bodies in zip(steps, both, strict=True):
            size = len(rule_bodies.chains)
            chains = [body for body, stays in zip(rule_bodies.chains, own[:size], strict=True) if stays]
            bodies[step] = RuleBodies(chains, rule_bodies.constants[own[size:]])
    return bodies


def influence(queries: TrainingQueries, weights: Weights) -> NDArray[np.float64]:
    """Return the influence of each rule, [rules].

    The influence is the sum over the queries of |score added to the answer - mean score added to a negative|.

    Args:
        queries: Training queries of one step.
        weights: Weights of that step.
    """
    store = queries.store
    uses = int(store.used[-1])
    entries = int(store.starts[uses])
    sizes = np.diff(store.starts[: uses + 1])
    use = np.repeat(np.arange(uses), sizes)
    own = weights.rules[:, REVERSED] if queries.reversed_ else weights.rules
    rule = own[store.rules[:uses]]
    contributions = rule[use, 0] + (rule[use, 1:] * store.features[:entries]).sum(axis=1)
    is_answer = store.places[:entries] == 0
    for_answer = np.bincount(use[is_answer], contributions[is_answer], minlength=uses)
    query = np.repeat(np.arange(len(queries)), np.diff(store.used))
    negatives = np.maximum(np.diff(store.offered) - 1, 1)[query]
    for_negatives = np.bincount(use[~is_answer], contributions[~is_answer], minlength=uses) / negatives
    differences = np.abs(for_answer - for_negatives)
    return np.bincount(store.rules[:uses], differences, minlength=queries.rules).astype(np.float64)
