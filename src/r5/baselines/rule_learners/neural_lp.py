"""Neural-LP, Yang, Yang and Cohen (2017), as a ranking of the relations between two given entities.

For each answer q a controller computes, at each step t, its attention a_t to each relation and its attention b_t to
each earlier state. Along a path r_1 ... r_n

u_0 = (1, 0, ..., 0),   v_t = sum over earlier s of b_t[s] u_s,   u_(t+1)[i] = a_t[r_i] v_t[i - 1]

The mass at the end of the path after the last step is the score of q by the path. The scores of several paths add up.
"""

from __future__ import annotations

import itertools

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from r5._util.ordering import at_least, top_indices
from r5._util.runtime.budget import Budget
from r5.baselines.epochs import EpochResult, ReportEpoch
from r5.baselines.inputs.bags import Bags
from r5.baselines.inputs.relation_index import IntArray, RelationIndex
from r5.baselines.rule_learners.learner import LearnedRule, RuleLearner, normalize_scores, train_epochs, usable_rows
from r5.baselines.rule_learners.settings import NeuralLPSettings
from r5.baselines.rule_learners.spans import Path

__all__ = ["Controller", "NeuralLPLearner"]

_MAX_BODIES = 10_000
"""Maximum number of bodies of one length of three or more that rule extraction enumerates."""
_MAX_RULES = 20
"""Maximum number of extracted rules per answer."""
_MIN_SHARE = 0.01
"""Minimum score of an extracted rule, as a share of the best score of its answer."""
_BATCH_SIZE = 512
"""Number of paths in a batch of predictions."""


class Controller(nn.Module):
    """Recurrent network that reads the embedding of the answer at each step."""

    def __init__(self, settings: NeuralLPSettings, relations: int, answers: int) -> None:
        super().__init__()
        self.steps = settings.steps
        self.queries = nn.Parameter(torch.randn(answers, settings.embedding))
        self.cells = nn.LSTM(settings.embedding, settings.hidden)
        self.attention = nn.Linear(settings.hidden, relations)

    def attentions(self) -> tuple[Tensor, list[Tensor]]:
        """Return the attention to relations and to states.

        Returns:
            Attention to relations at each step, [steps, answers, relations]. For each step and for the end, the
            attention to the states so far, [states, answers].

        """
        states, _ = self.cells(self.queries[None].expand(self.steps + 1, -1, -1))
        to_states = [
            torch.softmax((states[: step + 1] * states[step]).sum(dim=2), dim=0) for step in range(self.steps + 1)
        ]
        return torch.softmax(self.attention(states[:-1]), dim=2), to_states

    def forward(self, relations: Tensor, lengths: Tensor) -> Tensor:
        """Return the score of each answer by each path.

        Args:
            relations: Positions of the relations, 0 for padding, [paths, longest].
            lengths: [paths].

        Returns:
            [paths, answers].

        """
        to_relations, to_states = self.attentions()
        answers = to_relations.shape[1]
        attended = nn.functional.embedding(relations, to_relations.permute(2, 0, 1).flatten(1))
        along = attended.view(*relations.shape, self.steps, answers).unbind(dim=2)
        start = nn.functional.one_hot(torch.zeros_like(lengths), relations.shape[1] + 1).float()[:, :, None]
        states = [start.expand(-1, -1, answers)]
        for step in range(self.steps):
            mixed = self._mix(states, to_states[step])
            states.append(nn.functional.pad(mixed[:, :-1] * along[step], (0, 0, 1, 0)))
        last = self._mix(states, to_states[-1])
        return last[torch.arange(len(lengths)), lengths]

    @staticmethod
    def _mix(states: list[Tensor], attention: Tensor) -> Tensor:
        """Return the attention-weighted sum of states, [paths, positions, answers]."""
        return sum(attention[s] * state for s, state in enumerate(states))  # type: ignore[return-value]


