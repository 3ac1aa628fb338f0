"""`r5 train --help-settings ENGINE`: the settings of an engine with their ranges."""

from __future__ import annotations

import dataclasses
import json
import textwrap
from typing import TYPE_CHECKING

import typer

from r5.cli.common.console import show, show_json
from r5.cli.common.parameters import engine_names

if TYPE_CHECKING:
    from r5._util.settings import SettingInfo

__all__ = ["AS_JSON", "HELP_SETTINGS"]

_WIDTH = 100


def _with_engine(context: typer.Context, engine: str | None) -> str | None:
    """Show the settings if `--json` has been parsed already; else `_with_json` does, as either may come first."""
    if "as_json" in context.params:
        _show(engine, context.params["as_json"])
    return engine


def _with_json(context: typer.Context, as_json: bool) -> bool:
    if "help_settings" in context.params:
        _show(context.params["help_settings"], as_json)
    return as_json


HELP_SETTINGS = typer.Option(
    None,
    "--help-settings",
    metavar="ENGINE",
    is_eager=True,
    callback=_with_engine,
    autocompletion=engine_names,
    help="Show the settings of an engine, and exit.",
)
AS_JSON = typer.Option(False, "--json", is_eager=True, callback=_with_json, help="Print one JSON object.")


def _show(engine: str | None, as_json: bool) -> None:
    if engine is None:
        return
    from r5._util.settings import list_settings
    from r5.reasoners.registry import make_reasoner

    settings = list_settings(make_reasoner(engine).settings)
    if as_json:
        show_json([dataclasses.asdict(entry) for entry in settings])
    else:
        show("\n".join(map(_format_setting, settings)))
    raise typer.Exit


def _format_setting(entry: SettingInfo) -> str:
    """Format a setting as for `--set`, its type and range, and its description below."""
    default = entry.default if isinstance(entry.default, str) else json.dumps(entry.default)
    description = textwrap.fill(entry.sentence, _WIDTH, initial_indent="    ", subsequent_indent="    ")
    return f"{entry.name}={default}  {entry.allowed}\n{description}"
