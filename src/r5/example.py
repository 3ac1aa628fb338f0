"""Query and Example: one query over a graph, and its answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral

from r5._util.arrays import IntArray, as_int_array
from r5.errors import R5Error
from r5.graph import Graph

__all__ = ["NO_FACTS", "Example", "Query"]

NO_FACTS = as_int_array(())


@dataclass(frozen=True, slots=True)
class Query:
    """Relation query (source, ?, target) over the nodes of the example's graph."""

    source: int
    target: int

    def __post_init__(self) -> None:
        for name in ("source", "target"):
            node = getattr(self, name)
            if isinstance(node, bool) or not isinstance(node, Integral):
                raise R5Error(f"a query's {name} must be the number of a node, such as graph.node('Ann'), not {node!r}")
            object.__setattr__(self, name, int(node))


@dataclass(frozen=True, slots=True)
class Example:
    """A graph, a query over it and, if known, the answer and its resolution path."""

    graph: Graph
    query: Query
    answer: int | None = None
    """Relation id of the answer."""
    masked_fact: int = -1
    """Masked fact of the graph: the answer itself, which no path may use; -1 for none."""
    resolution: tuple[int, ...] = ()
    """Nodes of the path that the answer follows from, if known."""
    descriptor: tuple[int, ...] = ()
    """True relations along that path; observed edges may carry wrong ones."""
    background: IntArray = field(default_factory=lambda: NO_FACTS, compare=False, repr=False)
    """Facts of the graph that no query asks for; any fit may learn from them."""

    @property
    def source(self) -> str:
        """The name of the source entity."""
        return self.graph.entities[self.query.source]

    @property
    def target(self) -> str:
        """The name of the target entity."""
        return self.graph.entities[self.query.target]

    @property
    def answer_name(self) -> str | None:
        """The name of the answer; None if unknown."""
        return None if self.answer is None else self.graph.vocabulary.name(self.answer)

    @property
    def hops(self) -> int:
        """The length of the resolution path; 0 if unknown."""
        return max(len(self.resolution) - 1, 0)
