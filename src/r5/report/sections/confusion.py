"""Confusion: which answers are given in place of which."""

from __future__ import annotations

from collections import Counter

from r5._util.ordering import natural_key
from r5._util.svg import element
from r5.report.charts.axes import counted
from r5.report.charts.heatmap import Cell, heat_map, level_of
from r5.report.findings import Findings
from r5.report.markup import absent, paragraph, scroller

__all__ = ["SILENT", "confusion_section"]

SILENT = "cannot say"
_MOST_ANSWERS = 24
_MOST_LISTED = 8


def confusion_section(findings: Findings) -> str:
    """A heat map of right answers by given answers, and the most common confusions in words."""
    counts = Counter(zip(findings.wanted, (p.relation for p in findings.predictions), strict=True))
    labels, every = _labels(counts)
    note = "Rows are right answers, columns what the model said; the shade is the share of the row."
    if every > len(labels):
        note += f" Of {every} answers, the {len(labels)} most common are shown."
    chart = _heat_map(counts, labels)
    return paragraph(note, "note") + scroller("Confusion between answers", chart) + _listed(counts)


def _labels(counts: Counter[tuple[str, str | None]]) -> tuple[list[str], int]:
    uses: Counter[str] = Counter()
    for (wanted, said), count in counts.items():
        uses[wanted] += count
        if said is not None and said != wanted:
            uses[said] += count
    ranked = sorted(uses, key=lambda name: (-uses[name], natural_key(name)))
    return sorted(ranked[:_MOST_ANSWERS], key=natural_key), len(ranked)


def _heat_map(counts: Counter[tuple[str, str | None]], labels: list[str]) -> str:
    silent = any(said is None for _, said in counts)
    columns = [*labels, *([SILENT] if silent else [])]
    asked: Counter[str] = Counter()
    for (wanted, _), count in counts.items():
        asked[wanted] += count
    rows = [name for name in labels if asked[name]]
    row_of = {name: number for number, name in enumerate(rows)}
    column_of: dict[str | None, int] = {name: number for number, name in enumerate(labels)}
    if silent:
        column_of[None] = len(labels)
    cells = {
        (row_of[wanted], column_of[said]): _cell(wanted, said, count, asked[wanted])
        for (wanted, said), count in counts.items()
        if wanted in row_of and said in column_of
    }
    wrong = sum(count for (wanted, said), count in counts.items() if wanted != said)
    description = (
        f"{wrong:,} of {counts.total():,} answers are not the right one. Use the arrow keys to move between cells."
    )
    return heat_map(
        "confusion", rows, columns, cells, title="Confusion", description=description, corner=("right answer", "said")
    )


def _cell(wanted: str, said: str | None, count: int, asked: int) -> Cell:
    given = SILENT if said is None else said
    how = "right" if wanted == said else f"said {given} in place of {wanted}"
    return Cell(
        level=level_of(count / asked),
        text=str(count),
        label=f"{wanted}: {count:,} of {asked:,}, {how}",
        style="" if wanted == said else "wrong",
        data={"wanted": wanted, "said": given},
    )


def _listed(counts: Counter[tuple[str, str | None]]) -> str:
    wrong = {pair: count for pair, count in counts.items() if pair[0] != pair[1]}
    if not wrong:
        return absent("No answer was wrong.")
    ranked = sorted(wrong, key=lambda pair: (-wrong[pair], natural_key(pair[0]), natural_key(pair[1] or "")))
    items = [
        element(
            "li",
            element("strong", text=said or SILENT),
            element("span", text=f" in place of {wanted} "),
            element("span", class_="count", text=counted(wrong[wanted, said], "time")),
        )
        for wanted, said in ranked[:_MOST_LISTED]
    ]
    return element("h3", text="Most common confusions") + element("ul", *items, class_="confusions")
