"""FittedPathGrammar: a fitted grammar or composition table, and its scorer."""

from __future__ import annotations

from r5.composition.scorer import CompositionScorer
from r5.derivations.derivation import Prediction
from r5.examples import Examples
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

__all__ = ["FittedPathGrammar"]


class FittedPathGrammar(Reasoner):
    """Base of `GrammarReasoner`: the fitted model and the paths that answers are based on."""

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
