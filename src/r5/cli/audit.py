"""`r5 audit`: known facts of a knowledge graph that look wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from r5.cli.asking import asked_graph, with_added
from r5.cli.complete import completing_model
from r5.cli.console import log
from r5.cli.output import FORCE, OUT, check_out, deliver
from r5.cli.parameters import ADD, JSON, LOAD, MODEL, QUIET
from r5.cli.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from r5.derivations.completion import AuditFinding

__all__ = ["audit"]


def audit(
    model: str = MODEL,
    graph: str | None = typer.Argument(None, help="A file or folder of triples; by default the training graph."),
    add: list[Path] = ADD,
    top: int = typer.Option(20, min=1, metavar="N", help="Maximum number of facts, the most surprising first."),
    relation: str | None = typer.Option(None, metavar="R", help="Only facts of this relation."),
    explain: bool = typer.Option(False, "--explain", help="Also the reasons for and against each."),
    out: Path | None = OUT,
    force: bool = FORCE,
    load: list[str] = LOAD,
    as_json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """The known facts that the rest of the graph supports least.

    Each fact is masked while it is judged, and compared with what is usual for its relation. Shown are its
    probability by the rest of the graph, the fact that would fit better, and other facts that it contradicts; at the
    end, relations that say the same.

    Example: r5 audit model --top 20

    Example: r5 audit model graph.tsv --relation born_in --explain
    """
    check_out(out, force)
    reasoner = completing_model(model)
    asked = None if graph is None else asked_graph(reasoner, graph, load, quiet)
    if add:
        asked = with_added(reasoner, reasoner.graph_ if asked is None else asked, add, load, quiet)
    with progress_bar("judging", quiet) as progress:
        found = reasoner.audit(top, asked, relation=relation, explain=explain, progress=progress)
    same = reasoner.duplicate_relations(asked)
    if as_json:
        duplicates = [{"relation": one.relation, "other": one.other, "share": one.share} for one in same]
        text = json.dumps(
            {"facts": [one.to_json() for one in found], "duplicate_relations": duplicates}, ensure_ascii=False, indent=2
        )
    else:
        text = "\n".join([*_lines(found, explain), *(f"duplicate relations: {one}" for one in same)])
    if not found:
        log("the graph has no facts that the model can judge")
    if found or as_json:
        deliver(text, out, force)
    if not found:
        raise typer.Exit(1)


def _lines(found: Sequence[AuditFinding], explain: bool) -> Iterator[str]:
    """A numbered line per fact, and below it what fits better, contradictions and reasons."""
    from r5.derivations.completion_text import reason_lines

    width = max((len(str(one.completion.fact)) for one in found), default=0)
    for number, one in enumerate(found, start=1):
        usual = f"usual for {one.completion.relation}: {one.usual:.3f}"
        yield f"{number:>4}  {one.completion.fact!s:<{width}}  {one.completion.probability:.3f}   {usual}"
        if one.better is not None:
            yield f"      better: {one.better.fact}  {one.better.probability:.3f}"
        yield from (f"      contradiction: {text}" for text in one.contradictions)
        if explain:
            yield from (f"      {line}" for line in reason_lines(one.completion))
