"""Fitting: rules and weights for every step of a graph, one independent of the other, on several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from r5._util.budget import Budget, OutOfTimeError
from r5.chains.learning import Bodies, Lesson, prepare
from r5.chains.mining import Miner, longest_chain
from r5.chains.model import ChainModel, Target
from r5.chains.room import Room
from r5.chains.settings import ChainSettings
from r5.chains.steps import StepGraph

__all__ = ["fit_chains"]

T = TypeVar("T")
Told = Callable[[str], None]

PACES = (0.05, 0.1, 0.2, 0.4, 0.8)
"""The step sizes that are tried on held-out questions."""
HEATS = np.exp(np.linspace(-1.5, 1.5, 31))
"""The temperatures."""
_TRIED_QUESTIONS = 3_000
"""So many questions, or a little more, choose the step size and the temperature."""
_TRIED_OF_ONE = 3_000
_HELD_OUT = 0.2


@dataclass
class _Fitter:
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

    def lesson(self, step: int, settings: ChainSettings) -> Lesson:
        """What there is to learn about one step; the same whichever thread asks."""
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
        lesson = self.lesson(step, self.settings)
        rng = np.random.default_rng([self.settings.seed, step, 2])
        everything = np.arange(len(lesson))
        weights = lesson.weigh(pace, self.settings, rng, self.tick, everything)
        return Target(step, tuple(self.mined[step][0]), weights)

    def tried(self, step: int) -> NDArray[np.float64]:
        """How likely each step size and temperature makes the answers to held-out questions: [sizes, temperatures]."""
        lesson = self.lesson(step, self.settings)
        use = np.arange(min(len(lesson), _TRIED_OF_ONE))
        size = int(_HELD_OUT * use.size)
        held, rest = use[:size], use[size:]
        paces = PACES if self.settings.step is None else (self.settings.step,)
        found = []
        for pace in paces:
            rng = np.random.default_rng([self.settings.seed, step, 3])
            weights = lesson.weigh(pace, self.settings, rng, self.tick, rest)
            found.append(lesson.likelihoods(weights, HEATS, held))
        return np.array(found)


def fit_chains(
    graph: StepGraph, settings: ChainSettings, budget: Budget, told: Told, given: Mapping[int, Bodies] | None = None
) -> tuple[ChainModel, int]:
    """Learn all steps; `given` has the bodies where they are not to be mined. Also how many steps there was time for.

    `told` is called as each step is done. Where the budget is used up, the steps that are done are kept.
    """
    fitter = _Fitter(graph, settings, budget, given)
    steps = graph.targets()
    likelihoods = np.zeros((len(PACES) if settings.step is None else 1, HEATS.size))
    for found in _side_by_side(budget, fitter.tried, _tried_steps(graph, settings, steps), told):
        likelihoods += found
    best, heat = np.unravel_index(likelihoods.argmax(), likelihoods.shape)
    pace = settings.step if settings.step is not None else PACES[int(best)]
    # The largest relations first, so that no thread is left with one at the end.
    sizes = np.bincount(graph.facts[:, 1], minlength=len(graph.relations))
    steps.sort(key=lambda step: (-sizes[step % len(graph.relations)], step))
    targets = _side_by_side(budget, lambda step: fitter.target(step, pace), steps, told)
    model = ChainModel(
        graph.relations,
        graph.symmetric,
        {target.step: target for target in sorted(targets, key=lambda target: target.step)},
        settings.frontier,
        float(HEATS[heat]),
        pace,
    )
    return model, len(targets)


def _tried_steps(graph: StepGraph, settings: ChainSettings, steps: list[int]) -> list[int]:
    """The steps whose questions choose the step size and the temperature: drawn until they have enough."""
    chosen, questions = [], 0
    for step in np.random.default_rng([settings.seed, 4]).permutation(steps).tolist():
        if questions >= _TRIED_QUESTIONS:
            break
        chosen.append(step)
        questions += min(graph.questions(step)[0].size, _TRIED_OF_ONE)
    return chosen


def _side_by_side(budget: Budget, work: Callable[[int], T], steps: Iterable[int], told: Told) -> list[T]:
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
