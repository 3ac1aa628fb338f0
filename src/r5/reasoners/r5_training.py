"""Training of the engine r5: queries, choice of the answer paths, validation and progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from r5._util.runtime.progress import ProgressCounter
from r5.agent.beyond.path_policy import choose_policy
from r5.agent.beyond.voting import count_votes, rank_votes
from r5.agent.inference.solver import Solver
from r5.agent.presets import Decision
from r5.agent.settings import R5Settings
from r5.agent.training.checkpoint import Snapshot
from r5.agent.training.fitting import solver_of
from r5.agent.training.training import EpochResult, TrainingQuery
from r5.examples import Examples
from r5.paths.search import PathSet
from r5.paths.selection import select_paths
from r5.paths.settings import Policy
from r5.reasoners.base import ProgressCallback
from r5.relations import Vocabulary

__all__ = ["choose_answer_paths", "make_validator", "report_epochs", "training_queries", "translate_paths"]


def training_queries(found: PathSet, examples: Examples) -> list[TrainingQuery]:
    """Return the paths and the answer of each example with paths of two relations or more."""
    queries = [
        TrainingQuery(tuple(path for path in found[number] if len(path) > 1), answer)
        for number, answer in enumerate(examples.answers.tolist())
    ]
    return [query for query in queries if query.paths]


def translate_paths(found: PathSet, vocabulary: Vocabulary) -> list[list[tuple[int, ...]]]:
    """Return the paths of each example with the relation ids of training; -1 for an unseen relation."""
    words = list(found.in_words_of(vocabulary.known, unknown=-1).rows())
    return [[tuple(words[row]) for row in found.rows(i) if len(words[row]) > 1] for i in range(len(found))]


def _is_correct(solver: Solver, vocabulary: Vocabulary, examples: Examples, policy: Policy) -> list[bool]:
    """Return for each example whether the answer over the paths of a policy is correct."""
    queries = translate_paths(select_paths(examples, policy, solver.settings, nodes=False), vocabulary)
    wanted = np.array([*examples.vocabulary.ids_in(vocabulary), -1])[examples.answers].tolist()
    ranked = [rank_votes(count_votes(several)) for several in solver.answer(queries)]
    return [bool(best) and best[0] == answer for best, answer in zip(ranked, wanted, strict=True)]


def choose_answer_paths(
    learned: Snapshot,
    vocabulary: Vocabulary,
    settings: R5Settings,
    decisions: tuple[Decision, ...],
    examples: Examples,
) -> tuple[R5Settings, tuple[Decision, ...]]:
    """Return settings and decisions, with the answer paths decided if the setting `answer_paths` is auto."""
    if settings.answer_paths != "auto":
        return settings, decisions
    solver = solver_of(learned, vocabulary, settings)
    policy, reason = choose_policy(
        examples, settings.seed, lambda some, paths: _is_correct(solver, vocabulary, some, paths)
    )
    return replace(settings, answer_paths=policy), (*decisions, Decision("answer_paths", policy, reason))


def make_validator(
    valid: Examples | None, vocabulary: Vocabulary, settings: R5Settings
) -> Callable[[Snapshot], float] | None:
    """Return a function from a snapshot to its validation accuracy; None without validation data."""
    if valid is None or not len(valid):
        return None

    def validate(learned: Snapshot) -> float:
        solver = solver_of(learned, vocabulary, settings)
        return float(np.mean(_is_correct(solver, vocabulary, valid, settings.policy)))

    return validate


def report_epochs(
    progress: ProgressCallback | None, settings: R5Settings, queries: int
) -> Callable[[int, EpochResult | None, float | None], None]:
    """Return a callback that reports episodes and the figures of the last epoch."""
    count = ProgressCounter(progress, settings.restarts * settings.epochs * queries)

    def report(episodes: int, epoch: EpochResult | None, accuracy: float | None) -> None:
        count(_message(epoch, accuracy, settings), episodes)

    return report


def _message(epoch: EpochResult | None, accuracy: float | None, settings: R5Settings) -> str:
    if epoch is None:
        return "first epoch"
    parts = [
        f"epoch {epoch.epoch}/{settings.epochs}",
        f"loss {epoch.loss:.3f}",
        f"{epoch.rules} rules",
        f"{epoch.invented_in_use} invented in use",
        f"training fit {epoch.fit:.3f}",
    ]
    return ", ".join(parts if accuracy is None else [*parts, f"validation accuracy {accuracy:.3f}"])
