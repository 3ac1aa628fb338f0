"""The chart of CTP and GNTP against proofs by the definition."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from r5.baselines.learner_settings import ProverSettings, learner_settings
from r5.baselines.prover import Prover
from r5.baselines.spans import Spans
from tests.oracle.prover import prove

PROVERS = ("ctp-l", "ctp-a", "ctp-m", "gntp")


def prover(system: str, seed: int = 0) -> Prover:
    settings = learner_settings(system, modules=2, embedding=3, slots=4)
    assert isinstance(settings, ProverSettings)
    torch.manual_seed(seed)
    return Prover(settings, 4)


@pytest.mark.parametrize("system", PROVERS)
def test_the_chart_finds_the_best_proof(system: str) -> None:
    one = prover(system)
    paths = [(0, 1), (2, 2), (3, 1, 0), (0, 1, 2, 3)]
    goals = one.vectors[:2].detach()
    found = one(paths, goals, 2).tolist()
    for row, path in enumerate(paths):
        for column in range(2):
            assert found[row][column] == pytest.approx(prove(one, path, goals[column], 2), rel=1e-3)


@pytest.mark.parametrize("system", PROVERS)
def test_a_path_is_proved_alike_alone_and_among_others(system: str) -> None:
    one = prover(system, 1)
    paths = [(0, 1, 1), (1, 2), (3, 0, 2, 1, 1, 0, 2), (1, 1, 1, 1)]
    with torch.no_grad():
        together = one(paths, one.vectors, 3)
        for row, path in enumerate(paths):
            assert torch.equal(one([path], one.vectors, 3)[0], together[row])


@pytest.mark.parametrize("system", PROVERS)
def test_a_score_is_the_match_that_was_picked_for_it(system: str) -> None:
    one = prover(system, 2)
    spans = Spans.of([(0, 1, 1), (1, 2), (3, 0, 2, 1, 1, 0, 2)], 8)
    with torch.no_grad():
        goals = one.goals(one.vectors, 3)
    table = one.charts(spans, spans.paths, goals.levels, picks=True)[0]
    picked = goals.matches.numpy()[table.picks[spans.paths]]
    assert np.array_equal(picked, table.values[spans.paths])


@pytest.mark.parametrize("system", PROVERS)
def test_values_alone_are_those_of_the_whole_chart(system: str) -> None:
    one = prover(system, 3)
    spans = Spans.of([(0, 1, 1), (1, 2), (3, 0, 2, 1, 1, 0, 2), (2, 2, 2, 2, 2)], 8)
    with torch.no_grad():
        levels = one.goals(one.vectors, 3).levels
    whole, alone = (one.charts(spans, spans.paths, levels, picks) for picks in (True, False))
    assert all(np.array_equal(some.values, other.values) for some, other in zip(whole, alone, strict=True))


@pytest.mark.parametrize("system", PROVERS)
def test_deeper_than_a_path_is_long_changes_nothing(system: str) -> None:
    one = prover(system, 4)
    for path in [(0, 1), (0, 1, 2), (3, 2, 1, 0)]:
        shallow, deep = (one([path], one.vectors, len(path) + more) for more in (-1, 1))
        assert torch.equal(shallow, deep)


def test_a_path_too_long_for_the_depth_proves_nothing() -> None:
    found = prover("ctp-l")([(0, 1, 2), (0, 1)], torch.zeros(1, 3), 1).tolist()
    assert found[0] == [0.0]
    assert found[1][0] > 0.0


@pytest.mark.parametrize("system", PROVERS)
def test_all_that_is_learned_has_a_gradient(system: str) -> None:
    one = prover(system)
    one([(0, 1), (1, 2, 3), (3, 3), (2, 0), (1, 0), (2, 2, 1), (0, 3)], one.vectors, 2).sum().backward()
    assert all(parameter.grad is not None and parameter.grad.any() for parameter in one.parameters())
