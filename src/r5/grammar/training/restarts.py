"""Restarts, two at a time: enough of them when the shortest description so far has been come to twice.

Learning that ends in the same explanation from two restart_plans ends there from most; where it does not, further
restarts are tried, and at last each once more, slower.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from r5._util.budget import Budget
from r5._util.order import first_largest, largest_first
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.description_length import description_length
from r5.grammar.training.runs import Run, RunState, Tick, run_parallel

__all__ = ["SAME", "RestartOutcome", "RestartPlan", "is_confirmed", "restart_plans", "run_restarts"]

_AT_ONCE = 2
SAME = 0.2
"""Descriptions that differ by so much at most, in logarithms, are of the same explanation."""


class RestartPlan(NamedTuple):
    """What tells one restart from another, besides its random numbers."""

    smoothing: float
    settings: GrammarSettings


class RestartOutcome(NamedTuple):
    """The restart that came out best, and how many of them were gone through."""

    place: int
    tried: int
    whole: bool
    """Whether there was time enough."""
    fit_discriminative: bool = True
    """Whether it has been come to twice, or there was but one."""


def restart_plans(settings: GrammarSettings, relations: int) -> list[RestartPlan]:
    """One for each first smoothing, then the same again, slower.

    With many relations the candidates leave little to choose: one will do.
    """
    if relations**3 > settings.dense_rules:
        return [RestartPlan(settings.restarts[len(settings.restarts) // 2], settings)]
    found = [RestartPlan(smoothing, settings) for smoothing in settings.restarts]
    if len(found) == 1 or settings.slower == 1:
        return found
    curriculum, annealing = settings.slower * settings.curriculum_steps, settings.slower * settings.annealing_steps
    slow = replace(settings, curriculum_steps=curriculum, annealing_steps=annealing)
    return found + [RestartPlan(smoothing, slow) for smoothing in settings.restarts]


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
    """Go through the runs from where they stand, and keep `run_states` up to date, until that is enough."""
    lengths: list[float] = []
    for start in range(0, len(runs), _AT_ONCE):
        some = range(start, min(start + _AT_ONCE, len(runs)))
        if not run_parallel(runs, run_states, some, threads, budget, tick, write_if_due):
            return RestartOutcome(_furthest(run_states, lengths), start, whole=False)
        if len(runs) > 1:
            lengths += [_length(runs[place], run_states[place], corpus, price) for place in some]
            if is_confirmed(lengths):
                break
    tried = min(start + _AT_ONCE, len(runs))
    return RestartOutcome(
        _shortest(lengths), tried, whole=True, fit_discriminative=not lengths or is_confirmed(lengths)
    )


def _length(run: Run, run_state: RunState, corpus: Corpus, price: float) -> float:
    assert run_state.counts is not None  # noqa: S101  all steps are done
    return description_length(run.model(run_state), run_state.counts, corpus, price)


def _shortest(lengths: Sequence[float]) -> int:
    """The place of the shortest description, the first of equals."""
    return first_largest([-length for length in lengths]) if lengths else 0


def is_confirmed(lengths: Sequence[float]) -> bool:
    """Whether the shortest description has been come to twice.

    >>> is_confirmed([341.3, 342.6]), is_confirmed([341.3, 342.6, 341.4])
    (False, True)
    """
    return sum(length <= min(lengths) + SAME for length in lengths) > 1


def _furthest(run_states: Sequence[RunState], lengths: Sequence[float]) -> int:
    """Of runs that are all done the best; else the one that came furthest and explains the examples best."""
    if lengths:
        return _shortest(lengths)
    furthest = max(run_state.done for run_state in run_states)

    def worth(place: int) -> tuple[float, float]:
        counts = run_states[place].counts
        return (0.0, 0.0) if counts is None else (-counts.unexplained, counts.log_likelihood)

    places = [place for place, run_state in enumerate(run_states) if run_state.done == furthest]
    return largest_first(places, lambda place: worth(place)[0], lambda place: worth(place)[1], key=int)[0]
