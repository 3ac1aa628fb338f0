"""Tuning on training examples after the rules are learned: answer paths, weights, temperature, unrelated pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.elementary_kernels import log
from r5._util.ordering import argmax
from r5._util.runtime.budget import Budget, TimeLimitError
from r5._util.runtime.progress import ProgressCallback, ProgressCounter
from r5.examples import Examples
from r5.grammar.calibration.held_out import HeldOutAnswers
from r5.grammar.calibration.no_relation import NoRelationModel, fit_no_relation, sample_unrelated_pairs
from r5.grammar.calibration.temperature import leave_out
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.inference.scorer import GrammarScorer
from r5.grammar.model import FittedGrammar
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.discriminative import fit_discriminative
from r5.parallel.local_cluster import LocalCluster
from r5.paths.search import PathSet
from r5.paths.selection import select_paths
from r5.paths.settings import Policy

__all__ = ["Tuning", "build_corpus", "split_unrelated"]

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_SELECTION_EXAMPLES, _FIRST_EXAMPLES = 1000, 200
"""Maximum number of examples to select the answer paths with, and of those for a first comparison."""
_SELECTION_PATHS = 20
_CALIBRATION_EXAMPLES = 1000
_FOLDS, _FIRST_FOLDS = 4, 2
"""Number of folds, and of those tried first."""
_MIN_GAIN = 1.0
"""Minimum gain in held-out log likelihood."""
_MIN_EXAMPLES, _MAX_PATHS = 100, 20_000
"""Minimum number of examples and maximum number of paths for discriminative weights."""


@dataclass(frozen=True, eq=False)
class Tuning:
    """A trained grammar and the settings and time limit of its tuning."""

    learned: FittedGrammar
    names: tuple[str, ...]
    hidden: frozenset[str]
    settings: GrammarSettings
    budget: Budget
    progress: ProgressCallback | None = None
    """Callback for progress, in the stages `choosing paths` and `calibrating`."""

    def select_policy(self, examples: Examples) -> Policy:
        """Return the path policy under which the training answers are most likely; ties go to the most paths.

        On a timeout, the policy of training.
        """
        if self.settings.answer_paths != "auto":
            return self.settings.answer_paths
        try:
            return self._most_likely_policy(examples)
        except TimeLimitError:
            return self.settings.training_paths

    def _most_likely_policy(self, examples: Examples) -> Policy:
        rng = np.random.default_rng(self.settings.seed)
        if len(examples) > _SELECTION_EXAMPLES:
            rows = rng.choice(len(examples), _SELECTION_EXAMPLES, replace=False)
            examples = examples.select(np.sort(rows))
        policies: list[Policy] = ["trail", "simple", "shortest"]
        some = examples.select(np.arange(0, len(examples), -(-len(examples) // _FIRST_EXAMPLES)))
        tick = ProgressCounter(self.progress, 2 * len(policies), "choosing paths")
        fits = self._fits(some, policies, tick)
        best = fits[argmax([float(fit.sum()) for fit in fits])]
        policies = [policy for policy, fit in zip(policies, fits, strict=True) if not _is_negative(fit - best)]
        if len(policies) == 1:
            return policies[0]
        return policies[argmax([float(fit.sum()) for fit in self._fits(examples, policies, tick)])]

    def _fits(self, examples: Examples, policies: Sequence[Policy], tick: ProgressCounter) -> list[NDArray[np.float64]]:
        """Return the log likelihood of each training answer over the paths of each policy."""
        wanted = self._label_ids(examples)

        def fit(policy: Policy) -> NDArray[np.float64]:
            posterior = self._scorer(policy).answers(self._few_paths(examples, policy), self.budget).posterior
            return log(np.maximum(posterior[np.arange(wanted.size), wanted], 1e-6))

        return self._in_parallel(fit, policies, tick)

    def _in_parallel(
        self, function: Callable[[_Item], _Result], items: Sequence[_Item], tick: ProgressCounter
    ) -> list[_Result]:
        """Return the result of a function for each item, computed by parallel threads; each is one step of progress."""

        def counted(item: _Item) -> _Result:
            result = function(item)
            tick("")
            return result

        with LocalCluster(self.settings.threads or self.budget.threads) as here:
            try:
                return here.map(counted, items, self.budget)
            except BaseException:
                self.budget.cancel()  # stops the other threads
                raise

    def calibrate(
        self, examples: Examples, unrelated: Examples, policy: Policy, found: PathSet | None = None
    ) -> tuple[FittedGrammar, HeldOutAnswers | None]:
        """Return the grammar with its calibration, and the held-out answers; on a timeout, with the defaults and None.

        Args:
            examples: Training examples with a relation.
            unrelated: Training examples without one.
            policy: Policy of the answer paths.
            found: Paths of all examples; discriminative weights are tried only with these.
        """
        temperature = self.settings.temperature
        learned = self.learned
        try_weights = found is not None and self._may_reweight(found)
        default = replace(learned, temperature=1.0 if temperature is None else temperature)
        if temperature is not None and not len(unrelated) and not try_weights:
            return default, None
        try:
            tick = ProgressCounter(self.progress, (1 + try_weights) * _FOLDS, "calibrating")
            parts = self._held_out(examples, policy, range(_FOLDS), None, tick)
            if found is not None and try_weights:
                learned, parts = self._reweighted(examples, found, policy, parts, tick)
            held_out = HeldOutAnswers.union(parts, len(self.names))
            none = self._no_relation(unrelated, held_out, policy)
        except TimeLimitError:
            return default, None
        if temperature is None:
            temperature = held_out.temperature[0] if held_out.labels.size else 1.0
        return replace(learned, temperature=temperature, unrelated=none), held_out

    def _may_reweight(self, found: PathSet) -> bool:
        """Return whether discriminative weights are worth trying."""
        if self.learned.cut_short or not self.settings.discriminative:
            return False
        few = len(self.names) ** 3 <= self.settings.dense_rules and len(found.sequences) <= _MAX_PATHS
        return few and len(found) >= _MIN_EXAMPLES

    def _reweighted(
        self, examples: Examples, found: PathSet, policy: Policy, parts: list[HeldOutAnswers], tick: ProgressCounter
    ) -> tuple[FittedGrammar, list[HeldOutAnswers]]:
        """Return the same rules with discriminative weights, if these have a higher held-out likelihood.

        They must have it on the first folds, and then with each further fold.
        """
        if self._likelihood(parts[:_FIRST_FOLDS]) >= -_MIN_GAIN:
            return self.learned, parts
        others: list[HeldOutAnswers] = []
        for some in (range(_FIRST_FOLDS), range(_FIRST_FOLDS, _FOLDS)):
            others += self._held_out(examples, policy, some, found, tick)
            for count in range(max(some.start + 1, _FIRST_FOLDS), some.stop + 1):
                if not self._likelihood(others[:count]) > self._likelihood(parts[:count]) + _MIN_GAIN:
                    return self.learned, parts
        corpus = build_corpus(found, examples, self.names)
        model, counts = fit_discriminative(self.learned.model, corpus, self.settings, self.budget)
        return replace(self.learned, model=model, counts=counts), others

    def _likelihood(self, parts: Sequence[HeldOutAnswers]) -> float:
        """Return the held-out log likelihood of some folds."""
        return HeldOutAnswers.union(parts, len(self.names)).temperature[1]

    def _held_out(
        self, examples: Examples, policy: Policy, parts: Sequence[int], found: PathSet | None, tick: ProgressCounter
    ) -> list[HeldOutAnswers]:
        """Return the held-out answers of some folds; with `found`, by discriminative weights."""
        order = np.random.default_rng(self.settings.seed).permutation(len(examples))
        rows = order[:_CALIBRATION_EXAMPLES]

        def answer_fold(part: int) -> HeldOutAnswers:
            left_out = np.sort(rows[part::_FOLDS])
            some = examples.select(left_out)
            paths = self._paths(some, self.settings.training_paths)
            if not len(paths.sequences):
                return HeldOutAnswers.empty(len(self.names))
            if found is not None:
                less = self._reweighted_without(examples, found, left_out)
            else:
                less = leave_out(self.learned, build_corpus(paths, some, self.names), self.settings)
            if policy != self.settings.training_paths:
                paths = self._few_paths(some, policy)
            return HeldOutAnswers.of(
                self._scorer(policy, less), paths, self._label_ids(some), len(some) / len(examples), self.budget
            )

        return self._in_parallel(answer_fold, parts, tick)

    def _reweighted_without(self, examples: Examples, found: PathSet, left_out: NDArray[np.int64]) -> FittedGrammar:
        """Return the same rules with discriminative weights of all examples but some."""
        corpus = build_corpus(found, examples, self.names, np.setdiff1d(np.arange(len(examples)), left_out).tolist())
        model, counts = fit_discriminative(self.learned.model, corpus, self.settings, self.budget)
        return replace(self.learned, model=model, counts=counts)

    def _no_relation(self, unrelated: Examples, held_out: HeldOutAnswers, policy: Policy) -> NoRelationModel | None:
        """Return the model of unrelated pairs, fitted on held-out answers and as large a share of unrelated pairs."""
        if not len(unrelated) or not held_out.labels.size:
            return None
        order = np.random.default_rng(self.settings.seed).permutation(len(unrelated))
        some = unrelated.select(np.sort(order[: max(round(held_out.share * len(unrelated)), 1)]))
        answers = self._scorer(policy).answers(self._few_paths(some, policy), self.budget)
        return fit_no_relation(held_out.evidence, answers.evidence)

    def _scorer(self, policy: Policy, learned: FittedGrammar | None = None) -> GrammarScorer:
        as_in_training = replace(self.settings, wrong_edges=None)
        return GrammarScorer(learned or self.learned, self.names, self.hidden, as_in_training, policy)

    def _paths(self, examples: Examples, policy: Policy) -> PathSet:
        return select_paths(examples, policy, self.settings, tick=_checking(self.budget))

    def _few_paths(self, examples: Examples, policy: Policy) -> PathSet:
        limited = replace(self.settings, path_limit=min(self.settings.path_limit, _SELECTION_PATHS))
        return select_paths(examples, policy, limited, tick=_checking(self.budget))

    def _label_ids(self, examples: Examples) -> NDArray[np.int64]:
        """Return the grammar's id of each answer."""
        place = {name: number for number, name in enumerate(self.names)}
        return np.array([place[name] for name in examples.vocabulary.names(examples.answers)])


