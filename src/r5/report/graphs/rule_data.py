"""Data of the rule table for the script of the page: each rule in stored direction."""

from __future__ import annotations

from typing import Any

from r5.report.page_data import NameIndex
from r5.report.sections.rule_table import round_figure
from r5.rules.formats.direct import direct_atoms
from r5.rules.formats.text import direct_atom
from r5.rules.ruleset import RuleSet

__all__ = ["graph_rules"]

_FIGURES = {
    "weight": "weight",
    "probability": "confidence",
    "pca": "PCA confidence",
    "support": "support",
    "body_probability": "coverage",
}


def graph_rules(rules: RuleSet, names: NameIndex) -> dict[str, Any]:
    """Return the rules as JSON: the relation of the head, the atoms, figures, and the head with its arguments.

    Args:
        rules: The rules; of a rule and its mirror image, `h <= a, b` and `h^-1 <= b^-1, a^-1`, a model lists one.
        names: Index of names and atoms; new ones are added.
    """
    figures = [name for name in _FIGURES if any(getattr(rule, name) is not None for rule in rules)]
    rows = []
    for rule in rules:
        head, body = direct_atoms(rule)
        rows.append(
            [
                names.number(direct_atom(rule.head, "", "")[0]),
                [names.number(atom) for atom in body or ("true",)],
                [round_figure(getattr(rule, name)) for name in figures],
                int(rule.invented),
                None,
                names.number(head),
            ]
        )
    return {"figures": [_FIGURES[name] for name in figures], "judged": False, "invented": [], "rows": rows}
