"""Rules: the list, where each holds and where it fails, and how accuracy moves when some are switched off."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from r5.dataset import Dataset
from r5.derivations.derivation import Prediction
from r5.evaluation import evaluate
from r5.examples import Examples
from r5.relations import inverse_name
from r5.rules.groundings import find_groundings
from r5.rules.rule import Rule
from r5.serve.fields import RequestError
from r5.serve.shelf import Shelf

__all__ = ["accuracy", "rule_examples", "rules"]

_MOST_ASKED = 500
"""Questions that accuracy is measured on; where there are more, they are drawn evenly."""


def rules(shelf: Shelf, given: dict[str, Any]) -> dict[str, Any]:
    """The rules that fit, a page at a time: what `r5 rules --format json` prints, with their numbers."""
    words = given["query"].lower().split()
    found = [
        (number, rule)
        for number, rule in enumerate(shelf.model.rules_)
        if (given["head"] is None or rule.head == given["head"])
        and (given["body"] is None or given["body"] in rule.body)
        and (_names_all(words, (rule.head, *rule.body)) or _is_mirrored(words, rule))
    ]
    measure = given["sort"]
    if measure == "head":
        found.sort(key=lambda pair: (pair[1].head, pair[1].body))
    elif measure != "model":
        found.sort(key=lambda pair: -_figure(pair[1], measure))
    page = found[given["offset"] : given["offset"] + given["limit"]]
    return {
        "total": len(found),
        "of": len(shelf.model.rules_),
        "rules": [{"number": number, **rule.to_json(), "text": rule.sentence()} for number, rule in page],
    }


def _names_all(words: list[str], names: Iterable[str]) -> bool:
    """Whether each word is in one of the names."""
    relations = [name.lower() for name in names]
    return all(any(word in name for name in relations) for word in words)


def _is_mirrored(words: list[str], rule: Rule) -> bool:
    """Whether the words are of the mirror image of a rule, which is a reason for answers but is not listed."""
    if rule.weight is None or {rule.head.lower(), inverse_name(rule.head).lower()}.isdisjoint(words):
        return False
    return _names_all(words, map(inverse_name, (rule.head, *rule.body)))


def _figure(rule: Rule, measure: str) -> float:
    value = rule.strength if measure == "strength" else getattr(rule, measure)
    return float("-inf") if value is None else abs(float(value)) if measure == "weight" else float(value)


def rule_examples(shelf: Shelf, given: dict[str, Any]) -> dict[str, Any]:
    """Where a rule holds and where it fails.

    In one graph these are pairs of entities that its body connects; where each example has a graph of its own,
    questions that were answered with it, right and wrong.
    """
    rule = shelf.rule(given["rule"])
    told = {"number": given["rule"], **rule.to_json(), "text": rule.sentence()}
    uploaded = given["graph"] in shelf.uploads
    if shelf.one_graph is not None or uploaded or shelf.data is None:
        seen = find_groundings(rule, shelf.graph(given["graph"], given["edits"]), given["limit"])
        facts = [one.to_json() for one in seen.facts]
        return {**told, "kind": "facts", "holds": facts, "fails": [one.to_json() for one in seen.exceptions]}
    examples, numbers, predictions = _predictions(shelf, given["split"])
    right: list[dict[str, Any]] = []
    wrong: list[dict[str, Any]] = []
    wanted = examples.vocabulary.names(examples.answers)
    for place, (number, answer) in enumerate(zip(numbers, predictions, strict=True)):
        steps = () if answer.derivation is None else answer.derivation.steps
        used = [s for s in steps if (s.result.relation, tuple(f.relation for f in s.reasons)) == (rule.head, rule.body)]
        if used:
            row = {
                "graph": f"{given['split']}/{number}",
                "source": examples[place].source,
                "target": examples[place].target,
                "said": answer.relation,
                "answer": wanted[place],
                "head": used[0].result.to_json(),
                "because": [fact.to_json() for fact in used[0].reasons],
            }
            (right if answer.relation == wanted[place] else wrong).append(row)
    limit = given["limit"]
    counts = {"right": len(right), "wrong": len(wrong), "asked": len(numbers)}
    return {**told, "kind": "questions", **counts, "holds": right[:limit], "fails": wrong[:limit]}


def _asked(data: Dataset, split: str) -> tuple[Examples, list[int]]:
    """The questions of a split with an answer, at most so many, and their numbers."""
    examples = data.split(split)
    numbers = np.flatnonzero(examples.answers >= 0)
    if numbers.size > _MOST_ASKED:
        numbers = numbers[np.linspace(0, numbers.size - 1, _MOST_ASKED).round().astype(np.int64)]
    return examples.select(numbers), numbers.tolist()


def _predictions(shelf: Shelf, split: str) -> tuple[Examples, list[int], Sequence[Prediction]]:
    if shelf.data is None:
        raise RequestError("there is no data to ask about: r5 serve MODEL DATA")
    examples, numbers = _asked(shelf.data, split)
    found = shelf.results.of(("predictions", split), lambda: shelf.model.predict_many(examples))
    return examples, numbers, found


def accuracy(shelf: Shelf, given: dict[str, Any]) -> dict[str, Any]:
    """What `r5 evaluate --json` prints, with some rules switched off; on at most 500 questions."""
    data, split, off = shelf.data, given["split"], tuple(sorted(set(given["off"])))
    if data is None:
        raise RequestError("there is no data to measure on: r5 serve MODEL DATA")
    examples, _ = _asked(data, split)
    if not len(examples):
        raise RequestError(f"the {split} split has no questions with a known answer")

    def measured() -> dict[str, Any]:
        known = [data.train, data.valid, data.test]
        figures = evaluate(shelf.model_without(off), examples, data.rules, known=known).to_json()
        return {**figures, "questions": len(data.split(split)), "off": list(off)}

    return shelf.results.of(("accuracy", split, off), measured)
