"""Relater: how two entities are related, out of how likely each is the answer for the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r5._util.elementary_kernels import exp, log
from r5.chains.answering import NOTHING, Answerer
from r5.chains.reasons import find_reasons
from r5.chains.step_kernels import Hidden
from r5.derivations.derivation import Derivation, Fact, Prediction, Step
from r5.examples import Example
from r5.relations import DUMMY, Vocabulary

__all__ = ["Relater"]

_ALTERNATIVES = 3
_LEAST = 0.01


@dataclass(frozen=True, eq=False)
class Relater:
    """Answers (x, ?, y): P(r | x, y) is taken to be in proportion to the facts of r times P(y | x, r) P(x | y, r).

    Relations that the graph has between the two are known, and not offered again.
    """

    answerer: Answerer

    def chances(self, example: Example) -> NDArray[np.float64]:
        """How likely each relation of the model is, [relations]; all 0 where nothing can be said."""
        graph = self.answerer.graph
        source, target = example.query.source, example.query.target
        facts = graph.facts
        sizes = np.bincount(facts[:, 1], minlength=len(graph.relations))
        logs = np.full(len(graph.relations), -np.inf)
        hidden_relation = self._hidden_relation(example)
        there = facts[(facts[:, 0] == source) & (facts[:, 2] == target), 1]
        for relation in range(len(graph.relations)):
            if relation in there and relation != hidden_relation:
                continue
            both = 0.0
            for backwards, start, end in ((False, source, target), (True, target, source)):
                known = self.answerer.target(relation, backwards)
                if known is None:
                    both = -np.inf
                    break
                hidden = self._hidden(example, hidden_relation, backwards)
                scores = self.answerer.said(known, start, hidden)
                others = self.answerer.known.of(start, relation, backwards)
                chances = self.answerer.probabilities(scores, others[others != end])
                both += float(log(max(chances[end], 1e-300)))
            logs[relation] = both + float(log(max(sizes[relation], 1)))
        highest = logs.max(initial=-np.inf)
        if highest == -np.inf:
            return np.zeros(logs.size)
        shares = exp(logs - highest)
        return np.asarray(shares / np.cumsum(shares)[-1])

    def predict(self, example: Example) -> Prediction:
        """The most likely relation, the strongest rule that speaks for it as the derivation, and others."""
        chances = self.chances(example)
        names = self.answerer.graph.relations
        order = sorted(range(chances.size), key=lambda r: (-round(float(chances[r]), 12), names[r]))
        order = [r for n, r in enumerate(order[: 1 + _ALTERNATIVES]) if chances[r] > (0.0 if n == 0 else _LEAST)]
        if not order:
            return Prediction(None, reason=f"nothing is known about {example.source} and {example.target}")
        answers = [self._prediction(example, relation, float(chances[relation])) for relation in order]
        first = answers[0]
        return Prediction(
            first.relation, first.probability, first.score, first.derivation, tuple(answers[1:])
        )  # fmt: skip

    def predict_as(self, example: Example, name: str) -> Prediction:
        """The case for one relation: how likely it is, and the strongest rule that speaks for it."""
        names = self.answerer.graph.relations
        chance = float(self.chances(example)[names.index(name)]) if name in names else 0.0
        if not chance > 0.0:
            return Prediction(None, reason=f"nothing speaks for {name}, or the graph says so already")
        return self._prediction(example, names.index(name), chance)

    def _prediction(self, example: Example, relation: int, chance: float) -> Prediction:
        name = self.answerer.graph.relations[relation]
        target = self.answerer.target(relation, False)
        if target is None:
            return Prediction(name, chance)
        source, end = example.query.source, example.query.target
        hidden = self._hidden(example, self._hidden_relation(example), False)
        reasons = find_reasons(self.answerer, target, source, end, name, hidden)
        rule = next((reason for reason in reasons if reason.kind == "rule" and reason.weight > 0), None)
        derivation = None if rule is None else _derivation(rule.facts, Fact(example.source, name, example.target))
        return Prediction(name, chance, sum(reason.weight for reason in reasons), derivation)

    def _hidden_relation(self, example: Example) -> int:
        """The relation of the fact that must not be used, or -1."""
        if example.hidden_fact < 0:
            return -1
        graph = example.graph
        at = np.flatnonzero(graph.facts == example.hidden_fact)
        words = Vocabulary(self.answerer.graph.relations)
        names = graph.vocabulary.names(graph.relations[at])
        return next((words.id(name) for name in names if name in words), -1)

    def _hidden(self, example: Example, relation: int, backwards: bool) -> Hidden:
        if relation < 0:
            return NOTHING
        source, end = example.query.source, example.query.target
        source, end = (end, source) if backwards else (source, end)
        return Hidden(source, self.answerer.graph.step(relation, backwards), end)


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
