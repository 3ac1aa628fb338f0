"""Neural-LP along a path against its definition with one matrix per relation."""

from __future__ import annotations

import pytest
import torch

from r5.baselines.rule_learners.neural_lp import Controller
from r5.baselines.settings import NeuralLPSettings, baseline_settings


def controller(steps: int) -> Controller:
    settings = baseline_settings("neural-lp", embedding=4, hidden=5, steps=steps)
    assert isinstance(settings, NeuralLPSettings)
    torch.manual_seed(0)
    return Controller(settings, 3, 2)


@pytest.mark.parametrize("steps", [1, 2, 4])
@pytest.mark.parametrize("path", [(0,), (1, 2), (2, 0, 1), (1, 1, 1, 1)])
def test_scores_are_those_of_one_matrix_per_relation(path: tuple[int, ...], steps: int) -> None:
    one = controller(steps)
    entities = len(path) + 1
    matrices = torch.zeros(3, entities, entities)
    for place, relation in enumerate(path):
        matrices[relation, place + 1, place] = 1.0
    to_relations, to_states = one.attentions()
    scores = one(torch.tensor([path]), torch.tensor([len(path)])).tolist()
    for answer in range(2):
        states = [torch.eye(entities)[0]]
        for step in range(steps):
            read = sum(to_states[step][s, answer] * state for s, state in enumerate(states))
            mixed = sum(to_relations[step, answer, k] * matrices[k] for k in range(3))
            states.append(mixed @ read)
        last = sum(to_states[-1][s, answer] * state for s, state in enumerate(states))
        assert scores[0][answer] == pytest.approx(last[-1].item(), abs=1e-6)


def test_attentions_sum_to_one() -> None:
    to_relations, to_states = controller(3).attentions()
    assert torch.allclose(to_relations.sum(dim=2), torch.ones(3, 2))
    assert all(torch.allclose(weights.sum(dim=0), torch.ones(2)) for weights in to_states)


def test_a_path_with_more_relations_than_steps_scores_nothing() -> None:
    assert not controller(2)(torch.tensor([[0, 1, 2]]), torch.tensor([3])).any()
