"""GrammarScorer: answers to questions of which one path is the reason, with its most likely derivation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.budget import Budget
from r5._util.order import at_least, first_largest, largest
from r5.derivations.derivation import Prediction, Suspicion
from r5.derivations.facts import facts_of, why_no_path
from r5.examples import Example, Examples
from r5.grammar.calibration.temperature import apply_temperature
from r5.grammar.inference.answers import Answers, answers_under, viterbi_trees
from r5.grammar.inference.explanations import explain, first_gap, suspect
from r5.grammar.inference.noise_levels import NoiseLevel, noise_level_posterior, noise_levels
from r5.grammar.inference.scoring import normalize_rows
from r5.grammar.model import FittedGrammar
from r5.grammar.rules import head_shares
from r5.grammar.settings import GrammarSettings
from r5.paths.find import PathSet
from r5.paths.select import select_paths
from r5.paths.settings import Policy
from r5.relations import DUMMY

__all__ = ["GrammarScorer"]

_ALTERNATIVES = 3
_LEAST_PROBABILITY = 0.01
_MORE_LIKELY_THAN_NOT = 0.5
_NEAR = 1e-6
"""Probabilities that are this close may be alike."""


@dataclass(frozen=True, eq=False)
class GrammarScorer:
    """A grammar with the names of its relations, and which paths it answers over."""

    learned: FittedGrammar
    names: tuple[str, ...]
    hidden: frozenset[str]
    """Relations that are no answers: invented ones and the dummy."""
    settings: GrammarSettings
    policy: Policy

    @cached_property
    def _ways(self) -> tuple[NoiseLevel, ...]:
        """The grammar as it may be for the questions that are asked."""
        return noise_levels(self.learned, self.settings)

    @property
    def _asked(self) -> NoiseLevel:
        """The grammar as it is most likely to be."""
        return self._ways[0]

    @cached_property
    def _no_answers(self) -> list[int]:
        """The ids of the relations that are no answers."""
        return [n for n, name in enumerate(self.names) if name in self.hidden]

    def shares(self, examples: Examples) -> tuple[FloatArray, FloatArray]:
        """How likely each relation is, [questions, relations], and that there is none.

        A row of zeros where nothing is known of the former.
        """
        answers = self.answers(self._find(examples))
        return answers.posterior, self.chances_of_none(answers)

    def chances_of_none(self, answers: Answers) -> FloatArray:
        """How likely it is that there is no relation, for each question; 0 where nothing is known of that."""
        unrelated = self.learned.unrelated
        return np.zeros(answers.evidence.size) if unrelated is None else unrelated.chances(answers.evidence)

    def _find(self, examples: Examples) -> PathSet:
        return select_paths(examples, self.policy, self.settings)

    def answers(self, found: PathSet, budget: Budget | None = None) -> Answers:
        """The posterior over the grammar's relations; invented ones and the dummy are no answers."""
        words = found.in_words_of(self.names)
        ways = self._ways
        trusts = [way.trust for way in ways if way.trust is not None] or None
        models, combine = [way.model for way in ways], self.settings.combine
        each = answers_under(models, found.starts, words, combine, budget, trusts)
        posterior = self._tempered(ways[0], each[0])
        if len(ways) > 1:
            sizes = np.append(np.diff(words.offsets), 0)
            longest = np.where(np.diff(found.starts) > 0, np.maximum.reduceat(sizes, found.starts)[:-1], 0)
            likely = noise_level_posterior(ways, [one.evidence for one in each], longest.astype(np.float64))
            others = [self._tempered(way, one) for way, one in zip(ways[1:], each[1:], strict=True)]
            parts = [share[:, None] * one for share, one in zip(likely, (posterior, *others), strict=True)]
            posterior = _as_first(np.sum(parts, axis=0), posterior)
        if self.learned.unrelated is not None:
            posterior = posterior * (1.0 - self.chances_of_none(each[0]))[:, None]
        return replace(each[0], posterior=posterior)

    def _tempered(self, asked: NoiseLevel, answers: Answers) -> FloatArray:
        """The posterior over what may be answered, made as sure as it should be."""
        posterior = answers.posterior
        if self._no_answers:
            posterior = posterior.copy()
            posterior[:, self._no_answers] = 0.0
            posterior = normalize_rows(posterior)
        return apply_temperature(posterior, asked.temperature)

    def predict_many(self, examples: Examples) -> list[Prediction]:
        """The most likely answers with their most likely derivations, and up to three alternatives with theirs."""
        found = self._find(examples)
        answers = self.answers(found)
        words = found.in_words_of(self.names)
        model, shares = self._asked.model, head_shares(self.learned.counts)
        asked = [(q, head) for q in range(len(found)) for head in _shortlist(answers.posterior[q])]
        rows = [_strongest(found, answers, question, head) for question, head in asked]
        heads = np.array([head for _, head in asked], dtype=np.int64)
        trees = viterbi_trees(self._asked.model, words.take(np.array(rows, dtype=np.int64)), heads)
        predictions: list[list[Prediction]] = [[] for _ in range(len(found))]
        for (question, head), row, tree in zip(asked, rows, trees, strict=True):
            facts = facts_of(examples, found, question, row)
            observed = words[row].tolist()
            predictions[question].append(
                Prediction(
                    self.names[head],
                    probability=float(answers.posterior[question, head]),
                    derivation=explain(model, self.names, tree, head, shares=shares, facts=facts, words=observed),
                )
            )
        chances = self.chances_of_none(answers).tolist()
        ranked = [self._with_none(few, chance) for few, chance in zip(predictions, chances, strict=True)]
        return [
            replace(few[0], alternatives=tuple(few[1:])) if few else self._cannot_say(examples, found, question)
            for question, few in enumerate(ranked)
        ]

    def _with_none(self, few: list[Prediction], chance: float) -> list[Prediction]:
        """The answers, most likely first, and among them that there is no relation, where that is likely enough."""
        if not at_least(chance, _LEAST_PROBABILITY if few else _MORE_LIKELY_THAN_NOT):
            return few
        reason = "no rules explain the paths better than chance" if few else "no path is found"
        place = sum(bool(at_least(one.probability or 0.0, chance)) for one in few)
        none = Prediction(self.settings.unrelated, probability=chance, reason=reason)
        return [*few[:place], none, *few[place:]][: 1 + _ALTERNATIVES]

    def predict_as(self, examples: Examples, relation: str) -> Prediction:
        """The case for one answer to one question: how likely it is, and its most likely derivation."""
        found = self._find(examples)
        if not found.rows(0):
            return self._cannot_say(examples, found, 0)
        answers = self.answers(found)
        head = self.names.index(relation)
        if not answers.posterior[0, head] > 0.0:
            return Prediction(None, reason=f"no rules lead from any of the paths to {relation}")
        row = _strongest(found, answers, 0, head)
        words = found.in_words_of(self.names, row=row)
        (tree,) = viterbi_trees(self._asked.model, words, np.array([head]))
        facts, observed = facts_of(examples, found, 0, row), words[0].tolist()
        shares = head_shares(self.learned.counts)
        derivation = explain(self._asked.model, self.names, tree, head, shares=shares, facts=facts, words=observed)
        return Prediction(relation, probability=float(answers.posterior[0, head]), derivation=derivation)

    def predict_plain(self, examples: Examples) -> list[Prediction]:
        """The most likely answers, the same as of `predict_many`, without derivations and alternatives."""
        found = self._find(examples)
        answers = self.answers(found)
        posterior, chances = answers.posterior, self.chances_of_none(answers).tolist()
        if not len(found):
            return []
        heads = posterior.argmax(axis=1)
        sure = posterior[np.arange(len(found)), heads]
        # Rounding must not propagate: where another is as good but for that, look closely.
        near = (posterior >= (sure - _NEAR)[:, None]).sum(axis=1) > 1
        plain = [
            Prediction(self.names[head], probability=chance) if chance > 0.0 else None
            for head, chance in zip(heads.tolist(), sure.tolist(), strict=True)
        ]
        for question in np.flatnonzero(near & (sure > 0.0)).tolist():
            head = _shortlist(posterior[question])[0]
            plain[question] = Prediction(self.names[head], probability=float(posterior[question, head]))
        ranked = [self._with_none([one] if one else [], chance) for one, chance in zip(plain, chances, strict=True)]
        return [few[0] if few else self._cannot_say(examples, found, question) for question, few in enumerate(ranked)]

    def _cannot_say(self, examples: Examples, found: PathSet, question: int) -> Prediction:
        example = examples[question]
        if not found.rows(question):
            return Prediction(None, reason=why_no_path(example, self.settings.direct, bool(found.complete[question])))
        row = found.rows(question)[0]
        words = found.in_words_of(self.names, row=row)[0].tolist()
        gap = first_gap(self._asked.model, words)
        if gap is None:
            return Prediction(None, reason="the path ends in an invented relation, whose meaning is not known")
        names = found.vocabulary.names(found.sequences[row][gap.start : gap.stop])
        shown = ", ".join(name for name in names if name != DUMMY)
        return Prediction(None, reason=f"no rule has the body {shown}" if len(gap) <= 2 else f"no rules merge {shown}")

    def suspicious_edges(self, example: Example) -> list[Suspicion]:
        """The edges of the example's paths, the most likely to be wrong first; its answer is used if it is known."""
        examples = Examples.of([example])
        found = self._find(examples)
        answers = self.answers(found)
        words = found.in_words_of(self.names)
        paths = [(facts_of(examples, found, 0, row), words[row].tolist()) for row in found.rows(0)]
        weights = self._asked.model.prior
        shares = answers.contribution.sum(axis=1)
        if example.answer_name in self.names:
            weights = (np.array(self.names) == example.answer_name).astype(float)
            shares = (answers.contribution * weights).sum(axis=1)
        return suspect(self._asked.model, self.names, paths, shares.tolist(), weights)


