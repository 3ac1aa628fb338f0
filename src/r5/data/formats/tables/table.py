"""Table: the triples of one source, and how they were read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from r5.data.formats.tables.columns import ROLES, Triple, choose_columns
from r5.data.formats.tables.rows import named_triples
from r5.errors import DataError, R5Error

__all__ = ["Table", "describe_columns", "describe_tables", "table_of_rows", "unused_columns"]


@dataclass(frozen=True, slots=True)
class Table:
    """Triples of one source."""

    triples: list[Triple]
    layout: str
    """Description of how the source was read."""
    dropped: tuple[str, ...] = ()
    """Descriptions of what the source has and the triples have not."""
    suspicion: DataError | None = None
    """Error that the first triple looks like a header, unless another file has its relation."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels of entities by name."""
    relation_labels: Mapping[str, str] = field(default_factory=dict)
    """Labels of relations by name."""


def table_of_rows(
    names: Sequence[object],
    rows: Iterable[Sequence[object]],
    columns: Sequence[str | int] | None = None,
    kind: str = "table",
) -> Table:
    """Choose the columns of a table with a header and convert its rows.

    Args:
        names: Column names.
        rows: Rows of one value per column.
        columns: Names or indices of source, relation and target; by default common names, or else the order of three.
        kind: Description of the source.

    Raises:
        R5Error: The columns are ambiguous, or a value is missing.
    """
    indices = choose_columns(names, columns)
    first, second, third = indices
    triples = named_triples((row[first], row[second], row[third]) for row in rows)
    return Table(triples, f"{kind}, {describe_columns(names, indices)}", unused_columns(names, indices))


def describe_columns(names: Sequence[object], indices: Sequence[int]) -> str:
    """Return a description of the columns of a triple.

    >>> describe_columns(["id", "who", "does", "whom"], (1, 2, 3))
    'columns who, does, whom as source, relation, target'
    """
    return f"columns {', '.join(str(names[index]) for index in indices)} as {', '.join(ROLES)}"


def unused_columns(names: Sequence[object], indices: Sequence[int]) -> tuple[str, ...]:
    """Describe the columns that the triples do not use."""
    others = [str(name) for index, name in enumerate(names) if index not in indices]
    if not others:
        return ()
    listed = ", ".join(others[:8]) + (f" and {len(others) - 8} more" if len(others) > 8 else "")
    return (f"column{'s' * (len(others) > 1)} {listed}",)


def describe_tables(tables: Mapping[str, Table]) -> str:
    """Describe how sources were read, in one line.

    Args:
        tables: Tables by the name of their source.

    >>> describe_tables({"train.txt": Table([("a", "r", "b")], "tabs, no header"), "test.txt": Table([], "tabs")})
    'train.txt: 1 triple (tabs, no header); test.txt: 0 triples (tabs)'
    """
    if not tables:
        raise R5Error("there are no triples")
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name, table in tables.items():
        count = f"{len(table.triples):,} triple{'s' * (len(table.triples) != 1)}"
        groups.setdefault((table.layout, table.dropped), []).append(f"{name}: {count}")
    parts = []
    for (layout, dropped), names in groups.items():
        left_out = f"; dropped: {', '.join(dropped)}" if dropped else ""
        parts.append(f"{', '.join(names)} ({layout}{left_out})")
    return "; ".join(parts)
