"""Section on confusion: right answers against given answers."""

from __future__ import annotations

from collections import Counter

from r5._util.ordering import natural_key
from r5._util.svg import element
from r5.report.charts.formatting import count_noun
from r5.report.charts.heatmap import Cell, colour_level, heat_map
from r5.report.findings import Findings
from r5.report.html_elements import absence_note, paragraph, scroll_box

__all__ = ["NO_ANSWER", "confusion_section"]

NO_ANSWER = "cannot say"
_MOST_ANSWERS = 24
_MOST_LISTED = 8


def confusion_section(findings: Findings) -> str:
    """Return a heat map of right answers by given answers and a list of the most common confusions, as HTML."""
    counts = Counter(zip(findings.wanted, (p.relation for p in findings.predictions), strict=True))
    labels, total = _labels(counts)
    note = "Rows are right answers, columns are given answers; the shade is the share of the row."
    if total > len(labels):
        note += f" Of {total} answers, the {len(labels)} most common are shown."
    chart = _heat_map(counts, labels)
    return paragraph(note, "note") + scroll_box("Confusion between answers", chart) + _list_confusions(counts)


def _labels(counts: Counter[tuple[str, str | None]]) -> tuple[list[str], int]:
    """Return the most common answers in natural order, and the number of all answers."""
    uses: Counter[str] = Counter()
    for (wanted, given), count in counts.items():
        uses[wanted] += count
        if given is not None and given != wanted:
            uses[given] += count
    ranked = sorted(uses, key=lambda name: (-uses[name], natural_key(name)))
    return sorted(ranked[:_MOST_ANSWERS], key=natural_key), len(ranked)


def _heat_map(counts: Counter[tuple[str, str | None]], labels: list[str]) -> str:
    unanswered = any(given is None for _, given in counts)
    columns = [*labels, *([NO_ANSWER] if unanswered else [])]
    totals: Counter[str] = Counter()
    for (wanted, _), count in counts.items():
        totals[wanted] += count
    rows = [name for name in labels if totals[name]]
    row_of = {name: number for number, name in enumerate(rows)}
    column_of: dict[str | None, int] = {name: number for number, name in enumerate(labels)}
    if unanswered:
        column_of[None] = len(labels)
    cells = {
        (row_of[wanted], column_of[given]): _cell(wanted, given, count, totals[wanted])
        for (wanted, given), count in counts.items()
        if wanted in row_of and given in column_of
    }
    wrong = sum(count for (wanted, given), count in counts.items() if wanted != given)
    description = (
        f"{wrong:,} of {counts.total():,} answers are not the right one. Use the arrow keys to move between cells."
    )
    return heat_map(
        "confusion",
        rows,
        columns,
        cells,
        title="Confusion",
        description=description,
        corner=("right answer", "given answer"),
    )


def _cell(wanted: str, given: str | None, count: int, total: int) -> Cell:
    shown = NO_ANSWER if given is None else given
    outcome = "right" if wanted == given else f"answered {shown} instead of {wanted}"
    return Cell(
        level=colour_level(count / total),
        text=str(count),
        label=f"{wanted}: {count:,} of {total:,}, {outcome}",
        style="" if wanted == given else "wrong",
        data={"wanted": wanted, "said": shown},
    )


def _list_confusions(counts: Counter[tuple[str, str | None]]) -> str:
    wrong = {pair: count for pair, count in counts.items() if pair[0] != pair[1]}
    if not wrong:
        return absence_note("No answer was wrong.")
    ranked = sorted(wrong, key=lambda pair: (-wrong[pair], natural_key(pair[0]), natural_key(pair[1] or "")))
    items = [
        element(
            "li",
            element("strong", text=given or NO_ANSWER),
            element("span", text=f" in place of {wanted} "),
            element("span", class_="count", text=count_noun(wrong[wanted, given], "time")),
        )
        for wanted, given in ranked[:_MOST_LISTED]
    ]
    return element("h3", text="Most common confusions") + element("ul", *items, class_="confusions")