def _as_first(posterior: FloatArray, first: FloatArray) -> FloatArray:
    """The same with the first answers of another posterior: they change places with those that would be.

    How often edges are wrong is to say how sure an answer is, and not which: the derivation that goes with it counts on
    the edges of training.

    >>> _as_first(np.array([[0.4, 0.5, 0.1]]), np.array([[0.5, 0.4, 0.1]])).tolist()
    [[0.5, 0.4, 0.1]]
    """
    if not posterior.size:
        return posterior
    rows = np.arange(len(posterior))
    wanted, found = first.argmax(axis=1), posterior.argmax(axis=1)
    rows = rows[first[rows, found] < first[rows, wanted] - _NEAR]  # of equals, either may come first
    exchanged = posterior.copy()
    exchanged[rows, wanted[rows]] = posterior[rows, found[rows]]
    exchanged[rows, found[rows]] = posterior[rows, wanted[rows]]
    return exchanged


def _shortlist(posterior: FloatArray) -> list[int]:
    """The most likely answers, of equals the smaller name first; none where nothing is likely."""
    first, *others = largest(posterior, 1 + _ALTERNATIVES)
    if not posterior[first] > 0.0:
        return []
    return [first, *(head for head in others if at_least(posterior[head], _LEAST_PROBABILITY))]


def _strongest(found: PathSet, answers: Answers, question: int, head: int) -> int:
    """The path that speaks most for an answer, the first of equals."""
    rows = slice(int(found.starts[question]), int(found.starts[question + 1]))
    return rows.start + first_largest(answers.contribution[rows, head])
