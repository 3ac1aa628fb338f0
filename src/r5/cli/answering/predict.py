"""`r5 predict` and `r5 explain`: the relation of two entities and its derivation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from r5.cli.answering.answers import Style, find_example, make_query, print_answer
from r5.cli.answering.predict_pairs import PairsRequest, predict_pairs
from r5.cli.common.inputs import (
    add_facts,
    load_queried,
    load_queried_data,
    load_queried_graph,
    log_unseen_relations,
    set_wrong_edges,
)
from r5.cli.common.models import load_prepared
from r5.cli.common.output import FORCE, OUT, check_out
from r5.cli.common.parameters import (
    ADD,
    CLUSTER,
    DATA,
    JSON,
    LOAD,
    MIN_PROBABILITY,
    MODEL,
    QUIET,
    SPLIT,
    WRONG_EDGES,
    Split,
)
from r5.cli.common.progress import spinner
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.derivations.derivation import Prediction
    from r5.examples import Example
    from r5.reasoners.base import Reasoner

__all__ = ["explain", "predict"]

STYLE = typer.Option("text", "--format", help="Format of the answer; svg is a picture of the derivation.")


def predict(
    model: str = MODEL,
    graph: str = typer.Argument(help="File or folder of triples, or other data; with --split: a data set."),
    add: list[Path] = ADD,
    source: str | None = typer.Option(None, help="Source entity of the query."),
    target: str | None = typer.Option(None, help="Target entity of the query."),
    pairs: Path | None = typer.Option(
        None, metavar="FILE", help="File of queries, with a source and a target per row."
    ),
    explain: bool = typer.Option(
        False, "--explain", help="With --pairs or --split: add the derivation of each answer."
    ),
    keep_going: bool = typer.Option(False, "--keep-going", help="With --pairs: mark invalid rows instead of stopping."),
    split: Split | None = typer.Option(
        None, help="Answer all queries of this split; with --pairs, split of examples with own graphs (default: test)."
    ),
    top: int | None = typer.Option(
        None, min=1, help="Maximum number of answers; default: 1, or 10 with a model of one knowledge graph."
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
    """Predict the relation from SOURCE to TARGET in a graph.

    With a model of one knowledge graph, known relations come first, then new ones, each with the probability that the
    fact is true. Exit code 1 if the model cannot say. --pairs reads queries from a file (TSV, CSV or Parquet), --split
    takes those of a split of the data, with or without answers; both write a table (--out answers.tsv, .csv, .jsonl or
    .parquet).

    Example: r5 predict model family.tsv --source Ann --target Tom

    Example: r5 predict model family.tsv --pairs pairs.tsv --out answers.parquet

    Example: r5 predict model new-graphs.jsonl --split test --out answers.tsv
    """
    from r5.graph import Graph

    if pairs is not None or (split is not None and source is None and target is None):
        if source is not None or target is not None:
            raise R5Error("give either --source and --target, or --pairs")
        request = PairsRequest(
            model, graph, pairs, explain, keep_going, split or "test", cluster, wrong_edges, min_probability, tuple(add)
        )
        predict_pairs(request, out, force, load, as_json, quiet)
        return
    if source is None or target is None:
        raise R5Error(
            "give --source and --target for one query, --pairs FILE for many, or --split test for all of a data set"
        )
    check_out(out, force)
    reasoner = load_prepared(model, "predict", quiet)
    set_wrong_edges(reasoner, wrong_edges)
    queried = load_queried(reasoner, graph, load, quiet)
    if not isinstance(queried, Graph):
        raise R5Error(f"{graph}: each example has a graph of its own; use r5 explain with --index, --split or --pairs")
    queried = add_facts(reasoner, queried, add, load, quiet)
    example = make_query(queried, source, target)
    answer = _predict(reasoner, example, min_probability, quiet)
    top = top or (10 if reasoner.is_multilabel else 1)
    print_answer(example, answer, "json" if as_json else style, top, out, force)


def _predict(reasoner: Reasoner, example: Example, min_probability: float | None, quiet: bool) -> Prediction:
    """Predict the answer of a query; without an answer if its probability is below the minimum."""
    log_unseen_relations(reasoner, example.graph, quiet)
    with spinner("answering", quiet):
        answer = reasoner.predict(example)
    return answer if min_probability is None else answer.at_least(min_probability)


def explain(
    model: str = MODEL,
    data: str = DATA,
    index: int | None = typer.Option(None, help="Number of the example in the split, from 0."),
    split: Split = SPLIT,
    source: str | None = typer.Option(None, help="Source entity of the query, if DATA is a file of triples."),
    target: str | None = typer.Option(None, help="Target entity of the query."),
    top: int = typer.Option(3, min=1, help="Maximum number of answers, best first."),
    style: Style = STYLE,
    out: Path | None = OUT,
    force: bool = FORCE,
    load: list[str] = LOAD,
    wrong_edges: str | None = WRONG_EDGES,
    min_probability: float | None = MIN_PROBABILITY,
    as_json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """Explain an answer step by step.

    The output also has the next best answers, and the correct one if the data has it. The query is an example of a
    data set (--index), or a pair of entities of a file of triples (--source and --target). Exit code 1 if the model
    cannot say.

    Example: r5 explain model kinship --index 3 --format tree
    """
    by_names = source is not None and target is not None
    if by_names == (index is not None) or (source is None) != (target is None):
        raise R5Error("give either --index, for an example of a data set, or --source and --target, for a graph")
    check_out(out, force)
    reasoner = load_prepared(model, "predict", quiet)
    set_wrong_edges(reasoner, wrong_edges)
    if source is not None and target is not None:
        example = make_query(load_queried_graph(reasoner, data, load, quiet), source, target)
    else:
        example = find_example(load_queried_data(reasoner, data, load, quiet), split, index or 0)
    answer = _predict(reasoner, example, min_probability, quiet)
    print_answer(example, answer, "json" if as_json else style, top, out, force)
