"""Runs: restarts of training, in parallel, that can be interrupted and resumed between any two steps."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import NamedTuple

from r5._util.runtime.budget import Budget, TimeLimitError
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.counts import ExpectedCounts
from r5.grammar.model import Grammar
from r5.grammar.rule_index import RuleIndex
from r5.grammar.training.em import Pseudocounts, expect, maximise

__all__ = ["Run", "RunState", "Step", "Tick", "run_parallel"]

Tick = Callable[[str], None]
_POLL_SECONDS = 0.5
"""Seconds between two checks of the waiting thread."""
_MIN_USES_ON_ALL = 0.1
"""Pruning threshold once all examples have joined the shortest ones."""


class Step(NamedTuple):
    """One step of training."""

    length: int
    """Maximum path length."""
    pseudocounts: Pseudocounts
    keep_all_rules: bool
    """Do not prune rarely used rules."""
    early: bool = False
    """Use the shortest examples alone."""


@dataclass(frozen=True, eq=False)
class RunState:
    """State of a run between two steps."""

    done: int = 0
    """Number of finished steps."""
    counts: ExpectedCounts | None = None
    """Expected counts of the last step; None before the first."""
    curve: tuple[tuple[int, float], ...] = ()
    """Maximum path length and log likelihood of each finished step."""


@dataclass(frozen=True, eq=False)
class Run:
    """One run of training: its initial model and its steps."""

    first: Grammar
    steps: Sequence[Step]
    corpora: Sequence[Corpus]
    """Examples of each step."""
    pruning_threshold: float
    """Pruning threshold on expected counts."""

    def model(self, run_state: RunState) -> Grammar:
        """Return the model between two steps."""
        if run_state.counts is None:
            return self.first
        return maximise(run_state.counts, self.steps[run_state.done - 1].pseudocounts)

    def advance(self, model: Grammar, run_state: RunState, budget: Budget) -> tuple[Grammar, RunState]:
        """Do one step."""
        length, pseudocounts, keep_all_rules, early = self.steps[run_state.done]
        counts = expect(model, self.corpora[run_state.done], budget)
        curve = (*run_state.curve, (length, counts.log_likelihood))
        if not keep_all_rules:
            joined = self.steps[0].early and not early
            counts = counts.pruned(max(self.pruning_threshold, _MIN_USES_ON_ALL) if joined else self.pruning_threshold)
        if early and not self.steps[run_state.done + 1].early:
            # Rules that only longer paths show have been dropped: all are considered once more.
            counts = counts.align(RuleIndex.full(counts.index.relations))
        return maximise(counts, pseudocounts), RunState(run_state.done + 1, counts, curve)


def run_parallel(
    runs: Sequence[Run],
    run_states: list[RunState],
    places: Sequence[int],
    threads: int,
    budget: Budget,
    tick: Tick,
    write_if_due: Callable[[], None],
) -> bool:
    """Advance some runs to their end and keep `run_states` up to date; return False on a timeout.

    Args:
        runs: All runs.
        run_states: State of each run; updated in place.
        places: Positions of the runs to advance.
        threads: Maximum number of threads.
        budget: The time limit.
        tick: Called with a message after each step of any run.
        write_if_due: Called from this thread while it waits; if it raises, the runs end within a moment.
    """
    lock = threading.Lock()

    def advance_to_end(place: int) -> None:
        run = runs[place]
        model = run.model(run_states[place])
        while run_states[place].done < len(run.steps):
            budget.check()
            model, run_states[place] = run.advance(model, run_states[place], budget)
            with lock:
                length, likelihood = run_states[place].curve[-1]
                tick(f"paths up to {length}, log likelihood {likelihood:.1f}")

    with ThreadPoolExecutor(max_workers=max(min(threads, len(places)), 1)) as pool:
        futures = [pool.submit(advance_to_end, place) for place in places]
        try:
            going = set(futures)
            while going and not any(future.done() and future.exception() for future in futures):
                _, going = wait(going, timeout=_POLL_SECONDS, return_when=FIRST_EXCEPTION)
                write_if_due()
        finally:
            if going:
                budget.cancel()
    failures = [failure for future in futures if (failure := future.exception()) is not None]
    unforeseen = next((failure for failure in failures if not isinstance(failure, TimeLimitError)), None)
    if unforeseen is not None:
        raise unforeseen
    return not failures
