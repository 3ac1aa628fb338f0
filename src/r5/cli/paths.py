"""`r5 paths`: which relation paths connect the two ends of a question."""

from __future__ import annotations

from typing import Literal

import typer

from r5.cli.answers import example_of
from r5.cli.console import show, show_json
from r5.cli.parameters import DATA, JSON, LOAD, QUIET, SPLIT, Split
from r5.cli.progress import load_data

__all__ = ["paths"]

# As in `r5.paths.search`, which is not imported before it is needed.
Policy = Literal["shortest", "simple", "trail"]
Direct = Literal["skip", "keep", "dummy"]


def paths(
    data: str = DATA,
    index: int = typer.Option(0, help="Which example, counted from 0."),
    split: Split = SPLIT,
    policy: Policy = typer.Option("shortest", help="Which paths."),
    max_length: int = typer.Option(10, help="The longest path looked at."),
    limit: int = typer.Option(100, help="At most so many relation sequences; sampled where there are more."),
    direct: Direct = typer.Option("skip", help="What becomes of a direct edge."),
    seed: int = typer.Option(0, help="For sampling."),
    load: list[str] = LOAD,
    as_json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """Which relation paths connect the two entities of an example.

    Exit code 1 where there is none.

    Example: r5 paths kinship --index 3
    """
    import r5

    example = example_of(load_data(data, load, quiet), split, index)
    found = r5.find_paths(example, policy, max_length=max_length, limit=limit, direct=direct, nodes=True, seed=seed)
    walks = [
        {"relations": relations, "entities": [example.graph.entities[node] for node in nodes]}
        for relations, nodes in zip(found.names(0), found.witnesses(0), strict=True)
    ]
    if as_json:
        question = {"source": example.source, "target": example.target, "answer": example.answer_name}
        show_json({**question, "complete": bool(found.complete[0]), "paths": walks})
    else:
        show(f"{example.source} -> {example.target}: {example.answer_name or 'answer not known'}")
        for walk in walks:
            steps = zip(walk["relations"], walk["entities"][1:], strict=False)
            show(f"  {walk['entities'][0]}" + "".join(f" -{relation}-> {entity}" for relation, entity in steps))
        if not walks:
            show("  no path")
    if not walks:
        raise typer.Exit(1)
