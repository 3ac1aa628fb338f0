"""GraphQueries: the queries of one knowledge graph, which the engine chains answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, ClassVar, NoReturn

from r5._util.runtime.progress import ProgressCallback
from r5.errors import R5Error
from r5.graph import Graph

if TYPE_CHECKING:
    from r5.derivations.completion import AuditFinding, Completion
    from r5.derivations.similar_entity import SimilarEntity

__all__ = ["GraphQueries"]

_Query = tuple[str | None, str | None, str | None]
"""Head, relation and tail; None for what is asked."""


class GraphQueries:
    """Methods of models of one knowledge graph; an engine without them raises an `R5Error`.

    They belong to every reasoner, so that `load_model(...).complete(...)` has types.
    """

    engine: ClassVar[str]

    def complete(
        self,
        graph: Graph | None = None,
        *,
        head: str | None = None,
        relation: str | None = None,
        tail: str | None = None,
        top: int = 10,
        explain: bool = False,
        known: bool = False,
    ) -> list[Completion]:
        """Return the most probable facts that answer a query; see `ChainReasoner.complete`."""
        self._refuse()

    def complete_many(
        self,
        queries: Iterable[_Query],
        graph: Graph | None = None,
        *,
        top: int = 10,
        explain: bool = False,
        known: bool = False,
    ) -> Iterator[list[Completion]]:
        """Answer many queries; see `ChainReasoner.complete_many`."""
        self._refuse()

    def score_fact(
        self, head: str, relation: str, tail: str, graph: Graph | None = None, *, explain: bool = False
    ) -> Completion:
        """Return one fact with its probability; see `ChainReasoner.score_fact`."""
        self._refuse()

    def new_facts(
        self,
        count: int = 100,
        graph: Graph | None = None,
        *,
        relation: str | None = None,
        head: str | None = None,
        tail: str | None = None,
        min_probability: float = 0.0,
        explain: bool = False,
        progress: ProgressCallback | None = None,
    ) -> list[Completion]:
        """Return the most probable facts that the graph lacks; see `ChainReasoner.new_facts`."""
        self._refuse()

    def audit(
        self,
        top: int = 20,
        graph: Graph | None = None,
        *,
        relation: str | None = None,
        explain: bool = False,
        progress: ProgressCallback | None = None,
    ) -> list[AuditFinding]:
        """Return the known facts that look wrong; see `ChainReasoner.audit`."""
        self._refuse()

    def similar(self, entity: str, top: int = 10, graph: Graph | None = None) -> list[SimilarEntity]:
        """Return the entities most similar to an entity; see `ChainReasoner.similar`."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise R5Error(f"the engine {self.engine} completes no graphs; train with the engine chains")
