"""Rules in files, each format by its name."""

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
    r"""The rules as text in one of the STYLES.

    >>> from r5.rules.ruleset import Rule
    >>> rules_as(RuleSet.of([Rule("aunt", ("father", "sister"))]), "anyburl")
    '0\t0\t0.0\taunt(X,Y) <= father(X,A), sister(A,Y)\n'
    """
    if style not in STYLES:
        raise R5Error(f"no format is called {style!r}; expected {', '.join(STYLES)}")
    text: str = getattr(rules, f"to_{style}")()
    return text


def write_rules(rules: RuleSet, path: str | Path, style: str | None = None, force: bool = False) -> None:
    """Write the rules to a file, in the style that its name tells: .txt, .json, .csv, .pl or .tsv (AnyBURL).

    A file that is there is replaced only by `force`.
    """
    suffix = Path(path).suffix.lower()
    if style is None and suffix not in _BY_SUFFIX:
        raise R5Error(f"{path}: the name does not tell the format; give one of {', '.join(STYLES)}")
    write_text(path, rules_as(rules, style or _BY_SUFFIX[suffix]), force)


def read_rules(path: str | Path) -> RuleSet:
    """The rules of a JSON file or of a file of AnyBURL's lines, as the content tells."""
    text = read_text(path)
    return RuleSet.from_json(text, path) if text.lstrip().startswith("[") else RuleSet.from_anyburl(text, path)
