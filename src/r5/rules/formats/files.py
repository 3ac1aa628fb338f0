"""Rule files, with the format chosen by name, suffix or content."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

from r5._util.files.reading import read_text
from r5._util.files.writing import write_text
from r5.errors import R5Error
from r5.rules.formats.registry import find_rule_format, rule_format_of_suffix, rule_formats, write_in_format
from r5.rules.ruleset import RuleSet

if TYPE_CHECKING:
    from r5.graph import Graph

__all__ = ["read_rules", "rules_as", "write_rules"]


def rules_as(rules: RuleSet, style: str, graph: Graph | None = None, **options: Any) -> str:
    r"""Return the rules as text in a format.

    Args:
        rules: The rules.
        style: Name of the format.
        graph: Graph whose facts are written too, where the format has facts.
        **options: Options of the format.

    Raises:
        R5Error: The format or an option is unknown.

    >>> from r5.rules.ruleset import Rule
    >>> rules_as(RuleSet.of([Rule("aunt", ("father", "sister"))]), "anyburl")
    '0\t0\t0.0\taunt(X,Y) <= father(X,A), sister(A,Y)\n'

    """
    return write_in_format(rules, find_rule_format(style), graph, **options)


def write_rules(
    rules: RuleSet, path: str | Path, style: str | None = None, force: bool = False, **options: Any
) -> None:
    """Write rules to a file.

    Args:
        rules: The rules.
        path: The file.
        style: Name of the format; by default the suffix of the file determines it.
        force: Replace an existing file.
        **options: Options of the format.

    Raises:
        R5Error: The format or an option is unknown, or the file exists.
    """
    format = find_rule_format(style) if style is not None else rule_format_of_suffix(path)
    if format is None:
        names = ", ".join(format.name for format in rule_formats())
        raise R5Error(f"{path}: the suffix does not determine the format; expected a format among {names}")
    write_text(path, write_in_format(rules, format, **options), force)


def read_rules(path: str | Path, style: str | None = None, left_out: list[str] | None = None) -> RuleSet:
    """Read a file of rules.

    Args:
        path: The file.
        style: Name of the format; by default the content determines it.
        left_out: List that receives a line for each rule of AnyBURL or AMIE that is neither a chain nor about one
            entity; without it such a rule is an error.

    Raises:
        DataError: The file is missing or invalid.
        R5Error: The format is unknown or cannot be read.
    """
    text = read_text(path)
    if style is not None:
        format = find_rule_format(style)
    else:
        able = (one for one in reversed(rule_formats()) if one.recognises is not None and one.recognises(text))
        format = next(able, find_rule_format("anyburl"))
    if format.read is None:
        names = ", ".join(other.name for other in rule_formats() if other.read is not None)
        raise R5Error(f"the format {format.name} is only written; formats that are read: {names}")
    collects = left_out is not None and "left_out" in inspect.signature(format.read).parameters
    return RuleSet.of(format.read(text, path, left_out=left_out) if collects else format.read(text, path))
