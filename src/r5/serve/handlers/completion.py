"""Handlers of graph completion: queries, their reasons as rows of a drawing, and searches of the whole graph."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from r5.derivations.completion import Completion, Reason
from r5.derivations.reason_layout import lay_out_reason
from r5.graph import Graph
from r5.reasoners.base import Progress
from r5.reasoners.chains import ChainReasoner
from r5.rules.formats.direct import direct_sentence, mirror
from r5.rules.rule import Key, Rule
from r5.serve.errors import RequestError
from r5.serve.handlers.session import Session

__all__ = ["Report", "audit", "chain_model", "complete", "find_new_facts", "own_graph"]

Report = Callable[[str, int, int], None]
"""Called with the stage of a search, the number of queries done and their total."""
Found = TypeVar("Found")


def chain_model(session: Session, off: list[int]) -> ChainReasoner:
    """Return the model without some rules.

    Raises:
        RequestError: It is not one that completes graphs.
    """
    model = session.reduced_model(off)
    if not isinstance(model, ChainReasoner):
        raise RequestError(f"the engine {model.engine} completes no graphs; train with --engine chains")
    return model


def own_graph(session: Session, given: dict[str, Any], model: ChainReasoner) -> Graph | None:
    """Return the graph of a request; None if it is that of the model, whose caches are then used."""
    graph = session.graph(given["graph"], given["edits"])
    return None if graph is model.graph_ or (not given["edits"] and _is_graph_of(graph, model)) else graph


def complete(session: Session, given: dict[str, Any]) -> list[dict[str, Any]]:
    """Complete a query in a graph; the output of `r5 complete --json` and, on request, the rows of a drawing."""
    model = chain_model(session, given["off"])
    found = model.complete(
        own_graph(session, given, model),
        head=given["head"],
        relation=given["relation"],
        tail=given["tail"],
        top=given["top"],
        explain=given["explain"],
        known=given["known"],
    )
    return [_with_rows(session, one) if given["drawing"] else one.to_json() for one in found]


def _with_rows(session: Session, completion: Completion) -> dict[str, Any]:
    """Return a completion as JSON; each reason has its row of the drawing and, if it is listed, the rule's number."""
    described = completion.to_json()
    numbers = _rule_numbers(session)
    for shown, reason in zip(described["reasons"], completion.reasons, strict=True):
        shown["row"] = _row(completion, reason)
        shown["sentence"] = reason.text or direct_sentence(reason.rule)
        shown["number"] = _listed_number(numbers, reason.rule) if _is_rule(reason) else None
    return described


def _is_rule(reason: Reason) -> bool:
    return reason.kind in ("rule", "constant")


def _listed_number(numbers: dict[Key, int], rule: Rule) -> int | None:
    """Return the number of a rule, or of its mirror image where that one is listed."""
    number = numbers.get(mirror(rule).key) if rule.target is None else None
    return numbers.get(rule.key, number)


def _row(completion: Completion, reason: Reason) -> dict[str, Any]:
    row = lay_out_reason(completion, reason)
    links = [
        None if link is None else {"relation": link.relation, "backwards": link.backwards, "derived": link.derived}
        for link in row.links
    ]
    places = [{"name": place.name, "kind": place.kind} for place in row.places]
    return {"places": places, "links": links, "caption": row.caption}


def _rule_numbers(session: Session) -> dict[Key, int]:
    """Return the number of each listed rule."""
    rules = session.model.rules_.rules
    numbers: dict[Key, int] = session.results.get("rule numbers", lambda: _number(rules))
    return numbers


def _number(rules: tuple[Rule, ...]) -> dict[Key, int]:
    return {rule.key: number for number, rule in reversed([*enumerate(rules)])}


def find_new_facts(session: Session, given: dict[str, Any], report: Report) -> dict[str, Any]:
    """Return the most probable facts that a graph lacks; the output of `r5 complete --new --json`."""
    model = chain_model(session, given["off"])
    relation, graph = given["relation"], own_graph(session, given, model)
    found, notes = _listen(
        lambda: model.new_facts(given["limit"], graph, relation=relation, progress=_stages(report)),
    )
    return {"facts": [one.to_json() for one in found], "notes": notes}


def audit(session: Session, given: dict[str, Any], report: Report) -> dict[str, Any]:
    """Return the known facts that look wrong; the output of `r5 audit --json`."""
    model = chain_model(session, given["off"])
    relation, graph = given["relation"], own_graph(session, given, model)
    found, notes = _listen(
        lambda: model.audit(given["limit"], graph, relation=relation, progress=_stages(report)),
    )
    return {"facts": [one.to_json() for one in found], "notes": notes}


def _stages(report: Report) -> Callable[[Progress], None]:
    return lambda progress: report(progress.stage or "", progress.done, progress.total)


def _listen(search: Callable[[], Found]) -> tuple[Found, list[str]]:
    """Return the result of a search and its warnings."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = search()
    return found, [str(one.message) for one in heard if issubclass(one.category, UserWarning)]


def _is_graph_of(graph: Graph, model: ChainReasoner) -> bool:
    """Return whether a graph read from data equals the graph that the model was trained on."""
    own = model.graph_
    return (
        graph.vocabulary == own.vocabulary
        and graph.entities == own.entities
        and all(np.array_equal(getattr(graph, ids), getattr(own, ids)) for ids in ("sources", "relations", "targets"))
    )
