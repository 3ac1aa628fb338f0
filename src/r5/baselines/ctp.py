"""CTP and GNTP as learners of rules: Adagrad on the binary cross entropy of each answer, as published."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from r5._util.ordering import argmax
from r5._util.runtime.budget import Budget
from r5.baselines.inputs import Bags, Codes, IntColumn
from r5.baselines.learner import Found, Proof, Round, RuleLearner, Tell, one_round, rows_of, shares
from r5.baselines.learner_settings import ProverSettings, running_attempts
from r5.baselines.prover import Goals, Prover
from r5.baselines.reformulators import kernel
from r5.baselines.spans import Path, Spans

__all__ = ["ProverLearner"]

_AT_ONCE = 2000
"""Paths that are proved together: the tables of their stretches are large."""


class _Attempt:
    """One of the models that are trained side by side."""

    def __init__(self, network: Prover, settings: ProverSettings) -> None:
        self.network = network
        self.optimizer = torch.optim.Adagrad(network.parameters(), lr=settings.learning_rate, foreach=False)
        self.rounds: list[Round] = []


class ProverLearner(RuleLearner):
    """A prover, how it is trained, and what it has learned."""

    network: Prover

    def __init__(self, settings: ProverSettings, codes: Codes) -> None:
        super().__init__(codes)
        self.settings = settings
        self.network = self._drawn()
        self._asked: tuple[int, int, Goals] | None = None

    def learn(self, bags: Bags, answers: IntColumn, tell: Tell, budget: Budget) -> list[Round]:
        """Train as many models as there are restarts; after each epoch the half with the lower loss goes on."""
        loss_of, rows = self._lesson(bags, answers)
        running = [_Attempt(self.network, self.settings)]
        running += [_Attempt(self._drawn(), self.settings) for _ in range(1, self.settings.restarts)]
        for epoch, count in enumerate(running_attempts(self.settings), 1):
            running = running[:count]
            for attempt in running:
                self.network = attempt.network
                loss = one_round(rows, loss_of, attempt.optimizer, self.settings, budget)
                attempt.rounds.append(Round(epoch, loss))
                tell(attempt.rounds[-1])
                if budget.is_exhausted:
                    break
            running = sorted((one for one in running if len(one.rounds) == epoch), key=lambda one: one.rounds[-1].loss)
            if budget.is_exhausted:
                break
        self.network = running[0].network
        return running[0].rounds

    def _drawn(self) -> Prover:
        return Prover(self.settings, len(self.relations))

    def _lesson(
        self, bags: Bags, answers: IntColumn
    ) -> tuple[Callable[[IntColumn], torch.Tensor], list[NDArray[np.int64]]]:
        """The loss of some examples with the network that stands there, and of each example the paths it can read."""
        paths = self.paths(bags)
        fine = [path is not None and len(path) <= 2**self.settings.depth for path in paths]
        rows = rows_of(bags, fine)
        usable = [path or () for path, can_be_read in zip(paths, fine, strict=True) if can_be_read]
        spans = Spans.of(usable, 2**self.settings.depth)
        place = np.full(len(paths), -1, dtype=np.int64)
        place[np.flatnonzero(fine)] = spans.paths

        def loss_of(chosen: IntColumn) -> torch.Tensor:
            return self._loss(spans, [place[rows[n]] for n in chosen], answers[chosen])

        return loss_of, rows

    def _loss(self, spans: Spans, rows: list[IntColumn], answers: IntColumn) -> torch.Tensor:
        """The mean over all examples and answers; `rows` are each example's paths, the best of which proves it."""
        distinct, place = np.unique(np.concatenate(rows), return_inverse=True)
        # Examples with fewer paths than others have their first again: the best of them stays the same.
        table = np.zeros((len(rows), max(some.size for some in rows)), dtype=np.int64)
        start = 0
        for number, some in enumerate(rows):
            table[number] = place[start]
            table[number, : some.size] = place[start : start + some.size]
            start += some.size
        goals = self.network.goals(self._vectors(), self.settings.depth)
        proved = self.network.scores(spans, distinct, goals)
        scores = proved[torch.from_numpy(table)].amax(dim=1)
        wanted = nn.functional.one_hot(torch.from_numpy(answers), len(self.answers)).to(scores.dtype)
        return nn.functional.binary_cross_entropy(scores.clamp(0.0, 1.0), wanted)

    def answer(self, bags: Bags) -> NDArray[np.float64]:
        """The score of each answer by its best path, as a share of all answers' scores."""
        paths = self.paths(bags)
        longest = 2**self.settings.answer_depth
        known = [row for row, path in enumerate(paths) if path is not None and len(path) <= longest]
        depth = self._depth(max((len(paths[row] or ()) for row in known), default=1))
        parts = [known[start : start + _AT_ONCE] for start in range(0, len(known), _AT_ONCE)]
        spans = [Spans.of([paths[row] or () for row in part], 2**depth) for part in parts]
        proved = np.zeros((len(paths), len(self.answers)))
        with torch.no_grad():
            for columns, goals in self._some_goals(depth):
                for part, some in zip(parts, spans, strict=True):
                    table = self.network.charts(some, some.paths, goals.levels)[0]
                    proved[np.array(part)[:, None], columns] = table.values[some.paths]
        best = np.zeros((len(bags), len(self.answers)))
        np.maximum.at(best, np.repeat(np.arange(len(bags)), np.diff(bags.starts)), np.nan_to_num(proved[bags.rows]))
        return shares(best)

    def rules(self) -> list[Found]:
        """For each relation and module, the relations nearest to its sub-goals; the score is the worst match."""
        with torch.no_grad():
            vectors = self.network.vectors
            bodies, fits = self.network.reformulator(vectors, vectors)
            near = kernel(bodies.reshape(-1, vectors.shape[1]), vectors).view(len(bodies), -1, 2, len(vectors))
            scores, nearest = near.expand(len(vectors), -1, -1, -1).max(dim=3)
            worst = scores.amin(dim=2) if fits is None else torch.minimum(scores.amin(dim=2), fits)
        found: dict[tuple[int, tuple[int, ...]], float] = {}
        for head, row in enumerate(nearest.tolist()):
            for module, body in enumerate(row):
                key = self.relations[head], tuple(self.relations[place] for place in body)
                found[key] = max(found.get(key, 0.0), float(worst[head, module]))
        return [Found(head, body, score) for (head, body), score in found.items()]

    def _depth(self, longest: int) -> int:
        """How deep proofs of paths of up to so many relations can be: each level takes one relation off at least."""
        return max(min(self.settings.answer_depth, longest - 1), 1)

    def _some_goals(self, depth: int) -> Iterator[tuple[list[int], Goals]]:
        """All answers with their sub-goals: together where these are the same, else one by one, for they are many."""
        if self.settings.system == "gntp":
            yield [*range(len(self.answers))], self.network.goals(self._vectors(), depth)
        else:
            yield from (([answer], self._goals(answer, depth)) for answer in range(len(self.answers)))

    def _vectors(self) -> torch.Tensor:
        return self.network.vectors[list(self.answers)]

    def _goals(self, answer: int, depth: int) -> Goals:
        """An answer with its sub-goals; those that were asked for last are kept."""
        if self._asked is None or self._asked[:2] != (answer, depth):
            goal = self.network.vectors[self.answers[answer] : self.answers[answer] + 1]
            self._asked = answer, depth, self.network.goals(goal, depth)
        return self._asked[2]

    def prove(self, path: Path, answer: int) -> Proof | None:
        """The best proof of an answer, each sub-goal named by the relation nearest to it."""
        if not 1 < len(path) <= 2**self.settings.answer_depth:
            return None
        depth = self._depth(len(path))
        with torch.no_grad():
            levels = self._goals(answer, depth).levels
        spans = Spans.of([path], 2**depth)
        tables = self.network.charts(spans, spans.paths, levels)
        place = {span: number for number, span in enumerate(spans.found)}
        merges: list[tuple[int, int, float]] = []

        def walk(down: int, number: int, start: int, end: int, at: int) -> None:
            """The proof of one goal of a level by the path from start to end, which stands at a place by then."""
            if end - start == 1:
                return
            half, modules = 2 ** (depth - down - 1), self.settings.modules
            below, fits = tables[down + 1].values, levels[down].fits
            first = 0 if len(fits) else number * modules
            tried, scores = [], []
            for cut in range(max(start + 1, end - half), min(start + half, end - 1) + 1):
                left, right = place[path[start:cut]], place[path[cut:end]]
                for module in range(modules):
                    child = 2 * (first + module)
                    fit = _match(fits[number, module]) if len(fits) else 1.0
                    scores.append(min(fit, _match(below[left, child]), _match(below[right, child + 1])))
                    tried.append((cut, child))
            best = argmax(scores)
            cut, child = tried[best]
            walk(down + 1, child, start, cut, at)
            walk(down + 1, child + 1, cut, end, at + 1)
            nearest = self.answers[answer] if down == 0 else argmax(np.nan_to_num(levels[down].known[number]))
            merges.append((at, self.relations[nearest], scores[best]))

        walk(0, 0, 0, len(path), 0)
        return Proof(tuple(merges))


def _match(value: np.float32) -> float:
    """Weights can be so large that a match is no number; it then says nothing."""
    return 0.0 if np.isnan(value) else float(value)
