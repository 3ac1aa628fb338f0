"""Derivations as trees: which part of the path each fact stands for, and the tree as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from r5._util.ordering import format_number
from r5.relations import DUMMY

if TYPE_CHECKING:
    from r5.derivations.derivation import Derivation, Fact, Step

__all__ = ["Node", "grow", "lines_of"]


@dataclass(frozen=True, slots=True)
class Node:
    """A fact of a derivation, observed or concluded."""

    fact: Fact
    start: int
    """The first fact of the path that it stands for."""
    stop: int
    """One past the last."""
    step: Step | None = None
    """The step that concluded it; None for a fact of the path."""
    parts: tuple[Node, ...] = ()
    seen: Fact | None = None
    """What was observed, where the reasoner takes the fact to be another."""
    belief: float | None = None
    """How likely it is that it is so."""

    height: int = 0
    """Steps one above the other, down to the path."""

    def walk(self) -> Iterator[Node]:
        """The node and all below it; no recursion, for paths may be long."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.parts)

    def __str__(self) -> str:
        if self.step is not None:
            return (
                f"{self.fact}"
                if self.step.score is None
                else f"{self.fact}   [{format_number(self.step.score, '.3g')}]"
            )
        if self.seen is None:
            return str(self.fact)
        sure = "" if self.belief is None else f": {format_number(self.belief, '.2f')}"
        return f"{self.fact}   (observed {self.seen.relation}{sure})"


def grow(derivation: Derivation) -> tuple[Node, ...]:
    """The facts that are left at the end, with what they come from: one, where the derivation is whole."""
    nodes = [_leaf(derivation, place) for place in range(len(derivation.path))]
    for step in derivation.steps:
        left, right = nodes[step.position : step.position + 2]
        parts = tuple(part for part in (left, right) if part.fact.relation != DUMMY)
        nodes[step.position : step.position + 2] = [
            Node(step.result, left.start, right.stop, step, parts, height=1 + max(left.height, right.height))
        ]
    return tuple(node for node in nodes if node.fact.relation != DUMMY)


def _leaf(derivation: Derivation, place: int) -> Node:
    seen = derivation.path[place]
    meant = derivation.believed[place] if derivation.believed else seen
    if meant == seen:
        return Node(seen, place, place + 1)
    belief = derivation.belief[place] if derivation.belief else None
    return Node(meant, place, place + 1, seen=seen, belief=belief)


def lines_of(root: Node) -> Iterator[str]:
    """A node and what is below it, a line each."""
    waiting: list[tuple[Node, str, str]] = [(root, "", "")]
    while waiting:
        node, before, below = waiting.pop()
        yield before + str(node)
        last = len(node.parts) - 1
        for place in range(last, -1, -1):
            branch, trunk = ("└── ", "    ") if place == last else ("├── ", "│   ")
            waiting.append((node.parts[place], below + branch, below + trunk))
