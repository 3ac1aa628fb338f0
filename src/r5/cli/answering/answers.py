"""Queries from the command line and formats of answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from r5.cli.common.console import log
from r5.cli.common.output import write_result
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.dataset import Dataset
    from r5.derivations.derivation import Prediction
    from r5.examples import Example
    from r5.graph import Graph

__all__ = ["Style", "find_example", "format_answer", "make_query", "print_answer"]

Style = Literal["text", "tree", "json", "svg"]


def make_query(graph: Graph, source: str, target: str) -> Example:
    """Make a query about two entities of a graph.

    Raises:
        R5Error: An entity does not exist; the message suggests similar names.
    """
    from r5.examples import Example, Query

    return Example(graph, Query(graph.node(source), graph.node(target)))


def find_example(data: Dataset, split: str, index: int) -> Example:
    """Return an example of a data set.

    Raises:
        R5Error: There is no such example.
    """
    examples = data.split(split)
    if not 0 <= index < len(examples):
        raise R5Error(f"the {split} split has {len(examples)} examples; there is no example {index}")
    return examples[index]


def format_answer(example: Example, answer: Prediction, top: int = 1, tree: bool = False) -> str:
    """Format an answer as text: query, answer, correctness, steps, next best answers."""
    first, *rest = answer.explain(top, tree).splitlines()
    truth = example.answer_name
    if truth is not None:
        first += ", which is right" if answer.relation == truth else f"; the right answer is {truth}"
    return "\n".join([f"{example.source} -> {example.target}: {first}", *rest])


def print_answer(example: Example, answer: Prediction, style: Style, top: int, out: Path | None, force: bool) -> None:
    """Print an answer, or write it to a file; exit with code 1 without an answer."""
    text = _format(example, answer, style, top)
    if text is None:
        log(f"{example.source} -> {example.target}: {answer}")
    else:
        write_result(text, out, force, prose=style in ("text", "tree"))
    if answer.relation is None:
        raise typer.Exit(1)


def _format(example: Example, answer: Prediction, style: Style, top: int) -> str | None:
    """Format an answer; None for a picture without a derivation."""
    if style == "json":
        truth = {} if example.answer is None else {"answer": example.answer_name}
        query = {"source": example.source, "target": example.target, **truth}
        return json.dumps({**query, **answer.to_json(top)}, ensure_ascii=False, indent=2)
    if style == "svg":
        return None if answer.derivation is None else answer.derivation.to_svg()
    return format_answer(example, answer, top, tree=style == "tree")
