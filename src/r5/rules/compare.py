"""Comparison: which of some wanted rules were found, and what was found besides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from r5.rules.disjunction import TableComparison, compare_tables
from r5.rules.rule import Key, Rule

__all__ = ["Comparison", "compare_rules"]

_SHOWN = 20
"""So many rules of a kind are listed in the text."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sets of rules by what they say, whatever their figures; each rule counts once."""

    shared: tuple[Rule, ...]
    """Rules found that are wanted."""
    missing: tuple[Rule, ...]
    """Rules wanted that were not found."""
    extra: tuple[Rule, ...]
    """Rules found that are not wanted."""
    pairs: TableComparison | None = None
    """Pair by pair, where the heads of a body are alternatives."""

    @property
    def recall(self) -> float | None:
        """The share of the wanted rules that were found; None where none is wanted."""
        return _share(len(self.shared), len(self.missing))

    @property
    def precision(self) -> float | None:
        """The share of the rules found that are wanted; None where none was found."""
        return _share(len(self.shared), len(self.extra))

    def to_json(self) -> dict[str, Any]:
        """What `r5 rules --compare ... --json` prints."""
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
    """Found rules beside wanted ones, each list in the order of its set."""
    ours, theirs = _first_of_each(found), _first_of_each(wanted)
    alternatives = any(rule.possibility is not None for rule in ours.values())
    return Comparison(
        shared=tuple(rule for key, rule in ours.items() if key in theirs),
        missing=tuple(rule for key, rule in theirs.items() if key not in ours),
        extra=tuple(rule for key, rule in ours.items() if key not in theirs),
        pairs=compare_tables(ours.values(), theirs.values()) if alternatives else None,
    )


def _first_of_each(rules: Iterable[Rule]) -> dict[Key, Rule]:
    """The rules by what they say; of those that say the same, the first."""
    found: dict[Key, Rule] = {}
    for rule in rules:
        found.setdefault(rule.key, rule)
    return found


def _share(part: int, rest: int) -> float | None:
    return part / (part + rest) if part + rest else None


def _shown(share: float | None) -> str:
    return " -  " if share is None else f"{share:.2f}"
