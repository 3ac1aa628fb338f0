"""Handler of graph completion."""

from __future__ import annotations

from typing import Any

import numpy as np

from r5.graph import Graph
from r5.reasoners.chains import ChainReasoner
from r5.serve.errors import RequestError
from r5.serve.handlers.session import Session

__all__ = ["complete"]


def complete(session: Session, given: dict[str, Any]) -> list[dict[str, Any]]:
    """Complete a query in a graph; the output of `r5 complete --json`."""
    model = session.reduced_model(given["off"])
    if not isinstance(model, ChainReasoner):
        raise RequestError(f"the engine {model.engine} completes no graphs; train with --engine chains")
    graph = session.graph(given["graph"], given["edits"])
    head, relation, tail = given["head"], given["relation"], given["tail"]
    own = None if graph is model.graph_ or (not given["edits"] and _is_graph_of(graph, model)) else graph
    found = model.complete(
        own, head=head, relation=relation, tail=tail, top=given["top"], explain=given["explain"], known=given["known"]
    )
    return [one.to_json() for one in found]


def _is_graph_of(graph: Graph, model: ChainReasoner) -> bool:
    """Return whether a graph read from data equals the graph that the model was trained on."""
    own = model.graph_
    return (
        graph.vocabulary == own.vocabulary
        and graph.entities == own.entities
        and all(np.array_equal(getattr(graph, ids), getattr(own, ids)) for ids in ("sources", "relations", "targets"))
    )
