"""`r5 complete`: which links of a knowledge graph are missing, how sure that is, and why."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from r5._util.tables import SUFFIXES
from r5.cli.asking import asked_graph, with_added
from r5.cli.console import log, show
from r5.cli.output import FORCE, OUT, STANDARD, check_out, deliver
from r5.cli.parameters import ADD, JSON, LOAD, MODEL, QUIET
from r5.cli.progress import progress_bar, waiting
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.chains.completion import Completion
    from r5.graph import Graph
    from r5.reasoners.chains import ChainReasoner

__all__ = ["complete", "completing_model"]

Style = Literal["text", "tree", "json", "svg"]


def complete(
    model: str = MODEL,
    graph: str | None = typer.Argument(None, help="A file or folder of triples; by default the training graph."),
    add: list[Path] = ADD,
    head: str | None = typer.Option(None, metavar="X", help="Head of the fact."),
    relation: str | None = typer.Option(None, metavar="R", help="Its relation; by default every plausible one."),
    tail: str | None = typer.Option(None, metavar="Y", help="Tail of the fact; with head and relation it is scored."),
    top: int = typer.Option(10, min=1, help="Maximum number of answers, best first."),
    explain: bool = typer.Option(False, "--explain", help="Also the reasons for and against each."),
    questions: Path | None = typer.Option(
        None, metavar="FILE", help="Many queries: head, relation, tail, with ? for what is asked; all three: score it."
    ),
    new: int | None = typer.Option(None, min=1, metavar="N", help="The N most probable facts that the graph lacks."),
    min_probability: float = typer.Option(0.0, min=0, max=1, metavar="P", help="Minimum probability of a fact."),
    known: bool = typer.Option(False, "--known", help="Also facts that the graph has, each masked while scored."),
    style: Style = typer.Option("text", "--format", help="How answers are shown; svg is a picture of the best one."),
    out: Path | None = OUT,
    force: bool = FORCE,
    load: list[str] = LOAD,
    as_json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """Missing facts of a knowledge graph, or the probability of one.

    The most probable facts come first. Every number is the probability that the fact is true. A query is a head and a
    relation, a relation and a tail, a head alone (every relation that it plausibly has), a head and a tail (the
    relations between the two), or all three (that fact is scored). --new N searches the whole graph, within
    --relation, --head, --tail and --min-probability. Many queries come from a file (--questions, with --out
    answers.tsv, .csv, .jsonl or .parquet). Exit code 1 where there is no answer.

    Example: r5 complete model --head "Ann Lee" --relation works_for --explain

    Example: r5 complete model --head "Ann Lee" --relation works_for --tail "City Library" --explain

    Example: r5 complete model --questions questions.tsv --out answers.parquet

    Example: r5 complete model --new 100 --relation works_for --min-probability 0.5
    """
    one = (head is not None or tail is not None or relation is not None) and new is None
    if (one, questions is not None, new is not None).count(True) != 1:
        raise R5Error("give one of: --head or --tail (with --relation), --questions FILE, --new N")
    if min_probability and questions is not None:
        raise R5Error("--min-probability goes with --new or with one query; a table of answers has the probabilities")
    check_out(out, force)
    style = "json" if as_json else style
    reasoner = completing_model(model)
    asked = None if graph is None else asked_graph(reasoner, graph, load, quiet)
    if add:
        asked = with_added(reasoner, reasoner.graph_ if asked is None else asked, add, load, quiet)
    if questions is not None:
        unnamed = Path("answers.jsonl" if style == "json" else "answers.tsv")
        _many(reasoner, asked, questions, top, explain, known, out, unnamed, force, quiet)
        return
    explained = explain or style in ("tree", "svg")
    if new is not None:
        with progress_bar("searching", quiet) as progress:
            found = reasoner.new_facts(
                new, asked, relation=relation, head=head, tail=tail, min_probability=min_probability,
                explain=explained, progress=progress,
            )  # fmt: skip
        if style == "text" and found and out is not None and out.suffix.lower() in SUFFIXES:
            _table(found, out, force)
            return
    else:
        from r5.chains.questions import check_question

        check_question(reasoner.graph_ if asked is None else asked, head, relation, tail)
        found = reasoner.complete(
            asked, head=head, relation=relation, tail=tail, top=top, explain=explained, known=known
        )
        found = [one for one in found if one.probability >= min_probability]
    _told(found, style, explained, out, force)


def _table(found: list[Completion], out: Path, force: bool) -> None:
    """Write facts as a table, a row each."""
    from r5._util.output import stream_bytes
    from r5.chains.answers import answer_writer

    with stream_bytes(out, force) as stream:
        writer = answer_writer(out, stream)
        writer.write(1, (None, None, None), found)
        writer.close()
        stream.flush()
    show(str(out))


def completing_model(path: str) -> ChainReasoner:
    """The model of a folder, which must be of an engine that completes graphs."""
    from r5.reasoners.chains import ChainReasoner
    from r5.reasoners.registry import load_model

    found = load_model(path)
    if not isinstance(found, ChainReasoner):
        raise R5Error(f"{path}: the engine {found.engine} completes no graphs; train with --engine chains")
    return found


def _told(found: list[Completion], style: Style, explained: bool, out: Path | None, force: bool) -> None:
    """Print the answers, or write them to a file; exit code 1 where there are none."""
    from r5.chains.picture import draw_completion
    from r5.chains.telling import completion_lines, completion_tree

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
    deliver(text, out, force)
    if not found:
        raise typer.Exit(1)


def _many(
    reasoner: ChainReasoner,
    graph: Graph | None,
    path: Path,
    top: int,
    explain: bool,
    known: bool,
    out: Path | None,
    unnamed: Path,
    force: bool,
    quiet: bool,
) -> None:
    """Answer a file of questions and write the answers as they come."""
    from r5._util.output import stream_bytes
    from r5._util.tables import check_suffix
    from r5.chains.answers import answer_writer
    from r5.chains.questions import read_questions
    from r5.reasoners.base import Progress

    printed = out is None or out in STANDARD
    name = unnamed if out is None or printed else out
    check_suffix(name)
    with waiting(f"reading {path}", quiet):
        asked = read_questions(path, reasoner.graph_ if graph is None else graph)
    answers = reasoner.complete_many(asked, graph, top=top, explain=explain, known=known)
    target = nullcontext(sys.stdout.buffer) if printed else stream_bytes(name, force)
    with target as stream, progress_bar("answering", quiet) as progress:
        writer = answer_writer(name, stream)
        for number, (question, found) in enumerate(zip(asked, answers, strict=True), start=1):
            writer.write(number, question, found)
            if progress is not None:
                progress(Progress(number, len(asked), ""))
        writer.close()
        stream.flush()
    if not printed:
        show(str(name))
