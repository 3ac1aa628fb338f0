"""Runs: restarts of learning, side by side, that can be ended between any two steps and gone on with later."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import NamedTuple

from r5._util.budget import Budget, OutOfTimeError
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.counts import ExpectedCounts
from r5.grammar.model import Grammar
from r5.grammar.rule_index import RuleIndex
from r5.grammar.training.em import Pseudocounts, expect, maximise

__all__ = ["Run", "RunState", "Step", "Tick", "run_parallel"]

Tick = Callable[[str], None]
_LOOK_UP = 0.5
"""Seconds after which whoever waits for the runs looks whether there is something to do."""
_KNOWN = 0.1
"""Once the shortest paths have taught the rules and all others join, one used less often is no longer followed."""


class Step(NamedTuple):
    """One step of learning."""

    length: int
    """The longest path that takes part."""
    extra: Pseudocounts
    keep_all_rules: bool
    """Whether rules that are hardly used are followed all the same."""
    early: bool = False
    """Whether the shortest paths will do, where there are many."""


@dataclass(frozen=True, eq=False)
class RunState:
    """Where a run stands between two steps: all that it needs to go on."""

    done: int = 0
    """Steps that are done."""
    counts: ExpectedCounts | None = None
    """Of the last step; None before the first."""
    curve: tuple[tuple[int, float], ...] = ()
    """The longest path that took part and the log likelihood, for each step done."""


@dataclass(frozen=True, eq=False)
class Run:
    """One run of learning: the model it starts from and the steps it goes through."""

    first: Grammar
    stages: Mapping[int, Corpus]
    """The corpus of each length that a step may have."""
    steps: Sequence[Step]
    negligible: float
    """A rule used less often is no longer followed, except in steps for every rule."""
    early: Mapping[int, Corpus] | None = None
    """The same for early steps, where that is less."""

    def model(self, run_state: RunState) -> Grammar:
        """The model as it is between two steps."""
        if run_state.counts is None:
            return self.first
        return maximise(run_state.counts, self.steps[run_state.done - 1].extra)

    def advance(self, model: Grammar, run_state: RunState, budget: Budget) -> tuple[Grammar, RunState]:
        """One step further."""
        length, extra, keep_all_rules, early = self.steps[run_state.done]
        short = early and self.early is not None
        counts = expect(model, (self.early or self.stages)[length] if short else self.stages[length], budget)
        curve = (*run_state.curve, (length, counts.log_likelihood))
        if not keep_all_rules:
            joined = self.early is not None and not early
            counts = counts.pruned(max(self.negligible, _KNOWN) if joined else self.negligible)
        if short and not self.steps[run_state.done + 1].early:
            # Rules that only longer paths show have been dropped: all are considered once more.
            counts = counts.align(RuleIndex.full(counts.support.relations))
        return maximise(counts, extra), RunState(run_state.done + 1, counts, curve)


def run_parallel(
    runs: Sequence[Run],
    run_states: list[RunState],
    places: Sequence[int],
    threads: int,
    budget: Budget,
    tick: Tick,
    write_if_due: Callable[[], None],
) -> bool:
    """Go through some runs from where they stand, and keep `run_states` up to date; False where time was too short.

    `tick` gets a message after each step of any run. `write_if_due` is called from this thread while it waits: where
    that raises, or the wait is interrupted, the runs end within a moment.
    """
    lock = threading.Lock()

    def go(place: int) -> None:
        run = runs[place]
        model = run.model(run_states[place])
        while run_states[place].done < len(run.steps):
            budget.check()
            model, run_states[place] = run.advance(model, run_states[place], budget)
            with lock:
                length, likelihood = run_states[place].curve[-1]
                tick(f"paths up to {length}, log likelihood {likelihood:.1f}")

    with ThreadPoolExecutor(max_workers=max(min(threads, len(places)), 1)) as pool:
        futures = [pool.submit(go, place) for place in places]
        try:
            going = set(futures)
            while going and not any(future.done() and future.exception() for future in futures):
                _, going = wait(going, timeout=_LOOK_UP, return_when=FIRST_EXCEPTION)
                write_if_due()
        finally:
            if going:
                budget.call_off()
    failures = [failure for future in futures if (failure := future.exception()) is not None]
    unforeseen = next((failure for failure in failures if not isinstance(failure, OutOfTimeError)), None)
    if unforeseen is not None:
        raise unforeseen
    return not failures
