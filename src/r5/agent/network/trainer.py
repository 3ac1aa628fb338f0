"""Trainer: Adam on the loss of Section 2.1, with the learning rate adapted to the change of the policy."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from r5.agent.network.evaluator import NetworkEvaluator
from r5.agent.network.network import PolicyValueNetwork
from r5.agent.network.replay import Batch
from r5.agent.settings import R5Settings

__all__ = ["Trainer", "UpdateResult"]


@dataclass(frozen=True, slots=True)
class UpdateResult:
    """One update of the network."""

    loss: float
    """l without its L2 term, before the update."""
    kl: float
    """KL divergence of the policy after the update from the policy before it."""


class Trainer:
    """Adam on l = (z - nu)^2 - pi^T log rho + a |theta|^2.

    The paper's learning rate is fixed. Here it is multiplied by 1/1.5 where the KL divergence of an update is above
    twice `kl_target` and by 1.5 where it is below half of it, within 0.1 to 1 times the setting; an update stops early
    above four times the target.

    Args:
        types: Number of relation types.
        settings: Hyperparameters.
        restart: Number of the restart, part of the seed of the initial weights.

    Attributes:
        multiplier: Current factor of the learning rate.
        network: The network f_theta.
    """

    def __init__(self, types: int, settings: R5Settings, restart: int = 0) -> None:
        self.settings = settings
        self.multiplier = 1.0
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(_initial_seed(settings.seed, restart))
            self.network = PolicyValueNetwork(types, settings.embedding, settings.hidden)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=settings.learning_rate, foreach=False)

    def update(self, batch: Batch) -> UpdateResult:
        """Take `steps_per_update` optimiser steps on one batch."""
        with one_thread():
            return self._update(batch)

    def _update(self, batch: Batch) -> UpdateResult:
        pi, z = torch.from_numpy(batch.policies), torch.from_numpy(batch.rewards)
        states = batch.counts.size
        log_rho, value = self.network(batch)
        initial = log_rho.detach()
        initial_loss = float(((z - value.detach()) ** 2).mean() - (pi * initial).sum() / states)
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings.learning_rate * self.multiplier
        kl = 0.0
        for _ in range(self.settings.steps_per_update):
            penalty = sum((parameter**2).sum() for parameter in self.network.parameters())
            loss = ((z - value) ** 2).mean() - (pi * log_rho).sum() / states + self.settings.l2 * penalty
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
            log_rho, value = self.network(batch)
            kl = float((initial.exp() * (initial - log_rho.detach())).sum() / states)
            if kl > 4 * self.settings.kl_target:
                break
        self._adapt_learning_rate(kl)
        return UpdateResult(initial_loss, kl)

    def _adapt_learning_rate(self, kl: float) -> None:
        """Decrease the learning rate after a large change of the policy, increase it after a small one."""
        if kl > 2 * self.settings.kl_target:
            self.multiplier = max(self.multiplier / 1.5, 0.1)
        elif kl < self.settings.kl_target / 2:
            self.multiplier = min(self.multiplier * 1.5, 1.0)

    def evaluator(self) -> NetworkEvaluator:
        """Return the current network in the form that search uses."""
        return NetworkEvaluator({name: value.detach().numpy() for name, value in self.network.named_parameters()})

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Return the state for a checkpoint: parameters, moments and steps of Adam, and the multiplier."""
        found: dict[str, NDArray[np.float32]] = {}
        for name, parameter in self.network.named_parameters():
            found[f"network.{name}"] = parameter.detach().numpy().copy()
            state = self.optimizer.state.get(parameter, {})
            for key in ("exp_avg", "exp_avg_sq", "step"):
                if key in state:
                    found[f"optimizer.{name}.{key}"] = np.atleast_1d(state[key].numpy()).copy()
        found["optimizer.multiplier"] = np.array([self.multiplier], dtype=np.float64)
        return found

    def restore(self, arrays: Mapping[str, NDArray[np.float32]]) -> None:
        """Restore the state that `arrays` returned."""
        self.multiplier = float(arrays["optimizer.multiplier"][0])
        for name, parameter in self.network.named_parameters():
            with torch.no_grad():
                parameter.copy_(torch.from_numpy(np.array(arrays[f"network.{name}"])))
            if f"optimizer.{name}.step" in arrays:
                self.optimizer.state[parameter] = {
                    "step": torch.tensor(float(arrays[f"optimizer.{name}.step"][0])),
                    "exp_avg": torch.from_numpy(np.array(arrays[f"optimizer.{name}.exp_avg"])),
                    "exp_avg_sq": torch.from_numpy(np.array(arrays[f"optimizer.{name}.exp_avg_sq"])),
                }


def _initial_seed(seed: int, restart: int) -> int:
    """Return the seed of the initial weights of a restart."""
    if restart == 0:
        return seed % 2**63
    return int(np.random.SeedSequence([seed % 2**64, restart]).generate_state(1, np.uint64)[0]) % 2**63


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Run PyTorch on one thread: fastest for small networks, and the same results on every machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
