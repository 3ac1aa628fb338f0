"""The picture of completed graphs."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from r5.bench.graphs.chart import graphs_chart
from r5.bench.graphs.published import load_peers
from r5.bench.graphs.tables import GraphTables
from r5.errors import R5Error
from tests.bench.graphs.test_tables import TABLES


def test_every_figure_is_a_dot() -> None:
    picture = ElementTree.fromstring(graphs_chart(TABLES))  # noqa: S314  our own
    said = [title.text or "" for title in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert {"chains: 0.965", "chains: 0.540", "NBFNet: 0.551", "AnyBURL 23-1 with PyClause: 0.961"} <= set(said)
    assert "AnyBURL: 0.828" not in said  # of another split


def test_nothing_to_draw() -> None:
    with pytest.raises(R5Error, match="no runs"):
        graphs_chart(GraphTables(load_peers(), {}))
