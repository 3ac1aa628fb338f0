"""`r5 rules`: the rules of a model."""

from __future__ import annotations

import typer

from r5.cli.console import show, show_json
from r5.errors import R5Error

__all__ = ["rules"]


def rules(
    model: str = typer.Argument(help="A model folder."),
    style: str = typer.Option("text", "--format", help="text or json."),
    top: int = typer.Option(0, help="Only so many, strongest first; 0 for all."),
    min_score: float = typer.Option(0.0, help="Only rules at least so strong (probability or score)."),
) -> None:
    """The rules a model has learned, strongest first.

    Example: r5 rules model --top 10
    """
    from r5.storage import read_model

    if style not in ("text", "json"):
        raise R5Error(f"no format is called {style!r}; expected text or json")
    found = [rule for rule in read_model(model).rules if rule.strength >= min_score]
    found = found[:top] if top > 0 else found
    if style == "json":
        show_json([rule.to_json() for rule in found])
    else:
        show("\n".join(rule.text() for rule in found) or "no rules")
