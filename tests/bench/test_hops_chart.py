"""The README's chart: our lines beside published ones."""

from __future__ import annotations

from typing import Any

import pytest

from r5.bench.hops_chart import hops_chart
from r5.bench.plan import cells
from r5.errors import R5Error
from tests.helpers.records import EXPERIMENTS, record, records_of

HOPS = EXPERIMENTS["clutrr-k23"]


LENGTHS = {str(hop): {"n": 1, "accuracy": 1 - hop / 100} for hop in HOPS.hops}


def results() -> dict[str, Any]:
    records = records_of(HOPS, "R5", "data_089907f8", [0.5, 0.6], by_length=LENGTHS)
    records |= records_of(HOPS, "grammar", "data_089907f8", [0.5], by_length=LENGTHS)
    points = [{"restart": 0, "epoch": n, "accuracy": n / 4, "rule_recall": n / 2} for n in (1, 2)]
    records |= records_of("epochs", "R5", "re_2", [0.5], epochs=points)
    for cell in cells(EXPERIMENTS["invented"], [0]):
        records |= {run.key: record(run, 0.5) for run in cell.runs}
    return records


def test_the_picture_has_our_lines_and_published_ones() -> None:
    svg = hops_chart(HOPS, results())
    assert svg == hops_chart(HOPS, results())
    assert svg.startswith("<svg")
    assert "prefers-color-scheme:dark" in svg
    assert svg.count("<polyline") == 6
    for text in ("r5 engine 0.90", "grammar engine 0.90", "R5, published 0.97", "GAT, published 0.45"):
        assert text in svg


def test_there_is_no_picture_without_results() -> None:
    with pytest.raises(R5Error, match="there are no runs of clutrr-k23"):
        hops_chart(HOPS, {})
