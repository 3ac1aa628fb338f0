"""Handlers of relation queries: predictions with derivations, comparison with another answer, suspicious facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from r5.derivations.derivation import Prediction, Step
from r5.examples import Example, Examples
from r5.reasoners.base import Reasoner
from r5.report.examples.example_json import example_to_json
from r5.report.page_data import NameIndex
from r5.serve.handlers.session import Session

__all__ = ["compare_answers", "find_suspicious_facts", "predict", "predict_batch"]

_MAX_SUSPICIONS = 12
_STRONG = 0.95
"""Score from which a step is not reported as weak."""


def predict(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    """Predict the relation of a pair; the output of `r5 predict --json` and, on request, a drawing."""
    return predict_batch(session, [given])[0]


def predict_batch(session: Session, given: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Predict the relations of several pairs, those of one model in one batch.

    Raises:
        R5Error: One of the queries cannot be answered.
    """
    examples = [session.query_example(one["graph"], one["edits"], one["source"], one["target"]) for one in given]
    groups: dict[Any, list[int]] = {}
    for number, one in enumerate(given):
        # Examples of one batch share a vocabulary.
        key = (one["model"], tuple(one["off"]), examples[number].graph.vocabulary.known)
        groups.setdefault(key, []).append(number)
    answers: dict[int, Prediction] = {}
    for (name, off, _), numbers in groups.items():
        model = session.reduced_model(off) if name == "main" else session.other_model()
        found = model.predict_many(Examples.of([examples[number] for number in numbers]))
        answers |= zip(numbers, found, strict=True)
    return [_describe(examples[number], answers[number], one) for number, one in enumerate(given)]


def _describe(example: Example, answer: Prediction, given: dict[str, Any]) -> dict[str, Any]:
    truth = {} if example.answer is None else {"answer": example.answer_name}
    described = {"source": example.source, "target": example.target, **truth, **answer.to_json(given["top"])}
    return {**described, "drawing": _draw(example, answer)} if given["drawing"] else described


def _draw(example: Example, answer: Prediction) -> dict[str, Any]:
    """Return the input of the script that draws a prediction in the report and the explorer."""
    names = NameIndex()
    drawn = example_to_json(0, example, answer, example.answer_name, names)
    scored = answer.probability is None
    return {"case": drawn, "relations": names.names(), "measure": "score" if scored else "probability"}


def compare_answers(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    """Compare the best derivation of another answer with that of the predicted answer."""
    example = session.query_example(given["graph"], given["edits"], given["source"], given["target"])
    model = session.reduced_model(given["off"])
    relation = given["relation"]
    best, other = model.predict(example), model.predict_as(example, relation)
    return {
        "source": example.source,
        "target": example.target,
        "relation": relation,
        "best": best.to_json(),
        "other": other.to_json(),
        "loses": _list_weaknesses(relation, best, other),
        **({"drawing": _draw(example, other)} if given["drawing"] and other.derivation is not None else {}),
    }


def _list_weaknesses(relation: str, best: Prediction, other: Prediction) -> list[str]:
    """List in sentences why another answer is less probable."""
    if other.relation is None:
        return [f"There is no case for {relation}: {other.reason}."]
    if other.known:
        return [f"The graph says {relation}; without that fact, its probability is {other.probability or 0.0:.3g}."]
    if best.relation == relation:
        return [f"{relation} is the answer."]
    sentences = []
    if (best.known or best.relation is None) and other.probability is not None:
        says = f"The graph says {best.relation}" if best.known else "No relation is plausible"
        sentences.append(f"{says}; {relation} has the probability {other.probability:.3g}.")
    else:
        figures = (("probability", best.probability, other.probability), ("score", best.score, other.score))
        for name, best_value, value in figures:
            if best_value is not None and value is not None:
                sentences.append(f"{relation} has the {name} {value:.3g}, {best.relation} has {best_value:.3g}.")
                break
    if other.derivation is None:
        return sentences
    for observed, corrected in other.derivation.doubts:
        sentences.append(f"It needs {observed} to be wrong, and {corrected.relation} to be right.")
    steps = [step for step in other.derivation.steps if step.score is not None]
    common = set() if best.derivation is None else {_rule(step) for step in best.derivation.steps}
    other_steps = [step for step in steps if _rule(step) not in common and (step.score or 0.0) < _STRONG]
    if other_steps:
        weak = min(other_steps, key=lambda step: step.score or 0.0)
        sentences.append(
            f"Its weakest step is {weak.result.relation} from {' and '.join(fact.relation for fact in weak.reasons)}: "
            + (f"of such pairs {weak.score:.3g} became {weak.result.relation}." if weak.score else "no rule says so.")
        )
    if best.derivation is not None and best.derivation.path != other.derivation.path:
        sentences.append("It rests on another path than the answer.")
    return sentences


def _rule(step: Step) -> tuple[str, ...]:
    return (step.result.relation, *(fact.relation for fact in step.reasons))


def find_suspicious_facts(session: Session, given: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the facts on the paths of a query that are most likely wrong; empty for engines without this estimate.

    The correct answer of an example is not used.
    """
    example = session.query_example(given["graph"], given["edits"], given["source"], given["target"])
    model: Reasoner = session.reduced_model(given["off"])
    find = getattr(model, "suspicious_edges", None)
    if find is None:
        return []
    return [
        {
            "fact": one.fact.to_json(),
            "probability": one.probability,
            "believed": one.believed,
            "believed_probability": one.believed_probability,
        }
        for one in find(replace(example, answer=None))[:_MAX_SUSPICIONS]
    ]
