"""Training: learning, early stopping, weights of pairs, and the state of PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from r5.baselines.inputs.bags import Bags, TrainingPairs
from r5.baselines.inputs.relation_index import IntArray
from r5.baselines.networks.settings import SequenceSettings
from r5.baselines.networks.training import ValidatedEpoch, ValidationData, predict_answers, train
from r5.baselines.seeding import seed_torch


class Points:
    """Inputs of two numbers, the larger of which gives the class."""

    def __init__(self, points: np.ndarray) -> None:
        self.points = points.astype(np.float32)

    def __len__(self) -> int:
        return len(self.points)

    def batch(self, rows: IntArray) -> Tensor:
        return torch.from_numpy(self.points[rows])


class Line(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.classifier = nn.Linear(2, 2)

    def forward(self, batch: Tensor) -> Tensor:
        logits: Tensor = self.classifier(batch)
        return logits


POINTS = np.random.default_rng(0).normal(size=(40, 2))
RIGHT = POINTS.argmax(axis=1).astype(np.int64)
EVERY = np.arange(40)
PAIRS = TrainingPairs(Points(POINTS), EVERY, RIGHT, np.ones(40, dtype=np.float32))
BAGS = Bags(Points(POINTS), EVERY, np.arange(41))


def trained(
    validation: ValidationData | None = None, pairs: TrainingPairs = PAIRS, **changes: float
) -> tuple[Line, list[ValidatedEpoch]]:
    options = {"epochs": 30, "learning_rate": 0.1, "batch_size": 8, "patience": 5, **changes}
    with seed_torch(0):
        network = Line()
        settings = SequenceSettings("rnn", **options)  # type: ignore[arg-type]
        return network, train(network, pairs, [validation], settings, lambda epoch: None)[0].epochs


def test_a_linear_network_learns_separable_classes() -> None:
    network, epochs = trained()
    assert (predict_answers(network, BAGS).argmax(axis=1) == RIGHT).mean() > 0.95
    assert epochs[-1].loss < 0.2 < epochs[0].loss
    assert epochs[-1].valid_accuracy is None


def test_the_best_epoch_on_validation_data_is_kept() -> None:
    """With wrong validation answers, the first epochs are the best, and training stops early."""
    network, epochs = trained(ValidationData(BAGS, 1 - RIGHT))
    best = min(epochs, key=lambda epoch: epoch.objective)
    assert len(epochs) == best.epoch + 5 < 30
    wrong = (predict_answers(network, BAGS).argmax(axis=1) == 1 - RIGHT).mean()
    assert wrong == best.valid_accuracy


def test_several_validation_sets_choose_as_each_does_alone() -> None:
    judges = [ValidationData(BAGS, 1 - RIGHT), ValidationData(BAGS, RIGHT), None]
    options = SequenceSettings("rnn", epochs=30, learning_rate=0.1, batch_size=8, patience=5)
    with seed_torch(0):
        together = train(Line(), PAIRS, judges, options, lambda epoch: None)
    for judge, choice in zip(judges, together, strict=True):
        network, epochs = trained(judge)
        assert choice.epochs == epochs
        assert all(torch.equal(choice.weights[name], value) for name, value in network.state_dict().items())
    assert len({len(choice.epochs) for choice in together}) > 1


def test_without_patience_every_epoch_is_run() -> None:
    assert len(trained(ValidationData(BAGS, 1 - RIGHT), patience=0)[1]) == 30


def test_an_unseen_validation_answer_counts_as_wrong() -> None:
    _, epochs = trained(ValidationData(BAGS, np.full(40, -1)), epochs=2)
    assert [epoch.valid_accuracy for epoch in epochs] == [0.0, 0.0]
    assert epochs[0].valid_loss == pytest.approx(-np.log(1e-9))


def test_pairs_are_weighted() -> None:
    """The same point with both answers, one of them with three times the weight."""
    pairs = TrainingPairs(Points(np.ones((2, 2))), np.arange(2), np.arange(2), np.array([3, 1], dtype=np.float32))
    network, _ = trained(pairs=pairs, epochs=15, patience=0)
    likely = predict_answers(network, Bags(pairs.inputs, np.array([0]), np.array([0, 1])))
    assert likely[0, 0] == pytest.approx(0.75, abs=0.02)


def test_no_examples_have_no_answers() -> None:
    nothing = Bags(Points(np.zeros((0, 2))), np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64))
    assert predict_answers(Line(), nothing).shape == (0, 2)


def test_seed_and_threads_of_pytorch_are_restored() -> None:
    before, threads = torch.random.get_rng_state(), torch.get_num_threads()
    trained(epochs=1)
    assert torch.equal(before, torch.random.get_rng_state())
    assert torch.get_num_threads() == threads
