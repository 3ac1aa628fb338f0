"""Answerer: scores of every entity as the answer to a question, and the places of right answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import exp
from r5._util.ordering import natural_key
from r5.chains import answer_kernels as kernels
from r5.chains.answer_kernels import GRID
from r5.chains.constant_kernels import Constants
from r5.chains.constants import make_constants, most_reached
from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.model import ChainModel, Target
from r5.chains.rival_kernels import give_way, place_giving_way
from r5.chains.rivals import Rivals
from r5.chains.room import Room
from r5.chains.step_kernels import Hidden
from r5.chains.steps import IdArray, StepGraph

__all__ = ["NOTHING", "Answerer"]

FloatArray = NDArray[np.float64]
NOTHING = Hidden(-1, -1, -1)
_SLICE = 64
_ALONE = 1 << 24
"""So many scores of entities by themselves are kept, 8 bytes each, ..."""
_KEPT = 1 << 22
"""... and so many of questions."""


@dataclass(eq=False)
class Answerer:
    """A model on a graph."""

    graph: StepGraph
    model: ChainModel
    training: StepGraph | None = None
    """The graph that the model was learned from, where another one is asked about."""
    _alone: dict[int, FloatArray] = field(default_factory=dict)
    _constants: dict[int, Constants] = field(default_factory=dict)
    _said: dict[tuple[int, int], FloatArray] = field(default_factory=dict)
    _rivals: dict[int, tuple[list[Target], FloatArray]] = field(default_factory=dict)

    @cached_property
    def room(self) -> Room:
        """Where kernels work."""
        room = Room(self.graph, self.model.frontier)
        for target in self.model.targets.values():
            constants = self.constants(target)
            reached = most_reached(constants, self.graph, self.model.frontier)
            room.for_rules(len(target.bodies), len(target.constants), reached)
        return room

    def make_ready(self) -> None:
        """Find what all questions need, and what threads share from then on."""
        for target in self.model.targets.values():
            self.constants(target), target.trie, self.rivals(target)

    def apart(self) -> Answerer:
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

    def alone(self, target: Target) -> FloatArray:
        """What each entity scores by itself."""
        found = self._alone.get(target.step)
        if found is None:
            found = np.zeros(self.graph.number_of_nodes)
            kernels.properties(self.graph.steps, target.weights, found)
            if len(self._alone) >= max(_ALONE // max(found.size, 1), 1):
                self._alone.clear()
            self._alone[target.step] = found
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
        force = self.model.rivals.force
        if not force or not self.rivals(target)[0]:
            return self._kept(target, source)
        return self._kept(target, source) - force * self.rivalry(target, source)

    def rivals(self, target: Target) -> tuple[list[Target], FloatArray]:
        """The rivals of a target that can be asked for, and their odds."""
        if target.step not in self._rivals:
            back, relation = divmod(target.step, len(self.graph.relations))
            others, odds = self.model.rivals.of(relation)
            steps = [self.graph.step(other, bool(back)) for other in others.tolist()]
            asked = [place for place, step in enumerate(steps) if step in self.model.targets]
            self._rivals[target.step] = [self.model.targets[steps[place]] for place in asked], odds[asked]
        return self._rivals[target.step]

    def rivalry(self, target: Target, source: int) -> FloatArray:
        """What the score of each entity gives way to those of rivals, at a force of 1."""
        scores, others = self._both_said(target, source)
        less = np.zeros(scores.size)
        give_way(scores, others, self.rivals(target)[1], less)
        return less

    def place(
        self,
        target: Target,
        source: int,
        answer: int,
        known: IdArray,
        forces: FloatArray,
        more: FloatArray | None = None,
        strengths: FloatArray | None = None,
    ) -> IdArray:
        """How many candidates score higher than an answer, and how many the same, [tried, 2], by forces of rivals.

        With each force `more`, times a strength, is added to the scores of the entities.
        """
        scores, others = self._both_said(target, source, bool(forces.any()))
        odds = self.rivals(target)[1][: len(others)]
        more = np.zeros(scores.size) if more is None else more
        strengths = np.zeros(forces.size) if strengths is None else strengths
        found = np.empty((forces.size, 2), np.int64)
        place_giving_way(scores, others, odds, forces, strengths, more, answer, known, self.room.flags, found)
        return found

    def _both_said(self, target: Target, source: int, asked: bool = True) -> tuple[FloatArray, FloatArray]:
        """What the rules say, [entities], and what they say for each rival, [rivals, entities], if these are asked."""
        rivals = self.rivals(target)[0] if asked else []
        others = np.empty((len(rivals), self.graph.number_of_nodes))
        for row, rival in enumerate(rivals):
            others[row] = self._kept(rival, source)
        return self._kept(target, source), others

    def _kept(self, target: Target, source: int) -> FloatArray:
        """What the rules say; kept for a while, since rivals ask about the same entity."""
        key = (target.step, source)
        found = self._said.get(key)
        if found is None:
            found = self.said(target, source)
            if len(self._said) >= max(_KEPT // max(self.graph.number_of_nodes, 1), 1):
                self._said.clear()
            self._said[key] = found
        return found

    def with_rivals(self, rivals: Rivals) -> Answerer:
        """The same with other rivals; what the rules say is not asked again."""
        return replace(self, model=replace(self.model, rivals=rivals), _rivals={})

    def said(self, target: Target, source: int, hidden: Hidden = NOTHING) -> FloatArray:
        """What the rules of one relation say for each entity, rivals aside, [entities]."""
        scores = np.zeros(self.graph.number_of_nodes)
        room = self.room
        kernels.score_all(
            self.graph.steps, target.trie, self.constants(target), source, hidden, self.model.frontier, target.weights,
            self.alone(target), room.walker, room.reached, scores,
        )  # fmt: skip
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
        if self.model.rivals.force and self.rivals(target)[0]:
            force = np.array([self.model.rivals.force])
            for row in np.argsort(sources, kind="stable").tolist():  # what rivals say is kept for a while
                others = filtered[offsets[row] : offsets[row + 1]]
                better[row], equal[row] = self.place(target, int(sources[row]), int(answers[row]), others, force)[0]
                tick(1)
            return better, equal
        room = self.room
        for first in range(0, sources.size, _SLICE):  # in pieces, so that an interrupt is heard
            part = slice(first, first + _SLICE)
            ends = offsets[first : first + _SLICE + 1]
            kernels.places(
                self.graph.steps, target.trie, self.constants(target), sources[part], answers[part], ends, filtered,
                self.model.frontier, target.weights, self.alone(target), room.walker, room.reached, room.scores,
                room.flags, better[part], equal[part],
            )  # fmt: skip
            tick(min(_SLICE, sources.size - first))
        return better, equal
