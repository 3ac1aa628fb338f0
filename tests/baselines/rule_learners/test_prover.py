"""The chart of CTP and GNTP against proofs by the definition."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from r5.baselines.rule_learners.prover import Prover
from r5.baselines.rule_learners.spans import Spans
from r5.baselines.settings import ProverSettings, baseline_settings
from tests.oracle.prover import prove

PROVERS = ("ctp-l", "ctp-a", "ctp-m", "gntp")


def prover(method: str, seed: int = 0) -> Prover:
    settings = baseline_settings(method, modules=2, embedding=3, slots=4)
    assert isinstance(settings, ProverSettings)
    torch.manual_seed(seed)
    return Prover(settings, 4)


@pytest.mark.parametrize("method", PROVERS)
def test_the_chart_finds_the_best_proof(method: str) -> None:
    one = prover(method)
    paths = [(0, 1), (2, 2), (3, 1, 0), (0, 1, 2, 3)]
    goals = one.vectors[:2].detach()
    found = one(paths, goals, 2).tolist()
    for row, path in enumerate(paths):
        for column in range(2):
            assert found[row][column] == pytest.approx(prove(one, path, goals[column], 2), rel=1e-3)


@pytest.mark.parametrize("method", PROVERS)
def test_the_score_of_a_path_does_not_depend_on_other_paths(method: str) -> None:
    one = prover(method, 1)
    paths = [(0, 1, 1), (1, 2), (3, 0, 2, 1, 1, 0, 2), (1, 1, 1, 1)]
    with torch.no_grad():
        together = one(paths, one.vectors, 3)
        for row, path in enumerate(paths):
            assert torch.equal(one([path], one.vectors, 3)[0], together[row])


@pytest.mark.parametrize("method", PROVERS)
def test_a_score_is_that_of_its_weakest_match(method: str) -> None:
    one = prover(method, 2)
    spans = Spans.of([(0, 1, 1), (1, 2), (3, 0, 2, 1, 1, 0, 2)], 8)
    with torch.no_grad():
        goals = one.expand_goals(one.vectors, 3)
    table = one.fill_charts(spans, spans.paths, goals.levels, gradient=True)[0]
    weakest = goals.matches.numpy()[table.weakest[spans.paths]]
    assert np.array_equal(weakest, table.scores[spans.paths])


@pytest.mark.parametrize("method", PROVERS)
def test_scores_without_gradient_are_the_same(method: str) -> None:
    one = prover(method, 3)
    spans = Spans.of([(0, 1, 1), (1, 2), (3, 0, 2, 1, 1, 0, 2), (2, 2, 2, 2, 2)], 8)
    with torch.no_grad():
        levels = one.expand_goals(one.vectors, 3).levels
    whole, alone = (one.fill_charts(spans, spans.paths, levels, gradient) for gradient in (True, False))
    assert all(np.array_equal(some.scores, other.scores) for some, other in zip(whole, alone, strict=True))


@pytest.mark.parametrize("method", PROVERS)
def test_depth_beyond_the_length_of_a_path_changes_nothing(method: str) -> None:
    one = prover(method, 4)
    for path in [(0, 1), (0, 1, 2), (3, 2, 1, 0)]:
        shallow, deep = (one([path], one.vectors, len(path) + more) for more in (-1, 1))
        assert torch.equal(shallow, deep)


def test_a_path_too_long_for_the_depth_proves_nothing() -> None:
    found = prover("ctp-l")([(0, 1, 2), (0, 1)], torch.zeros(1, 3), 1).tolist()
    assert found[0] == [0.0]
    assert found[1][0] > 0.0


@pytest.mark.parametrize("method", PROVERS)
def test_all_parameters_have_a_gradient(method: str) -> None:
    one = prover(method)
    one([(0, 1), (1, 2, 3), (3, 3), (2, 0), (1, 0), (2, 2, 1), (0, 3)], one.vectors, 2).sum().backward()
    assert all(parameter.grad is not None and parameter.grad.any() for parameter in one.parameters())