class NeuralLPLearner(RuleLearner):
    """Controller and its training."""

    network: Controller

    def __init__(self, settings: NeuralLPSettings, index: RelationIndex) -> None:
        super().__init__(index)
        self.settings = settings
        self.network = Controller(settings, len(self.relations), len(self.answers))

    def train(self, bags: Bags, answers: IntArray, report: ReportEpoch, budget: Budget) -> list[EpochResult]:
        """Train with Adam on the negative log of the answer's share among all answers."""
        paths = self.paths(bags)
        readable = [path is not None and len(path) <= self.settings.steps for path in paths]
        rows = usable_rows(bags, readable)
        table, lengths = _pad([path or () if usable else () for path, usable in zip(paths, readable, strict=True)])
        optimizer = torch.optim.Adam(self.network.parameters(), lr=self.settings.learning_rate, foreach=False)

        def loss_of(batch: IntArray) -> Tensor:
            return self._loss(table, lengths, [rows[n] for n in batch], answers[batch])

        return train_epochs(rows, loss_of, optimizer, self.settings, report, budget)

    def _loss(self, table: Tensor, lengths: Tensor, rows: list[IntArray], answers: IntArray) -> Tensor:
        distinct, number = np.unique(np.concatenate(rows), return_inverse=True)
        scores = self.network(table[torch.from_numpy(distinct)], lengths[torch.from_numpy(distinct)])
        owner = torch.from_numpy(np.repeat(np.arange(len(rows)), [some.size for some in rows]))
        total = torch.zeros(len(rows), len(self.answers)).index_add(0, owner, scores[torch.from_numpy(number)]) + 1e-20
        chosen = total[torch.arange(len(rows)), torch.from_numpy(answers)]
        return (total.sum(dim=1).log() - chosen.log()).mean()

    def _scores(self, paths: list[Path]) -> Tensor:
        scores: Tensor = self.network(*_pad(paths))
        return scores

    def score_paths(self, bags: Bags) -> NDArray[np.float64]:
        """Return the score of each answer by each path, [paths, answers]."""
        paths = self.paths(bags)
        readable = [row for row, path in enumerate(paths) if path is not None and len(path) <= self.settings.steps]
        scores = np.zeros((len(paths), len(self.answers)))
        with torch.no_grad():
            for start in range(0, len(readable), _BATCH_SIZE):
                batch = readable[start : start + _BATCH_SIZE]
                scores[batch] = self._scores([paths[row] or () for row in batch]).double().nan_to_num().numpy()
        return scores

    def score_answers(self, bags: Bags) -> NDArray[np.float64]:
        """Return the summed score of each answer, divided by the sum over answers, [examples, answers]."""
        total = np.zeros((len(bags), len(self.answers)))
        np.add.at(total, bags.owners, self.score_paths(bags)[bags.rows])
        return normalize_scores(total)

    def rules(self) -> list[LearnedRule]:
        """Return the bodies with the highest scores for each answer.

        All bodies of one and two relations are scored, and longer ones while there are at most 10,000 of a length.
        """
        sizes = range(1, self.settings.steps + 1)
        sizes = range(1, 1 + max(size for size in sizes if size < 3 or len(self.relations) ** size <= _MAX_BODIES))
        bodies = [body for size in sizes for body in itertools.product(range(len(self.relations)), repeat=size)]
        batches = [bodies[start : start + _BATCH_SIZE] for start in range(0, len(bodies), _BATCH_SIZE)]
        with torch.no_grad():
            scores = torch.cat([self._scores(batch) for batch in batches]).double().nan_to_num().numpy()
        found = []
        for column, answer in enumerate(self.index.answers):
            best = top_indices(scores[:, column], _MAX_RULES)
            for row in best:
                if at_least(scores[row, column], _MIN_SHARE * scores[best[0], column]):
                    body = tuple(self.relations[position] for position in bodies[row])
                    found.append(LearnedRule(answer, body, float(scores[row, column])))
        return found


def _pad(paths: list[Path]) -> tuple[Tensor, Tensor]:
    """Return paths padded with 0, [paths, longest], and their lengths, [paths]."""
    longest = max(map(len, paths))
    table = torch.tensor([[*path, *[0] * (longest - len(path))] for path in paths])
    return table, torch.tensor([len(path) for path in paths])
