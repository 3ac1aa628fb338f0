"""What training of the paper's engine is given and told: queries, the paths to answer over, validation, progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from r5._util.runtime.progress import ProgressCounter
from r5.agent.beyond.answer_paths import choose_policy
from r5.agent.beyond.voting import ranking, votes
from r5.agent.checkpoint import Snapshot
from r5.agent.fitting import solver_of
from r5.agent.prediction import Solver
from r5.agent.presets import Decision
from r5.agent.settings import R5Settings
from r5.agent.training import EpochResult, TrainingQuery
from r5.examples import Examples
from r5.paths.find import PathSet
from r5.paths.select import select_paths
from r5.paths.settings import Policy
from r5.reasoners.base import ProgressCallback
from r5.relations import Vocabulary

__all__ = ["in_words_of", "teller", "training_queries", "validator", "with_policy"]


def training_queries(found: PathSet, examples: Examples) -> list[TrainingQuery]:
    """The paths and the answer of each example that has paths of two relations or more."""
    queries = [
        TrainingQuery(tuple(path for path in found[number] if len(path) > 1), answer)
        for number, answer in enumerate(examples.answers.tolist())
    ]
    return [query for query in queries if query.paths]


def in_words_of(found: PathSet, vocabulary: Vocabulary) -> list[list[tuple[int, ...]]]:
    """The paths with the relation ids that were learned with; -1 for relations not seen then."""
    words = list(found.in_words_of(vocabulary.known, unknown=-1).rows())
    return [[tuple(words[row]) for row in found.rows(i) if len(words[row]) > 1] for i in range(len(found))]


def _right(solver: Solver, vocabulary: Vocabulary, examples: Examples, policy: Policy) -> list[bool]:
    """Which of the examples are answered right over the paths of a policy."""
    queries = in_words_of(select_paths(examples, policy, solver.settings, nodes=False), vocabulary)
    wanted = np.array([*examples.vocabulary.ids_in(vocabulary), -1])[examples.answers].tolist()
    ranked = [ranking(votes(several)) for several in solver.answer(queries)]
    return [bool(best) and best[0] == answer for best, answer in zip(ranked, wanted, strict=True)]


def with_policy(
    learned: Snapshot,
    vocabulary: Vocabulary,
    settings: R5Settings,
    decisions: tuple[Decision, ...],
    examples: Examples,
) -> tuple[R5Settings, tuple[Decision, ...]]:
    """The settings with the paths to answer over decided, where that is wanted."""
    if settings.answer_paths != "auto":
        return settings, decisions
    solver = solver_of(learned, vocabulary, settings)
    policy, reason = choose_policy(examples, settings.seed, lambda some, how: _right(solver, vocabulary, some, how))
    return replace(settings, answer_paths=policy), (*decisions, Decision("answer_paths", policy, reason))


def validator(
    valid: Examples | None, vocabulary: Vocabulary, settings: R5Settings
) -> Callable[[Snapshot], float] | None:
    """Measures a snapshot on validation data, if there is any."""
    if valid is None or not len(valid):
        return None

    def validate(learned: Snapshot) -> float:
        solver = solver_of(learned, vocabulary, settings)
        return float(np.mean(_right(solver, vocabulary, valid, settings.policy)))

    return validate


def teller(
    progress: ProgressCallback | None, settings: R5Settings, queries: int
) -> Callable[[int, EpochResult | None, float | None], None]:
    """Counts episodes, and says how the last epoch went."""
    count = ProgressCounter(progress, settings.restarts * settings.epochs * queries)

    def tell(episodes: int, epoch: EpochResult | None, accuracy: float | None) -> None:
        count(_message(epoch, accuracy, settings), episodes)

    return tell


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
