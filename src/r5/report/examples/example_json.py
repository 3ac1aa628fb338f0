"""Examples as JSON for the script of the page: answers, derivations and graph views."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from r5._util.ordering import round_half_up
from r5.derivations.derivation import Derivation, Fact, Prediction
from r5.errors import R5Error
from r5.examples import Example
from r5.relations import DUMMY
from r5.report.examples.graph_view import graph_view
from r5.report.findings import Findings
from r5.report.page_data import NameIndex
from r5.rules.disjunction import joined

__all__ = ["example_to_json", "examples_to_json"]


def examples_to_json(findings: Findings, chosen: Sequence[int], names: NameIndex) -> list[dict[str, Any]]:
    """Return the chosen examples as JSON, given by their numbers."""
    return [
        example_to_json(number, findings.examples[number], findings.predictions[number], findings.wanted[number], names)
        for number in chosen
    ]


def example_to_json(
    number: int, example: Example, prediction: Prediction, wanted: str | None, names: NameIndex
) -> dict[str, Any]:
    """Return an example as JSON: its answers, and the graph views that they are drawn on.

    Args:
        number: Number of the example in its split.
        example: The example.
        prediction: Answer of the model, with alternatives.
        wanted: The right relation; None if it is not known.
        names: Index of relation names; new names are added.
    """
    views: list[dict[str, Any]] = []
    seen: dict[tuple[Fact, ...], int] = {}
    answers = []
    for answer in (prediction, *prediction.alternatives):
        if answer.relation is None and answer.derivation is None:
            continue
        path = () if answer.derivation is None else _without_dummy(answer.derivation.path)
        if path not in seen:
            seen[path] = len(views)
            views.append(graph_view(example, path, names))
        answers.append(_answer(answer, seen[path], names))
        for witness in () if answer.derivation is None else answer.derivation.witnesses[1:]:
            # Each further path is shown as an answer of its own: the relations that this path alone allows.
            single = Prediction(joined(witness.possible), derivation=witness.derivation)
            views.append(graph_view(example, witness.derivation.path, names))
            answers.append(_answer(single, len(views) - 1, names))
    if not views:
        views.append(graph_view(example, (), names))
    return {
        "number": number,
        "hops": example.hops,
        "source": example.source,
        "target": example.target,
        "wanted": names.number(wanted),
        "said": names.number(prediction.relation),
        "reason": prediction.reason,
        "answers": answers,
        "views": views,
        "truth": _truth(example, prediction, names),
    }


def _without_dummy(path: Sequence[Fact]) -> tuple[Fact, ...]:
    return tuple(fact for fact in path if fact.relation != DUMMY)


def _answer(answer: Prediction, view: int, names: NameIndex) -> dict[str, Any]:
    """Return an answer: confidence, view, doubted edges ([position, relation, belief]) and derivation steps."""
    confidence = answer.probability if answer.probability is not None else answer.score
    found: dict[str, Any] = {"relation": names.number(answer.relation), "sure": _round(confidence), "view": view}
    if answer.known:
        found["known"] = True
    if answer.derivation is not None:
        found["doubts"] = _doubts(answer.derivation, names)
        found["steps"] = _steps(answer.derivation, names)
    return found


def _doubts(derivation: Derivation, names: NameIndex) -> list[list[float | None]]:
    beliefs = (*derivation.belief, *[None] * len(derivation.path))
    return [
        [position, names.number(meant.relation), _round(belief)]
        for position, (seen, meant, belief) in enumerate(
            zip(derivation.path, derivation.believed, beliefs, strict=False)
        )
        if seen != meant
    ]


def _steps(derivation: Derivation, names: NameIndex) -> list[list[float | None]]:
    """Return each step as [left, right, head, score].

    Facts of the path are numbered from 0, results of steps after them; the dummy fact of a unary rule is -1.
    """
    facts = list(derivation.believed or derivation.path)
    count = len(_without_dummy(derivation.path))
    items = [n if fact.relation != DUMMY else -1 for n, fact in enumerate(derivation.path)]
    steps: list[list[float | None]] = []
    for number, step in enumerate(derivation.steps):
        both = (step.left, step.right)
        position = next((n for n, pair in enumerate(pairwise(facts)) if pair == both), None)
        if position is None:
            raise R5Error(f"a derivation joins facts that are not adjacent: {step}")
        left, right = items[position : position + 2]
        steps.append([left, right, names.number(step.result.relation), _round(step.score)])
        facts[position : position + 2] = [step.result]
        items[position : position + 2] = [count + number]
    return steps


def _truth(example: Example, prediction: Prediction, names: NameIndex) -> list[Any] | None:
    """Return the true path, [entities, relations], if the answer is over another path; None otherwise."""
    if not example.descriptor or len(example.resolution) != len(example.descriptor) + 1:
        return None
    entities = [example.graph.entities[node] for node in example.resolution]
    relations = example.graph.vocabulary.names(example.descriptor)
    true_path = tuple(Fact(*fact) for fact in zip(entities, relations, entities[1:], strict=False))
    if prediction.derivation is not None and true_path == _without_dummy(prediction.derivation.path):
        return None
    return [entities, [names.number(name) for name in relations]]


def _round(value: float | None) -> float | None:
    return None if value is None else round_half_up(value, 4)
