"""`r5 audit`: known facts of a knowledge graph that look wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from r5.cli.common.console import log
from r5.cli.common.inputs import add_facts, load_queried_graph
from r5.cli.common.models import load_chains_model
from r5.cli.common.output import FORCE, OUT, check_out, write_result
from r5.cli.common.parameters import ADD, JSON, LOAD, MODEL, QUIET
from r5.cli.common.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from r5.derivations.completion import AuditFinding

__all__ = ["audit"]


def audit(
    model: str = MODEL,
    graph: str | None = typer.Argument(None, help="File or folder of triples; default: the training graph."),
    add: list[Path] = ADD,
    top: int = typer.Option(20, min=1, metavar="N", help="Maximum number of facts, the least plausible first."),
    relation: str | None = typer.Option(None, metavar="R", help="Only facts of this relation."),
    explain: bool = typer.Option(False, "--explain", help="Add the reasons for and against each fact."),
    out: Path | None = OUT,
    force: bool = FORCE,
    load: list[str] = LOAD,
    as_json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """List the known facts that the rest of the graph supports least.

    Each fact is masked while it is scored, and compared with typical facts of its relation. The output has its
    probability given the rest of the graph, a more plausible fact, and facts that it contradicts; at the end,
    duplicate relations.

    Example: r5 audit model --top 20

    Example: r5 audit model graph.tsv --relation born_in --explain
    """
    check_out(out, force)
    reasoner = load_chains_model(model, "audit", quiet)
    queried = None if graph is None else load_queried_graph(reasoner, graph, load, quiet)
    if add:
        queried = add_facts(reasoner, reasoner.graph_ if queried is None else queried, add, load, quiet)
    with progress_bar("scoring", quiet) as progress:
        found = reasoner.audit(top, queried, relation=relation, explain=explain, progress=progress)
    duplicates = reasoner.duplicate_relations(queried)
    if as_json:
        rows = [{"relation": one.relation, "other": one.other, "share": one.share} for one in duplicates]
        text = json.dumps(
            {"facts": [one.to_json() for one in found], "duplicate_relations": rows}, ensure_ascii=False, indent=2
        )
    else:
        text = "\n".join([*_format_findings(found, explain), *(f"duplicate relations: {one}" for one in duplicates)])
    if not found:
        log("the graph has no facts that the model can score")
    if found or as_json:
        write_result(text, out, force, prose=not as_json)
    if not found:
        raise typer.Exit(1)


def _format_findings(found: Sequence[AuditFinding], explain: bool) -> Iterator[str]:
    """Yield a numbered line per fact, followed by a more plausible fact, contradictions and reasons."""
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
