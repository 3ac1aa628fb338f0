"""RelationQueries: (h, ?, t), the relations between two entities, those that the graph has first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5.chains.explain.reasons import find_reasons
from r5.chains.graph.step_kernels import Mask
from r5.chains.inference.fact_scorer import PLAUSIBLE, FactScorer
from r5.chains.inference.query_scorer import NO_MASK
from r5.chains.model import RelationModel
from r5.derivations.completion import Reason
from r5.derivations.derivation import Derivation, Fact, Prediction, Step
from r5.examples import Example
from r5.relations import DUMMY, INVERSE_SUFFIX, Vocabulary, inverse_name

__all__ = ["RelationQueries"]

_ALTERNATIVES = 9
_AT_ONCE = 200_000
"""Facts scored at a time."""
_LENGTH_COST = 0.02
"""Confidence that a rule must have more for each further relation of its body, to be shown instead of a shorter one."""


@dataclass(frozen=True, eq=False)
class RelationQueries:
    """Answers queries (h, ?, t) by P(fact) of every relation; several may hold.

    Args:
        scorer: The probability of facts on a graph.
    """

    scorer: FactScorer

    def probabilities(self, examples: Sequence[Example]) -> NDArray[np.float64]:
        """Return P(h, r, t) of each relation, [examples, relations].

        The hidden fact of an example is masked. So is a fact that the graph has, while it is judged itself.
        """
        relations = len(self.scorer.query_scorer.graph.relations)
        found = np.zeros((len(examples), relations))
        size = max(_AT_ONCE // max(relations, 1), 1)
        for first in range(0, len(examples), size):
            some = examples[first : first + size]
            heads = np.repeat([example.query.source for example in some], relations)
            tails = np.repeat([example.query.target for example in some], relations)
            facts = np.column_stack([heads, np.tile(np.arange(relations), len(some)), tails]).astype(np.int64)
            masked = np.repeat([self._hidden(example) for example in some], relations)
            scored = self.scorer.score(facts, masked)
            found[first : first + len(some)] = scored.probabilities.reshape(len(some), relations)
        return found

    def predict(self, examples: Sequence[Example]) -> list[Prediction]:
        """Return the relations that the graph has, then plausible new ones; "cannot say" where there is none."""
        return [
            self._prediction(example, row) for example, row in zip(examples, self.probabilities(examples), strict=True)
        ]

    def predict_new(self, examples: Sequence[Example]) -> list[Prediction]:
        """Return the most probable relation that the graph lacks, however improbable: what evaluation asks for."""
        found = []
        for example, row in zip(examples, self.probabilities(examples), strict=True):
            new = [r for r in self._order(row) if r not in self._known(example) and row[r] > 0.0]
            names, none = self.scorer.query_scorer.graph.relations, Prediction(None, reason=_nothing(example))
            found.append(Prediction(names[new[0]], float(row[new[0]])) if new else none)
        return found

    def predict_as(self, example: Example, name: str) -> Prediction:
        """Return the case for one relation: its probability and the strongest rule that derives it."""
        names = self.scorer.query_scorer.graph.relations
        if name not in names or self.scorer.query_scorer.target(names.index(name), False) is None:
            return Prediction(None, reason=f"the model has no rules for {name}")
        relation = names.index(name)
        chance = float(self.probabilities([example])[0, relation])
        return self._case(example, relation, chance, relation in self._known(example))

    def _prediction(self, example: Example, row: NDArray[np.float64]) -> Prediction:
        known = self._known(example)
        order = self._order(row)
        first = [r for r in order if r in known]
        new = [r for r in order if r not in known and row[r] >= PLAUSIBLE]
        answers = [self._case(example, r, float(row[r]), r in known) for r in first]
        answers += [Prediction(name, known=True) for name in self._unknown_relations(example)]
        answers += [self._case(example, r, float(row[r])) for r in new[: 1 + _ALTERNATIVES]]
        answers = answers[: max(1 + _ALTERNATIVES, sum(one.known for one in answers))]
        if not answers:
            return Prediction(None, reason=_nothing(example))
        best, *others = answers
        return Prediction(
            best.relation, best.probability, best.score, best.derivation, tuple(others), best.reason, best.known
        )

    def _order(self, row: NDArray[np.float64]) -> list[int]:
        """Relations by probability, then by name."""
        names = self.scorer.query_scorer.graph.relations
        return sorted(range(row.size), key=lambda r: (-round(float(row[r]), 9), names[r]))

    def _known(self, example: Example) -> set[int]:
        """Relations that the graph has between the two, without a hidden one."""
        index = self.scorer.features.between
        return set(index.relations(example.query.source, example.query.target)) - {self._hidden(example)}

    def _unknown_relations(self, example: Example) -> list[str]:
        """Relations that the graph has between the two and that the model has never seen, by name."""
        graph = example.graph
        names = set(graph.vocabulary) - set(self.scorer.query_scorer.graph.relations)
        # An inverse edge is the same fact, told in its own direction.
        names = {
            name for name in names if not (name.endswith(INVERSE_SUFFIX) and inverse_name(name) in graph.vocabulary)
        }
        if not names:
            return []
        between = (graph.sources == example.query.source) & (graph.targets == example.query.target)
        there = graph.vocabulary.names(graph.relations[between & (graph.facts != example.masked_fact)])
        return sorted(names.intersection(there))

    def _hidden(self, example: Example) -> int:
        """Relation of the fact that must not be used, or -1."""
        if example.masked_fact < 0:
            return -1
        graph = example.graph
        words = Vocabulary(self.scorer.query_scorer.graph.relations)
        names = graph.vocabulary.names(graph.relations[np.flatnonzero(graph.facts == example.masked_fact)])
        return next((words.id(name) for name in names if name in words), -1)

    def _case(self, example: Example, relation: int, chance: float, known: bool = False) -> Prediction:
        """One relation with its probability and the strongest rule that derives it."""
        query_scorer = self.scorer.query_scorer
        name, target = query_scorer.graph.relations[relation], query_scorer.target(relation, False)
        if target is None:
            return Prediction(name, chance, known=known)
        source, end = example.query.source, example.query.target
        masked_relation = relation if known else self._hidden(example)
        mask = NO_MASK if masked_relation < 0 else Mask(source, query_scorer.graph.step(masked_relation, False), end)
        reasons = find_reasons(query_scorer, target, source, end, name, mask)
        score = sum(reason.weight for reason in reasons)
        rule = self._most_confident(target, reasons, name) if chance >= PLAUSIBLE else None
        derivation = None if rule is None else _derivation(rule.facts, Fact(example.source, name, example.target))
        return Prediction(name, chance, score, derivation, known=known)

    def _most_confident(self, target: RelationModel, reasons: Sequence[Reason], name: str) -> Reason | None:
        """Return the most confident chain rule among the reasons for a relation; without one, the strongest rule."""
        graph, confidences = self.scorer.query_scorer.graph, self.scorer.query_scorer.model.confidences_of(target)
        confidence = {
            graph.body_names(name, body): value
            for body, value in zip(target.bodies, confidences.tolist(), strict=False)  # constants follow the chains
        }
        rules = [reason for reason in reasons if reason.kind == "rule" and reason.weight > 0]
        chains = [reason for reason in rules if reason.rule.target is None]

        def quality(reason: Reason) -> tuple[float, float]:
            body = reason.rule.body
            return confidence.get(body, 0.0) - _LENGTH_COST * len(body), reason.weight

        return max(chains or rules, key=quality, default=None)


def _nothing(example: Example) -> str:
    return f"the graph has no relation between {example.source} and {example.target}, and no rule makes one plausible"


def _derivation(facts: tuple[Fact, ...], result: Fact) -> Derivation | None:
    """The facts of a chain merged from the left; inner results have no name, so all are shown with the last step."""
    if not facts:
        return None
    if len(facts) == 1:
        end = facts[0].target
        return Derivation((facts[0], Fact(end, DUMMY, end)), (Step(result, facts[0], Fact(end, DUMMY, end)),))
    steps, left = [], facts[0]
    for place, right in enumerate(facts[1:], start=2):
        name = result.relation if place == len(facts) else f"{left.relation}, {right.relation}"
        step = Step(Fact(left.source, name, right.target), left, right)
        steps.append(step)
        left = step.result
    return Derivation(facts, tuple(steps))
