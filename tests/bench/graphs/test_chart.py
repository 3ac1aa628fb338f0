"""Chart of MRR by data set."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from r5.bench.graphs.chart import draw_graphs_chart
from r5.bench.graphs.published import load_published_graph_results
from r5.bench.graphs.tables import GraphTables
from r5.errors import R5Error
from tests.bench.graphs.test_tables import TABLES


def test_every_figure_is_a_dot() -> None:
    picture = ElementTree.fromstring(draw_graphs_chart(TABLES))  # noqa: S314  our own
    said = [title.text or "" for title in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert {"chains: 0.965", "chains: 0.540", "NBFNet: 0.551", "AnyBURL 23-1 with PyClause: 0.961"} <= set(said)
    assert "AnyBURL: 0.828" not in said  # of another split
    assert "RED-GNN: 0.637" not in said  # on inductive data


def test_inductive_data_has_a_chart_of_its_own() -> None:
    picture = ElementTree.fromstring(draw_graphs_chart(TABLES, inductive=True))  # noqa: S314  our own
    said = [title.text or "" for title in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert said[0] == "Mean reciprocal rank on graphs of new entities, ours and others'"
    assert {"chains: 0.800", "chains: 0.700", "RED-GNN: 0.637"} <= set(said)
    assert "NBFNet: 0.551" not in said


def test_a_chart_without_runs_is_an_error() -> None:
    with pytest.raises(R5Error, match="no runs"):
        draw_graphs_chart(GraphTables(load_published_graph_results(), {}))
