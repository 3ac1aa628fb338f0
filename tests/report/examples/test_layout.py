"""Layout of the entities around a path."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from r5.report.examples.layout import GAP, place_beside


@given(
    st.integers(1, 11),
    st.integers(0, 24),
    st.lists(st.tuples(st.integers(0, 34), st.integers(0, 34)), max_size=60),
)
def test_entities_of_a_row_keep_a_gap(steps: int, count: int, edges: list[tuple[int, int]]) -> None:
    path = list(range(steps + 1))
    others = list(range(steps + 1, steps + 1 + count))
    places = place_beside(path, others, edges)
    assert list(places) == others or sorted(places) == others
    for (x1, row1), (x2, row2) in combinations(places.values(), 2):
        assert row1 != row2 or abs(x1 - x2) >= GAP - 0.02
    reach = max(steps, 4)
    for x, row in places.values():
        assert row >= 1
        assert abs(x - steps / 2) <= reach / 2 + 0.02


def test_an_entity_is_below_its_neighbours() -> None:
    places = place_beside([0, 1, 2, 3, 4], [5, 6, 7], [(0, 5), (4, 6), (1, 7), (3, 7)])
    assert places == {5: (0.0, 1), 6: (4.0, 1), 7: (2.0, 1)}
