"""`r5 predict` and `r5 explain`: an answer, and how it was reached."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from r5.cli.answers import Style, example_of, question_about, tell
from r5.cli.asking import asked_about, asked_data, asked_graph, reckon_with_wrong_edges, tell_unseen, with_added
from r5.cli.output import FORCE, OUT, check_out
from r5.cli.parameters import ADD, CLUSTER, DATA, JSON, LOAD, MIN_PROBABILITY, MODEL, QUIET, SPLIT, WRONG_EDGES, Split
from r5.cli.predict_pairs import Asked, predict_pairs
from r5.cli.progress import waiting
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.derivations.derivation import Prediction
    from r5.examples import Example
    from r5.reasoners.base import Reasoner

__all__ = ["explain", "predict"]

STYLE = typer.Option("text", "--format", help="How the answer is shown: svg is a picture of the steps.")


def predict(
    model: str = MODEL,
    graph: str = typer.Argument(help="A file or folder of triples, or any other data with one graph."),
    add: list[Path] = ADD,
    source: str | None = typer.Option(None, help="The entity asked about."),
    target: str | None = typer.Option(None, help="The other entity."),
    pairs: Path | None = typer.Option(None, metavar="FILE", help="Many questions: a row a source and a target."),
    explain: bool = typer.Option(False, "--explain", help="With --pairs: also how each answer was reached."),
    keep_going: bool = typer.Option(False, "--keep-going", help="With --pairs: mark bad rows instead of ending."),
    split: Split = typer.Option("test", help="With --pairs, where each example has its own graph: whose they are."),
    top: int | None = typer.Option(
        None, min=1, help="Maximum number of answers; by default 1, with a model of one knowledge graph 10."
    ),
    style: Style = STYLE,
    out: Path | None = OUT,
    force: bool = FORCE,
    load: list[str] = LOAD,
    wrong_edges: str | None = WRONG_EDGES,
    min_probability: float | None = MIN_PROBABILITY,
    cluster: str = CLUSTER,
    as_json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """How is SOURCE related to TARGET in a graph?

    With a model of one knowledge graph, relations that the graph has come first, then new ones, each with the
    probability that the fact is true. Exit code 1 where the model cannot say. Many queries at once come from a file
    (--pairs; TSV, CSV or Parquet) and are answered as they are read, to --out answers.tsv, .csv, .jsonl or .parquet.

    Example: r5 predict model family.tsv --source Ann --target Tom

    Example: r5 predict model family.tsv --pairs pairs.tsv --out answers.parquet
    """
    from r5.graph import Graph
    from r5.reasoners.registry import load_model

    if pairs is not None:
        if source is not None or target is not None:
            raise R5Error("give either --source and --target, or --pairs")
        asked = Asked(
            model, graph, pairs, explain, keep_going, split, cluster, wrong_edges, min_probability, tuple(add)
        )
        predict_pairs(asked, out, force, load, as_json, quiet)
        return
    if source is None or target is None:
        raise R5Error("give --source and --target, for one question, or --pairs FILE, for many")
    check_out(out, force)
    reasoner = load_model(model)
    reckon_with_wrong_edges(reasoner, wrong_edges)
    about = asked_about(reasoner, graph, load, quiet)
    if not isinstance(about, Graph):
        raise R5Error(f"{graph}: each example has a graph of its own; use r5 explain with --index, or --pairs")
    about = with_added(reasoner, about, add, load, quiet)
    example = question_about(about, source, target)
    answer = _answer(reasoner, example, min_probability, quiet)
    top = top or (10 if reasoner.is_multilabel else 1)
    tell(example, answer, "json" if as_json else style, top, out, force)


def _answer(reasoner: Reasoner, example: Example, min_probability: float | None, quiet: bool) -> Prediction:
    """The answer, or that there is none, where it is not probable enough."""
    tell_unseen(reasoner, example.graph, quiet)
    with waiting("answering", quiet):
        answer = reasoner.predict(example)
    return answer if min_probability is None else answer.at_least(min_probability)


def explain(
    model: str = MODEL,
    data: str = DATA,
    index: int | None = typer.Option(None, help="Which example of a data set, counted from 0."),
    split: Split = SPLIT,
    source: str | None = typer.Option(None, help="The entity asked about, where DATA is a file of triples."),
    target: str | None = typer.Option(None, help="The other entity."),
    top: int = typer.Option(3, min=1, help="So many answers, best first."),
    style: Style = STYLE,
    out: Path | None = OUT,
    force: bool = FORCE,
    load: list[str] = LOAD,
    wrong_edges: str | None = WRONG_EDGES,
    min_probability: float | None = MIN_PROBABILITY,
    as_json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """How an answer was reached, step by step.

    Also the next best answers, and the right one where the data has it. The question is an example of a data set
    (--index), or about two entities of a file of triples (--source and --target). Exit code 1 where the model
    cannot say.

    Example: r5 explain model kinship --index 3 --format tree
    """
    from r5.reasoners.registry import load_model

    by_names = source is not None and target is not None
    if by_names == (index is not None) or (source is None) != (target is None):
        raise R5Error("give either --index, for an example of a data set, or --source and --target, for a graph")
    check_out(out, force)
    reasoner = load_model(model)
    reckon_with_wrong_edges(reasoner, wrong_edges)
    if source is not None and target is not None:
        example = question_about(asked_graph(reasoner, data, load, quiet), source, target)
    else:
        example = example_of(asked_data(reasoner, data, load, quiet), split, index or 0)
    answer = _answer(reasoner, example, min_probability, quiet)
    tell(example, answer, "json" if as_json else style, top, out, force)
