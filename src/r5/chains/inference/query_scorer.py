"""Answerer: scores of every entity as the answer to a question, and the places of right answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import exp
from r5._util.ordering import natural_key
from r5.chains.features.constant_kernels import Constants
from r5.chains.features.workspace import Workspace
from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.graph.step_graph import IdArray, StepGraph
from r5.chains.graph.step_kernels import Mask
from r5.chains.inference import scoring_kernels as kernels
from r5.chains.inference.scoring_kernels import GRID
from r5.chains.mining.constants import make_constants, max_reached
from r5.chains.model import ChainModel, Target
from r5.chains.tuning.exclusion_kernels import (
    ExclusionScores,
    Strengths,
    exclusion_penalties,
    rank_with_exclusions,
)
from r5.chains.tuning.exclusions import Exclusions

__all__ = ["NO_MASK", "QueryScorer"]

FloatArray = NDArray[np.float64]
NO_MASK = Mask(-1, -1, -1)
_SLICE = 64
_ALONE = 1 << 24
"""So many scores of entities by themselves are kept, 8 bytes each, ..."""
_KEPT = 1 << 22
"""... and so many of questions."""


@dataclass(eq=False)
class QueryScorer:
    """A model on a graph."""

    graph: StepGraph
    model: ChainModel
    training: StepGraph | None = None
    """The graph that the model was learned from, where another one is asked about."""
    _entity_bias: dict[int, FloatArray] = field(default_factory=dict)
    _constants: dict[int, Constants] = field(default_factory=dict)
    _rule_scores: dict[tuple[int, int], FloatArray] = field(default_factory=dict)
    _rivals: dict[int, tuple[list[Target], FloatArray]] = field(default_factory=dict)

    @cached_property
    def workspace(self) -> Workspace:
        """Where kernels work."""
        workspace = Workspace(self.graph, self.model.frontier)
        for target in self.model.targets.values():
            constants = self.constants(target)
            reached = max_reached(constants, self.graph, self.model.frontier)
            workspace.reserve_rules(len(target.bodies), len(target.constants), reached)
        return workspace

    def precompute(self) -> None:
        """Find what all questions need, and what threads share from then on."""
        for target in self.model.targets.values():
            self.constants(target), target.trie, self.exclusions(target)

    def for_thread(self) -> QueryScorer:
        """The same for another thread: it has a room of its own, and shares what was found."""
        return replace(self)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Number of each entity, by name."""
        return {name: node for node, name in enumerate(self.graph.entities)}

    @cached_property
    def known(self) -> KnownAnswers:
        """What the graph says already."""
        return KnownAnswers(self.graph.facts, len(self.graph.relations))

    @cached_property
    def name_order(self) -> IdArray:
        """The place of each entity among all by name: among equals, the first comes first."""
        order = sorted(range(self.graph.number_of_nodes), key=lambda node: natural_key(self.graph.entities[node]))
        places = np.empty(len(order), np.int64)
        places[order] = np.arange(len(order))
        return places

    def target(self, relation: int, backwards: bool) -> Target | None:
        """What is known about a question's step; None where it has no facts to learn from."""
        return self.model.targets.get(self.graph.step(relation, backwards))

    def entity_bias(self, target: Target) -> FloatArray:
        """What each entity scores by itself."""
        found = self._entity_bias.get(target.step)
        if found is None:
            found = np.zeros(self.graph.number_of_nodes)
            kernels.properties(self.graph.steps, target.weights, found)
            if len(self._entity_bias) >= max(_ALONE // max(found.size, 1), 1):
                self._entity_bias.clear()
            self._entity_bias[target.step] = found
        return found

    def constants(self, target: Target) -> Constants:
        """The target's rules with constants that this graph has."""
        if target.step not in self._constants:
            own = target.constants
            if self._numbers is not None:
                own = own.copy()
                own[:, 1:3] = self._numbers[own[:, 1:3]]
            self._constants[target.step] = make_constants(own, self.graph, len(target.bodies))
        return self._constants[target.step]

    @cached_property
    def _numbers(self) -> IdArray | None:
        """The number here of each of the model's entities, -2 for none and, at the end, -1; None where all agree."""
        if self.model.entities is self.graph.entities or self.model.entities == self.graph.entities:
            return None
        here = {name: node for node, name in enumerate(self.graph.entities)}
        return np.array([*(here.get(name, -2) for name in self.model.entities), -1])

    def scores(self, target: Target, source: int) -> FloatArray:
        """The score of each entity, not to be changed: what the rules say, less what they say for rivals."""
        strength = self.model.exclusions.strength
        if not strength or not self.exclusions(target)[0]:
            return self._cached_scores(target, source)
        return self._cached_scores(target, source) - strength * self.exclusion_penalty(target, source)

    def exclusions(self, target: Target) -> tuple[list[Target], FloatArray]:
        """The rivals of a target that can be asked for, and their odds."""
        if target.step not in self._rivals:
            back, relation = divmod(target.step, len(self.graph.relations))
            others, log_odds = self.model.exclusions.of(relation)
            steps = [self.graph.step(other, bool(back)) for other in others.tolist()]
            asked = [place for place, step in enumerate(steps) if step in self.model.targets]
            self._rivals[target.step] = [self.model.targets[steps[place]] for place in asked], log_odds[asked]
        return self._rivals[target.step]

    def exclusion_penalty(self, target: Target, source: int) -> FloatArray:
        """What the score of each entity gives way to those of rivals, at a force of 1."""
        scores, others = self._scores_with_exclusions(target, source)
        less = np.zeros(scores.size)
        exclusion_penalties(scores, others, self.exclusions(target)[1], less)
        return less

    def place(
        self,
        target: Target,
        source: int,
        answer: int,
        known: IdArray,
        strengths: FloatArray,
        more: FloatArray | None = None,
        offset_strengths: FloatArray | None = None,
    ) -> IdArray:
        """How many candidates score higher than an answer, and how many the same, [tried, 2], by forces of rivals.

        With each force `more`, times a strength, is added to the scores of the entities.
        """
        scores, others = self._scores_with_exclusions(target, source, bool(strengths.any()))
        log_odds = self.exclusions(target)[1][: len(others)]
        more = np.zeros(scores.size) if more is None else more
        offset_strengths = np.zeros(strengths.size) if offset_strengths is None else offset_strengths
        found = np.empty((strengths.size, 2), np.int64)
        candidates = ExclusionScores(scores, others, log_odds)
        tried = Strengths(strengths, offset_strengths, more)
        rank_with_exclusions(candidates, tried, answer, known, self.workspace.flags, found)
        return found

    def _scores_with_exclusions(self, target: Target, source: int, asked: bool = True) -> tuple[FloatArray, FloatArray]:
        """What the rules say, [entities], and what they say for each rival, [rivals, entities], if these are asked."""
        exclusions = self.exclusions(target)[0] if asked else []
        others = np.empty((len(exclusions), self.graph.number_of_nodes))
        for row, excluding in enumerate(exclusions):
            others[row] = self._cached_scores(excluding, source)
        return self._cached_scores(target, source), others

    def _cached_scores(self, target: Target, source: int) -> FloatArray:
        """What the rules say; kept for a while, since rivals ask about the same entity."""
        key = (target.step, source)
        found = self._rule_scores.get(key)
        if found is None:
            found = self.rule_scores(target, source)
            if len(self._rule_scores) >= max(_KEPT // max(self.graph.number_of_nodes, 1), 1):
                self._rule_scores.clear()
            self._rule_scores[key] = found
        return found

    def with_exclusions(self, exclusions: Exclusions) -> QueryScorer:
        """The same with other rivals; what the rules say is not asked again."""
        return replace(self, model=replace(self.model, exclusions=exclusions), _rivals={})

    def rule_scores(self, target: Target, source: int, mask: Mask = NO_MASK) -> FloatArray:
        """What the rules of one relation say for each entity, rivals aside, [entities]."""
        scores = np.zeros(self.graph.number_of_nodes)
        workspace = self.workspace
        kernels.score_all(
            self.graph.steps,
            target.trie,
            self.constants(target),
            source,
            mask,
            self.model.frontier,
            target.weights,
            self.entity_bias(target),
            workspace.walker,
            workspace.reached,
            scores,
        )
        return scores

    def probabilities(self, scores: FloatArray, excluded: IdArray) -> FloatArray:
        """How likely each entity is the answer, those excluded aside: softmax at a temperature, and a spread."""
        left = scores.copy()
        left[excluded] = -np.inf
        highest = left.max(initial=-np.inf)
        if highest == -np.inf:
            return np.zeros(scores.size)
        left -= highest
        heat = self.model.heat
        shares = exp(left / heat.of(1.0 / float(np.cumsum(exp(left))[-1]) if heat.rise else 0.0))
        found = (1.0 - heat.spread) * shares / np.cumsum(shares)[-1]
        found[left > -np.inf] += heat.spread / np.count_nonzero(left > -np.inf)
        return np.asarray(found)

    def best(self, scores: FloatArray, excluded: IdArray, top: int) -> list[int]:
        """The highest scores, those excluded aside; among equals the first by name."""
        rounded = np.rint(scores * GRID)
        rounded[excluded] = -np.inf
        if top < rounded.size:
            worst = np.partition(rounded, rounded.size - top)[rounded.size - top] if top else np.inf
            chosen = np.flatnonzero(rounded >= worst)
        else:
            chosen = np.arange(rounded.size)
        chosen = chosen[rounded[chosen] > -np.inf]
        order = np.lexsort((self.name_order[chosen], -rounded[chosen]))
        return [int(node) for node in chosen[order][:top]]

    def places(
        self,
        relation: int,
        backwards: bool,
        sources: IdArray,
        answers: IdArray,
        known: KnownAnswers,
        tick: Callable[[int], None] = lambda _: None,
    ) -> tuple[IdArray, IdArray]:
        """How many candidates score higher than each answer, and how many the same, known answers aside.

        `tick` is called with how many questions were answered since it was before.
        """
        better, equal = np.zeros(sources.size, np.int64), np.zeros(sources.size, np.int64)
        filtered, offsets = known.answers(sources, relation, backwards)
        target = self.target(relation, backwards)
        if target is None:
            owner = np.repeat(np.arange(sources.size), np.diff(offsets))
            others = np.bincount(owner[filtered != answers[owner]], minlength=sources.size)
            return better, self.graph.number_of_nodes - 1 - others
        if self.model.exclusions.strength and self.exclusions(target)[0]:
            strength = np.array([self.model.exclusions.strength])
            for row in np.argsort(sources, kind="stable").tolist():  # what rivals say is kept for a while
                others = filtered[offsets[row] : offsets[row + 1]]
                better[row], equal[row] = self.place(target, int(sources[row]), int(answers[row]), others, strength)[0]
                tick(1)
            return better, equal
        workspace = self.workspace
        for first in range(0, sources.size, _SLICE):  # in pieces, so that an interrupt is heard
            part = slice(first, first + _SLICE)
            ends = offsets[first : first + _SLICE + 1]
            kernels.places(
                self.graph.steps,
                target.trie,
                self.constants(target),
                sources[part],
                answers[part],
                ends,
                filtered,
                self.model.frontier,
                target.weights,
                self.entity_bias(target),
                workspace.walker,
                workspace.reached,
                workspace.scores,
                workspace.flags,
                better[part],
                equal[part],
            )
            tick(min(_SLICE, sources.size - first))
        return better, equal
