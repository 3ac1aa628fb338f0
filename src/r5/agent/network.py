"""The policy-value network f_theta in PyTorch and how it learns from search (Section 2.1)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from r5.agent.evaluator import NetworkEvaluator
from r5.agent.replay import Batch
from r5.agent.settings import R5Settings
from r5.agent.state_kernels import FEATURES

__all__ = ["PolicyValueNetwork", "Trainer", "UpdateResult"]


class PolicyValueNetwork(nn.Module):
    """Scores each pair from its features, its relation types and the mean of all pairs: the order does not matter."""

    def __init__(self, types: int, embedding: int, hidden: int) -> None:
        super().__init__()
        self.types = nn.Parameter(0.3 * torch.randn(types, embedding))
        self.first = nn.Linear(FEATURES + 2 * embedding, hidden)
        self.policy = nn.Linear(2 * hidden, hidden)
        self.policy_out = nn.Linear(hidden, 1, bias=False)
        self.value = nn.Linear(hidden, hidden)
        self.value_out = nn.Linear(hidden, 1)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Log-probabilities of the pairs, [pairs], and values of the states, [states]."""
        counts = torch.from_numpy(batch.counts.astype(np.int64))
        state = torch.repeat_interleave(torch.arange(counts.numel()), counts)
        types = (self.types[torch.from_numpy(side.astype(np.int64))] for side in (batch.left, batch.right))
        hidden = torch.relu(self.first(torch.cat([torch.from_numpy(batch.features), *types], dim=1)))
        context = torch.zeros(counts.numel(), hidden.shape[1]).index_add(0, state, hidden) / counts[:, None]
        unit = torch.relu(self.policy(torch.cat([hidden, context[state]], dim=1)))
        logits = self.policy_out(unit)[:, 0]
        highest = torch.full((counts.numel(),), -torch.inf).scatter_reduce(0, state, logits.detach(), "amax")
        total = torch.zeros(counts.numel()).index_add(0, state, torch.exp(logits - highest[state]))
        log_rho = logits - highest[state] - torch.log(total)[state]
        value = torch.tanh(self.value_out(torch.relu(self.value(context)))[:, 0])
        return log_rho, value


@dataclass(frozen=True, slots=True)
class UpdateResult:
    """One update: the loss l before it, and how far the policy moved (KL divergence)."""

    loss: float
    kl: float


class Trainer:
    """Adam on l = (z - nu)^2 - pi^T log rho + a |theta|^2, its step steered by how far the policy moves."""

    def __init__(self, types: int, settings: R5Settings, restart: int = 0) -> None:
        self.settings = settings
        self.multiplier = 1.0
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(_first_weights(settings.seed, restart))
            self.network = PolicyValueNetwork(types, settings.embedding, settings.hidden)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=settings.learning_rate, foreach=False)

    def update(self, batch: Batch) -> UpdateResult:
        """Some steps on one batch."""
        with one_thread():
            return self._update(batch)

    def _update(self, batch: Batch) -> UpdateResult:
        pi, z = torch.from_numpy(batch.policies), torch.from_numpy(batch.rewards)
        states = batch.counts.size
        log_rho, value = self.network(batch)
        before = log_rho.detach()
        first_loss = float(((z - value.detach()) ** 2).mean() - (pi * before).sum() / states)
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
            kl = float((before.exp() * (before - log_rho.detach())).sum() / states)
            if kl > 4 * self.settings.kl_target:
                break
        self._steer(kl)
        return UpdateResult(first_loss, kl)

    def _steer(self, kl: float) -> None:
        """Take smaller steps where the policy moved too far, larger ones where it hardly moved."""
        if kl > 2 * self.settings.kl_target:
            self.multiplier = max(self.multiplier / 1.5, 0.1)
        elif kl < self.settings.kl_target / 2:
            self.multiplier = min(self.multiplier * 1.5, 1.0)

    def evaluator(self) -> NetworkEvaluator:
        """The network as it now is, for search."""
        return NetworkEvaluator({name: value.detach().numpy() for name, value in self.network.named_parameters()})

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """All there is to go on later: parameters, the optimiser's moments, steps and multiplier."""
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
        """Go on from what `arrays` gave."""
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


def _first_weights(seed: int, restart: int) -> int:
    """What the first weights are drawn from: the seed, and of a restart a number made of both."""
    if restart == 0:
        return seed % 2**63
    return int(np.random.SeedSequence([seed % 2**64, restart]).generate_state(1, np.uint64)[0]) % 2**63


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Small networks are fastest, and results the same everywhere, on one thread."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
