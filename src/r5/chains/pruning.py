"""Pruning: the rules that answers rest on most, so few that a person can read them all."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from r5._util.ordering import top_indices
from r5.chains.fitter import Fitter, Told, side_by_side
from r5.chains.learning import TURNED, Premises, TrainingQuestions
from r5.chains.model import Target
from r5.chains.steps import StepGraph
from r5.chains.weight_kernels import Weights

__all__ = ["influence", "number_of_rules", "strongest"]


def number_of_rules(graph: StepGraph, targets: Mapping[int, Target]) -> int:
    """Number of rules with weights of their own; one that is read from its end for the other direction counts once.

    Rules that say the same of a symmetric relation have two weights; `rulebook.count_rules` counts them once.
    """
    return sum(len(targets[graph.steps_of(r)[0]]) for r in graph.used() if graph.steps_of(r)[0] in targets)


def strongest(fitter: Fitter, targets: Mapping[int, Target], most: int, told: Told) -> dict[int, Premises]:
    """The premises of so many rules in all, those with the most influence on the answers to training questions."""

    def looked_at(relation: int) -> tuple[list[Premises], list[int], NDArray[np.float64]]:
        both, parts = fitter.questions(relation)
        values = [influence(part, targets[part.step].weights) for part in parts]
        return both, [part.step for part in parts], np.sum(values, axis=0)

    found = side_by_side(fitter.budget, looked_at, fitter.graph.used(), told)
    values = np.concatenate([np.zeros(0), *(value for _, _, value in found)])
    ends = np.cumsum([value.size for _, _, value in found])
    stays = np.zeros(values.size, dtype=bool)
    stays[top_indices(values, min(most, int(np.count_nonzero(values))))] = True
    kept: dict[int, Premises] = {}
    for (both, steps, value), end in zip(found, ends.tolist(), strict=True):
        own = stays[end - value.size : end]
        for step, premises in zip(steps, both, strict=True):
            size = len(premises.chains)
            chains = [body for body, stay in zip(premises.chains, own[:size], strict=True) if stay]
            kept[step] = Premises(chains, premises.constants[own[size:]])
    return kept


def influence(asked: TrainingQuestions, weights: Weights) -> NDArray[np.float64]:
    """How much each rule moves answers away from the other candidates, whichever way, summed over the questions."""
    store = asked.store
    uses = int(store.used[-1])
    entries = int(store.starts[uses])
    sizes = np.diff(store.starts[: uses + 1])
    use = np.repeat(np.arange(uses), sizes)
    own = weights.rules[:, TURNED] if asked.turned else weights.rules
    rule = own[store.rules[:uses]]
    said = rule[use, 0] + (rule[use, 1:] * store.features[:entries]).sum(axis=1)
    is_answer = store.places[:entries] == 0
    for_answer = np.bincount(use[is_answer], said[is_answer], minlength=uses)
    question = np.repeat(np.arange(len(asked)), np.diff(store.used))
    wrong = np.maximum(np.diff(store.offered) - 1, 1)[question]
    for_others = np.bincount(use[~is_answer], said[~is_answer], minlength=uses) / wrong
    moved = np.abs(for_answer - for_others)
    return np.bincount(store.rules[:uses], moved, minlength=asked.rules).astype(np.float64)
