"""How many candidates are true though nobody says so."""

from __future__ import annotations

import numpy as np
import pytest

from r5.chains.calibrating import chances_of, hold_out, missing_answers
from tests.helpers.chain_graphs import made_of


def test_how_many_answers_are_missing_is_found_where_the_model_is_sure() -> None:
    rng = np.random.default_rng(0)
    shares = rng.random(40_000)
    answers = rng.integers(1, 6, size=shares.size)
    true = rng.random(shares.size) < np.clip(1.5 * shares - 0.3, 0, 1)  # from a share of .87 on, all are
    held = true & (rng.random(shares.size) < 1 / (1 + 0.7 * answers))  # only these are known to be true
    assert missing_answers(shares, held, answers) == pytest.approx(0.7, abs=0.1)


def test_few_facts_say_nothing_about_what_is_missing() -> None:
    assert missing_answers(np.array([0.5, 0.4]), np.array([True, False]), np.array([1, 1])) == 0.0


def test_facts_held_out_are_of_relations_with_many() -> None:
    graph = made_of([(a, 0, b) for a in range(6) for b in range(6)] + [(0, 1, 1), (1, 1, 2)])
    held = hold_out(graph, 0)
    assert held[:, 1].tolist() == [0, 0, 0]
    assert {tuple(fact) for fact in held.tolist()} <= {tuple(fact) for fact in graph.facts.tolist()}
    assert not len(hold_out(made_of([(0, 1, 1), (1, 1, 2)]), 0))


@pytest.mark.parametrize("missing", [0.0, 0.4, 3.0, 50.0])
def test_chances_sum_to_the_number_of_missing_answers(missing: float) -> None:
    shares = np.random.default_rng(1).dirichlet(np.full(40, 0.3))
    chances = chances_of(shares, missing)
    assert chances.sum() == pytest.approx(min(missing, shares.size))
    assert chances.min() >= 0.0
    assert chances.max() <= 1.0
    order = np.argsort(shares)
    assert (np.diff(chances[order]) >= -1e-12).all()
