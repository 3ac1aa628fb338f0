"""Handlers that describe the server, search entities, show a neighbourhood, list examples and export the graph."""

from __future__ import annotations

from heapq import nsmallest
from typing import Any

from r5 import __version__
from r5._util.ordering import natural_key
from r5.dataset import SPLITS
from r5.errors import R5Error
from r5.reasoners.base import Reasoner
from r5.reasoners.chains import ChainReasoner
from r5.relations import DUMMY
from r5.report.examples.neighbourhood import edges_among, nodes_around
from r5.serve.handlers.edits import format_tsv
from r5.serve.handlers.session import Session

__all__ = [
    "describe_server",
    "describe_upload",
    "export_graph",
    "find_neighbourhood",
    "list_examples",
    "search_entities",
]

_SUMMARY = ("seconds", "seed", "examples", "policy", "evidence", "facts", "entities", "relations")


def describe_server(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    """Describe the model, the data and the supported requests."""
    model, data = session.model, session.data
    graph = session.shared_graph
    relations = [name for name in model.vocabulary_.known if name != DUMMY]
    splits = {} if data is None else {split: len(data.split(split)) for split in SPLITS}
    return {
        "version": __version__,
        "model": {
            "name": session.model_name,
            "engine": model.engine,
            "rules": getattr(model, "number_of_rules", len(model.rules_)),
            "listed_rules": len(model.rules_),
            "relations": sorted(relations, key=natural_key),
            "completes": isinstance(model, ChainReasoner),
            "doubts": hasattr(model, "suspicious_edges"),
            "switches": _supports_switching(model),
            "summary": {key: model.summary_[key] for key in _SUMMARY if key in model.summary_},
        },
        "data": {
            "name": session.data_name,
            "splits": splits,
            "one_graph": graph is not None,
            "graph": session.default_graph,
            "entities": None if graph is None else graph.number_of_nodes,
            "edges": None if graph is None else graph.number_of_edges,
        },
    }


def _supports_switching(model: Reasoner) -> bool:
    """Return whether rules of a model can be switched off."""
    try:
        model.without_rules([])
    except R5Error:
        return False
    return True


def search_entities(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    """Return entities that match a query: prefix matches first, then prefixes of words, then other matches."""
    graph = session.graph(given["graph"], given["edits"])
    lower_names = session.results.get(("low", id(graph)), lambda: (graph, [name.lower() for name in graph.entities]))[1]
    query, limit = given["query"].strip().lower(), given["limit"]
    if not query:
        return {"total": len(lower_names), "entities": list(graph.entities[:limit])}
    found = [number for number, name in enumerate(lower_names) if query in name]
    word = f" {query}"
    best: list[int] = []
    # Classes of matches in descending order; of many matches only a few are sorted.
    for matches in (lambda name: name.startswith(query), lambda name: word in name, lambda name: True):
        selected = [number for number in found if matches(lower_names[number])]
        nearest = nsmallest(2 * limit, selected, key=lambda number: (len(lower_names[number]), number))
        best += [number for number in nearest if number not in best]
        if len(best) >= limit:
            break
    return {"total": len(found), "entities": [graph.entities[number] for number in best[:limit]]}


def find_neighbourhood(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    """Return the nodes around some entities, nearest first, and the facts among them."""
    graph = session.graph(given["graph"], given["edits"])
    centres = [graph.node(name) for name in given["nodes"]] or list(range(min(1, graph.number_of_nodes)))
    around = nodes_around(graph, centres, limit=given["most"]) if centres else []
    nodes = [*dict.fromkeys([*centres, *around])]
    added = {tuple(fact) for sign, *fact in given["edits"] if sign == "+"}
    degree = [
        int(rows.offsets[node + 1] - rows.offsets[node]) for node in nodes for rows in (graph.outgoing, graph.incoming)
    ]
    edges = []
    for edge in edges_among(graph, nodes, limit=4 * given["most"] + 80) if nodes else []:
        relation = graph.vocabulary.name(int(graph.relations[edge]))
        fact = (graph.entities[graph.sources[edge]], relation, graph.entities[graph.targets[edge]])
        edges.append({"fact": list(fact), "added": fact in added})
    return {
        "nodes": [
            {"name": graph.entities[node], "edges": degree[2 * n] + degree[2 * n + 1], "centre": node in centres}
            for n, node in enumerate(nodes)
        ],
        "edges": edges,
        "graph": {"entities": graph.number_of_nodes, "edges": graph.number_of_edges},
    }


def list_examples(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    """Return a page of the examples of a split, with their answers."""
    if session.data is None:
        return {"total": 0, "questions": []}
    split = given["split"]
    examples = session.data.split(split)
    shared = session.shared_graph is not None
    names, words = examples.pool.entities, [*examples.vocabulary, None]
    query = given["query"].strip().lower()
    sources, targets = examples.sources.tolist(), examples.targets.tolist()
    answers, hops = examples.answers.tolist(), examples.hops.tolist()
    matching = [
        number
        for number in range(len(examples))
        if not query
        or query in names[sources[number]].lower()
        or query in names[targets[number]].lower()
        or query in (words[answers[number]] or "").lower()
    ]
    page = matching[given["offset"] : given["offset"] + given["limit"]]
    rows = [
        {
            "number": number,
            "graph": "data" if shared else f"{split}/{number}",
            "source": names[sources[number]],
            "target": names[targets[number]],
            "answer": words[answers[number]],
            "hops": hops[number],
        }
        for number in page
    ]
    return {"total": len(matching), "questions": rows}


def export_graph(session: Session, given: dict[str, Any]) -> str:
    """Return the edited graph as TSV triples."""
    return format_tsv(session.graph(given["graph"], given["edits"]))


def describe_upload(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    """Describe an uploaded graph, which the dispatcher has added to the session."""
    graph = session.graph(given["graph"], [])
    used = {graph.vocabulary.name(number) for number in set(graph.relations.tolist())}
    return {
        "graph": given["graph"],
        "entities": graph.number_of_nodes,
        "edges": graph.number_of_edges,
        "relations": sorted(used, key=natural_key),
        "unknown_relations": list(session.model.unseen_relations(graph)),
    }
