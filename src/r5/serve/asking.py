"""Asking: an answer with its derivation, the case for another answer, doubtful facts, and missing links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from r5.derivations.derivation import Prediction, Step
from r5.examples import Example, Examples
from r5.graph import Graph
from r5.reasoners.base import Reasoner
from r5.reasoners.chains import ChainReasoner
from r5.report.examples.example_json import example_to_json
from r5.report.page_data import NameIndex
from r5.serve.fields import RequestError
from r5.serve.shelf import Shelf

__all__ = ["ask", "ask_many", "complete", "suspicious", "why_not"]

_SHOWN_SUSPICIONS = 12
_SURE = 0.95
"""A step that follows so often is no weakness."""


def ask(shelf: Shelf, given: dict[str, Any]) -> dict[str, Any]:
    """What `r5 predict --json` prints, and on demand what the page draws."""
    return ask_many(shelf, [given])[0]


def ask_many(shelf: Shelf, given: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same for several questions, those to one model at once; the first that cannot be asked is an error."""
    examples = [shelf.question(one["graph"], one["edits"], one["source"], one["target"]) for one in given]
    groups: dict[Any, list[int]] = {}
    for number, one in enumerate(given):
        # Examples that are asked together share a vocabulary.
        groups.setdefault((tuple(one["off"]), examples[number].graph.vocabulary.known), []).append(number)
    answers: dict[int, Prediction] = {}
    for (off, _), numbers in groups.items():
        found = shelf.model_without(off).predict_many(Examples.of([examples[number] for number in numbers]))
        answers |= zip(numbers, found, strict=True)
    return [_told(examples[number], answers[number], one) for number, one in enumerate(given)]


def _told(example: Example, answer: Prediction, given: dict[str, Any]) -> dict[str, Any]:
    truth = {} if example.answer is None else {"answer": example.answer_name}
    told = {"source": example.source, "target": example.target, **truth, **answer.to_json(given["top"])}
    return {**told, "drawing": drawing(example, answer)} if given["drawing"] else told


def drawing(example: Example, answer: Prediction) -> dict[str, Any]:
    """What the script of the report and of the explorer shows of an answer, step by step."""
    names = NameIndex()
    shown = example_to_json(0, example, answer, example.answer_name, names)
    scored = answer.probability is None
    return {"case": shown, "relations": names.names(), "measure": "score" if scored else "probability"}


def why_not(shelf: Shelf, given: dict[str, Any]) -> dict[str, Any]:
    """The best case for another answer beside that for the one given, and where it loses."""
    example = shelf.question(given["graph"], given["edits"], given["source"], given["target"])
    model = shelf.model_without(given["off"])
    relation = given["relation"]
    best, other = model.predict(example), model.predict_as(example, relation)
    return {
        "source": example.source,
        "target": example.target,
        "relation": relation,
        "best": best.to_json(),
        "other": other.to_json(),
        "loses": _losses(relation, best, other),
        **({"drawing": drawing(example, other)} if given["drawing"] and other.derivation is not None else {}),
    }


def _losses(relation: str, best: Prediction, other: Prediction) -> list[str]:
    """Where the case for another answer is weaker, in sentences."""
    if other.relation is None:
        return [f"There is no case for {relation}: {other.reason}."]
    if other.known:
        return [f"The graph says {relation}; without that fact, its probability is {other.probability or 0.0:.3g}."]
    if best.relation == relation:
        return [f"{relation} is the answer."]
    told = []
    if (best.known or best.relation is None) and other.probability is not None:
        says = f"The graph says {best.relation}" if best.known else "No relation is plausible"
        told.append(f"{says}; {relation} has the probability {other.probability:.3g}.")
    else:
        figures = (("probability", best.probability, other.probability), ("score", best.score, other.score))
        for name, sure, own in figures:
            if sure is not None and own is not None:
                told.append(f"{relation} has the {name} {own:.3g}, {best.relation} has {sure:.3g}.")
                break
    if other.derivation is None:
        return told
    for seen, meant in other.derivation.doubts:
        told.append(f"It needs {seen} to be wrong, and {meant.relation} to be right.")
    steps = [step for step in other.derivation.steps if step.score is not None]
    common = set() if best.derivation is None else {_rule(step) for step in best.derivation.steps}
    own_steps = [step for step in steps if _rule(step) not in common and (step.score or 0.0) < _SURE]
    if own_steps:
        weak = min(own_steps, key=lambda step: step.score or 0.0)
        told.append(
            f"Its weakest step is {weak.result.relation} from {' and '.join(fact.relation for fact in weak.reasons)}: "
            + (f"of such pairs {weak.score:.3g} became {weak.result.relation}." if weak.score else "no rule says so.")
        )
    if best.derivation is not None and best.derivation.path != other.derivation.path:
        told.append("It rests on another path than the answer.")
    return told


def _rule(step: Step) -> tuple[str, ...]:
    return (step.result.relation, *(fact.relation for fact in step.reasons))


def suspicious(shelf: Shelf, given: dict[str, Any]) -> list[dict[str, Any]]:
    """The facts on the paths of a question that are most likely wrong, for engines that know.

    Its right answer is not used, even where the data has it: the answer that they stand beside does not know it either.
    """
    example = shelf.question(given["graph"], given["edits"], given["source"], given["target"])
    model: Reasoner = shelf.model_without(given["off"])
    look = getattr(model, "suspicious_edges", None)
    if look is None:
        return []
    return [
        {
            "fact": one.fact.to_json(),
            "probability": one.probability,
            "believed": one.believed,
            "believed_probability": one.believed_probability,
        }
        for one in look(replace(example, answer=None))[:_SHOWN_SUSPICIONS]
    ]


def complete(shelf: Shelf, given: dict[str, Any]) -> list[dict[str, Any]]:
    """What `r5 complete --json` prints."""
    model = shelf.model_without(given["off"])
    if not isinstance(model, ChainReasoner):
        raise RequestError(f"the engine {model.engine} completes no graphs; train with --engine chains")
    graph = shelf.graph(given["graph"], given["edits"])
    head, relation, tail = given["head"], given["relation"], given["tail"]
    own = None if graph is model.graph_ or (not given["edits"] and _same(graph, model)) else graph
    found = model.complete(
        own, head=head, relation=relation, tail=tail, top=given["top"], explain=given["explain"], known=given["known"]
    )
    return [one.to_json() for one in found]


def _same(graph: Graph, model: ChainReasoner) -> bool:
    """Whether a graph read from data is the one that the model was trained on."""
    own = model.graph_
    return (
        graph.vocabulary == own.vocabulary
        and graph.entities == own.entities
        and all(np.array_equal(getattr(graph, ids), getattr(own, ids)) for ids in ("sources", "relations", "targets"))
    )
