"""Fitter: rules and weights for single relations of a graph, one independent of the other, on several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from r5._util.ordering import round_significant
from r5._util.runtime.budget import Budget, TimeLimitError
from r5.chains.features.workspace import Workspace
from r5.chains.graph.step_graph import IdArray, StepGraph
from r5.chains.mining.constants import NO_CONSTANTS, find_constants, reversed_constants
from r5.chains.mining.limits import frequent_steps, limit_settings
from r5.chains.mining.miner import Miner, longest_chain, longest_number
from r5.chains.mining.work_budget import fit_budget
from r5.chains.model import Target
from r5.chains.settings import ChainSettings
from r5.chains.training.queries import Bodies, RuleBodies, TrainingQueries, build_queries, train_weights
from r5.parallel.cluster import Cluster, Shared
from r5.parallel.local_cluster import LocalCluster
from r5.parallel.pickling import pack, unpack

__all__ = ["Notify", "RelationTrainer", "map_relations", "train_relations"]

T = TypeVar("T")
Notify = Callable[[str], None]
"""Called as each relation is done."""
Keep = Callable[[list[Target]], None]


@dataclass
class RelationTrainer:
    """What the threads share: all of it is read only, but for the room that each has of its own."""

    graph: StepGraph
    settings: ChainSettings
    budget: Budget
    given: Mapping[int, RuleBodies] | None
    _own: threading.local = field(default_factory=threading.local)

    @property
    def length(self) -> int:
        graph = self.graph
        most = self.settings.max_length or longest_chain(len(graph.facts), graph.number_of_nodes)
        return min(most, longest_number(graph.number_of_steps))

    @cached_property
    def _limits(self) -> ChainSettings:
        """The settings, with what one relation may cost."""
        return limit_settings(self.settings, self.graph)

    @property
    def _work(self) -> int:
        """What the walks of one direction of a relation may take."""
        return self.settings.total_feature_work // max(len(self.graph.targets()), 1)

    def tick(self) -> None:
        self.budget.check()

    def queries(self, relation: int) -> tuple[list[RuleBodies], list[TrainingQueries]]:
        """The rules of each step of a relation, and what there is to learn about it; the same whichever thread asks.

        A relation has two steps, or one where it is symmetric. The rules of the second are those of the first, read
        from their ends.
        """
        settings = self._limits
        if not hasattr(self._own, "room"):
            self._own.workspace = Workspace(self.graph, settings.frontier)
        steps = self.graph.steps_of(relation)
        settings = replace(settings, feature_limit=max(settings.feature_limit // len(steps), 1_000))
        bodies, prior = self._merged(steps)
        reversed_ = [self._turned(body) for body in bodies]
        can = fit_budget(
            self.graph,
            steps,
            [bodies, reversed_][: len(steps)],
            prior,
            settings.queries,
            self._work,
            self._own.workspace,
            settings.seed,
        )
        if self.given is None:
            bodies, reversed_ = [bodies[rule] for rule in can.rules], [reversed_[rule] for rule in can.rules]
            prior = prior[can.rules]
        constants, usual = self._constants(steps)
        prior = np.concatenate([prior, usual])
        both = [RuleBodies(bodies, constants), RuleBodies(reversed_, reversed_constants(constants))][: len(steps)]
        parts = [
            build_queries(
                self.graph,
                step,
                both[place],
                prior,
                replace(settings, queries=can.queries[place]),
                np.random.default_rng([settings.seed, step, 1]),
                self._own.workspace,
                self.tick,
                reversed_=place > 0,
            )
            for place, step in enumerate(steps)
        ]
        return both, parts

    def _turned(self, body: tuple[int, ...]) -> tuple[int, ...]:
        """A body read from its end."""
        return tuple(self._inverse[step] for step in reversed(body))

    @cached_property
    def _inverse(self) -> list[int]:
        found: list[int] = self.graph.steps.inverse.tolist()
        return found

    def _merged(self, steps: list[int]) -> tuple[Bodies, NDArray[np.float64]]:
        """The chains that connect the facts of a relation, from either end, and all single steps.

        Where a single step never does, it speaks against.
        """
        found: dict[tuple[int, ...], float] = {}
        for place, step in enumerate(steps):
            for body, chance in zip(*self._bodies(step), strict=True):
                forward = self._turned(body) if place else body
                found[forward] = found.get(forward, 0.0) + float(chance)
        best = sorted(found, key=lambda body: (-round_significant(found[body]), body))
        if self.given is None:
            best = best[: self.settings.rules]
            have = set(best)
            best += [(step,) for step in frequent_steps(self.graph, steps) if (step,) not in have]
        return best, np.array([found.get(body, 0.0) for body in best])

    def _constants(self, steps: list[int]) -> tuple[IdArray, NDArray[np.float64]]:
        """The rules about fixed entities of a relation, as its first step reads them, and how often they hold."""
        if self.given is not None:
            found = self.given[steps[0]].constants if steps[0] in self.given else NO_CONSTANTS
            return found, np.ones(len(found))
        parts = [
            find_constants(self.graph, step, self._limits, np.random.default_rng([self.settings.seed, step, 3]))
            for step in steps
        ]
        rules = [reversed_constants(one) if place else one for place, (one, _) in enumerate(parts)]
        return np.concatenate(rules), np.concatenate([chances for _, chances in parts])

    def _bodies(self, step: int) -> tuple[Bodies, NDArray[np.float64]]:
        """The chains that connect the step's facts, and how likely walks along them do."""
        bodies: Bodies
        if self.given is not None:
            bodies = self.given[step].chains if step in self.given else []
            return bodies, np.ones(len(bodies))
        if not hasattr(self._own, "miner"):
            self._own.miner = Miner(self.graph)
        rng = np.random.default_rng([self.settings.seed, step, 0])
        sources, answers = self.graph.queries(step)
        chosen = rng.permutation(sources.size)[: self.settings.mined_facts]
        found: tuple[Bodies, NDArray[np.float64]] = self._own.miner.bodies(
            step, sources[chosen], answers[chosen], self.length, self._limits, self.tick
        )
        return found

    def targets(self, relation: int) -> list[Target]:
        """Learn about the steps of one relation."""
        both, parts = self.queries(relation)
        weights = train_weights(parts, self.settings, np.random.default_rng([self.settings.seed, relation, 2]))
        return [
            Target(part.step, tuple(own.chains), own.constants, one)
            for own, part, one in zip(both, parts, weights, strict=True)
        ]


