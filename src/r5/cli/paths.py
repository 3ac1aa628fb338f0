"""`r5 paths`: which relation paths connect the two ends of a question."""

from __future__ import annotations

from typing import Any, cast

import typer

from r5.cli.console import show, show_json
from r5.cli.progress import load_data
from r5.errors import R5Error

__all__ = ["paths"]


def paths(
    data: str = typer.Argument(help="A built-in name (kinship, world), a folder or a file."),
    index: int = typer.Option(0, help="Which example, counted from 0."),
    split: str = typer.Option("test", help="train, valid or test."),
    policy: str = typer.Option("shortest", help="shortest, simple or trail."),
    max_length: int = typer.Option(10, help="The longest path looked at."),
    limit: int = typer.Option(100, help="At most so many relation sequences; sampled where there are more."),
    direct: str = typer.Option("skip", help="A direct edge: skip, keep or dummy."),
    seed: int = typer.Option(0, help="For sampling."),
    option: list[str] = typer.Option([], "--load", metavar="KEY=VALUE", help="An option for the loader."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
) -> None:
    """The relation paths between the two entities of one example, by name.

    Example: r5 paths kinship --index 3
    """
    import r5

    examples = load_data(data, option).split(split)
    if not 0 <= index < len(examples):
        raise R5Error(f"the {split} split has {len(examples)} examples; there is no example {index}")
    example = examples[index]
    found = r5.find_paths(
        example, cast(Any, policy), max_length=max_length, limit=limit, direct=cast(Any, direct), nodes=True, seed=seed
    )
    walks = [
        {"relations": relations, "entities": [example.graph.entities[node] for node in nodes]}
        for relations, nodes in zip(found.names(0), found.witnesses(0), strict=True)
    ]
    if as_json:
        question = {"source": example.source, "target": example.target, "answer": example.answer_name}
        show_json({**question, "complete": bool(found.complete[0]), "paths": walks})
        return
    show(f"{example.source} -> {example.target}: {example.answer_name or 'answer not known'}")
    for walk in walks:
        steps = zip(walk["relations"], walk["entities"][1:], strict=False)
        show(f"  {walk['entities'][0]}" + "".join(f" -{relation}-> {entity}" for relation, entity in steps))
    if not walks:
        show("  no path")
