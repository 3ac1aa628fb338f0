"""Dot chart of MRR by data set as plain SVG, for light and dark pages."""

from __future__ import annotations

from r5._util.svg import element
from r5.bench.graphs.published import PublishedSystem
from r5.bench.graphs.tables import GraphTables
from r5.errors import R5Error

__all__ = ["draw_graphs_chart"]

_WIDTH, _LEFT, _RIGHT, _TOP, _ROW = 720, 110, 30, 58, 40
_KINDS = {
    "chains engine, measured here": "#0b6e4f",
    "AnyBURL with PyClause, run on this data": "#b45309",
    "other rule learners": "#6b7280",
    "graph networks, embeddings": "#7c3aed",
}
_TITLES = {
    False: "Mean reciprocal rank of completed knowledge graphs, ours and others'",
    True: "Mean reciprocal rank on graphs of new entities, ours and others'",
}
_STYLE = (
    "text{fill:#374151;font:13px sans-serif}.grid{stroke:#e5e7eb}.page{fill:#fff}"
    "@media(prefers-color-scheme:dark){text{fill:#d1d5db}.grid{stroke:#374151}.page{fill:#0d1117}"
    "circle,polyline,path[stroke]{filter:brightness(1.7)}}"
)


def draw_graphs_chart(tables: GraphTables, inductive: bool = False) -> str:
    """Draw one row per data set: our mean as a large dot, published figures as small ones.

    Args:
        tables: The figures.
        inductive: Draw inductive data instead of all other data.

    Raises:
        R5Error: There are no runs.
    """
    measured = tables.of_kind(inductive)
    if not measured:
        raise R5Error(f"there are no runs on {'inductive data' if inductive else 'knowledge graphs'} to draw")
    known = {one.data.name for one in measured}
    figures = [system.mrr[name] for system in tables.published.systems for name in known if name in system.mrr]
    low = min(int(min([*figures, *(one.mean("mrr") for one in measured)]) * 10) / 10, 0.9)
    height = _TOP + _ROW * len(measured) + 30
    right = _WIDTH - _RIGHT

    def x(value: float) -> float:
        return _LEFT + (value - low) * (right - _LEFT) / (1 - low)

    parts = [
        element("title", text=_TITLES[inductive]),
        element("style", text=_STYLE),
        element("rect", class_="page", width=_WIDTH, height=height),
        *_legend(),
    ]
    for tenth in range(round(low * 10), 11):
        across = f"{x(tenth / 10):.1f}"
        parts.append(element("path", class_="grid", d=f"M{across} {_TOP - 8}V{height - 26}"))
        parts.append(element("text", x=across, y=height - 8, text_anchor="middle", text=f"{tenth / 10:.1f}"))
    for row, one in enumerate(measured):
        y = _TOP + _ROW * row + _ROW / 2
        parts.append(element("text", x=_LEFT - 14, y=y + 4, text_anchor="end", text=one.data.title))
        parts.append(element("path", class_="grid", d=f"M{_LEFT} {y:.1f}H{right}"))
        for system in tables.published.systems:
            if one.data.name in system.mrr and one.data.name not in system.other_split:
                title = f"{system.name}: {system.mrr[one.data.name]:.3f}"
                parts.append(_dot(x(system.mrr[one.data.name]), y, 5, _colour(system), title))
        mean = one.mean("mrr")
        parts.append(_dot(x(mean), y, 8, _KINDS["chains engine, measured here"], f"chains: {mean:.3f}"))
    box = f"0 0 {_WIDTH} {height}"
    return element("svg", *parts, xmlns="http://www.w3.org/2000/svg", viewBox=box, role="img") + "\n"


def _colour(system: PublishedSystem) -> str:
    """Return the colour of a kind of system."""
    names = [*_KINDS]
    return _KINDS[names[1] if system.measured else names[2] if system.kind.startswith("rules") else names[3]]


def _legend() -> list[str]:
    parts = []
    for index, (name, colour) in enumerate(_KINDS.items()):
        left, top = 20 + 350 * (index % 2), 16 + 20 * (index // 2)
        parts.append(element("circle", cx=left, cy=top - 4, r=8 if index == 0 else 5, fill=colour))
        parts.append(element("text", x=left + 14, y=top, text=name))
    return parts


def _dot(x: float, y: float, size: float, colour: str, title: str) -> str:
    return element("circle", element("title", text=title), cx=x, cy=y, r=size, fill=colour, fill_opacity=0.85)
