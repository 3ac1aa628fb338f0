"""Looking: entities by name, the graph around some of them, the questions of the data, and a graph to take away."""

from __future__ import annotations

from heapq import nsmallest
from typing import Any

from r5 import __version__
from r5._util.order import natural_key
from r5.dataset import SPLITS
from r5.errors import R5Error
from r5.reasoners.base import Reasoner
from r5.reasoners.chains import ChainReasoner
from r5.relations import DUMMY
from r5.report.cases.neighbourhood import edges_among, nodes_around
from r5.serve.edits import as_tsv
from r5.serve.shelf import Shelf

__all__ = ["about", "entities", "export", "neighbourhood", "questions", "upload"]

_SUMMARY = ("seconds", "seed", "examples", "policy", "evidence", "facts", "entities", "relations")


def about(shelf: Shelf, given: dict[str, Any]) -> dict[str, Any]:
    """What is served: the model, the data and what can be asked."""
    model, data = shelf.model, shelf.data
    graph = shelf.one_graph
    relations = [name for name in model.vocabulary_.known if name != DUMMY]
    splits = {} if data is None else {split: len(data.split(split)) for split in SPLITS}
    return {
        "version": __version__,
        "model": {
            "name": shelf.model_name,
            "engine": model.engine,
            "rules": getattr(model, "number_of_rules", len(model.rules_)),
            "listed_rules": len(model.rules_),
            "relations": sorted(relations, key=natural_key),
            "completes": isinstance(model, ChainReasoner),
            "doubts": hasattr(model, "suspicious_edges"),
            "switches": _switches(model),
            "summary": {key: model.summary_[key] for key in _SUMMARY if key in model.summary_},
        },
        "data": {
            "name": shelf.data_name,
            "splits": splits,
            "one_graph": graph is not None,
            "graph": shelf.first_graph,
            "entities": None if graph is None else graph.number_of_nodes,
            "edges": None if graph is None else graph.number_of_edges,
        },
    }


def _switches(model: Reasoner) -> bool:
    """Whether rules of a model can be switched off."""
    try:
        model.without_rules([])
    except R5Error:
        return False
    return True


def entities(shelf: Shelf, given: dict[str, Any]) -> dict[str, Any]:
    """Names that fit what was typed: those that begin so first, then those with a word that does, then the rest."""
    graph = shelf.graph(given["graph"], given["edits"])
    low = shelf.results.of(("low", id(graph)), lambda: (graph, [name.lower() for name in graph.entities]))[1]
    wanted, most = given["query"].strip().lower(), given["limit"]
    if not wanted:
        return {"total": len(low), "entities": list(graph.entities[:most])}
    found = [place for place, name in enumerate(low) if wanted in name]
    word = f" {wanted}"
    best: list[int] = []
    # The better kinds are looked through first: of a hundred thousand names that fit, few are ever put in order.
    for fits in (lambda name: name.startswith(wanted), lambda name: word in name, lambda name: True):
        some = [place for place in found if fits(low[place])]
        nearest = nsmallest(2 * most, some, key=lambda place: (len(low[place]), place))
        best += [place for place in nearest if place not in best]
        if len(best) >= most:
            break
    return {"total": len(found), "entities": [graph.entities[place] for place in best[:most]]}


def neighbourhood(shelf: Shelf, given: dict[str, Any]) -> dict[str, Any]:
    """The nodes around some, nearest first, and the facts among all of these."""
    graph = shelf.graph(given["graph"], given["edits"])
    centres = [graph.node(name) for name in given["nodes"]] or list(range(min(1, graph.number_of_nodes)))
    around = nodes_around(graph, centres, most=given["most"]) if centres else []
    nodes = [*dict.fromkeys([*centres, *around])]
    added = {tuple(fact) for sign, *fact in given["edits"] if sign == "+"}
    degree = [
        int(rows.offsets[node + 1] - rows.offsets[node]) for node in nodes for rows in (graph.outgoing, graph.incoming)
    ]
    edges = []
    for edge in edges_among(graph, nodes, most=4 * given["most"] + 80) if nodes else []:
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


def questions(shelf: Shelf, given: dict[str, Any]) -> dict[str, Any]:
    """The questions of a split, with their answers, a page at a time."""
    if shelf.data is None:
        return {"total": 0, "questions": []}
    split = given["split"]
    examples = shelf.data.split(split)
    shared = shelf.one_graph is not None
    names, words = examples.pool.entities, [*examples.vocabulary, None]
    wanted = given["query"].strip().lower()
    sources, targets = examples.sources.tolist(), examples.targets.tolist()
    answers, hops = examples.answers.tolist(), examples.hops.tolist()
    fits = [
        number
        for number in range(len(examples))
        if not wanted
        or wanted in names[sources[number]].lower()
        or wanted in names[targets[number]].lower()
        or wanted in (words[answers[number]] or "").lower()
    ]
    page = fits[given["offset"] : given["offset"] + given["limit"]]
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
    return {"total": len(fits), "questions": rows}


def export(shelf: Shelf, given: dict[str, Any]) -> str:
    """The graph as edited, as triples."""
    return as_tsv(shelf.graph(given["graph"], given["edits"]))


def upload(shelf: Shelf, given: dict[str, Any]) -> dict[str, Any]:
    """What an uploaded graph holds; it was put on the shelf on the way in."""
    graph = shelf.graph(given["graph"], [])
    used = {graph.vocabulary.name(number) for number in set(graph.relations.tolist())}
    return {
        "graph": given["graph"],
        "entities": graph.number_of_nodes,
        "edges": graph.number_of_edges,
        "relations": sorted(used, key=natural_key),
        "unknown_relations": list(shelf.model.unseen_relations(graph)),
    }
