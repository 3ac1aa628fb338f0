"""Comparison of two rule sets: recall, precision, missing and extra rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from r5.rules.disjunction import TableComparison, compare_tables
from r5.rules.rule import Key, Rule

__all__ = ["Comparison", "compare_rules"]

_SHOWN = 20
"""Maximum number of missing and of extra rules in the text."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of found rules with wanted rules by head and body; duplicates count once."""

    shared: tuple[Rule, ...]
    """Found rules that are wanted."""
    missing: tuple[Rule, ...]
    """Wanted rules that were not found."""
    extra: tuple[Rule, ...]
    """Found rules that are not wanted."""
    pairs: TableComparison | None = None
    """Comparison of composition tables, for rules whose heads are alternatives."""

    @property
    def recall(self) -> float | None:
        """The share of the wanted rules that were found; None without wanted rules."""
        return _share(len(self.shared), len(self.missing))

    @property
    def precision(self) -> float | None:
        """The share of the found rules that are wanted; None without found rules."""
        return _share(len(self.shared), len(self.extra))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of `r5 rules --compare ... --json`."""
        lists = {"shared": self.shared, "missing": self.missing, "extra": self.extra}
        rules = {name: [rule.to_json() for rule in rules] for name, rules in lists.items()}
        table = {} if self.pairs is None else {"pairs": asdict(self.pairs)}
        return {"recall": self.recall, "precision": self.precision, **table, **rules}

    def __str__(self) -> str:
        found, wanted = len(self.shared) + len(self.extra), len(self.shared) + len(self.missing)
        lines = [
            f"recall     {_shown(self.recall)}   {len(self.shared)} of {wanted} wanted rules found",
            f"precision  {_shown(self.precision)}   {len(self.shared)} of {found} rules found are wanted",
        ]
        lines += [] if self.pairs is None else [f"table      {self.pairs}"]
        for title, rules in (("missing", self.missing), ("extra", self.extra)):
            if rules:
                lines += [f"{title}:", *(f"  {rule.text()}" for rule in rules[:_SHOWN])]
            if len(rules) > _SHOWN:
                lines.append(f"  ... and {len(rules) - _SHOWN} more")
        return "\n".join(lines)


def compare_rules(found: Iterable[Rule], wanted: Iterable[Rule]) -> Comparison:
    """Compare found rules with wanted rules.

    Args:
        found: Found rules.
        wanted: Wanted rules, such as the ground truth.

    Returns:
        Shared and extra rules in the order of `found`, missing rules in the order of `wanted`.
    """
    ours, theirs = _first_of_each(found), _first_of_each(wanted)
    alternatives = any(rule.possibility is not None for rule in ours.values())
    return Comparison(
        shared=tuple(rule for key, rule in ours.items() if key in theirs),
        missing=tuple(rule for key, rule in theirs.items() if key not in ours),
        extra=tuple(rule for key, rule in ours.items() if key not in theirs),
        pairs=compare_tables(ours.values(), theirs.values()) if alternatives else None,
    )


def _first_of_each(rules: Iterable[Rule]) -> dict[Key, Rule]:
    """Return the rules by key; of equal rules, the first."""
    found: dict[Key, Rule] = {}
    for rule in rules:
        found.setdefault(rule.key, rule)
    return found


def _share(part: int, rest: int) -> float | None:
    return part / (part + rest) if part + rest else None


def _shown(share: float | None) -> str:
    return " -  " if share is None else f"{share:.2f}"
