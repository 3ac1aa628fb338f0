"""`r5 complete`: missing facts of a knowledge graph, with probabilities and reasons."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from r5._util.files.tables import SUFFIXES
from r5.cli.common.console import log, show
from r5.cli.common.inputs import add_facts, load_queried_graph
from r5.cli.common.models import load_chains_model
from r5.cli.common.output import FORCE, OUT, STANDARD_OUTPUT, check_out, write_result
from r5.cli.common.parameters import ADD, JSON, LOAD, MODEL, QUIET
from r5.cli.common.progress import progress_bar, spinner
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.derivations.completion import Completion
    from r5.graph import Graph
    from r5.reasoners.chains import ChainReasoner

__all__ = ["complete"]

Style = Literal["text", "tree", "json", "svg"]


def complete(
    model: str = MODEL,
    graph: str | None = typer.Argument(None, help="File or folder of triples; default: the training graph."),
    add: list[Path] = ADD,
    head: str | None = typer.Option(None, metavar="X", help="Head of the fact."),
    relation: str | None = typer.Option(None, metavar="R", help="Relation of the fact; default: every plausible one."),
    tail: str | None = typer.Option(
        None, metavar="Y", help="Tail of the fact; with --head and --relation the fact is scored."
    ),
    top: int = typer.Option(10, min=1, help="Maximum number of answers, best first."),
    explain: bool = typer.Option(False, "--explain", help="Add the reasons for and against each answer."),
    queries: Path | None = typer.Option(
        None,
        metavar="FILE",
        help="File of queries: head, relation, tail, with ? for the unknown part; all three: a fact to score.",
    ),
    new: int | None = typer.Option(
        None, min=1, metavar="N", help="Search the N most probable missing facts of the whole graph."
    ),
    min_probability: float = typer.Option(0.0, min=0, max=1, metavar="P", help="Minimum probability of a fact."),
    known: bool = typer.Option(False, "--known", help="Add known facts, each masked while it is scored."),
    style: Style = typer.Option("text", "--format", help="Format of the answers; svg is a picture of the best one."),
    out: Path | None = OUT,
    force: bool = FORCE,
    load: list[str] = LOAD,
    as_json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """Find missing facts of a knowledge graph, or score a fact.

    The most probable facts come first. Every number is the probability that the fact is true. A query is a head and a
    relation, a relation and a tail, a head alone (every plausible relation), a head and a tail (the relations between
    the two), or all three (the fact is scored). --new N searches the whole graph, within --relation, --head, --tail
    and --min-probability. --queries reads queries from a file and writes a table (--out answers.tsv, .csv, .jsonl
    or .parquet). Exit code 1 without an answer.

    Example: r5 complete model --head "Ann Lee" --relation works_for --explain

    Example: r5 complete model --head "Ann Lee" --relation works_for --tail "City Library" --explain

    Example: r5 complete model --queries queries.tsv --out answers.parquet

    Example: r5 complete model --new 100 --relation works_for --min-probability 0.5
    """
    one = (head is not None or tail is not None or relation is not None) and new is None
    if (one, queries is not None, new is not None).count(True) != 1:
        raise R5Error("give one of: --head or --tail (with --relation), --queries FILE, --new N")
    if min_probability and queries is not None:
        raise R5Error("--min-probability goes with --new or with one query; a table of answers has the probabilities")
    check_out(out, force)
    style = "json" if as_json else style
    reasoner = load_chains_model(model, "complete", quiet)
    queried = None if graph is None else load_queried_graph(reasoner, graph, load, quiet)
    if add:
        queried = add_facts(reasoner, reasoner.graph_ if queried is None else queried, add, load, quiet)
    if queries is not None:
        default_name = Path("answers.jsonl" if style == "json" else "answers.tsv")
        _complete_file(reasoner, queried, queries, top, explain, known, out, default_name, force, quiet)
        return
    explained = explain or style in ("tree", "svg")
    if new is not None:
        with progress_bar("searching", quiet) as progress:
            found = reasoner.new_facts(
                new,
                queried,
                relation=relation,
                head=head,
                tail=tail,
                min_probability=min_probability,
                explain=explained,
                progress=progress,
            )
        if style == "text" and found and out is not None and out.suffix.lower() in SUFFIXES:
            _write_table(found, out, force)
            return
    else:
        from r5.data.formats.queries import check_query

        check_query(reasoner.graph_ if queried is None else queried, head, relation, tail)
        found = reasoner.complete(
            queried, head=head, relation=relation, tail=tail, top=top, explain=explained, known=known
        )
        found = [one for one in found if one.probability >= min_probability]
    _print_answers(found, style, explained, out, force)


def _write_table(found: list[Completion], out: Path, force: bool) -> None:
    """Write facts as the rows of a table."""
    from r5._util.files.writing import stream_bytes
    from r5.data.formats.answers import answer_writer

    with stream_bytes(out, force) as stream:
        writer = answer_writer(out, stream)
        writer.write(1, (None, None, None), found)
        writer.close()
        stream.flush()
    show(str(out))


def _print_answers(found: list[Completion], style: Style, explained: bool, out: Path | None, force: bool) -> None:
    """Print answers, or write them to a file; exit with code 1 without an answer."""
    from r5.derivations.completion_picture import draw_completion
    from r5.derivations.completion_text import completion_lines, completion_tree

    if style == "json":
        text = json.dumps([one.to_json() for one in found], ensure_ascii=False, indent=2)
    elif not found:
        log("no fact is missing that the model knows a reason for")
        raise typer.Exit(1)
    elif style == "svg":
        text = draw_completion(found[0])
    elif style == "tree":
        text = "\n".join(map(completion_tree, found))
    else:
        text = "\n".join(completion_lines(found, explained))
    write_result(text, out, force, prose=style in ("text", "tree"))
    if not found:
        raise typer.Exit(1)


def _complete_file(
    reasoner: ChainReasoner,
    graph: Graph | None,
    path: Path,
    top: int,
    explain: bool,
    known: bool,
    out: Path | None,
    default_name: Path,
    force: bool,
    quiet: bool,
) -> None:
    """Answer the queries of a file and write each answer when it is known."""
    from r5._util.files.tables import check_suffix
    from r5._util.files.writing import stream_bytes
    from r5.data.formats.answers import answer_writer
    from r5.data.formats.queries import read_queries
    from r5.reasoners.base import Progress

    printed = out is None or out in STANDARD_OUTPUT
    name = default_name if out is None or printed else out
    check_suffix(name)
    with spinner(f"reading {path}", quiet):
        queries = read_queries(path, reasoner.graph_ if graph is None else graph)
    answers = reasoner.complete_many(queries, graph, top=top, explain=explain, known=known)
    target = nullcontext(sys.stdout.buffer) if printed else stream_bytes(name, force)
    with target as stream, progress_bar("answering", quiet) as progress:
        writer = answer_writer(name, stream)
        for number, (query, found) in enumerate(zip(queries, answers, strict=True), start=1):
            writer.write(number, query, found)
            if progress is not None:
                progress(Progress(number, len(queries), ""))
        writer.close()
        stream.flush()
    if not printed:
        show(str(name))
