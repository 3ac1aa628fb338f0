"""GrammarScorer: answers to queries with one path as the reason, with Viterbi derivations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from r5._util.arrays import FloatArray
from r5._util.ordering import argmax, at_least, top_indices
from r5._util.runtime.budget import Budget
from r5.derivations.derivation import Prediction, Suspicion
from r5.derivations.path_facts import explain_no_path, path_facts
from r5.examples import Example, Examples
from r5.grammar.calibration.temperature import apply_temperature
from r5.grammar.inference.answers import Answers, answer, viterbi_trees
from r5.grammar.inference.explanations import explain, first_gap, suspect
from r5.grammar.inference.noise_level import AdaptedGrammar, adapt_noise, expected_noise_rate
from r5.grammar.inference.scoring import normalize_rows
from r5.grammar.model import FittedGrammar
from r5.grammar.settings import GrammarSettings
from r5.paths.search import PathSet
from r5.paths.selection import select_paths
from r5.paths.settings import Policy
from r5.relations import DUMMY

__all__ = ["GrammarScorer"]

_MAX_ALTERNATIVES = 3
_MIN_PROBABILITY = 0.01
_MIN_PROBABILITY_WITHOUT_PATH = 0.5
_TIE_TOLERANCE = 1e-6
"""Maximum difference of probabilities that may be equal up to rounding."""
_NOISE_RATES = (0.0, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4)
"""Candidate shares of wrong edges."""
_CLEAR_GAIN = 2.0
"""Minimum gain in log likelihood of another share of wrong edges than that of training."""


@dataclass(frozen=True, eq=False)
class GrammarScorer:
    """A grammar with the names of its relations, and the policy of its answer paths."""

    learned: FittedGrammar
    names: tuple[str, ...]
    hidden: frozenset[str]
    """Relations that are not answers: invented ones and the dummy."""
    settings: GrammarSettings
    policy: Policy

    @cached_property
    def _adapted(self) -> AdaptedGrammar:
        """The grammar for the noise level of the queries."""
        return adapt_noise(self.learned, self.settings.wrong_edges)

    @cached_property
    def _no_answers(self) -> list[int]:
        """Ids of the relations that are not answers."""
        return [n for n, name in enumerate(self.names) if name in self.hidden]

    def shares(self, examples: Examples) -> tuple[FloatArray, FloatArray]:
        """Return the probability of each relation, [queries, relations], and that of no relation.

        A row of zeros where no path has a derivation.
        """
        answers = self.answers(self._find(examples))
        return answers.posterior, self.no_relation_probabilities(answers)

    def no_relation_probabilities(self, answers: Answers) -> FloatArray:
        """Return the probability of no relation for each query; 0 without a model of unrelated pairs."""
        unrelated = self.learned.unrelated
        return np.zeros(answers.evidence.size) if unrelated is None else unrelated.probabilities(answers.evidence)

    def _find(self, examples: Examples) -> PathSet:
        return select_paths(examples, self.policy, self.settings)

    def answers(self, found: PathSet, budget: Budget | None = None) -> Answers:
        """Return the answers with posteriors over the relations; invented ones and the dummy are not answers."""
        adapted = self._adapted
        answers = answer(adapted.model, found.starts, found.in_words_of(self.names), budget, adapted.reach)
        posterior = answers.posterior
        if self._no_answers:
            posterior = posterior.copy()
            posterior[:, self._no_answers] = 0.0
            posterior = normalize_rows(posterior)
        posterior = apply_temperature(posterior, adapted.temperature)
        if self.learned.unrelated is not None:
            posterior = posterior * (1.0 - self.no_relation_probabilities(answers))[:, None]
        return replace(answers, posterior=posterior)

    def predict_many(self, examples: Examples) -> list[Prediction]:
        """Return the most likely answers with their derivations and up to three alternatives."""
        found = self._find(examples)
        answers = self.answers(found)
        wanted = [(query, head) for query in range(len(found)) for head in _shortlist(answers.posterior[query])]
        predictions: list[list[Prediction]] = [[] for _ in range(len(found))]
        for (query, _), prediction in zip(wanted, self._explained(examples, found, answers, wanted), strict=True):
            predictions[query].append(prediction)
        chances = self.no_relation_probabilities(answers).tolist()
        ranked = [self._with_none(few, chance) for few, chance in zip(predictions, chances, strict=True)]
        return [
            replace(few[0], alternatives=tuple(few[1:])) if few else self._cannot_say(examples, found, query)
            for query, few in enumerate(ranked)
        ]

    def _with_none(self, few: list[Prediction], chance: float) -> list[Prediction]:
        """Return the answers with "no relation" among them, if it is probable enough."""
        if not at_least(chance, _MIN_PROBABILITY if few else _MIN_PROBABILITY_WITHOUT_PATH):
            return few
        reason = "no rules explain the paths better than chance" if few else "no path is found"
        place = sum(bool(at_least(one.probability or 0.0, chance)) for one in few)
        none = Prediction(self.settings.unrelated, probability=chance, reason=reason)
        return [*few[:place], none, *few[place:]][: 1 + _MAX_ALTERNATIVES]

    def predict_as(self, examples: Examples, relation: str) -> Prediction:
        """Return the probability of one answer to one query, with its most likely derivation."""
        found = self._find(examples)
        if not found.rows(0):
            return self._cannot_say(examples, found, 0)
        answers = self.answers(found)
        head = self.names.index(relation)
        if not answers.posterior[0, head] > 0.0:
            return Prediction(None, reason=f"no rules lead from any of the paths to {relation}")
        return self._explained(examples, found, answers, [(0, head)])[0]

    def _explained(
        self, examples: Examples, found: PathSet, answers: Answers, wanted: list[tuple[int, int]]
    ) -> list[Prediction]:
        """Return some answers, given as query and relation, with their most likely derivations."""
        model, words = self._adapted.model, found.in_words_of(self.names)
        rows = [_strongest(found, answers, query, head) for query, head in wanted]
        heads = np.array([head for _, head in wanted], dtype=np.int64)
        trees = viterbi_trees(model, words.take(np.array(rows, dtype=np.int64)), heads)
        shares = self.learned.counts.head_shares
        return [
            Prediction(
                self.names[head],
                probability=float(answers.posterior[query, head]),
                derivation=explain(
                    model,
                    self.names,
                    tree,
                    head,
                    shares=shares,
                    facts=path_facts(examples, found, query, row),
                    words=words[row].tolist(),
                ),
            )
            for (query, head), row, tree in zip(wanted, rows, trees, strict=True)
        ]

    def predict_plain(self, examples: Examples) -> list[Prediction]:
        """Return the answers of `predict_many` without derivations and alternatives."""
        found = self._find(examples)
        answers = self.answers(found)
        posterior, chances = answers.posterior, self.no_relation_probabilities(answers).tolist()
        if not len(found):
            return []
        heads = posterior.argmax(axis=1)
        sure = posterior[np.arange(len(found)), heads]
        # Rounding must not propagate: where another is as good but for that, look closely.
        near = (posterior >= (sure - _TIE_TOLERANCE)[:, None]).sum(axis=1) > 1
        plain = [
            Prediction(self.names[head], probability=chance) if chance > 0.0 else None
            for head, chance in zip(heads.tolist(), sure.tolist(), strict=True)
        ]
        for query in np.flatnonzero(near & (sure > 0.0)).tolist():
            head = _shortlist(posterior[query])[0]
            plain[query] = Prediction(self.names[head], probability=float(posterior[query, head]))
        ranked = [self._with_none([one] if one else [], chance) for one, chance in zip(plain, chances, strict=True)]
        return [few[0] if few else self._cannot_say(examples, found, query) for query, few in enumerate(ranked)]

    def _cannot_say(self, examples: Examples, found: PathSet, query: int) -> Prediction:
        example = examples[query]
        if not found.rows(query):
            return Prediction(None, reason=explain_no_path(example, self.settings.direct, bool(found.complete[query])))
        row = found.rows(query)[0]
        words = found.in_words_of(self.names, row=row)[0].tolist()
        gap = first_gap(self._adapted.model, words)
        if gap is None:
            return Prediction(None, reason="the path ends in an invented relation, whose meaning is not known")
        names = found.vocabulary.names(found.sequences[row][gap.start : gap.stop])
        shown = ", ".join(name for name in names if name != DUMMY)
        return Prediction(None, reason=f"no rule has the body {shown}" if len(gap) <= 2 else f"no rules merge {shown}")

    def estimate_wrong_edges(self, found: PathSet) -> float:
        """Return the share of wrong edges under which the paths of these queries are most likely.

        Rules make some paths more likely than others, the less so the more edges are wrong. It is the share of
        training unless another one is clearly more likely; in a group all paths are equally likely.
        """
        learned = expected_noise_rate(self.learned)
        shares = [learned, *_NOISE_RATES]
        noisy = [replace(self, settings=replace(self.settings, wrong_edges=share)) for share in shares]
        each = [scorer.answers(found).evidence for scorer in noisy]
        some = np.isfinite(each[0])  # queries without a path say nothing
        fits = [float(evidence[some].sum()) for evidence in each]
        best = argmax(fits)
        return shares[best] if fits[best] > fits[0] + _CLEAR_GAIN else learned

    def suspicious_edges(self, example: Example) -> list[Suspicion]:
        """Return the edges of an example's paths by probability of being wrong; a known answer is used."""
        examples = Examples.of([example])
        found = self._find(examples)
        answers = self.answers(found)
        words = found.in_words_of(self.names)
        paths = [(path_facts(examples, found, 0, row), words[row].tolist()) for row in found.rows(0)]
        weights = self._adapted.model.prior
        shares = answers.contribution.sum(axis=1)
        if example.answer_name in self.names:
            weights = (np.array(self.names) == example.answer_name).astype(float)
            shares = (answers.contribution * weights).sum(axis=1)
        return suspect(self._adapted.model, self.names, paths, shares.tolist(), weights)


def _shortlist(posterior: FloatArray) -> list[int]:
    """Return the most likely answers, of equals the smaller name first; none without a derivation."""
    first, *others = top_indices(posterior, 1 + _MAX_ALTERNATIVES)
    if not posterior[first] > 0.0:
        return []
    return [first, *(head for head in others if at_least(posterior[head], _MIN_PROBABILITY))]


def _strongest(found: PathSet, answers: Answers, query: int, head: int) -> int:
    """Return the path that contributes most to an answer, the first of equals."""
    rows = slice(int(found.starts[query]), int(found.starts[query + 1]))
    return rows.start + argmax(answers.contribution[rows, head])
