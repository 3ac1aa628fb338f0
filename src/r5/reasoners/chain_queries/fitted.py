"""FittedChains: a chain model with the graph it was learned from, and scorers on other graphs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from r5._util.runtime.threads import usable_threads
from r5.chains.graph.step_graph import StepGraph
from r5.chains.inference.completions import Completer
from r5.chains.inference.fact_scorer import FactScorer
from r5.chains.inference.query_scorer import QueryScorer
from r5.chains.model import ChainModel
from r5.graph import Graph
from r5.reasoners.base import Reasoner
from r5.relations import Vocabulary

__all__ = ["FittedChains"]


class FittedChains(Reasoner):
    """Base of `ChainReasoner`: the fitted model, its graph and the caches of another graph."""

    graph_: Graph
    """Training graph, on which queries are answered by default."""
    model_: ChainModel

    def _keep(self, graph: Graph, steps: StepGraph, model: ChainModel) -> None:
        self.graph_, self.model_ = graph, model
        self.vocabulary_ = Vocabulary(steps.relations)
        self._scorer = QueryScorer(steps, model)
        self.__dict__.pop("rules_", None)
        for name in ("_figures", "_kept_completer", "_other"):
            self.__dict__.pop(name, None)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without scratch arrays, which belong to the threads of one process."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_kept_completer", "_other")}

    def _scorer_on(self, graph: Graph | None) -> QueryScorer:
        """Return the scorer on a graph, by default the training graph."""
        self._check_fitted()
        if graph is None or graph is self.graph_:
            return self._scorer
        if getattr(self, "_other", (None, None))[0] is not graph:
            steps = StepGraph.of(graph, self.model_.relations, self.model_.symmetric)
            self._other = (graph, QueryScorer(steps, self.model_, self._scorer.graph))
        return self._other[1]

    def _completer(self, graph: Graph | None) -> Completer:
        """Return the completer on a graph, with caches for the last graph."""
        query_scorer = self._scorer_on(graph)
        kept = getattr(self, "_kept_completer", None)
        if kept is None or kept.query_scorer is not query_scorer:
            self._kept_completer = kept = Completer(FactScorer(query_scorer, usable_threads()))
        return kept

    def _with_entities(self, pool: Graph, graph: Graph | None) -> tuple[StepGraph, QueryScorer]:
        """Return a graph, by default the training graph, with all entities of another one, and the scorer on it."""
        graph = self.graph_ if graph is None else graph
        nodes = graph.nodes
        new = () if pool is graph else tuple(name for name in dict.fromkeys(pool.entities) if name not in nodes)
        query_scorer = self._scorer_on(replace(graph, entities=(*graph.entities, *new)) if new else graph)
        return query_scorer.graph, query_scorer
