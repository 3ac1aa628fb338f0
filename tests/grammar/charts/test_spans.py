"""Spans: every stretch of every path is there, and equal ones are one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from r5._util.ragged import Ragged
from r5.grammar.charts.spans import Spans

PATHS = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=6), min_size=1, max_size=5)


@given(PATHS)
def test_equal_parts_are_one_span(paths: list[list[int]]) -> None:
    spans = Spans.of(Ragged.of(paths), 3)
    known: dict[tuple[int, ...], int] = {}
    token = 0
    for path, root in zip(paths, spans.roots, strict=True):
        for start in range(len(path)):
            for stop in range(start + 1, len(path) + 1):
                span = int(spans.span_of[stop - start - 1, token + start])
                assert known.setdefault(tuple(path[start:stop]), span) == span
        assert known[tuple(path)] == root
        token += len(path)
    assert sorted(known.values()) == list(range(len(spans)))
    assert spans.lengths.tolist() == sorted(map(len, known))


@given(PATHS)
def test_unshared_spans_are_all_different(paths: list[list[int]]) -> None:
    spans = Spans.of(Ragged.of(paths), 3, shared=False)
    assert len(spans) == sum(len(path) * (len(path) + 1) // 2 for path in paths)
    assert spans.tokens[: sum(map(len, paths))].tolist() == list(range(sum(map(len, paths))))


def test_empty_paths_have_no_spans() -> None:
    assert len(Spans.of(Ragged.of([]), 3)) == 0
