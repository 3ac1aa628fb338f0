from __future__ import annotations

import pytest

from r5.data.formats.tables.columns import choose_columns, column_roles
from r5.errors import R5Error


@pytest.mark.parametrize(
    ("columns", "places"),
    [
        (["head", "relation", "tail"], (0, 1, 2)),
        (["src", "dst", "edge_type"], (0, 2, 1)),
        (["Subject", "Predicate Label", "Object-ID", "graph"], (0, 1, 2)),
        (["h", "r", "t"], (0, 1, 2)),
        (["source", "type", "label", "target"], None),
        (["a", "b", "c"], None),
        ([0, 1, 2], None),
    ],
)
def test_column_names_determine_their_roles(columns: list[object], places: tuple[int, ...] | None) -> None:
    assert column_roles(columns) == places


def test_columns_by_name_place_or_order() -> None:
    assert choose_columns(["x", "y", "z"], None) == (0, 1, 2)
    assert choose_columns(["x", "y", "z"], ("z", 1, "x")) == (2, 1, 0)
    assert choose_columns([2, 1, 0], (0, 1, 2)) == (2, 1, 0)
    with pytest.raises(R5Error, match=r"there are 10 columns \(0, 1, 2, 3, 4, 5, 6, 7, \.\.\.\) where source"):
        choose_columns(range(10), None)
