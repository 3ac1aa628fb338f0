"""Reformulators, which replace a goal by two sub-goals: the three of CTP, and the rules of GNTP."""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor, nn

from r5.baselines.rule_learners.settings import ProverSettings

__all__ = ["Reformulator", "make_reformulator", "similarity"]

_ATTENTION_STD = 0.02
"""Standard deviation of the initial attention weights of CTP_A."""
_RULE_NOISE = 0.25
"""Standard deviation of the difference between the initial vectors of a GNTP rule and those of random relations."""


def similarity(first: Tensor, second: Tensor) -> Tensor:
    """Return the kernel k(a, b) = exp(-|a - b|) of all pairs.

    Args:
        first: [first, size].
        second: [second, size].

    Returns:
        [first, second].

    """
    squares = (first**2).sum(1)[:, None] + (second**2).sum(1)[None, :] - 2 * first @ second.T
    if not torch.is_grad_enabled():  # in place, since prediction has millions of goals
        return squares.clamp_min_(1e-6).sqrt_().neg_().exp_()
    return torch.exp(-squares.clamp_min(1e-6).sqrt())


class Reformulator(Protocol):
    """Function from goals to pairs of sub-goals, one pair per module."""

    def __call__(self, goals: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return the sub-goals of goals.

        Args:
            goals: [goals, size].
            vectors: Embeddings of the relations, [relations, size].

        Returns:
            Sub-goals, [goals or 1, modules, 2, size], 1 where all goals have the same sub-goals. Score of each module
            for each goal, [goals, modules], or None where every module applies to every goal.

        """


class LinearReformulator(nn.Module):
    """CTP_L: W_i g + c_i."""

    def __init__(self, settings: ProverSettings, vectors: Tensor) -> None:
        super().__init__()
        self.shape = (settings.modules, 2, settings.embedding)
        self.linear = nn.Linear(settings.embedding, 2 * settings.modules * settings.embedding)

    def forward(self, goals: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor | None]:
        """Apply one linear map per sub-goal."""
        return self.linear(goals).view(-1, *self.shape), None


class AttentiveReformulator(nn.Module):
    """CTP_A: softmax(W_i g + c_i) E, a mixture of the embeddings of the relations."""

    def __init__(self, settings: ProverSettings, vectors: Tensor) -> None:
        super().__init__()
        self.shape = (settings.modules, 2, len(vectors))
        self.attention = nn.Linear(settings.embedding, 2 * settings.modules * len(vectors))
        # Nearly uniform attention at first: a model tends to keep any initial preference, right or wrong.
        nn.init.normal_(self.attention.weight, std=_ATTENTION_STD)
        nn.init.zeros_(self.attention.bias)

    def forward(self, goals: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor | None]:
        """Apply one attention per sub-goal."""
        return torch.softmax(self.attention(goals).view(-1, *self.shape), dim=3) @ vectors, None


class MemoryReformulator(nn.Module):
    """CTP_M: a = softmax(W g + c), then a M_1 and a M_2; all modules share the memory."""

    def __init__(self, settings: ProverSettings, vectors: Tensor) -> None:
        super().__init__()
        self.shape = (settings.modules, settings.slots)
        self.attention = nn.Linear(settings.embedding, settings.modules * settings.slots)
        # Random: a memory of zeros would stay zero, since all its rows have the same gradient.
        self.memory = nn.Parameter(torch.randn(2, settings.slots, settings.embedding))

    def forward(self, goals: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor | None]:
        """Apply one attention to the memories of both sub-goals."""
        attention = torch.softmax(self.attention(goals).view(-1, *self.shape), dim=2)
        return torch.stack([attention @ self.memory[0], attention @ self.memory[1]], dim=2), None


class FixedRules(nn.Module):
    """GNTP: each module is a rule; its head must match the goal, and its body does not depend on the goal.

    The initial vectors lie near those of relations. Independent random vectors would be so far from all relations that
    no rule ever matches, and a rule that is in no best proof gets no gradient.
    """

    def __init__(self, settings: ProverSettings, vectors: Tensor) -> None:
        super().__init__()
        drawn = vectors.detach()[torch.randint(len(vectors), (settings.modules, 3))]
        initial = drawn + _RULE_NOISE * torch.randn(drawn.shape)
        self.heads = nn.Parameter(initial[:, 0].clone())
        self.bodies = nn.Parameter(initial[:, 1:].clone())

    def forward(self, goals: Tensor, vectors: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return the bodies, the same for all goals, and the similarity of goals and heads."""
        return self.bodies[None], similarity(goals, self.heads)


_KINDS = {
    "ctp-l": LinearReformulator,
    "ctp-a": AttentiveReformulator,
    "ctp-m": MemoryReformulator,
    "gntp": FixedRules,
}


def make_reformulator(settings: ProverSettings, vectors: Tensor) -> nn.Module:
    """Return the reformulator of a method, with random weights.

    Args:
        settings: Name of the method, number of modules and sizes.
        vectors: Embeddings of the relations, [relations, size].

    """
    return _KINDS[settings.method](settings, vectors)
