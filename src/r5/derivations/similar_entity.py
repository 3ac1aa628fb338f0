"""SimilarEntity: an entity that shares properties with another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from r5._util.ordering import format_number
from r5.derivations.derivation import Fact

__all__ = ["SimilarEntity"]

_SHOWN = 3
"""Shared properties in the text."""


@dataclass(frozen=True, slots=True)
class SimilarEntity:
    """An entity that is similar to another one, and the properties that both have.

    >>> facts = (Fact("Ida", "works_at", "Hazelton"), Fact("Ida", "taught^-1", "Eve"))
    >>> print(SimilarEntity("Ida", 0.2143, facts, 5))
    Ida  0.214  both: -works_at-> Hazelton, <-taught- Eve (5 shared)
    """

    entity: str
    similarity: float
    """Share of the other entity in the ridge regression of the entity asked about; 1 at most."""
    shared: tuple[Fact, ...]
    """Facts of `entity` that hold of the entity asked about too, those of the fewest entities first; a few."""
    shared_count: int
    """Number of shared properties."""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON of `r5 similar --json`; facts are in their stored direction."""
        return {
            "entity": self.entity,
            "similarity": self.similarity,
            "shared": [fact.stored().to_json() for fact in self.shared],
            "shared_count": self.shared_count,
        }

    def describe_shared(self) -> str:
        """Return the shared properties as text; an arrow to the left is a fact of the other end."""
        shown = ", ".join(_property(fact) for fact in self.shared[:_SHOWN])
        more = f" ({self.shared_count:,} shared)" if self.shared_count > min(len(self.shared), _SHOWN) else ""
        return f"both: {shown}{more}" if shown else "nothing shared"

    def __str__(self) -> str:
        return f"{self.entity}  {format_number(self.similarity, '.3f')}  {self.describe_shared()}"


def _property(fact: Fact) -> str:
    """Return a fact without its source."""
    stored = fact.stored()
    if stored.relation != fact.relation:
        return f"<-{stored.relation}- {fact.target}"
    return f"-{fact.relation}-> {fact.target}"
