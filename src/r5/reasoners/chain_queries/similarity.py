"""ChainSimilarity: the entities of a graph that are similar to an entity."""

from __future__ import annotations

from r5.chains.explain.similar_list import list_similar
from r5.derivations.similar_entity import SimilarEntity
from r5.errors import R5Error
from r5.graph import Graph
from r5.reasoners.chain_queries.fitted import FittedChains

__all__ = ["ChainSimilarity"]


class ChainSimilarity(FittedChains):
    """Methods about similar entities."""

    def similar(self, entity: str, top: int = 10, graph: Graph | None = None) -> list[SimilarEntity]:
        """Return the entities most similar to an entity, best first, with the properties that both have.

        Nothing about entities is learned, so the graph may be any other one.

        Args:
            entity: The entity.
            top: Maximum number of similar entities.
            graph: The graph; the training graph by default.
        """
        if top < 1:
            raise R5Error(f"top must be a whole number from 1 on, not {top}")
        found = self._scorer_on(graph)
        return list_similar(found.similar, (self.graph_ if graph is None else graph).node(entity), top)
