"""Cases: questions with their graphs, paths and derivations, small enough to be embedded in a page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from r5._util.ordering import round_half_up
from r5.derivations.derivation import Derivation, Fact, Prediction
from r5.errors import R5Error
from r5.examples import Example
from r5.graph import Graph
from r5.relations import DUMMY
from r5.report.cases.layout import place_beside
from r5.report.cases.neighbourhood import edges_among, nodes_around
from r5.report.embedding import Names
from r5.report.findings import Findings
from r5.rules.disjunction import joined

__all__ = ["case", "choose", "embedded_cases", "what_was_chosen"]


def choose(right: Sequence[bool], answered: Sequence[bool], most: int) -> list[int]:
    """Which questions to show: wrong answers first, then none given, then right ones; these two get a quarter each.

    Where a kind has more than there is room for, it is drawn from evenly over the data.

    >>> choose([True, False, True, True], [True, True, True, True], most=3)
    [1, 0, 3]
    """
    numbers = range(len(right))
    wrong = [n for n in numbers if answered[n] and not right[n]]
    silent = [n for n in numbers if not answered[n]]
    correct = [n for n in numbers if right[n]]
    room = most - min(len(correct), most // 4)
    taken = _evenly(wrong, room - min(len(silent), most // 4))
    taken += _evenly(silent, room - len(taken))
    return taken + _evenly(correct, most - len(taken))


def _evenly(numbers: Sequence[int], most: int) -> list[int]:
    if len(numbers) <= most:
        return list(numbers)
    if most < 2:
        return list(numbers[: max(most, 0)])
    return [numbers[round(n * (len(numbers) - 1) / (most - 1))] for n in range(most)]


def what_was_chosen(findings: Findings, chosen: Sequence[int]) -> str:
    """Which questions the page holds, in words."""
    kinds = {
        "wrong": [
            p.relation is not None and not right for p, right in zip(findings.predictions, findings.right, strict=True)
        ],
        "without an answer": [p.relation is None for p in findings.predictions],
        "right": list(findings.right),
    }
    told = []
    for kind, members in kinds.items():
        total, here = sum(members), sum(members[n] for n in chosen)
        if total:
            told.append(f"all {total:,} {kind}" if here == total else f"{here:,} of {total:,} {kind}")
    if len(chosen) == len(findings.right):
        return f"All {len(chosen):,} questions are here: {', '.join(told)}."
    return f"{len(chosen):,} of {len(findings.right):,} questions are here, drawn evenly: {', '.join(told)}."


def embedded_cases(findings: Findings, chosen: Sequence[int], names: Names) -> list[dict[str, Any]]:
    """The chosen questions as the page's script reads them."""
    return [
        case(number, findings.examples[number], findings.predictions[number], findings.wanted[number], names)
        for number in chosen
    ]


def case(number: int, example: Example, prediction: Prediction, wanted: str | None, names: Names) -> dict[str, Any]:
    """One question: its answers, and the parts of its graph that they are drawn on."""
    views: list[dict[str, Any]] = []
    seen: dict[tuple[Fact, ...], int] = {}
    answers = []
    for answer in (prediction, *prediction.alternatives):
        if answer.relation is None and answer.derivation is None:
            continue
        path = () if answer.derivation is None else _without_dummy(answer.derivation.path)
        if path not in seen:
            seen[path] = len(views)
            views.append(_view(example, path, names))
        answers.append(_answer(answer, seen[path], names))
        for witness in () if answer.derivation is None else answer.derivation.witnesses[1:]:
            # Each further path that decides is shown as an answer of its own: what it alone leaves possible.
            alone = Prediction(joined(witness.possible), derivation=witness.derivation)
            views.append(_view(example, witness.derivation.path, names))
            answers.append(_answer(alone, len(views) - 1, names))
    if not views:
        views.append(_view(example, (), names))
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


