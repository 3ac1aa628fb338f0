"""Restarts, two at a time, until two of them reach the same description length.

Training that ends in the same model from two starting points ends there from most.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from r5._util.ordering import argmax, sort_descending
from r5._util.runtime.budget import Budget
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.description_length import description_length
from r5.grammar.training.runs import Run, RunState, Tick, run_parallel

__all__ = ["TOLERANCE", "RestartOutcome", "initial_smoothings", "is_confirmed", "run_restarts"]

_PARALLEL_RESTARTS = 2
TOLERANCE = 0.2
"""Maximum difference of description lengths, in nats, that count as equal."""


class RestartOutcome(NamedTuple):
    """Position of the best restart, and the number of restarts tried."""

    place: int
    tried: int
    whole: bool
    """True unless the time limit was reached."""


def initial_smoothings(settings: GrammarSettings, relations: int) -> tuple[float, ...]:
    """Return the initial smoothing of each restart; with many relations the candidates leave little to choose: one."""
    if relations**3 > settings.dense_rules:
        return (settings.restarts[len(settings.restarts) // 2],)
    return settings.restarts


def run_restarts(
    runs: Sequence[Run],
    run_states: list[RunState],
    corpus: Corpus,
    price: float,
    threads: int,
    budget: Budget,
    tick: Tick,
    write_if_due: Callable[[], None],
) -> RestartOutcome:
    """Run restarts until two agree, and keep `run_states` up to date."""
    lengths: list[float] = []
    for start in range(0, len(runs), _PARALLEL_RESTARTS):
        some = range(start, min(start + _PARALLEL_RESTARTS, len(runs)))
        if not run_parallel(runs, run_states, some, threads, budget, tick, write_if_due):
            return RestartOutcome(_furthest(run_states, lengths), start, whole=False)
        if len(runs) > 1:
            lengths += [_length(runs[place], run_states[place], corpus, price) for place in some]
            if is_confirmed(lengths):
                break
    tried = min(start + _PARALLEL_RESTARTS, len(runs))
    return RestartOutcome(_shortest(lengths), tried, whole=True)


def _length(run: Run, run_state: RunState, corpus: Corpus, price: float) -> float:
    assert run_state.counts is not None  # noqa: S101  all steps are done
    return description_length(run.model(run_state), run_state.counts, corpus, price)


def _shortest(lengths: Sequence[float]) -> int:
    """Return the position of the shortest description, the first of equals."""
    return argmax([-length for length in lengths]) if lengths else 0


def is_confirmed(lengths: Sequence[float]) -> bool:
    """Return whether two descriptions have the shortest length.

    >>> is_confirmed([341.3, 342.6]), is_confirmed([341.3, 342.6, 341.4])
    (False, True)
    """
    return sum(length <= min(lengths) + TOLERANCE for length in lengths) > 1


def _furthest(run_states: Sequence[RunState], lengths: Sequence[float]) -> int:
    """Return the position of the best finished run; else of the run with the most steps and the best fit."""
    if lengths:
        return _shortest(lengths)
    furthest = max(run_state.done for run_state in run_states)

    def fit(place: int) -> tuple[float, float]:
        counts = run_states[place].counts
        return (0.0, 0.0) if counts is None else (-counts.unexplained, counts.log_likelihood)

    places = [place for place, run_state in enumerate(run_states) if run_state.done == furthest]
    return sort_descending(places, lambda place: fit(place)[0], lambda place: fit(place)[1], key=int)[0]
