"""Handlers of rules: list, examples and counterexamples, accuracy without some rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from r5.dataset import Dataset
from r5.derivations.derivation import Prediction
from r5.evaluation import evaluate
from r5.examples import Examples
from r5.relations import base_name, inverse_name
from r5.rules.formats.direct import direct_sentence
from r5.rules.groundings import find_groundings
from r5.rules.rule import Rule
from r5.serve.errors import RequestError
from r5.serve.handlers.session import Session

__all__ = ["find_rule_examples", "list_rules", "measure_accuracy"]

_MAX_EXAMPLES = 500
"""Maximum number of evaluated examples; of more, an evenly spaced sample is evaluated."""


def list_rules(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    """Return a page of the rules that match a query; the output of `r5 rules --format json`, with their numbers."""
    words = given["query"].lower().split()
    found = [
        (number, rule)
        for number, rule in enumerate(session.model.rules_)
        if given["head"] in (None, rule.head, base_name(rule.head))
        and (given["body"] in (None, *rule.body, *map(base_name, rule.body)))
        and (_matches_all(words, (rule.head, *rule.body)) or _matches_inverse(words, rule))
    ]
    measure = given["sort"]
    if measure == "head":
        found.sort(key=lambda pair: (pair[1].head, pair[1].body))
    elif measure != "model":
        found.sort(key=lambda pair: -_sort_value(pair[1], measure))
    page = found[given["offset"] : given["offset"] + given["limit"]]
    return {
        "total": len(found),
        "of": len(session.model.rules_),
        "rules": [{"number": number, **rule.to_json(), "text": direct_sentence(rule)} for number, rule in page],
    }


def _matches_all(words: list[str], names: Iterable[str]) -> bool:
    """Return whether each word is part of one of the names."""
    relations = [name.lower() for name in names]
    return all(any(word in name for name in relations) for word in words)


def _matches_inverse(words: list[str], rule: Rule) -> bool:
    """Return whether the words match the inverse of a weighted rule, which is a reason of answers but not listed."""
    if rule.weight is None or {rule.head.lower(), inverse_name(rule.head).lower()}.isdisjoint(words):
        return False
    return _matches_all(words, map(inverse_name, (rule.head, *rule.body)))


def _sort_value(rule: Rule, measure: str) -> float:
    value = rule.strength if measure == "strength" else getattr(rule, measure)
    return float("-inf") if value is None else abs(float(value)) if measure == "weight" else float(value)


def find_rule_examples(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    """Return examples and counterexamples of a rule.

    In a shared graph these are pairs of entities that match the body of the rule. If each example has its own graph,
    they are correct and wrong predictions that use the rule.
    """
    rule = session.rule(given["rule"])
    described = {"number": given["rule"], **rule.to_json(), "text": direct_sentence(rule)}
    uploaded = given["graph"] in session.uploads
    if session.shared_graph is not None or uploaded or session.data is None:
        found = find_groundings(rule, session.graph(given["graph"], given["edits"]), given["limit"])
        facts = [one.to_json() for one in found.facts]
        return {**described, "kind": "facts", "holds": facts, "fails": [one.to_json() for one in found.exceptions]}
    examples, numbers, predictions = _predictions(session, given["split"])
    correct: list[dict[str, Any]] = []
    wrong: list[dict[str, Any]] = []
    answers = examples.vocabulary.names(examples.answers)
    for place, (number, answer) in enumerate(zip(numbers, predictions, strict=True)):
        steps = () if answer.derivation is None else answer.derivation.steps
        used = [s for s in steps if (s.result.relation, tuple(f.relation for f in s.reasons)) == (rule.head, rule.body)]
        if used:
            row = {
                "graph": f"{given['split']}/{number}",
                "source": examples[place].source,
                "target": examples[place].target,
                "said": answer.relation,
                "answer": answers[place],
                "head": used[0].result.to_json(),
                "because": [fact.to_json() for fact in used[0].reasons],
            }
            (correct if answer.relation == answers[place] else wrong).append(row)
    limit = given["limit"]
    counts = {"right": len(correct), "wrong": len(wrong), "asked": len(numbers)}
    return {**described, "kind": "questions", **counts, "holds": correct[:limit], "fails": wrong[:limit]}


def _labelled_examples(data: Dataset, split: str) -> tuple[Examples, list[int]]:
    """Return the examples of a split with an answer, at most 500, and their numbers."""
    examples = data.split(split)
    numbers = np.flatnonzero(examples.answers >= 0)
    if numbers.size > _MAX_EXAMPLES:
        numbers = numbers[np.linspace(0, numbers.size - 1, _MAX_EXAMPLES).round().astype(np.int64)]
    return examples.select(numbers), numbers.tolist()


def _predictions(session: Session, split: str) -> tuple[Examples, list[int], Sequence[Prediction]]:
    if session.data is None:
        raise RequestError("there are no examples: start with r5 serve MODEL DATA")
    examples, numbers = _labelled_examples(session.data, split)
    found = session.results.get(("predictions", split), lambda: session.model.predict_many(examples))
    return examples, numbers, found


def measure_accuracy(session: Session, given: dict[str, Any]) -> dict[str, Any]:
    """Evaluate the model without some rules, on at most 500 examples; the output of `r5 evaluate --json`."""
    data, split, off = session.data, given["split"], tuple(sorted(set(given["off"])))
    if data is None:
        raise RequestError("there is no data to evaluate on: start with r5 serve MODEL DATA")
    examples, _ = _labelled_examples(data, split)
    if not len(examples):
        raise RequestError(f"the {split} split has no questions with a known answer")

    def evaluate_model() -> dict[str, Any]:
        known = [data.train, data.valid, data.test]
        figures = evaluate(session.reduced_model(off), examples, data.rules, known=known).to_json()
        return {**figures, "questions": len(data.split(split)), "off": list(off)}

    return session.results.get(("accuracy", split, off), evaluate_model)
