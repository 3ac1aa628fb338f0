"""RuleGenerator: the network of RNNLogic that generates rule bodies."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from r5.baselines.rule_learners.settings import RNNLogicSettings
from r5.baselines.rule_learners.spans import Path

__all__ = ["RuleGenerator"]


class RuleGenerator(nn.Module):
    """Recurrent network that generates the body of a rule for a head, relation by relation."""

    def __init__(self, settings: RNNLogicSettings, relations: int, answers: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(relations + 1, settings.embedding)
        self.heads = nn.Embedding(answers, settings.embedding)
        self.cells = nn.LSTM(2 * settings.embedding, settings.hidden, batch_first=True)
        self.next = nn.Linear(settings.hidden, relations + 1)
        self.end = relations
        """Token at the end of a body."""
        self.longest = settings.longest_rule

    def forward(self, heads: Tensor, bodies: Tensor) -> Tensor:
        """Return the log-likelihood of each body.

        Args:
            heads: [rules].
            bodies: Relations, the end token and -1 for padding, [rules, longest].

        Returns:
            [rules].

        """
        before = nn.functional.pad(bodies[:, :-1], (1, 0), value=self.end).clamp_min(0)
        head = self.heads(heads)[:, None].expand(-1, before.shape[1], -1)
        states, _ = self.cells(torch.cat([self.tokens(before), head], dim=2))
        log_likelihood = torch.log_softmax(self.next(states), dim=2)
        chosen = log_likelihood.gather(2, bodies.clamp_min(0)[:, :, None])[:, :, 0]
        return (chosen * (bodies >= 0)).sum(dim=1)

    def sample(self, head: int, count: int) -> set[Path]:
        """Sample bodies for a head, and return the distinct ones."""
        token, head_vector = torch.full((count,), self.end), self.heads(torch.full((count,), head))
        state: tuple[Tensor, Tensor] | None = None
        drawn = []
        for _ in range(self.longest):
            read = torch.cat([self.tokens(token), head_vector], dim=1)[:, None]
            out, state = self.cells(read, state)
            token = torch.multinomial(torch.softmax(self.next(out[:, 0]), dim=1), 1)[:, 0]
            drawn.append(token)
        rows = torch.stack(drawn, dim=1).tolist()
        return {tuple(row[: row.index(self.end)] if self.end in row else row) for row in rows} - {()}

    def pad(self, bodies: list[Path]) -> Tensor:
        """Return bodies in the form that `forward` takes, [rules, longest + 1]."""
        rows = [[*body, self.end, *[-1] * (self.longest - len(body))] for body in bodies]
        return torch.tensor(rows, dtype=torch.long)
