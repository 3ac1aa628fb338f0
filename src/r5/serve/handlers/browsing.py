"""Handlers that describe the server, list examples and first queries, and export the graph."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from r5 import __version__
from r5._util.ordering import natural_key
from r5.dataset import SPLITS
from r5.errors import R5Error
from r5.reasoners.base import Reasoner
from r5.reasoners.chains import ChainReasoner
from r5.relations import DUMMY
from r5.serve.handlers.edits import format_tsv
from r5.serve.handlers.session import Session

__all__ = [
    "describe_server",
    "describe_upload",
    "export_graph",
    "list_examples",
    "suggest_queries",
]

_SUGGESTED = 6
"""Number of queries suggested of each kind."""
_KINSHIP = re.compile(
    "(great-?|grand-?|step-?|half-?)*(father|mother|parent|son|daughter|child|brother|sister|sibling|husband|wife|spouse"
    "|uncle|aunt|nephew|niece|cousin)(-in-law)?"
)
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
            "other": None if session.other is None else session.other_name,
            "engine": model.engine,
            "rules": _count_rules(model),
            "listed_rules": len(model.rules_),
            "relations": sorted(relations, key=natural_key),
            "completes": isinstance(model, ChainReasoner),
            "doubts": hasattr(model, "suspicious_edges"),
            "switches": _supports_switching(model),
            "wording": _wording(relations),
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


def _wording(relations: Sequence[str]) -> str:
    """Return `family` if all relations say what one person is to another, else `graph`."""
    return "family" if relations and all(_KINSHIP.fullmatch(name.lower()) for name in relations) else "graph"


def _count_rules(model: Reasoner) -> int:
    """Return the number of rules, as counted in training where that is known: counting takes seconds for many rules."""
    counted = model.summary_.get("rules")
    listed = len(model.rules_)
    return counted if isinstance(model, ChainReasoner) and isinstance(counted, int) else listed


def _supports_switching(model: Reasoner) -> bool:
    """Return whether rules of a model can be switched off."""
    if isinstance(model, ChainReasoner):
        return True
    try:
        model.without_rules([])
    except R5Error:
        return False
    return True


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


def suggest_queries(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    """Return a few queries to begin with: pairs of entities and, for models that complete graphs, open ends."""
    pairs = []
    for split in ("test", "valid", "train") if session.data is not None else ():
        found = list_examples(session, {"split": split, "query": "", "offset": 0, "limit": 500})["questions"]
        if found:
            pairs = [{key: row[key] for key in ("graph", "source", "target", "answer")} for row in _spread(found)]
            break
    graph = session.shared_graph
    if not isinstance(session.model, ChainReasoner) or graph is None:
        return {"pairs": pairs, "ends": []}
    known = session.model.vocabulary_
    facts = [
        (graph.entities[graph.sources[edge]], graph.vocabulary.name(int(graph.relations[edge])), edge)
        for edge in np.linspace(0, graph.number_of_edges - 1, 8 * _SUGGESTED).astype(int).tolist()
        if graph.number_of_edges
    ]
    ends = {(head, relation): edge for head, relation, edge in facts if relation in known}
    if not pairs:
        pairs = [
            {"graph": "data", "source": head, "target": graph.entities[graph.targets[edge]], "answer": None}
            for (head, _), edge in _spread([*ends.items()])
        ]
    return {"pairs": pairs, "ends": [{"head": head, "relation": relation} for head, relation in _spread([*ends])]}


def _spread(found: Sequence[Any]) -> list[Any]:
    """Return a few elements from all over a sequence."""
    step = max(1, len(found) // _SUGGESTED)
    return [*found[::step][:_SUGGESTED]]


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
