"""Policy-value network: PyTorch and kernel agree, the order of pairs does not matter, training reduces the loss."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from r5.agent.network.evaluator import NetworkEvaluator, parameter_shapes  # noqa: E402
from r5.agent.network.replay import Batch  # noqa: E402
from r5.agent.network.trainer import Trainer  # noqa: E402
from r5.agent.settings import R5Settings  # noqa: E402
from r5.agent.state.feature_kernels import FEATURES  # noqa: E402
from r5.agent.state.states import Pairs  # noqa: E402

TYPES = 6


def batch_of(seed: int, states: int = 5) -> Batch:
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 5, states).astype(np.int32)
    pairs = int(counts.sum())
    policies = np.concatenate([rng.dirichlet(np.ones(count)) for count in counts]).astype(np.float32)
    return Batch(
        counts,
        rng.normal(size=(pairs, FEATURES)).astype(np.float32),
        rng.integers(0, TYPES, pairs).astype(np.int32),
        rng.integers(0, TYPES, pairs).astype(np.int32),
        policies,
        rng.integers(-1, 2, states).astype(np.float32),
    )


def pairs_of(batch: Batch) -> Pairs:
    return Pairs(batch.counts, batch.features, batch.left, batch.right)


def trained(seed: int = 0) -> Trainer:
    trainer = Trainer(TYPES, R5Settings(seed=seed))
    trainer.update(batch_of(seed))
    return trainer


def test_kernel_equals_pytorch() -> None:
    trainer, batch = trained(), batch_of(1)
    with torch.no_grad():
        log_rho, value = trainer.network(batch)
    priors, values = trainer.evaluator()(pairs_of(batch))
    np.testing.assert_allclose(priors, log_rho.exp().numpy(), atol=1e-5)
    np.testing.assert_allclose(values, value.numpy(), atol=1e-5)
    np.testing.assert_allclose(np.add.reduceat(priors, np.cumsum(batch.counts) - batch.counts), 1.0)


def test_order_of_pairs_does_not_matter() -> None:
    evaluate = trained().evaluator()
    batch = batch_of(2, states=1)
    while batch.left.size < 3:
        batch = batch_of(int(batch.left.size) + 7, states=1)
    order = np.random.default_rng(0).permutation(batch.left.size)
    priors, values = evaluate(pairs_of(batch))
    turned = Pairs(batch.counts, batch.features[order], batch.left[order], batch.right[order])
    turned_priors, turned_values = evaluate(turned)
    np.testing.assert_allclose(turned_priors, priors[order], rtol=1e-5)
    np.testing.assert_allclose(turned_values, values, rtol=1e-5)


def test_updates_reduce_the_loss() -> None:
    trainer = Trainer(TYPES, R5Settings(seed=0))
    batch = batch_of(3, states=20)
    losses = [trainer.update(batch).loss for _ in range(150)]
    assert losses[-1] < losses[0] - 0.5
    _, values = trainer.evaluator()(pairs_of(batch))
    assert np.mean((values - batch.rewards) ** 2) < 0.3


def test_learning_rate_follows_the_kl_divergence() -> None:
    trainer = Trainer(TYPES, R5Settings(seed=0))
    trainer._adapt_learning_rate(1.0)
    assert trainer.multiplier == pytest.approx(1 / 1.5)
    trainer._adapt_learning_rate(0.02)
    assert trainer.multiplier == pytest.approx(1 / 1.5)
    trainer._adapt_learning_rate(0.0)
    assert trainer.multiplier == pytest.approx(1.0)


def test_seed_fixes_the_network_and_not_the_global_generator() -> None:
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    first, second, other = trained(1), trained(1), trained(2)
    assert torch.equal(before, torch.random.get_rng_state())
    assert torch.equal(first.network.types, second.network.types)
    assert not torch.equal(first.network.types, other.network.types)


def test_restored_trainer_continues_with_equal_bits() -> None:
    trainer = trained()
    copy = Trainer(TYPES, R5Settings(seed=9))
    copy.restore(trainer.arrays())
    for number in range(3):
        trainer.update(batch_of(number))
        copy.update(batch_of(number))
    for name, value in trainer.arrays().items():
        np.testing.assert_array_equal(value, copy.arrays()[name])


def test_parameters_have_the_declared_shapes() -> None:
    settings = R5Settings()
    parameters = Trainer(TYPES, settings).evaluator().parameters
    assert {name: value.shape for name, value in parameters.items()} == parameter_shapes(
        TYPES, settings.embedding, settings.hidden
    )
    assert NetworkEvaluator(parameters).weights.left.shape == (TYPES, settings.hidden)
