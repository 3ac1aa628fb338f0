"""Selection of the examples that a report embeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from r5.report.findings import Findings

__all__ = ["describe_examples", "describe_selected", "select_examples"]


def select_examples(right: Sequence[bool], answered: Sequence[bool], limit: int) -> list[int]:
    """Return the numbers of the examples to show: wrong answers, then missing ones, then right ones.

    Missing and right answers get at least a quarter of the places each. A kind with too many examples is sampled at
    even distances.

    Args:
        right: Whether each answer is right.
        answered: Whether each query has an answer.
        limit: Maximum number of examples.

    >>> select_examples([True, False, True, True], [True, True, True, True], limit=3)
    [1, 0, 3]
    """
    numbers = range(len(right))
    wrong = [n for n in numbers if answered[n] and not right[n]]
    unanswered = [n for n in numbers if not answered[n]]
    correct = [n for n in numbers if right[n]]
    places = limit - min(len(correct), limit // 4)
    selected = _sample_evenly(wrong, places - min(len(unanswered), limit // 4))
    selected += _sample_evenly(unanswered, places - len(selected))
    return selected + _sample_evenly(correct, limit - len(selected))


def _sample_evenly(numbers: Sequence[int], size: int) -> list[int]:
    if len(numbers) <= size:
        return list(numbers)
    if size < 2:
        return list(numbers[: max(size, 0)])
    return [numbers[round(n * (len(numbers) - 1) / (size - 1))] for n in range(size)]


def describe_examples(findings: Findings, chosen: Sequence[int]) -> str:
    """Return a sentence on the examples that the page embeds."""
    kinds = [
        "right" if right else "silent" if p.relation is None else "wrong"
        for p, right in zip(findings.predictions, findings.right, strict=True)
    ]
    return describe_selected(kinds, [kinds[n] for n in chosen])


def describe_selected(
    kinds: Sequence[str],
    chosen: Sequence[str],
    names: Mapping[str, str] = MappingProxyType({"wrong": "wrong", "silent": "without an answer", "right": "right"}),
) -> str:
    """Return a sentence on the number of selected examples of each kind.

    Args:
        kinds: Kind of each query.
        chosen: Kind of each selected query.
        names: Words for the kinds, in the order of the sentence.

    >>> describe_selected(["right", "wrong", "right"], ["wrong", "right"])
    '2 of 3 questions are here, drawn evenly: the one wrong, 1 of 2 right.'
    """
    every, here = Counter(kinds), Counter(chosen)
    parts = []
    for kind, name in names.items():
        if every[kind]:
            whole = "the one" if every[kind] == 1 else f"all {every[kind]:,}"
            parts.append(f"{whole if here[kind] == every[kind] else f'{here[kind]:,} of {every[kind]:,}'} {name}")
    if len(chosen) == len(kinds):
        return f"All {len(chosen):,} questions are here: {', '.join(parts)}."
    return f"{len(chosen):,} of {len(kinds):,} questions are here, drawn evenly: {', '.join(parts)}."
