"""Spans: each distinct part of a path, and all its splits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from r5.baselines.rule_learners.spans import Spans

PATHS = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=7).map(tuple), min_size=1, max_size=4, unique=True)


@given(PATHS, st.sampled_from([1, 2, 4, 8]))
def test_spans_are_the_distinct_parts_of_the_paths(paths: list[tuple[int, ...]], longest: int) -> None:
    spans = Spans.of(paths, longest)
    wanted = {path[a:b] for path in paths for a in range(len(path)) for b in range(a + 1, len(path) + 1)}
    assert sorted(spans.spans) == sorted(span for span in wanted if len(span) <= longest)
    for path, place in zip(paths, spans.paths.tolist(), strict=True):
        assert (spans.spans[place] == path) if len(path) <= longest else place == -1


@given(PATHS, st.sampled_from([1, 2, 4]))
def test_splits_have_parts_of_at_most_half(paths: list[tuple[int, ...]], half: int) -> None:
    spans = Spans.of(paths, 2 * half)
    left, right = spans.splits(half)
    whole = [span for span in spans.spans if len(span) > 1]
    assert len(left) == len(whole)
    for row, span in enumerate(whole):
        parts = {(spans.spans[a], spans.spans[b]) for a, b in zip(left[row].tolist(), right[row].tolist(), strict=True)}
        cuts = range(1, len(span))
        assert parts == {(span[:c], span[c:]) for c in cuts if c <= half and len(span) - c <= half}
