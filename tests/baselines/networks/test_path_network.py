"""Sequence encoders: the logits of a path do not depend on its batch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from r5.baselines.inputs.paths import PathInputs
from r5.baselines.methods import SEQUENCE_ENCODERS
from r5.baselines.networks.path_network import PathNetwork
from r5.baselines.networks.settings import SequenceSettings
from r5.baselines.seeding import seed_torch


@pytest.fixture(autouse=True)
def _same_numbers() -> Iterator[None]:
    with seed_torch(0), torch.no_grad():
        yield


@pytest.mark.parametrize("method", SEQUENCE_ENCODERS)
def test_logits_of_a_path_do_not_depend_on_its_batch(method: str) -> None:
    network = PathNetwork(SequenceSettings(method, embedding=8, hidden=8), 3, 4).eval()
    paths = np.array([[1, 2, 0, 0, 0, 0], [3, 1, 2, 2, 1, 3], [3, 0, 1, 0, 0, 0]])
    inputs = PathInputs(paths, np.array([2, 6, 3]))
    together = network(inputs.batch(np.arange(3)))
    for row in range(3):
        torch.testing.assert_close(network(inputs.batch(np.array([row])))[0], together[row])
    assert not torch.allclose(together[0], together[2])


@pytest.mark.parametrize("method", SEQUENCE_ENCODERS)
def test_the_order_of_the_relations_matters(method: str) -> None:
    network = PathNetwork(SequenceSettings(method, embedding=8, hidden=8), 3, 4).eval()
    logits = network(PathInputs(np.array([[1, 2], [2, 1]]), np.array([2, 2])).batch(np.arange(2)))
    assert not torch.allclose(logits[0], logits[1], atol=1e-4)
