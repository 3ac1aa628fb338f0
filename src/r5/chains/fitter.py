"""Fitter: rules and weights for single steps of a graph, one independent of the other, on several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from r5._util.budget import Budget, OutOfTimeError
from r5.chains.learning import Bodies, TrainingQuestions, prepare
from r5.chains.mining import Miner, longest_chain
from r5.chains.model import Target
from r5.chains.room import Room
from r5.chains.settings import ChainSettings
from r5.chains.steps import StepGraph

__all__ = ["Fitter", "Told", "side_by_side"]

T = TypeVar("T")
Told = Callable[[str], None]
"""Called as each step is done."""


@dataclass
class Fitter:
    """What the threads share: all of it is read only, but for the room that each has of its own."""

    graph: StepGraph
    settings: ChainSettings
    budget: Budget
    given: Mapping[int, Bodies] | None
    mined: dict[int, tuple[Bodies, NDArray[np.float64]]] = field(default_factory=dict)
    _own: threading.local = field(default_factory=threading.local)

    @property
    def length(self) -> int:
        return self.settings.max_length or longest_chain(len(self.graph.facts), self.graph.number_of_nodes)

    def tick(self) -> None:
        self.budget.check()

    def questions(self, step: int) -> TrainingQuestions:
        """What there is to learn about one step; the same whichever thread asks."""
        settings = self.settings
        if not hasattr(self._own, "room"):
            self._own.room = Room(self.graph, settings.frontier)
        if step not in self.mined:
            self.mined[step] = self._bodies(step)
        bodies, prior = self.mined[step]
        rng = np.random.default_rng([settings.seed, step, 1])
        return prepare(self.graph, step, bodies, prior, settings, rng, self._own.room, self.tick)

    def _bodies(self, step: int) -> tuple[Bodies, NDArray[np.float64]]:
        """The chains that connect the step's facts, then all single steps: where they never do, they speak against."""
        bodies: Bodies
        if self.given is not None:
            bodies = self.given.get(step, [])
            return bodies, np.ones(len(bodies))
        if not hasattr(self._own, "miner"):
            self._own.miner = Miner(self.graph)
        rng = np.random.default_rng([self.settings.seed, step, 0])
        sources, answers = self.graph.questions(step)
        chosen = rng.permutation(sources.size)[: self.settings.mined_facts]
        bodies, prior = self._own.miner.bodies(
            step, sources[chosen], answers[chosen], self.length, self.settings, self.tick
        )
        have = set(bodies)
        single = [(other,) for other in self.graph.targets() if (other,) not in have]
        return bodies + single, np.concatenate([prior, np.zeros(len(single))])

    def target(self, step: int, pace: float) -> Target:
        """Learn about one step."""
        questions = self.questions(step)
        rng = np.random.default_rng([self.settings.seed, step, 2])
        everything = np.arange(len(questions))
        weights = questions.weigh(pace, self.settings, rng, everything)
        return Target(step, tuple(self.mined[step][0]), weights)


def side_by_side(budget: Budget, work: Callable[[int], T], steps: Iterable[int], told: Told) -> list[T]:
    """The results in the order of the steps, without those that there was no time for; an interrupt ends all."""
    results: list[T] = []
    with ThreadPoolExecutor(budget.threads) as pool:
        waiting = [pool.submit(work, step) for step in steps]
        try:
            for future in waiting:
                try:
                    results.append(future.result())
                except OutOfTimeError:
                    continue
                told("learning")
        except BaseException:
            budget.call_off()
            raise
    return results
