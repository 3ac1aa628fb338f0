"""ProverLearner: CTP and GNTP, trained with Adagrad on the binary cross entropy of each answer, as published."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from r5._util.ordering import argmax
from r5._util.runtime.budget import Budget
from r5.baselines.epochs import EpochResult, ReportEpoch
from r5.baselines.inputs.bags import Bags
from r5.baselines.inputs.relation_index import IntArray, RelationIndex
from r5.baselines.rule_learners.learner import (
    LearnedRule,
    Proof,
    RuleLearner,
    normalize_scores,
    train_epoch,
    usable_rows,
)
from r5.baselines.rule_learners.prover import Goals, Prover
from r5.baselines.rule_learners.reformulators import similarity
from r5.baselines.rule_learners.settings import ProverSettings
from r5.baselines.rule_learners.spans import Path, Spans

__all__ = ["ProverLearner"]

_BATCH_SIZE = 2000
"""Number of paths in a batch of predictions, which limits the size of the tables."""


class _Restart:
    """One of several models in training."""

    def __init__(self, network: Prover, settings: ProverSettings) -> None:
        self.network = network
        self.optimizer = torch.optim.Adagrad(network.parameters(), lr=settings.learning_rate, foreach=False)
        self.epochs: list[EpochResult] = []


class ProverLearner(RuleLearner):
    """Prover and its training."""

    network: Prover

    def __init__(self, settings: ProverSettings, index: RelationIndex) -> None:
        super().__init__(index)
        self.settings = settings
        self.network = self._make_network()
        self._last_goals: tuple[int, int, Goals] | None = None

    def train(self, bags: Bags, answers: IntArray, report: ReportEpoch, budget: Budget) -> list[EpochResult]:
        """Train several restarts; after each epoch the half with the lower loss goes on."""
        loss_of, rows = self._training_loss(bags, answers)
        running = [_Restart(self.network, self.settings)]
        running += [_Restart(self._make_network(), self.settings) for _ in range(1, self.settings.restarts)]
        for epoch, count in enumerate(self.settings.models_per_epoch, 1):
            running = running[:count]
            for restart in running:
                self.network = restart.network
                loss = train_epoch(rows, loss_of, restart.optimizer, self.settings, budget)
                restart.epochs.append(EpochResult(epoch, loss))
                report(restart.epochs[-1])
                if budget.is_exhausted:
                    break
            running = sorted((one for one in running if len(one.epochs) == epoch), key=lambda one: one.epochs[-1].loss)
            if budget.is_exhausted:
                break
        self.network = running[0].network
        return running[0].epochs

    def _make_network(self) -> Prover:
        return Prover(self.settings, len(self.relations))

    def _training_loss(
        self, bags: Bags, answers: IntArray
    ) -> tuple[Callable[[IntArray], torch.Tensor], list[NDArray[np.int64]]]:
        """Return the loss of `self.network` on a batch of examples, and the readable paths of each example."""
        paths = self.paths(bags)
        readable = [path is not None and len(path) <= 2**self.settings.depth for path in paths]
        rows = usable_rows(bags, readable)
        usable = [path or () for path, can_read in zip(paths, readable, strict=True) if can_read]
        spans = Spans.of(usable, 2**self.settings.depth)
        span_of = np.full(len(paths), -1, dtype=np.int64)
        span_of[np.flatnonzero(readable)] = spans.paths

        def loss_of(batch: IntArray) -> torch.Tensor:
            return self._loss(spans, [span_of[rows[n]] for n in batch], answers[batch])

        return loss_of, rows

    def _loss(self, spans: Spans, rows: list[IntArray], answers: IntArray) -> torch.Tensor:
        """Return the mean loss over examples and answers; the score of an example is that of its best path."""
        distinct, number = np.unique(np.concatenate(rows), return_inverse=True)
        # The first path of an example pads its row, which does not change the best of them.
        table = np.zeros((len(rows), max(some.size for some in rows)), dtype=np.int64)
        start = 0
        for example, some in enumerate(rows):
            table[example] = number[start]
            table[example, : some.size] = number[start : start + some.size]
            start += some.size
        goals = self.network.expand_goals(self._answer_vectors(), self.settings.depth)
        scores = self.network.scores(spans, distinct, goals)[torch.from_numpy(table)].amax(dim=1)
        targets = nn.functional.one_hot(torch.from_numpy(answers), len(self.answers)).to(scores.dtype)
        return nn.functional.binary_cross_entropy(scores.clamp(0.0, 1.0), targets)

    def score_answers(self, bags: Bags) -> NDArray[np.float64]:
        """Return the score of each answer by its best path, divided by the sum over answers, [examples, answers]."""
        paths = self.paths(bags)
        longest = 2**self.settings.answer_depth
        known = [row for row, path in enumerate(paths) if path is not None and len(path) <= longest]
        depth = self._depth(max((len(paths[row] or ()) for row in known), default=1))
        batches = [known[start : start + _BATCH_SIZE] for start in range(0, len(known), _BATCH_SIZE)]
        spans = [Spans.of([paths[row] or () for row in batch], 2**depth) for batch in batches]
        scores = np.zeros((len(paths), len(self.answers)))
        with torch.no_grad():
            for columns, goals in self._goal_groups(depth):
                for batch, some in zip(batches, spans, strict=True):
                    table = self.network.fill_charts(some, some.paths, goals.levels)[0]
                    scores[np.array(batch)[:, None], columns] = table.scores[some.paths]
        best = np.zeros((len(bags), len(self.answers)))
        np.maximum.at(best, bags.owners, np.nan_to_num(scores[bags.rows]))
        return normalize_scores(best)

    def rules(self) -> list[LearnedRule]:
        """Return the relations nearest to the sub-goals of each relation and module; the weakest match is the score."""
        with torch.no_grad():
            vectors = self.network.vectors
            bodies, modules = self.network.reformulator(vectors, vectors)
            matches = similarity(bodies.reshape(-1, vectors.shape[1]), vectors).view(len(bodies), -1, 2, len(vectors))
            scores, nearest = matches.expand(len(vectors), -1, -1, -1).max(dim=3)
            weakest = scores.amin(dim=2) if modules is None else torch.minimum(scores.amin(dim=2), modules)
        found: dict[tuple[int, tuple[int, ...]], float] = {}
        for head, row in enumerate(nearest.tolist()):
            for module, body in enumerate(row):
                key = self.relations[head], tuple(self.relations[position] for position in body)
                found[key] = max(found.get(key, 0.0), float(weakest[head, module]))
        return [LearnedRule(head, body, score) for (head, body), score in found.items()]

    def _depth(self, longest: int) -> int:
        """Return the maximum depth of proofs of paths of up to `longest` relations."""
        return max(min(self.settings.answer_depth, longest - 1), 1)

    def _goal_groups(self, depth: int) -> Iterator[tuple[list[int], Goals]]:
        """Yield answers with their sub-goals: all answers if they share sub-goals, else one by one to save memory."""
        if self.settings.method == "gntp":
            yield [*range(len(self.answers))], self.network.expand_goals(self._answer_vectors(), depth)
        else:
            yield from (([answer], self._goals(answer, depth)) for answer in range(len(self.answers)))

    def _answer_vectors(self) -> torch.Tensor:
        return self.network.vectors[list(self.answers)]

    def _goals(self, answer: int, depth: int) -> Goals:
        """Return an answer with its sub-goals; the last result is cached."""
        if self._last_goals is None or self._last_goals[:2] != (answer, depth):
            goal = self.network.vectors[self.answers[answer] : self.answers[answer] + 1]
            self._last_goals = answer, depth, self.network.expand_goals(goal, depth)
        return self._last_goals[2]

    def prove(self, path: Path, answer: int) -> Proof | None:
        """Return the best proof of an answer, each sub-goal named by the relation nearest to it.

        Args:
            path: The path.
            answer: Class of the answer.

        """
        if not 1 < len(path) <= 2**self.settings.answer_depth:
            return None
        depth = self._depth(len(path))
        with torch.no_grad():
            levels = self._goals(answer, depth).levels
        spans = Spans.of([path], 2**depth)
        tables = self.network.fill_charts(spans, spans.paths, levels)
        row = {span: number for number, span in enumerate(spans.spans)}
        merges: list[tuple[int, int, float]] = []

        def follow(down: int, goal: int, start: int, end: int, position: int) -> None:
            """Add the merges that prove a goal of a level by path[start:end], merged into `position`."""
            if end - start == 1:
                return
            half, count = 2 ** (depth - down - 1), self.settings.modules
            below, modules = tables[down + 1].scores, levels[down].modules.scores
            first = 0 if len(modules) else goal * count
            tried, scores = [], []
            for cut in range(max(start + 1, end - half), min(start + half, end - 1) + 1):
                left, right = row[path[start:cut]], row[path[cut:end]]
                for module in range(count):
                    child = 2 * (first + module)
                    score = _finite(modules[goal, module]) if len(modules) else 1.0
                    scores.append(min(score, _finite(below[left, child]), _finite(below[right, child + 1])))
                    tried.append((cut, child))
            best = argmax(scores)
            cut, child = tried[best]
            follow(down + 1, child, start, cut, position)
            follow(down + 1, child + 1, cut, end, position + 1)
            nearest = self.answers[answer] if down == 0 else argmax(np.nan_to_num(levels[down].matches[goal]))
            merges.append((position, self.relations[nearest], scores[best]))

        follow(0, 0, 0, len(path), 0)
        return Proof(tuple(merges))


def _finite(score: np.float32) -> float:
    """Return a score, 0 for one that is not a number, as very large weights make it."""
    return 0.0 if np.isnan(score) else float(score)
