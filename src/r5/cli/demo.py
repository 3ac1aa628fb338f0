"""`r5 demo`: the main job on generated families, in a minute."""

from __future__ import annotations

import typer

from r5.cli.console import show

__all__ = ["demo"]


def demo(seed: int = typer.Option(0, min=0, help="For the generated families.")) -> None:
    """Generate families and show what there is to learn from them: no file and no network needed."""
    import r5

    data = r5.load("kinship", seed=seed)
    show(f"{data.describe()}\n")
    example = data.test[-1]
    show(f"Who is {example.target} to {example.source}, {example.hops} hops away? ({example.answer_name})")
    found = r5.find_paths(example, nodes=True)
    for relations, nodes in zip(found.names(0), found.witnesses(0), strict=True):
        names = [example.graph.entities[node] for node in nodes]
        show(f"  {names[0]}" + "".join(f" -{r}-> {n}" for r, n in zip(relations, names[1:], strict=True)))
