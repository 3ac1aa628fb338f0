"""Neural-LP, Yang, Yang and Cohen (2017), posed as the ranking of relations between two given entities.

For each answer q a controller says at each step t how much it attends to each relation, a_t, and to each earlier state,
b_t. Along a path r_1 ... r_n

u_0 = (1, 0, ..., 0),   v_t = sum over earlier s of b_t[s] u_s,   u_(t+1)[i] = a_t[r_i] v_t[i - 1]

and what has arrived at the end of the path after the last step is the path's score for q; those of several paths add
up.
"""

from __future__ import annotations

import itertools

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from r5._util.ordering import at_least, top_indices
from r5._util.runtime.budget import Budget
from r5.baselines.inputs import Bags, Codes, IntColumn
from r5.baselines.learner import Found, Round, RuleLearner, Tell, in_rounds, rows_of, shares
from r5.baselines.learner_settings import NeuralLPSettings
from r5.baselines.spans import Path

__all__ = ["Controller", "NeuralLPLearner"]

_MOST_BODIES = 10_000
_RULES_OF_AN_ANSWER = 20
_LEAST_SHARE = 0.01
"""Rules whose score is a smaller share of the best one's are not told."""
_AT_ONCE = 512


class Controller(nn.Module):
    """A recurrent network that reads the answer asked for, again and again."""

    def __init__(self, settings: NeuralLPSettings, relations: int, answers: int) -> None:
        super().__init__()
        self.steps = settings.steps
        self.queries = nn.Parameter(torch.randn(answers, settings.embedding))
        self.cells = nn.LSTM(settings.embedding, settings.hidden)
        self.attention = nn.Linear(settings.hidden, relations)

    def attentions(self) -> tuple[Tensor, list[Tensor]]:
        """To relations at each step, [steps, answers, relations], and to the states up to each, [states, answers]."""
        states, _ = self.cells(self.queries[None].expand(self.steps + 1, -1, -1))
        to_states = [
            torch.softmax((states[: step + 1] * states[step]).sum(dim=2), dim=0) for step in range(self.steps + 1)
        ]
        return torch.softmax(self.attention(states[:-1]), dim=2), to_states

    def forward(self, relations: Tensor, lengths: Tensor) -> Tensor:
        """The score of each path for each answer, [paths, answers]; relations are places, 0 behind the end."""
        to_relations, to_states = self.attentions()
        answers = to_relations.shape[1]
        attended = nn.functional.embedding(relations, to_relations.permute(2, 0, 1).flatten(1))
        along = attended.view(*relations.shape, self.steps, answers).unbind(dim=2)
        start = nn.functional.one_hot(torch.zeros_like(lengths), relations.shape[1] + 1).float()[:, :, None]
        arrived = [start.expand(-1, -1, answers)]
        for step in range(self.steps):
            read = self._read(arrived, to_states[step])
            arrived.append(nn.functional.pad(read[:, :-1] * along[step], (0, 0, 1, 0)))
        last = self._read(arrived, to_states[-1])
        return last[torch.arange(len(lengths)), lengths]

    @staticmethod
    def _read(arrived: list[Tensor], weights: Tensor) -> Tensor:
        """What earlier states hold, [paths, places, answers], as far as they are attended to."""
        return sum(weights[s] * state for s, state in enumerate(arrived))  # type: ignore[return-value]


class NeuralLPLearner(RuleLearner):
    """The controller, how it is trained, and what it has learned."""

    network: Controller

    def __init__(self, settings: NeuralLPSettings, codes: Codes) -> None:
        super().__init__(codes)
        self.settings = settings
        self.network = Controller(settings, len(self.relations), len(self.answers))

    def learn(self, bags: Bags, answers: IntColumn, tell: Tell, budget: Budget) -> list[Round]:
        """Adam on -log of the answer's share among all answers."""
        paths = self.paths(bags)
        fine = [path is not None and len(path) <= self.settings.steps for path in paths]
        rows = rows_of(bags, fine)
        table, lengths = _table([path or () if usable else () for path, usable in zip(paths, fine, strict=True)])
        optimizer = torch.optim.Adam(self.network.parameters(), lr=self.settings.learning_rate, foreach=False)

        def loss_of(chosen: IntColumn) -> Tensor:
            return self._loss(table, lengths, [rows[n] for n in chosen], answers[chosen])

        return in_rounds(rows, loss_of, optimizer, self.settings, tell, budget)

    def _loss(self, table: Tensor, lengths: Tensor, rows: list[IntColumn], answers: IntColumn) -> Tensor:
        distinct, place = np.unique(np.concatenate(rows), return_inverse=True)
        scores = self.network(table[torch.from_numpy(distinct)], lengths[torch.from_numpy(distinct)])
        owner = torch.from_numpy(np.repeat(np.arange(len(rows)), [some.size for some in rows]))
        total = torch.zeros(len(rows), len(self.answers)).index_add(0, owner, scores[torch.from_numpy(place)]) + 1e-20
        chosen = total[torch.arange(len(rows)), torch.from_numpy(answers)]
        return (total.sum(dim=1).log() - chosen.log()).mean()

    def _scores(self, paths: list[Path]) -> Tensor:
        scores: Tensor = self.network(*_table(paths))
        return scores

    def strengths(self, bags: Bags) -> NDArray[np.float64]:
        """What arrives along each path."""
        paths = self.paths(bags)
        fine = [row for row, path in enumerate(paths) if path is not None and len(path) <= self.settings.steps]
        scores = np.zeros((len(paths), len(self.answers)))
        with torch.no_grad():
            for start in range(0, len(fine), _AT_ONCE):
                some = fine[start : start + _AT_ONCE]
                scores[some] = self._scores([paths[row] or () for row in some]).double().nan_to_num().numpy()
        return scores

    def answer(self, bags: Bags) -> NDArray[np.float64]:
        """What arrives along all paths, as a share of that of all answers."""
        total = np.zeros((len(bags), len(self.answers)))
        owner = np.repeat(np.arange(len(bags)), np.diff(bags.starts))
        np.add.at(total, owner, self.strengths(bags)[bags.rows])
        return shares(total)

    def rules(self) -> list[Found]:
        """The bodies with the highest scores for each answer; of three relations and more where these are few."""
        sizes = range(1, self.settings.steps + 1)
        sizes = range(1, 1 + max(size for size in sizes if size < 3 or len(self.relations) ** size <= _MOST_BODIES))
        bodies = [body for size in sizes for body in itertools.product(range(len(self.relations)), repeat=size)]
        parts = [bodies[start : start + _AT_ONCE] for start in range(0, len(bodies), _AT_ONCE)]
        with torch.no_grad():
            scores = torch.cat([self._scores(part) for part in parts]).double().nan_to_num().numpy()
        found = []
        for column, answer in enumerate(self.codes.answers):
            best = top_indices(scores[:, column], _RULES_OF_AN_ANSWER)
            for row in best:
                if at_least(scores[row, column], _LEAST_SHARE * scores[best[0], column]):
                    body = tuple(self.relations[place] for place in bodies[row])
                    found.append(Found(answer, body, float(scores[row, column])))
        return found


def _table(paths: list[Path]) -> tuple[Tensor, Tensor]:
    """Paths side by side, 0 behind their end, and their lengths."""
    longest = max(map(len, paths))
    table = torch.tensor([[*path, *[0] * (longest - len(path))] for path in paths])
    return table, torch.tensor([len(path) for path in paths])
