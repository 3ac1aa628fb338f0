"""ChainSimilarity: the entities of a graph that are similar to an entity."""

from __future__ import annotations

from r5._util.ordering import natural_key, sort_descending
from r5.chains.similarity.similar_entities import SimilarEntities
from r5.derivations.derivation import Fact
from r5.derivations.similar_entity import SimilarEntity
from r5.errors import R5Error
from r5.graph import Graph
from r5.reasoners.chain_queries.fitted import FittedChains

__all__ = ["ChainSimilarity", "list_similar"]

_SHARED = 5
"""Shared properties of one entity that are listed."""


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


def list_similar(similar: SimilarEntities, entity: int, top: int) -> list[SimilarEntity]:
    """Return the entities with the greatest positive similarity to an entity, ties by name.

    Args:
        similar: Similar entities of a graph.
        entity: The entity.
        top: Maximum number of entities.
    """
    names = similar.graph.entities
    others, values = similar.row(entity)
    found = [(value, other) for value, other in zip(values.tolist(), others.tolist(), strict=True) if value > 0.0]
    best = sort_descending(found, lambda pair: pair[0], key=lambda pair: natural_key(names[pair[1]]))[:top]
    return [_with_shared(similar, entity, other, value) for value, other in best]


def _with_shared(similar: SimilarEntities, entity: int, other: int, value: float) -> SimilarEntity:
    graph = similar.graph
    shared = similar.shared_properties(entity, other)
    pairs = [divmod(key, graph.number_of_nodes) for key in shared[:_SHARED].tolist()]
    facts = tuple(
        Fact(graph.entities[other], graph.stored_name(other, step, target), graph.entities[target])
        for step, target in pairs
    )
    return SimilarEntity(graph.entities[other], value, facts, len(shared))
