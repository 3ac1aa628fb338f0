"""Handlers of entities: search, check of names, the facts of one entity, and the entities similar to it."""

from __future__ import annotations

from heapq import nsmallest
from typing import Any

import numpy as np

from r5._util.ordering import natural_key
from r5._util.text import fold, similar_names
from r5.graph import Graph
from r5.relations import inverse_name
from r5.serve.handlers.completion import chain_model, own_graph
from r5.serve.handlers.neighbourhood import edges_of, other_ends
from r5.serve.handlers.session import Session

__all__ = ["check_names", "describe_entity", "find_similar", "search_entities"]


def _folded_names(session: Session, graph: Graph) -> list[str]:
    names: list[str] = session.results.get(
        ("folded", id(graph)), lambda: (graph, [fold(name) for name in graph.entities])
    )[1]
    return names


def search_entities(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    """Return entities that match a query: prefix matches first, then prefixes of words, then other matches."""
    graph = session.graph(given["graph"], given["edits"])
    names = _folded_names(session, graph)
    query, limit = fold(given["query"].strip()), given["limit"]
    if not query:
        return {"total": len(names), "entities": list(graph.entities[:limit])}
    found = [number for number, name in enumerate(names) if query in name]
    word = f" {query}"
    best: list[int] = []
    # Classes of matches in descending order; of many matches only a few are sorted.
    for matches in (lambda name: name.startswith(query), lambda name: word in name, lambda name: True):
        selected = [number for number in found if matches(names[number])]
        nearest = nsmallest(2 * limit, selected, key=lambda number: (len(names[number]), number))
        best += [number for number in nearest if number not in best]
        if len(best) >= limit:
            break
    return {"total": len(found), "entities": [graph.entities[number] for number in best[:limit]]}


def check_names(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    """Return for each name of an entity or relation whether the graph has it, and similar names if not."""
    graph = session.graph(given["graph"], given["edits"])
    relations = [*graph.vocabulary.known, *session.model.vocabulary_.known]
    return {
        "entities": [_check(name, name in graph.nodes, graph.entities) for name in given["entities"]],
        "relations": [_check(name, name in relations, relations) for name in given["relations"]],
    }


def _check(name: str, exists: bool, names: Any) -> dict[str, Any]:
    return {"name": name, "exists": exists, "similar": [] if exists else similar_names(name, names)}


def describe_entity(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of an entity by relation and direction, a page of each."""
    graph = session.graph(given["graph"], given["edits"])
    node = graph.node(given["name"])
    edges = edges_of(graph, node)
    ends = other_ends(graph, node, edges)
    groups: dict[tuple[str, str], list[int]] = {}
    for edge, other in zip(edges.tolist(), ends.tolist(), strict=True):
        relation, leaves = graph.vocabulary.name(int(graph.relations[edge])), bool(graph.sources[edge] == node)
        direct = inverse_name(relation)
        if len(direct) < len(relation) and direct in graph.vocabulary:
            relation, leaves = direct, not leaves
        groups.setdefault((relation, "out" if leaves else "in"), []).append(other)
    wanted = (given["relation"], given["direction"])
    chosen = {key: found for key, found in groups.items() if wanted[0] is None or key == wanted}
    page = slice(given["offset"], given["offset"] + given["limit"])
    return {
        "entity": given["name"],
        "facts": int(edges.size),
        "neighbours": int(np.unique(ends).size),
        "groups": [
            {"relation": relation, "direction": direction, "total": len(found), "others": _names(graph, found)[page]}
            for (relation, direction), found in sorted(chosen.items(), key=lambda item: (item[0][1] == "in", *item[0]))
        ],
    }


def _names(graph: Graph, nodes: list[int]) -> list[str]:
    return sorted((graph.entities[node] for node in nodes), key=natural_key)


def find_similar(session: Session, given: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the entities that are similar to an entity; the output of `r5 similar --json`."""
    model = chain_model(session, [])
    found = model.similar(given["name"], given["limit"], own_graph(session, given, model))
    return [one.to_json() for one in found]