@dataclass
class _Remote:
    """What learns about relations in another process, which makes a fitter of its own."""

    graph: Shared[bytes]
    settings: ChainSettings
    given: Mapping[int, RuleBodies] | None
    _fitter: RelationTrainer | None = None

    def __call__(self, relation: int) -> list[Target]:
        if self._fitter is None:
            self._fitter = RelationTrainer(unpack(self.graph.value), self.settings, Budget(threads=1), self.given)
        return self._fitter.targets(relation)


def map_relations(
    budget: Budget,
    work: Callable[[int], T],
    steps: Sequence[int],
    notify: Notify,
    keep: Callable[[T], None] | None = None,
    cluster: Cluster | None = None,
) -> list[T]:
    """The results in the order of the steps, without those that there was no time for; an interrupt ends all.

    `keep` gets each result as soon as it is there.
    """
    done: dict[int, T] = {}

    def heard(place: int, found: T) -> None:
        done[place] = found
        if keep is not None:
            keep(found)
        notify("learning")

    with LocalCluster(budget.threads) if cluster is None else nullcontext(cluster) as where:
        try:
            with suppress(TimeLimitError):
                where.map(work, steps, budget, heard)
        except BaseException:
            budget.cancel()  # for the threads that are still at it
            raise
    return [done[place] for place in sorted(done)]


def train_relations(
    trainer: RelationTrainer,
    relations: Sequence[int],
    notify: Notify,
    keep: Keep | None = None,
    cluster: Cluster | None = None,
) -> list[list[Target]]:
    """What is learned about each relation, without those that there was no time for; `keep` gets it as it comes.

    To workers elsewhere the graph goes once; what is learned comes back.
    """
    if cluster is None or cluster.is_local:
        return map_relations(trainer.budget, trainer.targets, relations, notify, keep, cluster)
    work = _Remote(cluster.share(pack(trainer.graph)), trainer.settings, trainer.given)
    return map_relations(trainer.budget, work, relations, notify, keep, cluster)
