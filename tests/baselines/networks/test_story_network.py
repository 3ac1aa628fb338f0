"""Story encoders: the logits of a story depend on the queried pair and not on the batch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from r5.baselines.inputs.stories import StoryInputs
from r5.baselines.methods import STORY_ENCODERS
from r5.baselines.networks.convolution import CNN, CNNH
from r5.baselines.networks.settings import StorySettings
from r5.baselines.networks.story_network import StoryNetwork
from r5.baselines.seeding import seed_torch


@pytest.fixture(autouse=True)
def _same_numbers() -> Iterator[None]:
    with seed_torch(0), torch.no_grad():
        yield


@pytest.mark.parametrize("method", STORY_ENCODERS)
def test_logits_of_a_story_do_not_depend_on_its_batch(method: str) -> None:
    network = StoryNetwork(StorySettings(method, embedding=8, hidden=8, heads=3, entity_limit=4), 3, 4).eval()
    tokens = np.array([[4, 1, 5, 0, 0, 0], [4, 1, 5, 5, 2, 6], [4, 1, 5, 5, 2, 6]])
    inputs = StoryInputs(tokens, np.array([3, 6, 6]), np.array([[4, 5], [4, 6], [6, 4]]))
    together = network(inputs.batch(np.arange(3)))
    for row in range(3):
        torch.testing.assert_close(network(inputs.batch(np.array([row])))[0], together[row])
    assert not torch.allclose(together[1], together[2], atol=1e-4)


@pytest.mark.parametrize("kind", [CNN, CNNH])
def test_encode_tokens_is_forward_of_their_vectors(kind: type[CNN | CNNH]) -> None:
    encoder = kind(StorySettings("story-cnn", embedding=8, hidden=100))
    vectors = torch.randn(5, 8)
    vectors[0] = 0.0
    tokens, lengths = torch.tensor([[1, 4, 2, 0, 0], [3, 0, 1, 1, 4], [2, 2, 0, 0, 0]]), torch.tensor([3, 5, 2])
    torch.testing.assert_close(encoder.encode_tokens(vectors, tokens, lengths), encoder(vectors[tokens], lengths))
