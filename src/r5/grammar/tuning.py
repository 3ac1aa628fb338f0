"""Tuning: what training questions tell once the rules are learned.

Which paths to answer over, how sure answers are, and how entities that are not related show.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from r5._util.budget import Budget, OutOfTimeError
from r5._util.elementary_kernels import log
from r5._util.order import first_largest
from r5.examples import Examples
from r5.grammar.answering import OnePath
from r5.grammar.calibrating import best_temperature, without
from r5.grammar.corpus import Corpus
from r5.grammar.learning import Learned
from r5.grammar.settings import GrammarSettings
from r5.grammar.unrelated import Unrelated, learn_unrelated, strangers
from r5.paths.find import PathSet
from r5.paths.select import select_paths
from r5.paths.settings import Policy

__all__ = ["Tuning", "corpus_of", "set_apart"]

_QUESTIONS_TO_CHOOSE_WITH = 1000
_PATHS_TO_CHOOSE_WITH = 20
_QUESTIONS_TO_CALIBRATE_WITH = 1000
_PARTS = 4
"""Of these questions; each is answered by what the others teach."""


@dataclass(frozen=True, eq=False)
class Tuning:
    """What was learned, and the time that there is to tune it."""

    learned: Learned
    names: tuple[str, ...]
    hidden: frozenset[str]
    settings: GrammarSettings
    budget: Budget

    def policy(self, examples: Examples) -> Policy:
        """The policy that admits the most paths, unless the training answers are more likely under another.

        Where there is no time to find out, that of training.
        """
        if self.settings.answer_paths != "auto":
            return self.settings.answer_paths
        try:
            return self._fitting_policy(examples)
        except OutOfTimeError:
            return self.settings.training_paths

    def _fitting_policy(self, examples: Examples) -> Policy:
        rng = np.random.default_rng(self.settings.seed)
        if len(examples) > _QUESTIONS_TO_CHOOSE_WITH:
            rows = rng.choice(len(examples), _QUESTIONS_TO_CHOOSE_WITH, replace=False)
            examples = examples.select(np.sort(rows))
        wanted = self._places(examples)
        fits: dict[Policy, float] = {}
        policies: tuple[Policy, ...] = ("trail", "simple", "shortest")
        for policy in policies:
            posterior = self._one_path(policy).answers(self._few_paths(examples, policy), self.budget).posterior
            likely = posterior[np.arange(wanted.size), wanted]
            fits[policy] = float(log(np.maximum(likely, 1e-6)).sum())
        return list(fits)[first_largest(list(fits.values()))]

    def calibrated(self, examples: Examples, unrelated: Examples, policy: Policy) -> Learned:
        """What was learned, with the temperature that suits training questions, 1 where there is no time to find out.

        And with what can be said of entities that are not related, where there are questions about such.
        """
        given = self.settings.temperature
        if given is not None and not len(unrelated):
            return replace(self.learned, temperature=given)
        order = np.random.default_rng(self.settings.seed).permutation(len(examples))
        rows = order[:_QUESTIONS_TO_CALIBRATE_WITH]
        posterior, evidence, wanted = [], [], []
        try:
            for part in range(_PARTS):
                some = examples.select(np.sort(rows[part::_PARTS]))
                paths = self._paths(some, self.settings.training_paths)
                if not len(paths.sequences):
                    continue
                less = without(self.learned, corpus_of(paths, some, self.names), self.settings)
                if policy != self.settings.training_paths:
                    paths = self._few_paths(some, policy)
                answers = self._one_path(policy, less).answers(paths, self.budget)
                posterior.append(answers.posterior)
                evidence.append(answers.evidence)
                wanted.append(self._places(some))
            none = self._none(unrelated, evidence, rows.size / max(len(examples), 1), policy)
        except OutOfTimeError:
            return replace(self.learned, temperature=given or 1.0)
        found = best_temperature(np.concatenate(posterior), np.concatenate(wanted)) if posterior else 1.0
        return replace(self.learned, temperature=found if given is None else given, unrelated=none)

    def _none(
        self, unrelated: Examples, evidence: list[NDArray[np.float64]], share: float, policy: Policy
    ) -> Unrelated | None:
        """What is known of entities that are not related, by the same share of the questions about such."""
        if not len(unrelated) or not evidence:
            return None
        order = np.random.default_rng(self.settings.seed).permutation(len(unrelated))
        some = unrelated.select(np.sort(order[: max(round(share * len(unrelated)), 1)]))
        answers = self._one_path(policy).answers(self._few_paths(some, policy), self.budget)
        return learn_unrelated(np.concatenate(evidence), answers.evidence)

    def _one_path(self, policy: Policy, learned: Learned | None = None) -> OnePath:
        as_in_training = replace(self.settings, wrong_edges=None)
        return OnePath(learned or self.learned, self.names, self.hidden, as_in_training, policy)

    def _paths(self, examples: Examples, policy: Policy) -> PathSet:
        return select_paths(examples, policy, self.settings, tick=_checking(self.budget))

    def _few_paths(self, examples: Examples, policy: Policy) -> PathSet:
        limited = replace(self.settings, path_limit=min(self.settings.path_limit, _PATHS_TO_CHOOSE_WITH))
        return select_paths(examples, policy, limited, tick=_checking(self.budget))

    def _places(self, examples: Examples) -> NDArray[np.int64]:
        """The grammar's ids of the answers."""
        place = {name: number for number, name in enumerate(self.names)}
        return np.array([place[name] for name in examples.vocabulary.names(examples.answers)])


def corpus_of(found: PathSet, examples: Examples, names: tuple[str, ...]) -> Corpus:
    """The questions with their paths, in the grammar's ids: the places of the names."""
    words = list(map(tuple, found.in_words_of(names).rows()))
    place = {name: number for number, name in enumerate(names)}
    labels = [place[name] for name in examples.vocabulary.names(examples.answers)]
    return Corpus.of([tuple(words[row] for row in found.rows(q)) for q in range(len(found))], labels, len(names))


def set_apart(examples: Examples, settings: GrammarSettings) -> tuple[Examples, Examples]:
    """The questions to learn rules from, and those about entities that are not related, given or made up."""
    if settings.unrelated in examples.vocabulary:
        none = examples.answers == examples.vocabulary.id(settings.unrelated)
        if none.any():
            return examples.select(np.flatnonzero(~none)), examples.select(np.flatnonzero(none))
    pairs = settings.unrelated_pairs if len(examples) else 0
    return examples, strangers(examples, pairs, settings.seed) if pairs else examples.select([])


def _checking(budget: Budget) -> Callable[[int, int], None]:
    """What is called now and then while paths are looked for."""
    return lambda *_: budget.check()
