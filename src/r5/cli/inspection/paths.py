"""`r5 paths`: relation paths between the two entities of an example."""

from __future__ import annotations

from typing import Literal

import typer

from r5.cli.answering.answers import find_example
from r5.cli.common.console import show, show_json
from r5.cli.common.parameters import DATA, JSON, LOAD, QUIET, SPLIT, Split
from r5.cli.common.progress import load_data

__all__ = ["paths"]

# As in `r5.paths.search`, which is imported later because it is slow to import.
Policy = Literal["shortest", "simple", "trail"]
Direct = Literal["skip", "keep", "dummy"]


def paths(
    data: str = DATA,
    index: int = typer.Option(0, help="Number of the example in the split, from 0."),
    split: Split = SPLIT,
    policy: Policy = typer.Option("shortest", help="Kind of paths."),
    max_length: int = typer.Option(10, help="Maximum length of a path."),
    limit: int = typer.Option(100, help="Maximum number of relation sequences; more are sampled."),
    direct: Direct = typer.Option("skip", help="Treatment of a direct edge."),
    seed: int = typer.Option(0, help="Random seed of the sampling."),
    load: list[str] = LOAD,
    as_json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """List the relation paths between the entities of an example.

    Exit code 1 without a path.

    Example: r5 paths kinship --index 3
    """
    import r5

    example = find_example(load_data(data, load, quiet), split, index)
    found = r5.find_paths(example, policy, max_length=max_length, limit=limit, direct=direct, nodes=True, seed=seed)
    walks = [
        {"relations": relations, "entities": [example.graph.entities[node] for node in nodes]}
        for relations, nodes in zip(found.names(0), found.witnesses(0), strict=True)
    ]
    if as_json:
        query = {"source": example.source, "target": example.target, "answer": example.answer_name}
        show_json({**query, "complete": bool(found.complete[0]), "paths": walks})
    else:
        show(f"{example.source} -> {example.target}: {example.answer_name or 'answer not known'}")
        for walk in walks:
            steps = zip(walk["relations"], walk["entities"][1:], strict=False)
            show(f"  {walk['entities'][0]}" + "".join(f" -{relation}-> {entity}" for relation, entity in steps))
        if not walks:
            show("  no path")
    if not walks:
        raise typer.Exit(1)
