"""CompositionScorer: answers to queries whose paths must all allow the answer, with the decisive paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import FloatArray
from r5._util.ordering import at_least, top_indices
from r5.composition.contradictions import minimal_contradiction, suspicious_facts
from r5.composition.propagation import CONTRADICTION, Propagation, propagate
from r5.composition.table import CompositionTable
from r5.derivations.derivation import Derivation, Fact, Merge, Prediction, Suspicion, Witness
from r5.derivations.path_facts import explain_no_path, path_facts
from r5.examples import Example, Examples
from r5.paths.search import PathSet
from r5.paths.selection import select_paths
from r5.paths.settings import PathSettings
from r5.rules.disjunction import joined

__all__ = ["CompositionScorer"]

_MAX_ALTERNATIVES = 3
_MIN_PROBABILITY = 0.01
_DIGITS = 9
"""Number of digits of a possibility; relations that are equal in these are ordered by name."""
_MAX_EXPLAINED_PATHS = 100
ANYTHING = "anything"


@dataclass(frozen=True)
class CompositionScorer:
    """A composition table with the names of its relations."""

    table: CompositionTable
    names: tuple[str, ...]
    answers: tuple[str, ...]
    """Relations that may be answers."""
    settings: PathSettings

    def shares(self, examples: Examples) -> tuple[FloatArray, FloatArray]:
        """Return the probability of each relation, [queries, relations], and 0 as that of no relation.

        A row of zeros where nothing is known.
        """
        return self._shares(propagate(examples, self.names, self.table)), np.zeros(len(examples))

    def _shares(self, result: Propagation) -> FloatArray:
        allowed = np.isin(np.array(self.names), self.answers)
        shares = np.round(result.shares() * allowed, _DIGITS)
        total = shares.sum(axis=1, keepdims=True)
        even: FloatArray = np.divide(shares, total, out=np.zeros_like(shares), where=total > 0.0)
        return even

    def predict_many(self, examples: Examples) -> list[Prediction]:
        """Return the most possible answer of each query, with its derivation and alternatives."""
        limit = min(self.settings.path_limit, _MAX_EXPLAINED_PATHS)
        return self._predictions(examples, select_paths(examples, "shortest", replace(self.settings, path_limit=limit)))

    def predict_plain(self, examples: Examples) -> list[Prediction]:
        """Return the answers of `predict_many` without derivations, which take many times as long."""
        return self._predictions(examples, None)

    def _predictions(self, examples: Examples, found: PathSet | None) -> list[Prediction]:
        """Return the most possible answers; over the paths of each query, if they are given, with derivations."""
        result = propagate(examples, self.names, self.table)
        shares = self._shares(result)
        return [
            self._cannot_say(examples[query], result, query)
            if result.lengths[query] < 0 or result.agreement[query] < CONTRADICTION
            else self._prediction(examples, shares, query, found)
            for query in range(len(examples))
        ]

    def _cannot_say(self, example: Example, result: Propagation, query: int) -> Prediction:
        if result.lengths[query] < 0:
            return Prediction(None, reason=explain_no_path(example))
        facts = minimal_contradiction(example, self.names, self.table)
        return Prediction(
            None, reason=f"contradiction, no relation is left: {', '.join(map(str, facts))} exclude each other"
        )

    def _prediction(self, examples: Examples, shares: FloatArray, query: int, found: PathSet | None) -> Prediction:
        order = top_indices(shares[query], 1 + _MAX_ALTERNATIVES)
        some = [
            Prediction(self.names[head], probability=float(shares[query, head]))
            for n, head in enumerate(order)
            if n == 0 or at_least(shares[query, head], _MIN_PROBABILITY)
        ]
        derivation = None if found is None else self._derivation(examples, query, found)
        return replace(some[0], derivation=derivation, alternatives=tuple(some[1:]))

    def _derivation(self, examples: Examples, query: int, found: PathSet) -> Derivation | None:
        """Return the decisive paths, those first that exclude most; redundant paths are left out."""
        words = found.in_words_of(self.names)
        rows = list(found.rows(query))
        if not rows:
            return None
        sets = {row: self._along(words[row]) for row in rows}
        left = np.ones(len(self.names), dtype=np.bool_)
        witnesses: list[Witness] = []
        while rows:
            row = min(rows, key=lambda row: int((left & sets[row][-1]).sum()))
            rest = left & sets[row][-1]
            if witnesses and rest.sum() == left.sum():
                break
            rows.remove(row)
            left = rest
            path = path_facts(examples, found, query, row)
            witnesses.append(Witness(self._steps(path, sets[row]), self._named(sets[row][-1]), self._named(left)))
        if len(witnesses) == 1:
            return witnesses[0].derivation
        return replace(witnesses[0].derivation, witnesses=tuple(witnesses))

    def _along(self, path: NDArray[np.int32]) -> list[NDArray[np.bool_]]:
        """Return the possible relations of each prefix of the path."""
        size = len(self.names)
        likely = self.table.sets()
        sets = [np.arange(size) == path[0] if path[0] < size else np.ones(size, dtype=np.bool_)]
        for relation in path[1:]:
            known = relation < size
            sets.append(likely[sets[-1], relation].any(axis=0) if known else np.ones(size, dtype=np.bool_))
        return sets

    def _steps(self, path: Sequence[Fact], sets: Sequence[NDArray[np.bool_]]) -> Derivation:
        """Return the path merged from its start; a step's score is the minimum possibility of its relations."""
        merges = []
        for before, after, fact in zip(sets, sets[1:], path[1:], strict=False):
            known = fact.relation in self.names
            table = self.table.possible[before, self.names.index(fact.relation)] if known else None
            merges.append(
                Merge(0, self._phrase(after), 1.0 if table is None else float(table.max(axis=0)[after].min()))
            )
        return Derivation.replay(path, merges)

    def _phrase(self, left: NDArray[np.bool_]) -> str:
        return ANYTHING if left.all() else joined(self._named(left))

    def _named(self, left: NDArray[np.bool_]) -> tuple[str, ...]:
        return tuple(name for name, yes in zip(self.names, left, strict=True) if yes)

    def suspicious_edges(self, example: Example) -> list[Suspicion]:
        """Return the edges on the paths without which the answer would be more possible."""
        return suspicious_facts(example, self.names, self.table)
