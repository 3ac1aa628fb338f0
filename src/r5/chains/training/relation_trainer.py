"""RelationTrainer: mines rules and learns weights of single relations, independently and on several threads."""

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
from r5.chains.features.constant_index import NO_CONSTANTS, reversed_constants
from r5.chains.features.workspace import Workspace
from r5.chains.graph.step_graph import StepGraph
from r5.chains.mining.limits import frequent_steps, limit_settings, mining_work
from r5.chains.mining.miner import Miner, longest_chain, longest_number
from r5.chains.mining.work_budget import fit_budget
from r5.chains.model import RelationModel
from r5.chains.settings import ChainSettings
from r5.chains.training.initial_weights import MANY_FACTS, InitialWeights
from r5.chains.training.queries import Bodies, RuleBodies, TrainingQueries, build_queries, train_weights
from r5.parallel.cluster import Cluster, Shared
from r5.parallel.local_cluster import LocalCluster
from r5.parallel.pickling import pack, unpack

__all__ = ["Notify", "RelationTrainer", "map_relations", "train_relations"]

T = TypeVar("T")
Notify = Callable[[str], None]
"""Called as each relation is done."""
Keep = Callable[[list[RelationModel]], None]
"""Receives the targets of a relation."""


@dataclass
class RelationTrainer:
    """Trains single relations of a graph; threads share it read-only, with a miner and a workspace of their own."""

    graph: StepGraph
    settings: ChainSettings
    budget: Budget
    given: Mapping[int, RuleBodies] | None
    """Rule bodies by step; None to mine them."""
    initial: InitialWeights = field(default_factory=InitialWeights)
    """Initial weights for relations with few facts."""
    _local: threading.local = field(default_factory=threading.local)

    @property
    def max_length(self) -> int:
        """Maximum length of a chain."""
        graph = self.graph
        length = self.settings.max_length or longest_chain(len(graph.facts), graph.number_of_nodes)
        return min(length, longest_number(graph.number_of_steps))

    @cached_property
    def _limits(self) -> ChainSettings:
        """Settings with the limits of one relation."""
        return limit_settings(self.settings, self.graph)

    @property
    def _feature_work(self) -> int:
        """Share of `total_feature_work` of one direction of a relation."""
        return self.settings.total_feature_work // max(len(self.graph.targets()), 1)

    def tick(self) -> None:
        """Check the budget.

        Raises:
            TimeLimitError: The budget is used up.
        """
        self.budget.check()

    def queries(self, relation: int) -> tuple[list[RuleBodies], list[TrainingQueries], NDArray[np.bool_]]:
        """Return the rule bodies and the training queries of each step of a relation; the same on any thread.

        A relation has two steps, or one if it is symmetric. The rules of the second step are those of the first,
        reversed.

        Returns:
            Rule bodies of each step, training queries of each step, and whether each rule connects a training fact,
            [rules].
        """
        settings = self._limits
        if not hasattr(self._local, "workspace"):
            self._local.workspace = Workspace(self.graph, settings.frontier)
        workspace: Workspace = self._local.workspace
        steps = self.graph.steps_of(relation)
        settings = replace(settings, feature_limit=max(settings.feature_limit // len(steps), 1_000))
        bodies, prior = self._chains(steps)
        reversed_ = [self._reversed(body) for body in bodies]
        allowance = fit_budget(
            self.graph,
            steps,
            [bodies, reversed_][: len(steps)],
            prior,
            settings.queries,
            self._feature_work,
            workspace,
            settings.seed,
        )
        if self.given is None:
            bodies, reversed_ = ([part[rule] for rule in allowance.rules] for part in (bodies, reversed_))
            prior = prior[allowance.rules]
        constants = NO_CONSTANTS if self.given is None or steps[0] not in self.given else self.given[steps[0]].constants
        both = [RuleBodies(bodies, constants), RuleBodies(reversed_, reversed_constants(constants))][: len(steps)]
        parts = [
            build_queries(
                self.graph,
                step,
                both[place],
                replace(settings, queries=allowance.queries[place]),
                rng=np.random.default_rng([settings.seed, step, 1]),
                workspace=workspace,
                tick=self.tick,
                reversed_=place > 0,
            )
            for place, step in enumerate(steps)
        ]
        return both, parts, np.append(prior > 0.0, np.ones(len(constants), np.bool_))

    def _reversed(self, body: tuple[int, ...]) -> tuple[int, ...]:
        """Return the reversed body: inverse steps in reverse order."""
        return tuple(self._inverse[step] for step in reversed(body))

    @cached_property
    def _inverse(self) -> list[int]:
        """Inverse of each step."""
        inverse: list[int] = self.graph.steps.inverse.tolist()
        return inverse

    def _chains(self, steps: list[int]) -> tuple[Bodies, NDArray[np.float64]]:
        """Return the chains of a relation as its first step reads them, and the prior of each.

        These are chains mined from either direction and all frequent single steps. A single step that connects no fact
        has prior 0 and serves as evidence against.
        """
        found: dict[tuple[int, ...], float] = {}
        for place, step in enumerate(steps):
            for body, chance in zip(*self._bodies(step), strict=True):
                forward = self._reversed(body) if place else body
                found[forward] = found.get(forward, 0.0) + float(chance)
        best = sorted(found, key=lambda body: (-round_significant(found[body]), body))
        if self.given is None:
            best = best[: self.settings.rules]
            chosen = set(best)
            best += [(step,) for step in frequent_steps(self.graph, steps) if (step,) not in chosen]
        return best, np.array([found.get(body, 0.0) for body in best])

    def _bodies(self, step: int) -> tuple[Bodies, NDArray[np.float64]]:
        """Return the chains that connect the facts of a step, and the probability that a walk along each does."""
        bodies: Bodies
        if self.given is not None:
            bodies = self.given[step].chains if step in self.given else []
            return bodies, np.ones(len(bodies))
        if not hasattr(self._local, "miner"):
            self._local.miner = Miner(self.graph)
        rng = np.random.default_rng([self.settings.seed, step, 0])
        limits = replace(self._limits, mining_work=mining_work(self._limits, self.graph, step))
        sources, answers = self.graph.queries(step)
        chosen = rng.permutation(sources.size)[: self.settings.mined_facts]
        found: tuple[Bodies, NDArray[np.float64]] = self._local.miner.bodies(
            step, sources[chosen], answers[chosen], self.max_length, limits, self.tick
        )
        return found

    def targets(self, relation: int) -> list[RelationModel]:
        """Train the steps of one relation."""
        both, parts, supported = self.queries(relation)
        initial = None
        if self.graph.number_of_facts(relation) < MANY_FACTS:
            initial = self.initial.for_rules(self.graph, parts[0].step, both[0].chains, supported)
        rng = np.random.default_rng([self.settings.seed, relation, 2])
        weights = train_weights(parts, self.settings, rng, initial)
        return [
            RelationModel(part.step, tuple(bodies.chains), bodies.constants, own)
            for bodies, part, own in zip(both, parts, weights, strict=True)
        ]


@dataclass
class _RemoteTrainer:
    """Trains relations in another process, which builds its own trainer."""

    graph: Shared[bytes]
    settings: ChainSettings
    given: Mapping[int, RuleBodies] | None
    initial: InitialWeights
    _trainer: RelationTrainer | None = None

    def __call__(self, relation: int) -> list[RelationModel]:
        if self._trainer is None:
            graph = unpack(self.graph.value)
            self._trainer = RelationTrainer(graph, self.settings, Budget(threads=1), self.given, self.initial)
        return self._trainer.targets(relation)


def map_relations(
    budget: Budget,
    work: Callable[[int], T],
    relations: Sequence[int],
    notify: Notify,
    keep: Callable[[T], None] | None = None,
    cluster: Cluster | None = None,
) -> list[T]:
    """Apply a function to relations on the threads of the budget, or on a cluster, until the budget is used up.

    An interrupt cancels the budget, so that all threads stop.

    Args:
        budget: Time limit and number of threads.
        work: The function.
        relations: Its arguments.
        notify: Called after each relation.
        keep: Receives each result once it is computed.
        cluster: Processes to use; None for threads of this one.

    Returns:
        The results in the order of the relations, without those that the time limit prevented.
    """
    done: dict[int, T] = {}

    def receive(place: int, result: T) -> None:
        done[place] = result
        if keep is not None:
            keep(result)
        notify("learning")

    with LocalCluster(budget.threads) if cluster is None else nullcontext(cluster) as executor:
        try:
            with suppress(TimeLimitError):
                executor.map(work, relations, budget, receive)
        except BaseException:
            budget.cancel()  # stops the other threads
            raise
    return [done[place] for place in sorted(done)]


def train_relations(
    trainer: RelationTrainer,
    relations: Sequence[int],
    notify: Notify,
    keep: Keep | None = None,
    cluster: Cluster | None = None,
) -> list[list[RelationModel]]:
    """Train relations until the budget is used up.

    Workers of a remote cluster receive the graph once and send back the targets.

    Args:
        trainer: Graph, settings and budget.
        relations: Relations to train.
        notify: Called after each relation.
        keep: Receives the targets of each relation once they are trained.
        cluster: Processes to use; None for threads of this one.

    Returns:
        The targets of each relation that was trained in time, in the order of `relations`.
    """
    if cluster is None or cluster.is_local:
        return map_relations(trainer.budget, trainer.targets, relations, notify, keep, cluster)
    work = _RemoteTrainer(cluster.share(pack(trainer.graph)), trainer.settings, trainer.given, trainer.initial)
    return map_relations(trainer.budget, work, relations, notify, keep, cluster)
