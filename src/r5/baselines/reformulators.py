"""What replaces a goal by two sub-goals: the three reformulators of CTP, and the rules of GNTP."""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor, nn

from r5.baselines.learner_settings import ProverSettings

__all__ = ["Reformulator", "kernel", "make_reformulator"]

_EVEN = 0.02
"""How far the first attention of CTP_A to the relations is from an even one."""
_NEAR = 0.25
"""How far the numbers of a rule of GNTP are, at first, from those of the relations that it begins with."""


def kernel(some: Tensor, others: Tensor) -> Tensor:
    """k(a, b) = exp(-|a - b|), [some, others]."""
    squares = (some**2).sum(1)[:, None] + (others**2).sum(1)[None, :] - 2 * some @ others.T
    if not torch.is_grad_enabled():  # the same without further memory: there are millions of goals in answering
        return squares.clamp_min_(1e-6).sqrt_().neg_().exp_()
    return torch.exp(-squares.clamp_min(1e-6).sqrt())


class Reformulator(Protocol):
    """Replaces goals by pairs of sub-goals, in several ways."""

    def __call__(self, goals: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor | None]:
        """From goals [goals, size] to sub-goals [goals or 1, modules, 2, size], 1 where all goals have the same ones.

        And how well each goal fits to each module, [goals, modules], where that counts.
        """


class Linear(nn.Module):
    """CTP_L: W_i g + c_i."""

    def __init__(self, settings: ProverSettings, vectors: Tensor) -> None:
        super().__init__()
        self.shape = (settings.modules, 2, settings.embedding)
        self.change = nn.Linear(settings.embedding, 2 * settings.modules * settings.embedding)

    def forward(self, goals: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor | None]:
        """Another linear map for each sub-goal."""
        return self.change(goals).view(-1, *self.shape), None


class Attentive(nn.Module):
    """CTP_A: softmax(W_i g + c_i) E, a mixture of the relations' own vectors."""

    def __init__(self, settings: ProverSettings, vectors: Tensor) -> None:
        super().__init__()
        self.shape = (settings.modules, 2, len(vectors))
        self.attention = nn.Linear(settings.embedding, 2 * settings.modules * len(vectors))
        # At first nearly even: what begins with a preference often keeps it, right or wrong.
        nn.init.normal_(self.attention.weight, std=_EVEN)
        nn.init.zeros_(self.attention.bias)

    def forward(self, goals: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor | None]:
        """Another attention for each sub-goal."""
        return torch.softmax(self.attention(goals).view(-1, *self.shape), dim=3) @ vectors, None


class Memory(nn.Module):
    """CTP_M: a = softmax(W g + c), then a M_1 and a M_2; all modules share the memory."""

    def __init__(self, settings: ProverSettings, vectors: Tensor) -> None:
        super().__init__()
        self.shape = (settings.modules, settings.slots)
        self.attention = nn.Linear(settings.embedding, settings.modules * settings.slots)
        # Drawn: a memory of zeros would stay there, for all its rows have the same gradient.
        self.memory = nn.Parameter(torch.randn(2, settings.slots, settings.embedding))

    def forward(self, goals: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor | None]:
        """One attention for both sub-goals."""
        chosen = torch.softmax(self.attention(goals).view(-1, *self.shape), dim=2)
        return torch.stack([chosen @ self.memory[0], chosen @ self.memory[1]], dim=2), None


class Fixed(nn.Module):
    """GNTP: each module is a rule, whose head must be like the goal and whose body does not depend on it.

    Its vectors begin near those of relations: drawn without regard to them, they are so far from all that no rule
    ever fits, and rules that are in no best proof learn nothing.
    """

    def __init__(self, settings: ProverSettings, vectors: Tensor) -> None:
        super().__init__()
        drawn = vectors.detach()[torch.randint(len(vectors), (settings.modules, 3))]
        near = drawn + _NEAR * torch.randn(drawn.shape)
        self.heads = nn.Parameter(near[:, 0].clone())
        self.bodies = nn.Parameter(near[:, 1:].clone())

    def forward(self, goals: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor | None]:
        """The same bodies for all goals."""
        return self.bodies[None], kernel(goals, self.heads)


_KINDS = {"ctp-l": Linear, "ctp-a": Attentive, "ctp-m": Memory, "gntp": Fixed}


def make_reformulator(settings: ProverSettings, vectors: Tensor) -> nn.Module:
    """The one of a system for the vectors of relations, with random weights."""
    return _KINDS[settings.system](settings, vectors)
