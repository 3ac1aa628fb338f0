"""RNNLogic without embeddings, Qu et al. (2021), posed as the ranking of relations between two given entities.

A generator draws rules, a predictor weighs them: the score of answer h is the sum of the weights of the rules of h
whose body leads from one entity to the other. E-step: a rule of h with weight w is as good as

H = w (pairs with the answer h that its body connects - all pairs that it connects / answers),

and a softmax of H over the rules of h is their posterior. M-step: the generator learns to draw by the posterior.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from r5._util.ordering import top_indices
from r5._util.runtime.budget import Budget
from r5.baselines.inputs import Bags, Codes, IntColumn
from r5.baselines.learner import Found, Round, RuleLearner, Tell
from r5.baselines.learner_settings import RNNLogicSettings
from r5.baselines.spans import Path
from r5.storage.folder import ModelError, StoredModel

__all__ = ["Generator", "RNNLogicLearner", "Weighed"]

_PREDICTOR_STEPS = 200
_PREDICTOR_RATE = 0.1
_GENERATOR_STEPS = 100
_NEGLIGIBLE = 1e-6
"""The generator does not learn from rules with a smaller posterior, which most have: they would move nothing."""
_DECAY = 1e-4
"""On the weights of rules: without it those of a rule that is never wrong grow without end."""


class Generator(nn.Module):
    """A recurrent network that writes the body of a rule, relation by relation, for a head."""

    def __init__(self, settings: RNNLogicSettings, relations: int, answers: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(relations + 1, settings.embedding)
        self.heads = nn.Embedding(answers, settings.embedding)
        self.cells = nn.LSTM(2 * settings.embedding, settings.hidden, batch_first=True)
        self.next = nn.Linear(settings.hidden, relations + 1)
        self.end = relations
        self.longest = settings.longest_rule

    def forward(self, heads: Tensor, bodies: Tensor) -> Tensor:
        """Log-likelihood of each body, [rules], which ends with `end` and is filled up with -1."""
        before = nn.functional.pad(bodies[:, :-1], (1, 0), value=self.end).clamp_min(0)
        head = self.heads(heads)[:, None].expand(-1, before.shape[1], -1)
        states, _ = self.cells(torch.cat([self.tokens(before), head], dim=2))
        likely = torch.log_softmax(self.next(states), dim=2)
        chosen = likely.gather(2, bodies.clamp_min(0)[:, :, None])[:, :, 0]
        return (chosen * (bodies >= 0)).sum(dim=1)

    def draw(self, head: int, count: int) -> set[Path]:
        """So many bodies for a head, equal ones once."""
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

    def table(self, bodies: list[Path]) -> Tensor:
        """Bodies as `forward` takes them."""
        rows = [[*body, self.end, *[-1] * (self.longest - len(body))] for body in bodies]
        return torch.tensor(rows, dtype=torch.long)


@dataclass
class Weighed:
    """The rules that were kept: heads are classes of answers, bodies places of relations."""

    heads: IntColumn
    bodies: list[Path]
    weights: NDArray[np.float64]


class RNNLogicLearner(RuleLearner):
    """Generator and predictor in turn."""

    network: Generator

    def __init__(self, settings: RNNLogicSettings, codes: Codes) -> None:
        super().__init__(codes)
        self.settings = settings
        self.network = Generator(settings, len(self.relations), len(self.answers))
        self.weighed = Weighed(np.zeros(0, dtype=np.int64), [], np.zeros(0))

    def learn(self, bags: Bags, answers: IntColumn, tell: Tell, budget: Budget) -> list[Round]:
        """As many rounds as there are epochs; the first rules are all those that the training paths suggest."""
        paths = self.paths(bags)
        seen = _Seen.of(bags, paths, answers, len(self.answers), self.settings.longest_rule)
        rules = seen.suggested()
        rules = _best(rules, seen.goodness(rules, np.ones(len(rules))), self.settings.sampled)
        rounds: list[Round] = []
        for epoch in range(1, self.settings.epochs + 1):
            weights, loss = _weigh(seen, rules)
            goodness = seen.goodness(rules, weights)
            self._learn_to_draw(seen, rules, goodness)
            rounds.append(Round(epoch, loss))
            tell(rounds[-1])
            kept = _best(rules, goodness, self.settings.kept)
            if epoch == self.settings.epochs or budget.is_exhausted:
                break
            drawn = [(head, seen.place.get(body, -1)) for head in range(len(self.answers)) for body in self._draw(head)]
            rules = np.unique(
                np.array([*kept.tolist(), *(rule for rule in drawn if rule[1] >= 0)], dtype=np.int64).reshape(-1, 2),
                axis=0,
            )
        weights, _ = _weigh(seen, kept)
        self.weighed = Weighed(kept[:, 0], [seen.bodies[body] for body in kept[:, 1]], weights)
        return rounds

    def _draw(self, head: int) -> set[Path]:
        with torch.no_grad():
            return self.network.draw(head, self.settings.sampled)

    def _learn_to_draw(self, seen: _Seen, rules: IntColumn, goodness: NDArray[np.float64]) -> None:
        """Cross entropy weighted by the posterior of the rules of each head."""
        if not len(rules):
            return
        posterior = np.zeros(len(rules))
        for head in np.unique(rules[:, 0]):
            own = rules[:, 0] == head
            likely = np.exp(goodness[own] - goodness[own].max())
            posterior[own] = likely / likely.sum()
        rules, posterior = rules[posterior > _NEGLIGIBLE], posterior[posterior > _NEGLIGIBLE]
        heads, weights = torch.from_numpy(rules[:, 0]), torch.from_numpy(posterior).float()
        bodies = self.network.table([seen.bodies[body] for body in rules[:, 1]])
        optimizer = torch.optim.Adam(self.network.parameters(), lr=self.settings.learning_rate, foreach=False)
        for _ in range(_GENERATOR_STEPS):
            loss = -(weights * self.network(heads, bodies)).sum() / len(self.answers)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()

    def strengths(self, bags: Bags) -> NDArray[np.float64]:
        """The weights of the rules that have each path as their body."""
        of_body: dict[Path, list[int]] = {}
        for rule, body in enumerate(self.weighed.bodies):
            of_body.setdefault(body, []).append(rule)
        paths = self.paths(bags)
        scores = np.zeros((len(paths), len(self.answers)))
        for row, path in enumerate(paths):
            for rule in of_body.get(path, []) if path is not None else []:
                scores[row, self.weighed.heads[rule]] += self.weighed.weights[rule]
        return scores

    def answer(self, bags: Bags) -> NDArray[np.float64]:
        """Softmax of the summed weights; zeros where no rule has its body among the paths."""
        bodies = set(self.weighed.bodies)
        fired = np.array([path in bodies for path in self.paths(bags)], dtype=bool)
        owner = np.repeat(np.arange(len(bags)), np.diff(bags.starts))
        total, any_fired = np.zeros((len(bags), len(self.answers))), np.zeros(len(bags), dtype=bool)
        np.add.at(total, owner, self.strengths(bags)[bags.rows])
        np.logical_or.at(any_fired, owner, fired[bags.rows])
        likely = np.exp(total - total.max(axis=1, keepdims=True, initial=-np.inf))
        shared: NDArray[np.float64] = likely / likely.sum(axis=1, keepdims=True) * any_fired[:, None]
        return shared

    def rules(self) -> list[Found]:
        """Those with a weight above 0."""
        rows = zip(self.weighed.heads, self.weighed.bodies, self.weighed.weights, strict=True)
        return [
            Found(self.codes.answers[head], tuple(self.relations[place] for place in body), float(weight))
            for head, body, weight in rows
            if weight > 0
        ]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The rules and their weights: the generator is not needed to answer."""
        longest = self.settings.longest_rule
        bodies = np.full((len(self.weighed.bodies), longest), -1, dtype=np.int32)
        for row, body in enumerate(self.weighed.bodies):
            bodies[row, : len(body)] = body
        heads = self.weighed.heads.astype(np.int32)
        return {"rules.heads": heads, "rules.bodies": bodies, "rules.weights": self.weighed.weights}

    def restore(self, stored: StoredModel) -> None:
        """Rules whose body is filled up with -1 behind its end."""
        heads = stored.array("rules.heads", (None,), "i", least=0, most=len(self.answers) - 1)
        shape = (heads.size, self.settings.longest_rule)
        table = stored.array("rules.bodies", shape, "i", least=-1, most=len(self.relations) - 1)
        lengths = (table >= 0).sum(axis=1)
        if np.any(lengths == 0) or np.any((table >= 0) != (np.arange(table.shape[1]) < lengths[:, None])):
            raise ModelError("the model's rules have gaps in their bodies")
        weights = stored.array("rules.weights", (heads.size,), least=-1e6, most=1e6)
        bodies = [tuple(row[:length]) for row, length in zip(table.tolist(), lengths.tolist(), strict=True)]
        self.weighed = Weighed(heads.astype(np.int64), bodies, weights)


