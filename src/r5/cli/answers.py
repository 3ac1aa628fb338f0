"""Questions from the command line, and answers in the form that was asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from r5.cli.console import log
from r5.cli.output import deliver
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.dataset import Dataset
    from r5.derivations.derivation import Prediction
    from r5.examples import Example
    from r5.graph import Graph

__all__ = ["Style", "answer_text", "example_of", "question_about", "tell"]

Style = Literal["text", "tree", "json", "svg"]


def question_about(graph: Graph, source: str, target: str) -> Example:
    """How is `source` related to `target` in a graph? Names that are not there get near ones suggested."""
    from r5.examples import Example, Query

    return Example(graph, Query(graph.node(source), graph.node(target)))


def example_of(data: Dataset, split: str, index: int) -> Example:
    """One example of a data set."""
    examples = data.split(split)
    if not 0 <= index < len(examples):
        raise R5Error(f"the {split} split has {len(examples)} examples; there is no example {index}")
    return examples[index]


def answer_text(example: Example, answer: Prediction, top: int = 1, tree: bool = False) -> str:
    """The answer for people: the question, the answer and whether it is right, the steps, the next best answers."""
    first, *rest = answer.explain(top, tree).splitlines()
    truth = example.answer_name
    if truth is not None:
        first += ", which is right" if answer.relation == truth else f"; the right answer is {truth}"
    return "\n".join([f"{example.source} -> {example.target}: {first}", *rest])


def tell(example: Example, answer: Prediction, style: Style, top: int, out: Path | None, force: bool) -> None:
    """Print the answer, or write it to a file; exit code 1 where there is none."""
    text = _written(example, answer, style, top)
    if text is None:
        log(f"{example.source} -> {example.target}: {answer}")
    else:
        deliver(text, out, force)
    if answer.relation is None:
        raise typer.Exit(1)


def _written(example: Example, answer: Prediction, style: Style, top: int) -> str | None:
    """The answer in the form asked for; None for a picture of what is not there."""
    if style == "json":
        truth = {} if example.answer is None else {"answer": example.answer_name}
        question = {"source": example.source, "target": example.target, **truth}
        return json.dumps({**question, **answer.to_json(top)}, ensure_ascii=False, indent=2)
    if style == "svg":
        return None if answer.derivation is None else answer.derivation.to_svg()
    return answer_text(example, answer, top, tree=style == "tree")