def build_corpus(
    found: PathSet, examples: Examples, names: tuple[str, ...], rows: Sequence[int] | None = None
) -> Corpus:
    """Return the corpus of all examples, or of some, in the grammar's ids."""
    words = list(map(tuple, found.in_words_of(names).rows()))
    place = {name: number for number, name in enumerate(names)}
    labels = [place[name] for name in examples.vocabulary.names(examples.answers)]
    chosen = range(len(found)) if rows is None else rows
    paths = [tuple(words[row] for row in found.rows(example)) for example in chosen]
    return Corpus.of(paths, [labels[example] for example in chosen], len(names))


def split_unrelated(examples: Examples, settings: GrammarSettings) -> tuple[Examples, Examples]:
    """Return the examples with a relation, and those without one, given or sampled."""
    if settings.unrelated in examples.vocabulary:
        none = examples.answers == examples.vocabulary.id(settings.unrelated)
        if none.any():
            return examples.select(np.flatnonzero(~none)), examples.select(np.flatnonzero(none))
    pairs = settings.unrelated_pairs if len(examples) else 0
    return examples, sample_unrelated_pairs(examples, pairs, settings.seed) if pairs else examples.select([])


def _is_negative(differences: NDArray[np.float64]) -> bool:
    """Return whether a sum is below 0 by more than three standard errors.

    >>> _is_negative(np.array([-1.0, -2.0] * 10)), _is_negative(np.array([-1.0, 1.5, -2.0])), _is_negative(np.zeros(9))
    (True, False, False)
    """
    error = float(np.sqrt(((differences - differences.mean()) ** 2).sum()))
    return float(differences.sum()) < -3.0 * error - 1e-6


def _checking(budget: Budget) -> Callable[[int, int], None]:
    """Return a progress callback that checks the time limit."""
    return lambda *_: budget.check()
