"""Pruning: the rules that answers rest on most, so few that a person can read them all."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from r5._util.ordering import top_indices
from r5.chains.graph.step_graph import StepGraph
from r5.chains.model import Target
from r5.chains.training.queries import REVERSED, RuleBodies, TrainingQueries
from r5.chains.training.relation_trainer import Notify, RelationTrainer, map_relations
from r5.chains.training.weight_kernels import Weights

__all__ = ["influence", "number_of_rules", "select_rules"]


def number_of_rules(graph: StepGraph, targets: Mapping[int, Target]) -> int:
    """Number of rules with weights of their own; one that is read from its end for the other direction counts once.

    Rules that say the same of a symmetric relation have two weights; `rulebook.count_rules` counts them once.
    """
    return sum(len(targets[graph.steps_of(r)[0]]) for r in graph.used() if graph.steps_of(r)[0] in targets)


def select_rules(
    trainer: RelationTrainer, targets: Mapping[int, Target], most: int, notify: Notify
) -> dict[int, RuleBodies]:
    """The premises of so many rules in all, those with the most influence on the answers to training questions."""

    def looked_at(relation: int) -> tuple[list[RuleBodies], list[int], NDArray[np.float64]]:
        both, parts = trainer.queries(relation)
        values = [influence(part, targets[part.step].weights) for part in parts]
        return both, [part.step for part in parts], np.sum(values, axis=0)

    found = map_relations(trainer.budget, looked_at, trainer.graph.used(), notify)
    values = np.concatenate([np.zeros(0), *(value for _, _, value in found)])
    ends = np.cumsum([value.size for _, _, value in found])
    stays = np.zeros(values.size, dtype=bool)
    stays[top_indices(values, min(most, int(np.count_nonzero(values))))] = True
    kept: dict[int, RuleBodies] = {}
    for (both, steps, value), end in zip(found, ends.tolist(), strict=True):
        own = stays[end - value.size : end]
        for step, rule_bodies in zip(steps, both, strict=True):
            size = len(rule_bodies.chains)
            chains = [body for body, stay in zip(rule_bodies.chains, own[:size], strict=True) if stay]
            kept[step] = RuleBodies(chains, rule_bodies.constants[own[size:]])
    return kept


def influence(asked: TrainingQueries, weights: Weights) -> NDArray[np.float64]:
    """How much each rule moves answers away from the other candidates, whichever way, summed over the questions."""
    store = asked.store
    uses = int(store.used[-1])
    entries = int(store.starts[uses])
    sizes = np.diff(store.starts[: uses + 1])
    use = np.repeat(np.arange(uses), sizes)
    own = weights.rules[:, REVERSED] if asked.reversed_ else weights.rules
    rule = own[store.rules[:uses]]
    contributions = rule[use, 0] + (rule[use, 1:] * store.features[:entries]).sum(axis=1)
    is_answer = store.places[:entries] == 0
    for_answer = np.bincount(use[is_answer], contributions[is_answer], minlength=uses)
    query = np.repeat(np.arange(len(asked)), np.diff(store.used))
    wrong = np.maximum(np.diff(store.offered) - 1, 1)[query]
    for_others = np.bincount(use[~is_answer], contributions[~is_answer], minlength=uses) / wrong
    moved = np.abs(for_answer - for_others)
    return np.bincount(store.rules[:uses], moved, minlength=asked.rules).astype(np.float64)
