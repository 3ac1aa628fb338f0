"""Rule files, with the format chosen by name or suffix."""

from __future__ import annotations

from pathlib import Path

from r5._util.files.reading import read_text
from r5._util.files.writing import write_text
from r5.errors import R5Error
from r5.rules.ruleset import RuleSet

__all__ = ["STYLES", "read_rules", "rules_as", "write_rules"]

STYLES = ("text", "json", "csv", "prolog", "anyburl")
_BY_SUFFIX = {".txt": "text", ".json": "json", ".csv": "csv", ".pl": "prolog", ".tsv": "anyburl", ".anyburl": "anyburl"}


def rules_as(rules: RuleSet, style: str) -> str:
    r"""Return the rules as text in one of the STYLES.

    Raises:
        R5Error: The style is unknown.

    >>> from r5.rules.ruleset import Rule
    >>> rules_as(RuleSet.of([Rule("aunt", ("father", "sister"))]), "anyburl")
    '0\t0\t0.0\taunt(X,Y) <= father(X,A), sister(A,Y)\n'

    """
    if style not in STYLES:
        raise R5Error(f"no format is called {style!r}; expected {', '.join(STYLES)}")
    text: str = getattr(rules, f"to_{style}")()
    return text


def write_rules(rules: RuleSet, path: str | Path, style: str | None = None, force: bool = False) -> None:
    """Write rules to a file.

    Args:
        rules: The rules.
        path: The file.
        style: One of the STYLES; by default chosen by the suffix: .txt, .json, .csv, .pl, .tsv or .anyburl.
        force: Replace an existing file.

    Raises:
        R5Error: The format is unknown, or the file exists.
    """
    suffix = Path(path).suffix.lower()
    if style is None and suffix not in _BY_SUFFIX:
        raise R5Error(f"{path}: the suffix does not determine the format; expected a format among {', '.join(STYLES)}")
    write_text(path, rules_as(rules, style or _BY_SUFFIX[suffix]), force)


def read_rules(path: str | Path) -> RuleSet:
    """Read a file of rules, JSON or AnyBURL; the content determines the format.

    Raises:
        DataError: The file is missing or invalid.
    """
    text = read_text(path)
    return RuleSet.from_json(text, path) if text.lstrip().startswith("[") else RuleSet.from_anyburl(text, path)
