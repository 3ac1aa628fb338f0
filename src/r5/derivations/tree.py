"""Derivations as trees: the span of the path that each fact covers, and the tree as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from r5._util.ordering import format_number
from r5.relations import DUMMY

if TYPE_CHECKING:
    from r5.derivations.derivation import Derivation, Fact, Step

__all__ = ["Node", "build_trees", "format_lines"]


@dataclass(frozen=True, slots=True)
class Node:
    """Fact of a derivation, observed or inferred."""

    fact: Fact
    start: int
    """First fact of the span of the path."""
    stop: int
    """End of the span, exclusive."""
    step: Step | None = None
    """Step that infers the fact; None for a fact of the path."""
    parts: tuple[Node, ...] = ()
    """Children: the facts that the step merges."""
    observed: Fact | None = None
    """Observed fact, if it differs from the believed one."""
    belief: float | None = None
    """Probability of the believed fact, if known."""

    height: int = 0
    """Height of the tree in steps."""

    def walk(self) -> Iterator[Node]:
        """Yield the node and all descendants, without recursion, because paths can be long."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(node.parts)

    def __str__(self) -> str:
        if self.step is not None:
            return (
                f"{self.fact}"
                if self.step.score is None
                else f"{self.fact}   [{format_number(self.step.score, '.3g')}]"
            )
        if self.observed is None:
            return str(self.fact)
        probability = "" if self.belief is None else f": {format_number(self.belief, '.2f')}"
        return f"{self.fact}   (observed {self.observed.relation}{probability})"


def build_trees(derivation: Derivation) -> tuple[Node, ...]:
    """Return the trees of the facts left at the end; a complete derivation has one tree."""
    nodes = [_leaf(derivation, index) for index in range(len(derivation.path))]
    for step in derivation.steps:
        left, right = nodes[step.position : step.position + 2]
        parts = tuple(part for part in (left, right) if part.fact.relation != DUMMY)
        nodes[step.position : step.position + 2] = [
            Node(step.result, left.start, right.stop, step, parts, height=1 + max(left.height, right.height))
        ]
    return tuple(node for node in nodes if node.fact.relation != DUMMY)


def _leaf(derivation: Derivation, index: int) -> Node:
    observed = derivation.path[index]
    believed = derivation.believed[index] if derivation.believed else observed
    if believed == observed:
        return Node(observed, index, index + 1)
    belief = derivation.belief[index] if derivation.belief else None
    return Node(believed, index, index + 1, observed=observed, belief=belief)


def format_lines(root: Node) -> Iterator[str]:
    """Yield a node and its descendants as lines of text."""
    stack: list[tuple[Node, str, str]] = [(root, "", "")]
    while stack:
        node, prefix, indent = stack.pop()
        yield prefix + str(node)
        last = len(node.parts) - 1
        for index in range(last, -1, -1):
            branch, trunk = ("└── ", "    ") if index == last else ("├── ", "│   ")
            stack.append((node.parts[index], indent + branch, indent + trunk))
