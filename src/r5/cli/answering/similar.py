"""`r5 similar`: the entities of a knowledge graph that are similar to an entity."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from r5.cli.common.console import log
from r5.cli.common.inputs import add_facts, load_queried_graph
from r5.cli.common.models import load_chains_model
from r5.cli.common.output import FORCE, OUT, check_out, write_result
from r5.cli.common.parameters import ADD, JSON, LOAD, MODEL, QUIET

if TYPE_CHECKING:
    from r5.derivations.similar_entity import SimilarEntity

__all__ = ["similar"]


def similar(
    model: str = MODEL,
    entity: str = typer.Argument(help="Name of the entity."),
    graph: str | None = typer.Argument(None, help="File or folder of triples; default: the training graph."),
    add: list[Path] = ADD,
    top: int = typer.Option(10, min=1, metavar="N", help="Maximum number of entities, the most similar first."),
    out: Path | None = OUT,
    force: bool = FORCE,
    load: list[str] = LOAD,
    as_json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """List the entities of a graph that are most similar to one entity.

    Two entities are similar if they share many properties, rare ones above all. A property is a fact with the same
    relation and the same other end. Each line has the similarity, 1 at most, and the rarest shared properties.
    Exit code 1 if no entity is similar.

    Example: r5 similar model "Ann Lee"

    Example: r5 similar model "Ann Lee" graph.tsv --top 3 --json
    """
    check_out(out, force)
    reasoner = load_chains_model(model, "similar", quiet)
    queried = None if graph is None else load_queried_graph(reasoner, graph, load, quiet)
    if add:
        queried = add_facts(reasoner, reasoner.graph_ if queried is None else queried, add, load, quiet)
    found = reasoner.similar(entity, top, queried)
    if as_json:
        text = json.dumps([one.to_json() for one in found], ensure_ascii=False, indent=2)
    else:
        text = "\n".join(_format_entities(found))
    if not found:
        log(f"no entity is similar to {entity}: none has a fact with the same relation and the same other end")
    if found or as_json:
        write_result(text, out, force, prose=not as_json)
    if not found:
        raise typer.Exit(1)


def _format_entities(found: Sequence[SimilarEntity]) -> Iterator[str]:
    """Yield a numbered line per entity."""
    from r5._util.ordering import format_number

    width = max((len(one.entity) for one in found), default=0)
    for number, one in enumerate(found, start=1):
        yield f"{number:>4}  {one.entity:<{width}}  {format_number(one.similarity, '.3f')}   {one.describe_shared()}"
