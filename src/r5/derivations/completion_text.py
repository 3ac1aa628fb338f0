"""Completions as text and as trees: each candidate with the reasons for and against it, which sum to its score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from r5.derivations.completion import Completion, Reason

__all__ = ["REASONS", "completion_lines", "completion_tree", "reason_lines", "shown_reasons"]

REASONS = 8
"""Reasons printed for one candidate; the others are summed up in one line."""


def shown_reasons(completion: Completion, most: int = REASONS) -> tuple[tuple[Reason, ...], int, float]:
    """The strongest reasons, and the number and the sum of the others."""
    first, rest = completion.reasons[:most], completion.reasons[most:]
    return first, len(rest), sum(reason.weight for reason in rest)


def completion_lines(completions: Sequence[Completion], explained: bool = False, most: int = REASONS) -> Iterator[str]:
    """A numbered line a candidate and, where they are to be explained, its strongest reasons with their facts."""
    width = max((len(_offered(one)) for one in completions), default=0)
    for number, one in enumerate(completions, start=1):
        yield f"{number:>4}  {_offered(one):<{width}}  {one.probability:.3f}{_notes(one)}"
        if explained:
            yield from (f"      {line}" for line in reason_lines(one, most))


def _notes(completion: Completion) -> str:
    """Return notes on a fact: in the graph, share among new candidates, number of known answers."""
    notes = ["in the graph"] if completion.known else []
    if completion.share is not None and not completion.known:
        notes.append(f"share {completion.share:.3f}")
    if completion.existing:
        notes.append(f"{completion.existing} known answer{'s' * (completion.existing > 1)}")
    return f"   {', '.join(notes)}" if notes else ""


def _offered(completion: Completion) -> str:
    """The fact that is offered."""
    return str(completion.fact)


def reason_lines(completion: Completion, most: int = REASONS) -> Iterator[str]:
    """Yield the strongest reasons with their facts, the sum of the others, and the score."""
    first, others, rest = shown_reasons(completion, most)
    for reason in first:
        yield f"{reason.weight:+8.3f}  {reason.sentence()}{_groundings(reason)}"
        if reason.facts:
            yield f"{'':8}    {', '.join(map(str, reason.facts))}"
    if others:
        yield f"{rest:+8.3f}  {others} further reason{'s' if others > 1 else ''}"
    yield f"{completion.score:+8.3f}  is the score"


def _groundings(reason: Reason) -> str:
    several = reason.groundings > 1 and not reason.text  # a sentence says how often
    return f"   ({reason.groundings:,} groundings)" if several else ""


def completion_tree(completion: Completion) -> str:
    """One candidate as a tree: the fact offered, below it the reasons, below each its facts."""
    first, others, rest = shown_reasons(completion)
    lines = [f"{_offered(completion)}   [P(fact) {completion.probability:.3f}, score {completion.score:.3f}]"]
    branches = [(f"{reason.weight:+.3f}  {reason.sentence()}{_groundings(reason)}", reason.facts) for reason in first]
    if others:
        branches.append((f"{rest:+.3f}  {others} further reason{'s' if others > 1 else ''}", ()))
    for place, (text, facts) in enumerate(branches):
        branch, trunk = ("└── ", "    ") if place == len(branches) - 1 else ("├── ", "│   ")
        lines.append(branch + text)
        lines += [trunk + ("└── " if fact is facts[-1] else "├── ") + str(fact) for fact in facts]
    return "\n".join(lines)
