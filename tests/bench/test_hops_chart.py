"""The README's chart: our lines beside published ones."""

from __future__ import annotations

import pytest

from r5.bench.hops_chart import hops_chart
from r5.errors import R5Error
from tests.helpers.records import HOPS, LENGTHS, records_of, records_to_draw


def test_the_picture_has_our_lines_and_published_ones() -> None:
    svg = hops_chart(HOPS, records_to_draw())
    assert svg == hops_chart(HOPS, records_to_draw())
    assert svg.startswith("<svg")
    assert "prefers-color-scheme:dark" in svg
    assert svg.count("<polyline") == 6
    for text in ("r5 engine 0.90", "grammar engine 0.90", "R5, published 0.97", "CNN, published 0.70"):
        assert text in svg


def test_a_system_that_was_run_again_stands_beside_its_published_line() -> None:
    again = records_of(HOPS, "CTP_A", "data_089907f8", [0.5], by_length=LENGTHS)
    svg = hops_chart(HOPS, {**records_to_draw(), **again})
    assert svg.count("<polyline") == 7
    assert "CTP_A, published 0.90" in svg
    assert "CTP_A, run here 0.90" in svg


def test_there_is_no_picture_without_records_to_draw() -> None:
    with pytest.raises(R5Error, match="there are no runs of clutrr-k23"):
        hops_chart(HOPS, {})
