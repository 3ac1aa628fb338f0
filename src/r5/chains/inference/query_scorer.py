"""QueryScorer: the score of every entity as the answer to a query, and the ranks of correct answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import exp
from r5._util.ordering import natural_key
from r5._util.runtime.threads import per_thread
from r5.chains.features.constant_index import make_constants, max_reached
from r5.chains.features.constant_kernels import Constants
from r5.chains.features.walk_kernels import GraphWalk
from r5.chains.features.workspace import Workspace
from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.graph.plausibility import StepPlausibility
from r5.chains.graph.step_graph import IdArray, StepGraph
from r5.chains.graph.step_kernels import Mask
from r5.chains.inference import scoring_kernels as kernels
from r5.chains.inference.scoring_kernels import GRID
from r5.chains.model import ChainModel, RelationModel
from r5.chains.similarity.evidence import SimilarityWeights, make_evidence, new_scratch
from r5.chains.similarity.evidence_kernels import Evidence, EvidenceScratch, sum_evidence
from r5.chains.similarity.similar_entities import SimilarEntities
from r5.chains.tuning.exclusion_kernels import exclusion_penalties, rank_with_weights
from r5.chains.tuning.exclusions import Exclusions

__all__ = ["NO_MASK", "QueryScorer"]

FloatArray = NDArray[np.float64]
NO_MASK = Mask(-1, -1, -1)
_CACHED_BIASES = 1 << 24
"""Maximum number of cached entity biases, 8 bytes each."""
_CACHED_SCORES = 1 << 22
"""Maximum number of cached scores of queries, 8 bytes each."""


@dataclass(eq=False)
class QueryScorer:
    """Scores candidates with a model on a graph; threads may share it, each has scratch arrays of its own.

    Args:
        graph: The graph that queries are answered on.
        model: Rules and weights.
        training: The graph that the model was trained on, if it is another one.
        similar: Similar entities of the graph; computed when they are first used.
    """

    graph: StepGraph
    model: ChainModel
    training: StepGraph | None = None
    similar: SimilarEntities = None  # type: ignore[assignment]
    _entity_bias: dict[int, FloatArray] = field(default_factory=dict)
    _constants: dict[int, Constants] = field(default_factory=dict)
    _rule_scores: dict[tuple[int, int], FloatArray] = field(default_factory=dict)
    _excluding: dict[int, tuple[list[RelationModel], FloatArray]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.similar is None:
            self.similar = SimilarEntities(self.graph)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without caches and scratch arrays."""
        return QueryScorer, (self.graph, self.model, self.training)

    @per_thread
    def workspace(self) -> Workspace:
        """Scratch arrays of the kernels."""
        workspace = Workspace(self.graph, self.model.frontier)
        for target in self.model.targets.values():
            constants = self.constants(target)
            reached = max_reached(constants, self.graph, self.model.frontier)
            workspace.reserve_rules(len(target.bodies), len(target.constants), reached)
        return workspace

    @property
    def walk(self) -> GraphWalk:
        """The graph as kernels walk it, with the scratch arrays of this thread."""
        return GraphWalk(self.graph.steps, self.model.frontier, self.workspace.walker)

    def target_rules(self, target: RelationModel) -> kernels.TargetRules:
        """Return the rules and weights of a target as kernels read them."""
        return kernels.TargetRules(
            target.step, target.trie, self.constants(target), target.weights, self.evidence, self.evidence_scratch
        )

    @cached_property
    def evidence(self) -> Evidence:
        """Evidence of similar entities as kernels read it."""
        return make_evidence(self.similar, self.model.similarity)

    @per_thread
    def evidence_scratch(self) -> EvidenceScratch:
        """Scratch arrays of the evidence."""
        return new_scratch(self.evidence, self.graph.number_of_nodes)

    def require_similar(self, step: int, sources: IdArray, threads: int = 1) -> None:
        """Compute the similar entities that queries need: those of the sources and of their known answers.

        Args:
            step: The step of the queries.
            sources: The given entities.
            threads: Number of threads; the result does not depend on it.
        """
        if not self.model.similarity.are_used:
            return
        if self.model.similarity.answers:
            rows = self.graph.rows(np.unique(sources), step)
            offsets, targets = self.graph.steps.row_offsets, self.graph.steps.targets
            answers = [targets[offsets[row] : offsets[row + 1]] for row in rows[rows >= 0].tolist()]
            sources = np.concatenate([sources, *answers]).astype(np.int64)
        self.similar.require(sources, threads)

    def evidence_scores(self, target: RelationModel, source: int) -> FloatArray:
        """Return the evidence of similar entities for each entity, [entities]."""
        scores = np.zeros(self.graph.number_of_nodes)
        self.require_similar(target.step, np.array([source]))
        sum_evidence(self.graph.steps, self.evidence, source, target.step, NO_MASK, self.evidence_scratch, scores)
        return scores

    def with_similarity(self, weights: SimilarityWeights) -> QueryScorer:
        """Return a copy with other weights of the evidence of similar entities."""
        return replace(self, model=replace(self.model, similarity=weights), _rule_scores={})

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Number of each entity, by name."""
        return {name: node for node, name in enumerate(self.graph.entities)}

    @cached_property
    def known(self) -> KnownAnswers:
        """Known answers of queries."""
        return KnownAnswers(self.graph.facts, len(self.graph.relations))

    @cached_property
    def plausibility(self) -> StepPlausibility:
        """Plausibility that an entity has a relation."""
        return StepPlausibility(self.graph, self.training)

    @cached_property
    def name_order(self) -> IdArray:
        """Position of each entity in the order of names, which breaks ties, [entities]."""
        order = sorted(range(self.graph.number_of_nodes), key=lambda node: natural_key(self.graph.entities[node]))
        places = np.empty(len(order), np.int64)
        places[order] = np.arange(len(order))
        return places

    def target(self, relation: int, backwards: bool) -> RelationModel | None:
        """Return the rules and weights for a relation and direction; None where there were no facts to train on."""
        return self.model.targets.get(self.graph.step(relation, backwards))

    def entity_bias(self, target: RelationModel) -> FloatArray:
        """Return the entity biases of a target, [entities]."""
        found = self._entity_bias.get(target.step)
        if found is None:
            found = np.zeros(self.graph.number_of_nodes)
            kernels.entity_biases(self.graph.steps, target.weights, found)
            if len(self._entity_bias) >= max(_CACHED_BIASES // max(found.size, 1), 1):
                self._entity_bias.clear()
            self._entity_bias[target.step] = found
        return found

    def constants(self, target: RelationModel) -> Constants:
        """Return the rules with constants of a target, as far as this graph has the constants."""
        if target.step not in self._constants:
            own = target.constants
            if self._numbers is not None:
                own = own.copy()
                own[:, 1:3] = self._numbers[own[:, 1:3]]
            self._constants[target.step] = make_constants(own, self.graph, len(target.bodies))
        return self._constants[target.step]

    @cached_property
    def _numbers(self) -> IdArray | None:
        """Number in this graph of each entity of the model: -2 for none, a final -1; None where all numbers agree."""
        if self.model.entities is self.graph.entities or self.model.entities == self.graph.entities:
            return None
        return np.array([*(self.numbers.get(name, -2) for name in self.model.entities), -1])

    def scores(self, target: RelationModel, source: int) -> FloatArray:
        """Return the score of each entity: that of the rules less the exclusion penalty, [entities], read-only."""
        strength = self.model.exclusions.strength
        if not strength or not self.exclusions(target)[0]:
            return self.rule_scores(target, source)
        return self.rule_scores(target, source) - strength * self.exclusion_penalty(target, source)

    def exclusions(self, target: RelationModel) -> tuple[list[RelationModel], FloatArray]:
        """Return the targets that exclude a target, and the log-odds of each."""
        if target.step not in self._excluding:
            back, relation = divmod(target.step, len(self.graph.relations))
            others, log_odds = self.model.exclusions.of(relation)
            steps = [self.graph.step(other, bool(back)) for other in others.tolist()]
            asked = [place for place, step in enumerate(steps) if step in self.model.targets]
            self._excluding[target.step] = [self.model.targets[steps[place]] for place in asked], log_odds[asked]
        return self._excluding[target.step]

    def exclusion_penalty(
        self, target: RelationModel, source: int, answer: int = -1, strength: float = 0.0
    ) -> FloatArray:
        """Return the exclusion penalty of each entity at a strength of 1, [entities].

        Args:
            target: The relation and direction of the query.
            source: The given entity.
            answer: Candidates that rank below this one at any strength may have a penalty of 0; -1 for none.
            strength: The greatest strength.
        """
        exclusions, log_odds = self.exclusions(target)
        penalty, others = np.zeros(self.graph.number_of_nodes), np.empty((len(exclusions), self.graph.number_of_nodes))
        for row, excluding in enumerate(exclusions):
            others[row] = self.rule_scores(excluding, source)
        scores = self.rule_scores(target, source)
        exclusion_penalties(scores, others, log_odds, answer, float(strength), penalty)
        return penalty

    def rank_with_strengths(
        self, target: RelationModel, source: int, answer: int, known: IdArray, strengths: Sequence[float]
    ) -> IdArray:
        """Count the candidates above an answer and tied with it, for several strengths of the exclusions, [tried, 2].

        Args:
            target: The relation and direction of the query.
            source: The given entity.
            answer: The correct answer.
            known: Known answers, which are no candidates.
            strengths: Strengths of the exclusions.
        """
        penalty = self.exclusion_penalty(target, source, answer, max(strengths))
        parts = np.stack([self.rule_scores(target, source), penalty])
        found = np.empty((len(strengths), 2), np.int64)
        rank_with_weights(parts, -np.array(strengths)[:, None], answer, known, self.workspace.flags, found)
        return found

    def with_exclusions(self, exclusions: Exclusions) -> QueryScorer:
        """Return a copy with other exclusions that shares the cached scores."""
        return replace(self, model=replace(self.model, exclusions=exclusions), _excluding={})

    def rule_scores(self, target: RelationModel, source: int, mask: Mask = NO_MASK) -> FloatArray:
        """Return the score of each entity without exclusions, [entities], read-only: rules, bias and similar entities.

        Scores without a mask are cached: relations that exclude each other share queries.
        """
        key = (target.step, source)
        found = self._rule_scores.get(key) if mask.step < 0 else None
        if found is not None:
            return found
        scores = np.zeros(self.graph.number_of_nodes)
        self.require_similar(target.step, np.array([source]))
        workspace = self.workspace
        rules, biases = self.target_rules(target), self.entity_bias(target)
        kernels.score_all(self.walk, rules, source, mask, biases, workspace.reached, scores)
        if mask.step < 0:
            if len(self._rule_scores) >= max(_CACHED_SCORES // max(self.graph.number_of_nodes, 1), 1):
                self._rule_scores.clear()
            self._rule_scores[key] = scores
        return scores

    def probabilities(self, scores: FloatArray, excluded: IdArray) -> FloatArray:
        """Return P(entity is the answer): a softmax with temperature and spread over all but excluded entities."""
        left = scores.copy()
        left[excluded] = -np.inf
        highest = left.max(initial=-np.inf)
        if highest == -np.inf:
            return np.zeros(scores.size)
        left -= highest
        temperature = self.model.temperature
        shares = exp(left / temperature.of(1.0 / float(np.cumsum(exp(left))[-1]) if temperature.rise else 0.0))
        found = (1.0 - temperature.spread) * shares / np.cumsum(shares)[-1]
        found[left > -np.inf] += temperature.spread / np.count_nonzero(left > -np.inf)
        return np.asarray(found)

    def best(self, scores: FloatArray, excluded: IdArray, top: int) -> list[int]:
        """Return the entities with the highest scores, excluded ones left out; ties are broken by name."""
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

    def rank_answers(
        self,
        relation: int,
        backwards: bool,
        sources: IdArray,
        answers: IdArray,
        known: KnownAnswers,
    ) -> tuple[IdArray, IdArray]:
        """Count the candidates that score higher than each answer, and those that score the same.

        Queries of one source that stand side by side share their scores.

        Args:
            relation: The relation of the queries.
            backwards: Whether the head is asked for.
            sources: The given entities, [queries].
            answers: The correct answers, [queries].
            known: Known answers, which are no candidates.

        Returns:
            Both counts, [queries] each.
        """
        better, equal = np.zeros(sources.size, np.int64), np.zeros(sources.size, np.int64)
        filtered, offsets = known.answers(sources, relation, backwards)
        target = self.target(relation, backwards)
        if target is None:
            owner = np.repeat(np.arange(sources.size), np.diff(offsets))
            others = np.bincount(owner[filtered != answers[owner]], minlength=sources.size)
            return better, self.graph.number_of_nodes - 1 - others
        if self.model.exclusions.strength and self.exclusions(target)[0]:
            strength = [self.model.exclusions.strength]
            for row, (source, answer) in enumerate(zip(sources.tolist(), answers.tolist(), strict=True)):
                others = filtered[offsets[row] : offsets[row + 1]]
                better[row], equal[row] = self.rank_with_strengths(target, source, answer, others, strength)[0]
            return better, equal
        self.require_similar(target.step, sources)
        workspace, rules, biases = self.workspace, self.target_rules(target), self.entity_bias(target)
        scratch = kernels.RankScratch(workspace.scores, workspace.flags, workspace.candidates)
        queries = kernels.RankQueries(sources, answers, filtered, offsets)
        kernels.rank_answers(self.walk, rules, queries, biases, workspace.reached, scratch, better, equal)
        workspace.flags[:] = False
        return better, equal
