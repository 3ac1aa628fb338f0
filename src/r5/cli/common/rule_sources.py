"""Rules and graphs of commands that take a model folder or a file of rules."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

import typer

from r5.cli.common.console import log
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.graph import Graph
    from r5.rules.ruleset import RuleSet

__all__ = ["RULES", "find_unused_relation", "read_rule_source", "training_graph"]

RULES = typer.Argument(help="Model folder, or file of rules (text, JSON, CSV, AnyBURL, PyClause, AMIE).")


def read_rule_source(source: str, quiet: bool = True) -> RuleSet:
    """Read the rules of a model folder or file; log if the model has more rules than it lists."""
    from r5._util.files.reading import is_folder
    from r5.rules.formats.files import read_rules
    from r5.storage.folder import read_model

    if not is_folder(source):
        left_out: list[str] = []
        found = read_rules(source, left_out=left_out)
        if left_out:
            counts = f"{len(left_out)} of {len(left_out) + len(found)} rules"
            log(f"left out {counts}, neither chains nor about one entity; the first: {left_out[0]}", quiet)
        return found
    stored = read_model(source)
    learned, listed = stored.summary.get("rules"), len(stored.rules)
    if stored.engine == "chains" and isinstance(learned, int) and learned > listed:
        log(f"{learned} rules ({listed} listed): train with --set listed_rules={learned} to list all", quiet)
    return stored.rules


def find_unused_relation(found: RuleSet, names: Iterable[str]) -> str | None:
    """Return a sentence on the first relation that no rule has, with similar ones; None if there is none."""
    from r5.relations import base_name

    used = {name for rule in found for full in (rule.head, *rule.relations) for name in (full, base_name(full))}
    for name in names:
        if name not in used:
            near = difflib.get_close_matches(name, sorted(map(base_name, used)), n=1)
            hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
            return f"no rule has the relation {name!r}{hint}"
    return None


def training_graph(model: str, option: str) -> Graph:
    """Return the training graph of a model that keeps it.

    Raises:
        R5Error: The model keeps no graph.
    """
    from r5._util.files.reading import is_folder
    from r5.graph import Graph
    from r5.reasoners.registry import load_model

    graph = getattr(load_model(model), "graph_", None) if is_folder(model) else None
    if not isinstance(graph, Graph):
        raise R5Error(f"{model}: keeps no graph; give {option}")
    return graph
