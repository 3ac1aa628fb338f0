"""Section on the composition table: the head of each pair of body relations, as a heat map."""

from __future__ import annotations

from r5._util.ordering import natural_key, sort_descending
from r5.report.charts.heatmap import Cell, colour_level, heat_map
from r5.report.findings import Findings
from r5.report.html_elements import absence_note, paragraph, scroll_box
from r5.rules.disjunction import joined
from r5.rules.ruleset import Rule

__all__ = ["composition_section"]

_MOST_RELATIONS = 24
_MOST_HEADS = 4
_MOST_NAMED = 2
"""Maximum number of possible relations that a cell names; for more it shows their number."""

Bodies = dict[tuple[str, ...], list[Rule]]


def composition_section(findings: Findings) -> str:
    """Return the heat map of the most used bodies as HTML, or a note if no rule has a body of two relations."""
    bodies: Bodies = {}
    for rule in findings.rules:
        if len(rule.relations) == 2:
            bodies.setdefault(rule.body, []).append(rule)
    if not bodies:
        return absence_note("The model has no rules with a body of two relations, so there is no table to show.")
    shown = _most_used(bodies)
    rows = sorted({left for left, _ in shown}, key=natural_key)
    columns = sorted({right for _, right in shown}, key=natural_key)
    # Probabilities are shares; scores are divided by the largest one.
    likely = any(rule.probability is not None for rule in findings.rules)
    scale = 1.0 if likely else max(*(rule.strength for rule in findings.rules), 1e-12)
    cells = {
        (rows.index(left), columns.index(right)): _cell(_by_strength(bodies[left, right]), scale)
        for left, right in shown
    }
    chart = heat_map(
        "composition",
        rows,
        columns,
        cells,
        title="Composition table",
        description=f"{len(cells)} pairs of relations have a rule. Use the arrow keys to move from cell to cell.",
        corner=("first", "second"),
    )
    note = (
        f"{len(shown):,} of {len(bodies):,} bodies are shown: the most used ones that fit into {_MOST_RELATIONS} rows "
        "and columns. The table of rules has all."
    )
    return (paragraph(note, "note") if len(shown) < len(bodies) else "") + scroll_box("Composition table", chart)


def _by_strength(rules: list[Rule]) -> list[Rule]:
    return sort_descending(rules, lambda rule: rule.strength, key=lambda rule: natural_key(rule.head))


def _most_used(bodies: Bodies) -> list[tuple[str, str]]:
    """Return the bodies with most support that fit into the maximum number of rows and columns."""

    def uses(body: tuple[str, ...]) -> float:
        return sum(1.0 if rule.support is None else rule.support for rule in bodies[body])

    rows: set[str] = set()
    columns: set[str] = set()
    shown = []
    for left, right in sort_descending(bodies, uses, key=lambda body: tuple(map(natural_key, body))):
        if len(rows | {left}) <= _MOST_RELATIONS and len(columns | {right}) <= _MOST_RELATIONS:
            rows.add(left)
            columns.add(right)
            shown.append((left, right))
    return shown


def _cell(rules: list[Rule], scale: float) -> Cell:
    best = rules[0]
    left, right = best.body
    several = best.possibility is not None and len(rules) > 1
    lines = [rule.text() for rule in rules[:_MOST_HEADS]]
    if len(rules) > _MOST_HEADS:
        lines.append(f"and {len(rules) - _MOST_HEADS} more")
    if several:
        lines = [f"{left}, {right}: {joined(rule.head for rule in rules)}"]
    shown = joined(rule.head for rule in rules) if len(rules) <= _MOST_NAMED else f"{len(rules)} relations"
    return Cell(
        level=colour_level(best.strength / scale / (len(rules) if several else 1)),
        text=shown if several else best.head,
        label="; ".join(lines),
        style="invented" if best.invented else "",
        data={"left": left, "right": right},
    )
