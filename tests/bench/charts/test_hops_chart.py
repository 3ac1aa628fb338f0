"""Chart of accuracy by hops."""

from __future__ import annotations

import pytest

from r5.bench.charts.hops_chart import draw_hops_chart
from r5.errors import R5Error
from tests.helpers.records import HOPS, LENGTHS, records_of, records_to_draw


def test_the_chart_has_our_lines_and_published_ones() -> None:
    svg = draw_hops_chart(HOPS, records_to_draw())
    assert svg == draw_hops_chart(HOPS, records_to_draw())
    assert svg.startswith("<svg")
    assert "prefers-color-scheme:dark" in svg
    assert svg.count("<polyline") == 6
    for text in ("r5 engine 0.90", "grammar engine 0.90", "R5, published 0.97", "CNN, published 0.70"):
        assert text in svg


def test_a_reproduced_system_has_a_published_line_too() -> None:
    again = records_of(HOPS, "CTP_A", "data_089907f8", [0.5], by_length=LENGTHS)
    svg = draw_hops_chart(HOPS, {**records_to_draw(), **again})
    assert svg.count("<polyline") == 7
    assert "CTP_A, published 0.90" in svg
    assert "CTP_A, run here 0.90" in svg


def test_a_chart_without_runs_is_an_error() -> None:
    with pytest.raises(R5Error, match="there are no runs of clutrr-k23"):
        draw_hops_chart(HOPS, {})
