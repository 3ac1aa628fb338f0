"""ChainPrediction: relations between two entities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from r5.chains.inference.relation_queries import RelationQueries
from r5.derivations.derivation import Prediction
from r5.examples import Example, Examples
from r5.knowledge.fact_index import FactIndex, graph_facts, query_facts
from r5.reasoners.chain_queries.fitted import FittedChains

__all__ = ["ChainPrediction"]


T = TypeVar("T")


class ChainPrediction(FittedChains):
    """Methods that predict the relations between two entities."""

    def predict_many(self, examples: Examples) -> list[Prediction]:
        """Return the relations between two entities: those of the graph first, then plausible new ones."""
        return self._related(examples, lambda scorer, some: scorer.predict(some))

    def predict_held_out(self, examples: Examples) -> list[Prediction]:
        """Return the most probable relation that the graph lacks, for evaluation: a known one is no answer."""
        return self._related(examples, lambda scorer, some: scorer.predict_new(some))

    def predict_as(self, example: Example, relation: str) -> Prediction:
        """Return the case for one relation between two entities: its probability and the best rule for it."""
        return RelationQueries(self._completer(example.graph).scorer).predict_as(example, relation)

    def predict_proba(self, examples: Examples) -> NDArray[np.float64]:
        """Return P(fact is true) of each known relation, [examples, known relations]; several may hold."""
        examples = self._queries(examples)
        columns = [self.vocabulary_.known.index(n) if n in self.vocabulary_ else -1 for n in examples.vocabulary.known]
        rows = self._related(examples, lambda scorer, some: [*scorer.probabilities(some)])
        found = np.array([np.append(row, 0.0)[columns] for row in rows])
        return found.reshape(len(examples), len(columns))

    def score(self, examples: Sequence[Example], answers: Sequence[str] | None = None) -> float:
        """Return the accuracy; every relation that holds between the two entities is correct."""
        queries = self._queries(examples)
        queries = queries if answers is None else queries.with_answers(answers)
        graph = queries.pool
        true = FactIndex(np.concatenate([graph_facts(graph), query_facts(queries)]), graph.number_of_nodes)
        words = queries.vocabulary
        answered = (one.relation for one in self.predict_held_out(queries))
        relations = [(words.id(name),) if name is not None and name in words else () for name in answered]
        return float(np.mean(true.any_of(queries.sources, queries.targets, relations)))

    def _related(self, examples: Examples, ask: Callable[[RelationQueries, list[Example]], list[T]]) -> list[T]:
        """Apply a function to the examples of each graph."""
        found: list[T] = []
        for graph, group in groupby(self._queries(examples), key=lambda example: example.graph):
            found += ask(RelationQueries(self._completer(graph).scorer), list(group))
        return found
