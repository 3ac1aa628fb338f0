"""Formats of rules by name: those of this package and those of installed packages."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from r5._util.plugins import load_plugins
from r5.errors import R5Error
from r5.rules.formats.amie import is_amie, read_amie
from r5.rules.formats.anyburl import read_anyburl
from r5.rules.formats.csv import is_csv, read_csv
from r5.rules.formats.sentences import is_sentences, read_sentences
from r5.rules.ruleset import Rule, RuleSet

if TYPE_CHECKING:
    from r5.graph import Graph

__all__ = ["RuleFormat", "find_rule_format", "rule_format_of_suffix", "rule_formats", "write_in_format"]

ENTRY_POINTS = "r5.rule_formats"
"""Entry-point group of rule formats in installed packages; each entry is a `RuleFormat`."""


@dataclass(frozen=True, slots=True)
class RuleFormat:
    """File format of rules."""

    name: str
    write: Callable[..., str] | None = None
    """Writer, called with a `RuleSet` and the user's options, its keyword-only parameters; None if there is none. With
    a parameter `graph` it writes facts too."""
    read: Callable[..., Iterable[Rule]] | None = None
    """Reader, called with the text and the file named in errors; None if there is none. Its parameter `left_out`, if it
    has one, receives descriptions of rules that are left out."""
    recognises: Callable[[str], bool] | None = None
    """Predicate that returns whether a text has this format; without one the name or the suffix must say so."""
    suffixes: tuple[str, ...] = ()
    """Suffixes of files, such as `.csv`."""

    @property
    def writes_facts(self) -> bool:
        """True if the writer takes a graph, whose facts it writes too."""
        return self.write is not None and "graph" in inspect.signature(self.write).parameters


def _starts_as_json(text: str) -> bool:
    return text.lstrip().startswith("[")


_BUILT_IN = (
    RuleFormat("text", RuleSet.to_text, read_sentences, is_sentences, (".txt",)),
    RuleFormat("json", RuleSet.to_json, RuleSet.from_json, _starts_as_json, (".json",)),
    RuleFormat("csv", RuleSet.to_csv, read_csv, is_csv, (".csv",)),
    RuleFormat("prolog", RuleSet.to_prolog, suffixes=(".pl",)),
    RuleFormat("anyburl", RuleSet.to_anyburl, read_anyburl, suffixes=(".tsv", ".anyburl")),
    RuleFormat("amie", None, read_amie, is_amie),
    RuleFormat("sparql", RuleSet.to_sparql, suffixes=(".rq", ".ru")),
    RuleFormat("cypher", RuleSet.to_cypher, suffixes=(".cypher", ".cql")),
    RuleFormat("sql", RuleSet.to_sql, suffixes=(".sql",)),
    RuleFormat("datalog", RuleSet.to_datalog, suffixes=(".dl",)),
)


def rule_formats() -> tuple[RuleFormat, ...]:
    """Return all formats: built in, then installed.

    >>> [format.name for format in rule_formats()][:3]
    ['text', 'json', 'csv']
    """
    return (*_BUILT_IN, *load_plugins(ENTRY_POINTS, RuleFormat, "rule format"))


def find_rule_format(name: str) -> RuleFormat:
    """Return the format of a name.

    Raises:
        R5Error: There is no such format.
    """
    known = {format.name: format for format in rule_formats()}
    if name not in known:
        raise R5Error(f"no format is called {name!r}; expected {', '.join(known)}")
    return known[name]


def rule_format_of_suffix(path: str | Path) -> RuleFormat | None:
    """Return the format that the suffix of a file determines, if any."""
    suffix = Path(path).suffix.lower()
    return next((format for format in rule_formats() if suffix in format.suffixes), None)


def write_in_format(rules: RuleSet, format: RuleFormat, graph: Graph | None = None, **options: Any) -> str:
    """Return rules as text in a format.

    Args:
        rules: The rules.
        format: The format.
        graph: Graph whose facts are written too.
        **options: Options of the writer: its keyword-only parameters.

    Raises:
        R5Error: The format has no writer, or the writer has no such option.
    """
    if format.write is None:
        names = ", ".join(other.name for other in rule_formats() if other.write is not None)
        raise R5Error(f"the format {format.name} is only read; formats that are written: {names}")
    parameters = inspect.signature(format.write).parameters
    known = {name: p for name, p in parameters.items() if p.kind is p.KEYWORD_ONLY}
    for name, value in options.items():
        if name not in known:
            raise R5Error(f"the format {format.name} has no option {name!r}; it has: {', '.join(known) or 'none'}")
        default = known[name].default
        if isinstance(default, bool | str) and not isinstance(value, type(default)):
            expected = "true or false" if isinstance(default, bool) else "text"
            raise R5Error(f"the option {name} of the format {format.name} must be {expected}, not {value!r}")
    if graph is None:
        return format.write(rules, **options)
    if "graph" not in parameters:
        names = ", ".join(other.name for other in rule_formats() if other.writes_facts)
        raise R5Error(f"the format {format.name} has no facts; formats that have: {names}")
    return format.write(rules, graph=graph, **options)