def _answer(answer: Prediction, view: int, names: Names) -> dict[str, Any]:
    """An answer: how sure, over which view, what it doubts ([place, relation, belief]) and its steps."""
    sure = answer.probability if answer.probability is not None else answer.score
    found: dict[str, Any] = {"relation": names.number(answer.relation), "sure": _short(sure), "view": view}
    if answer.known:
        found["known"] = True
    if answer.derivation is not None:
        found["doubts"] = _doubts(answer.derivation, names)
        found["steps"] = _steps(answer.derivation, names)
    return found


def _doubts(derivation: Derivation, names: Names) -> list[list[float | None]]:
    beliefs = (*derivation.belief, *[None] * len(derivation.path))
    return [
        [place, names.number(meant.relation), _short(belief)]
        for place, (seen, meant, belief) in enumerate(zip(derivation.path, derivation.believed, beliefs, strict=False))
        if seen != meant
    ]


def _steps(derivation: Derivation, names: Names) -> list[list[float | None]]:
    """Each step as [left, right, head, score]: the facts of the path have the numbers from 0, results those after.

    The dummy beside a fact that is replaced by itself has the number -1.
    """
    facts = list(derivation.believed or derivation.path)
    count = len(_without_dummy(derivation.path))
    items = [n if fact.relation != DUMMY else -1 for n, fact in enumerate(derivation.path)]
    steps: list[list[float | None]] = []
    for number, step in enumerate(derivation.steps):
        both = (step.left, step.right)
        place = next((n for n, pair in enumerate(pairwise(facts)) if pair == both), None)
        if place is None:
            raise R5Error(f"a derivation joins facts that are not side by side: {step}")
        left, right = items[place : place + 2]
        steps.append([left, right, names.number(step.result.relation), _short(step.score)])
        facts[place : place + 2] = [step.result]
        items[place : place + 2] = [count + number]
    return steps


def _view(example: Example, path: Sequence[Fact], names: Names) -> dict[str, Any]:
    """The part of the graph around a path; without one, around the path that the data tells or the two entities."""
    graph = example.graph
    if path:
        walk = [graph.node(name) for name in (path[0].source, *(fact.target for fact in path))]
        observed: list[str | None] = [fact.relation for fact in path]
    else:
        told = list(example.resolution)
        walk = told if len(told) > 1 else [example.query.source, example.query.target]
        observed = [_relation_between(graph, *ends) for ends in pairwise(walk)]
    others = nodes_around(graph, walk, example.hidden_fact)
    drawn = {*zip(walk, observed, walk[1:], strict=False)}
    edges = [
        (int(graph.sources[edge]), graph.vocabulary.name(int(graph.relations[edge])), int(graph.targets[edge]))
        for edge in edges_among(graph, [*walk, *others], example.hidden_fact)
    ]
    edges = [edge for edge in edges if edge not in drawn]
    places = place_beside(walk, others, [(source, target) for source, _, target in edges])
    local = {node: number for number, node in enumerate(dict.fromkeys([*walk, *others]))}
    return {
        "entities": [graph.entities[node] for node in local],
        "walk": [local[node] for node in walk],
        "observed": [names.number(name) for name in observed],
        "places": [places[node] for node in others],
        "edges": [[local[source], names.number(name), local[target]] for source, name, target in edges],
    }


def _relation_between(graph: Graph, source: int, target: int) -> str | None:
    rows = graph.leaving
    edges = rows.edges[rows.offsets[source] : rows.offsets[source + 1]]
    found = [int(edge) for edge in edges if graph.targets[edge] == target]
    return graph.vocabulary.name(int(graph.relations[found[0]])) if found else None


def _truth(example: Example, prediction: Prediction, names: Names) -> list[Any] | None:
    """The path that the data tells, [entities, true relations], where the answer went another way."""
    if not example.descriptor or len(example.resolution) != len(example.descriptor) + 1:
        return None
    entities = [example.graph.entities[node] for node in example.resolution]
    relations = example.graph.vocabulary.names(example.descriptor)
    told = tuple(Fact(*fact) for fact in zip(entities, relations, entities[1:], strict=False))
    if prediction.derivation is not None and told == _without_dummy(prediction.derivation.path):
        return None
    return [entities, [names.number(name) for name in relations]]


def _short(value: float | None) -> float | None:
    return None if value is None else round_half_up(value, 4)
