"""`r5 predict` and `r5 explain`: an answer, and how it was reached."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from r5.cli.console import show, show_json
from r5.cli.progress import load_data, waiting
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.derivation import Prediction
    from r5.examples import Example

__all__ = ["answer_lines", "explain", "predict"]


def answer_lines(example: Example, answer: Prediction, top: int) -> list[str]:
    """The answer, its derivation and the next best ones, for people."""
    lines = [f"{example.source} -> {example.target}: {answer}"]
    if answer.derivation is not None:
        lines += ["  " + line for line in str(answer.derivation).splitlines()]
    lines += [f"  or {other}" for other in answer.alternatives[: max(top - 1, 0)]]
    return lines


def _show(example: Example, answer: Prediction, top: int, as_json: bool, more: dict[str, Any]) -> None:
    if as_json:
        show_json({"source": example.source, "target": example.target, **more, **answer.to_json(top)})
    else:
        show("\n".join(answer_lines(example, answer, top)))
    if answer.relation is None:
        raise typer.Exit(1)


def predict(
    model: str = typer.Argument(help="A model folder."),
    graph: str = typer.Argument(help="A file of triples."),
    source: str = typer.Option(..., help="The entity asked about."),
    target: str = typer.Option(..., help="The other entity."),
    top: int = typer.Option(1, help="So many answers, best first."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """How is SOURCE related to TARGET in a graph? Exit code 1 where the model cannot say.

    Example: r5 predict model family.tsv --source Ann --target Tom
    """
    from r5.data.triples import read_triples
    from r5.examples import Example, Query
    from r5.reasoners.registry import load_model

    reasoner = load_model(model)
    with waiting(f"reading {graph}"):
        family = read_triples(graph)
    example = Example(family, Query(family.node(source), family.node(target)))
    _show(example, reasoner.predict(example), top, as_json, {})


def explain(
    model: str = typer.Argument(help="A model folder."),
    data: str = typer.Argument(help="A built-in name (kinship, world), a folder or a file."),
    index: int = typer.Option(..., help="Which example, counted from 0."),
    split: str = typer.Option("test", help="train, valid or test."),
    top: int = typer.Option(3, help="So many answers, best first."),
    load: list[str] = typer.Option([], "--load", metavar="KEY=VALUE", help="An option for the loader."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """One example of a data set: the answer, how it was reached, and the right one.

    Example: r5 explain model kinship --index 3
    """
    from r5.reasoners.registry import load_model

    reasoner = load_model(model)
    examples = load_data(data, load).split(split)
    if not 0 <= index < len(examples):
        raise R5Error(f"the {split} split has {len(examples)} examples; there is no example {index}")
    example = examples[index]
    _show(example, reasoner.predict(example), top, as_json, {"answer": example.answer_name})