@dataclass(frozen=True)
class _Seen:
    """The bodies that connect training pairs: which pairs, and what their answers are."""

    bodies: list[Path]
    place: dict[Path, int]
    pairs: IntColumn  # [times], the example
    found: IntColumn  # [times], the body that connects it
    answers: IntColumn  # [examples]
    classes: int

    @classmethod
    def of(cls, bags: Bags, paths: list[Path | None], answers: IntColumn, classes: int, longest: int) -> _Seen:
        bodies = [path for path in paths if path is not None and len(path) <= longest]
        place = {body: number for number, body in enumerate(bodies)}
        number = np.array([-1 if path is None else place.get(path, -1) for path in paths], dtype=np.int64)
        owner, body = np.repeat(np.arange(len(bags)), np.diff(bags.starts)), number[bags.rows]
        return cls(bodies, place, owner[body >= 0], body[body >= 0], answers, classes)

    def suggested(self) -> IntColumn:
        """Each answer with each body that connects a pair with it, [rules, (head, body)]."""
        both = np.stack([self.answers[self.pairs], self.found], axis=1)
        return np.unique(both, axis=0)

    def goodness(self, rules: IntColumn, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """H of each rule."""
        counts = np.zeros((self.classes, len(self.bodies)))
        np.add.at(counts, (self.answers[self.pairs], self.found), 1.0)
        right, every = counts[rules[:, 0], rules[:, 1]], counts.sum(axis=0)[rules[:, 1]]
        good: NDArray[np.float64] = weights * (right - every / self.classes)
        return good


def _best(rules: IntColumn, goodness: NDArray[np.float64], most: int) -> IntColumn:
    """The best rules of each head."""
    kept: list[int] = []
    for head in np.unique(rules[:, 0]):
        own = np.flatnonzero(rules[:, 0] == head)
        kept += own[top_indices(goodness[own], most)].tolist()
    return rules[np.sort(np.array(kept, dtype=np.int64))]


def _weigh(seen: _Seen, rules: IntColumn) -> tuple[NDArray[np.float64], float]:
    """The predictor: weights of rules by which the answers of the training pairs are likely, and the loss."""
    if not len(rules):
        return np.zeros(0), 0.0
    # Only what the rules speak about: most bodies are of no rule, and most pairs are connected by few.
    bodies, body = np.unique(rules[:, 1], return_inverse=True)
    used = np.isin(seen.found, bodies)
    connected, pair = np.unique(seen.pairs[used], return_inverse=True)
    answers = torch.from_numpy(seen.answers[connected])
    pairs, found = torch.from_numpy(pair), torch.from_numpy(np.searchsorted(bodies, seen.found[used]))
    place = torch.from_numpy(np.stack([rules[:, 0], body.reshape(-1)], axis=1))
    weights = torch.zeros(len(rules), requires_grad=True)
    optimizer = torch.optim.Adam([weights], lr=_PREDICTOR_RATE, foreach=False)
    for _ in range(_PREDICTOR_STEPS):
        table = torch.zeros(len(bodies), seen.classes).index_put((place[:, 1], place[:, 0]), weights)
        scores = torch.zeros(len(answers), seen.classes).index_add(0, pairs, table[found])
        fit = nn.functional.cross_entropy(scores, answers)
        loss = fit + _DECAY * (weights**2).sum()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return weights.detach().double().numpy(), float(fit.detach())
