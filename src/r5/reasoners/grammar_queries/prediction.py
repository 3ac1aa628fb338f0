"""GrammarPrediction: answers, probabilities and suspicious edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5.composition.scorer import CompositionScorer
from r5.derivations.derivation import Prediction, Suspicion
from r5.errors import R5Error
from r5.examples import Example, Examples
from r5.grammar.inference.scorer import GrammarScorer
from r5.grammar.model import FittedGrammar
from r5.grammar.rules import learned_rules
from r5.grammar.settings import GrammarSettings
from r5.paths.search import PathSet
from r5.paths.selection import select_paths
from r5.paths.settings import Policy
from r5.reasoners.base import Reasoner
from r5.reasoners.evidence.choice import Evidence
from r5.reasoners.evidence.composition_training import table_of
from r5.reasoners.unseen_relations import explain_unseen
from r5.relations import DUMMY, Vocabulary

__all__ = ["GrammarPrediction"]

_ESTIMATION_QUERIES = 1000
"""Maximum number of queries for the estimate of wrong edges."""


class GrammarPrediction(Reasoner):
    """Base of `GrammarReasoner`: the fitted grammar or composition table, and answers from it."""

    settings: GrammarSettings
    names_: tuple[str, ...]
    """Relations of the grammar, in the order of its ids."""
    learned_: FittedGrammar
    """The learned grammar."""
    policy_: Policy
    """Paths that answers are based on."""
    _composition: CompositionScorer | None
    """Composition table, if every path of a query must allow the answer."""

    def _keep(
        self, vocabulary: Vocabulary, names: tuple[str, ...], learned: FittedGrammar, evidence: Evidence = "one"
    ) -> None:
        self.vocabulary_ = vocabulary
        self.names_ = names
        self.learned_ = learned
        self._composition = None
        if evidence == "one":
            self.rules_ = learned_rules(learned, names, set(vocabulary.invented), self.settings)
            return
        answers = tuple(name for name in vocabulary.known if name != DUMMY)
        self._composition = CompositionScorer(table_of(learned), names, answers, self.settings)
        self.rules_ = self._composition.table.rules(names)

    @property
    def _scorer(self) -> GrammarScorer | CompositionScorer:
        """Scorer for the kind of evidence."""
        return self._grammar_scorer if self._composition is None else self._composition

    @property
    def _grammar_scorer(self) -> GrammarScorer:
        return GrammarScorer(self.learned_, self.names_, self._hidden, self.settings, self.policy_)

    @property
    def _hidden(self) -> frozenset[str]:
        """Relations that are never answers."""
        return frozenset((DUMMY, *self.vocabulary_.invented))

    @property
    def _seen(self) -> frozenset[str]:
        """Relations on training paths and among the answers."""
        return frozenset(self.names_)

    def _find(self, examples: Examples) -> PathSet:
        return select_paths(examples, self.policy_, self.settings, nodes=False)

    def _explain_unseen(self, answers: list[Prediction], queries: Examples) -> list[Prediction]:
        """Return the answers; the reason of a missing one names the unseen relations."""
        no_relation = None if self.learned_.unrelated is None else self.settings.unrelated
        return explain_unseen(answers, queries, self._seen, self._find, self.settings.direct, no_relation)

    def predict_many(self, examples: Examples) -> list[Prediction]:
        """Return the most probable answers with their Viterbi derivations, and up to three alternatives with theirs."""
        examples = self._queries(examples)
        return self._explain_unseen(self._scorer.predict_many(examples.with_relations(self._seen)), examples)

    def predict_plain(self, examples: Examples) -> list[Prediction]:
        """Return the answers of `predict_many` without derivations and alternatives, which is much faster."""
        examples = self._queries(examples)
        return self._explain_unseen(self._scorer.predict_plain(examples.with_relations(self._seen)), examples)

    def predict_as(self, example: Example, relation: str) -> Prediction:
        """Return the prediction of a given answer: its probability over all paths, and its Viterbi derivation."""
        if self._composition is not None or relation not in self.names_:
            return super().predict_as(example, relation)
        queries = self._queries([example])
        answer = self._grammar_scorer.predict_as(queries.with_relations(self._seen), relation)
        return self._explain_unseen([answer], queries)[0]

    def predict_proba(self, examples: Examples) -> NDArray[np.float64]:
        """Return the probability of each known relation, [examples, known relations of `vocabulary_`].

        Paths with a relation unseen in training are left out. A query without evidence gets the answer frequencies of
        the training data.
        """
        examples = self._queries(examples).with_relations(self._seen)
        posterior, none = self._scorer.shares(examples)
        silent = ~posterior.any(axis=1)
        common = self.learned_.counts.labels + 1e-6
        posterior[silent] = common / common.sum() * (1.0 - none[silent])[:, None]
        columns = {name: number for number, name in enumerate(self.vocabulary_.known)}
        probabilities = np.zeros((len(examples), len(columns)))
        kept = [(n, columns[name]) for n, name in enumerate(self.names_) if name in columns]
        probabilities[:, [column for _, column in kept]] = posterior[:, [n for n, _ in kept]]
        if self.learned_.unrelated is not None:
            probabilities[:, columns[self.settings.unrelated]] = none
        return probabilities

    def suspicious_edges(self, example: Example) -> list[Suspicion]:
        """Return the edges of the paths of an example, the most probably wrong first.

        Args:
            example: The example; its answer is used if it is known. Edges of unseen relations are left out.

        """
        examples = self._queries([example]).with_relations(self._seen)
        return self._scorer.suspicious_edges(examples[0])

    def estimate_wrong_edges(self, examples: Examples) -> float:
        """Estimate the share of wrong edges in queries unlike the training data, for the setting `wrong_edges`.

        Args:
            examples: Queries, of which up to 1,000 are used; their answers are not.

        Returns:
            The estimate; the share in training if the paths carry no evidence.

        """
        examples = self._queries(examples).with_relations(self._seen)
        if self._composition is not None:
            raise R5Error("a composition table has no label noise")
        some = examples.select(np.arange(min(len(examples), _ESTIMATION_QUERIES)))
        paths = select_paths(some, self.policy_, self.settings)
        return self._grammar_scorer.estimate_wrong_edges(paths)
