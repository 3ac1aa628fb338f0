"""`r5 complete`: which links of a knowledge graph are missing, how sure that is, and why."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

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
    head: str | None = typer.Option(None, metavar="X", help="The entity that the missing fact is about."),
    relation: str | None = typer.Option(None, metavar="R", help="Its relation; left out: all of them."),
    tail: str | None = typer.Option(None, metavar="Y", help="The entity that it leads to, where the head is asked."),
    top: int = typer.Option(10, min=1, help="So many answers, best first."),
    explain: bool = typer.Option(False, "--explain", help="Also what speaks for and against each."),
    questions: Path | None = typer.Option(None, metavar="FILE", help="Many questions: head, relation, tail, with a ?"),
    new: int | None = typer.Option(None, min=1, metavar="N", help="The N most certain facts that the graph lacks."),
    known: bool = typer.Option(False, "--known", help="Also facts that the graph has."),
    style: Style = typer.Option("text", "--format", help="How answers are shown; svg is a picture of the best one."),
    out: Path | None = OUT,
    force: bool = FORCE,
    load: list[str] = LOAD,
    as_json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """The missing facts of a knowledge graph, most likely first.

    Asked is one end of a fact (--head and --relation, or --relation and --tail), many of them (--questions, with
    --out answers.tsv, .csv, .jsonl or .parquet), or the surest facts of all (--new). Exit code 1 where there is no
    answer.

    Example: r5 complete model --head "Ann Lee" --relation works_for --explain

    Example: r5 complete model --questions questions.tsv --out answers.parquet

    Example: r5 complete model --new 100
    """
    one = head is not None or tail is not None or relation is not None
    if (one, questions is not None, new is not None).count(True) != 1:
        raise R5Error("give one of: --head or --tail (with --relation), --questions FILE, --new N")
    check_out(out, force)
    style = "json" if as_json else style
    reasoner = completing_model(model)
    asked = None if graph is None else asked_graph(reasoner, graph, load, quiet)
    if add:
        asked = with_added(reasoner, reasoner.graph_ if asked is None else asked, add, load, quiet)
    if questions is not None:
        _many(reasoner, asked, questions, top, explain, known, out, force, quiet)
        return
    explained = explain or style in ("tree", "svg")
    if new is not None:
        with waiting("looking through the whole graph", quiet):
            found = reasoner.new_facts(new, asked, explain=explained)
    else:
        from r5.chains.questions import check_question

        check_question(reasoner.graph_ if asked is None else asked, head, relation, tail)
        found = reasoner.complete(
            asked, head=head, relation=relation, tail=tail, top=top, explain=explained, known=known
        )
    _told(found, style, explained, out, force)


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
    name = Path("answers.tsv") if out is None or printed else out
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
