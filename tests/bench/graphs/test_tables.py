"""Tables of graph completion from synthetic records."""

from __future__ import annotations

from typing import Any

import pytest

from r5.bench.graphs.published import load_published_graph_results
from r5.bench.graphs.tables import GraphTables
from r5.errors import R5Error


def record(data: str, seed: int, mrr: float) -> dict[str, Any]:
    hits = {"1": mrr - 0.1, "3": mrr - 0.05, "10": mrr}
    figures = {
        "seconds": 9.0,
        "queries_per_second": 1500.0,
        "cpu_seconds": 5.0 + seed,
        "rules": 1000,
        "calibration_error": 0.04,
    }
    if data == "umls":
        figures["calibration_by_chance"] = 0.015
    return {"key": f"{data}_{seed}", "data": data, "seed": seed, "mrr": mrr, "hits": hits, **figures}


OWN = {**record("relatives", 0, 0.7), "title": "Relatives", "inductive": True}
RECORDS = {
    one["key"]: one
    for one in (
        *(record("umls", 0, 0.96), record("umls", 1, 0.97), record("wn18rr", 0, 0.54)),
        *(record("nell-v1", 0, 0.8), OWN),
    )
}
TABLES = GraphTables(load_published_graph_results(), RECORDS)


def test_our_table_has_means_and_ranges() -> None:
    umls, wn18rr = TABLES.section("graphs").splitlines()[2:]
    cells = ["UMLS", ".965", "2", ".010", ".865", ".915", ".965", ".040", ".015", "1,000", "9", "6", "1,500", ".961"]
    cells += [".813 DRUM", ".967 A*Net"]
    assert umls == "| " + " | ".join(cells) + " |"
    assert wn18rr.startswith("| WN18RR | .540 | 1 |  | .440 |")
    assert "| .040 |  | 1,000 | 9 | 5 |" in wn18rr
    assert wn18rr.endswith("| 1,500 | .493 | .519 RulE | .562 AdaProp |")


def test_summary_has_the_best_systems_of_each_kind() -> None:
    umls, wn18rr = TABLES.section("graphs-summary").splitlines()[2:]
    assert umls == "| UMLS | .965 | .961 | .813 DRUM | .967 A*Net |"
    assert wn18rr == "| WN18RR | .540 | .493 | .519 RulE | .562 AdaProp |"
    inductive = TABLES.section("graphs-inductive-summary").splitlines()[2:]
    assert [line.split(" | ")[0] for line in inductive] == ["| NELL-995 v1", "| Relatives"]


def test_system_table_has_split_and_ties() -> None:
    text = TABLES.section("graphs-peers")
    assert "| MRR / Hits@10 | ties | UMLS | WN18RR | source |" in text
    assert "| engine `chains` | realistic | .965 / .965 | .540 / .540 |" in text
    assert "| AnyBURL | not stated | (.828) | .498 | its paper;" in text
    assert "| NBFNet | pessimistic | .948 | .551 / .666 |" in text
    assert text.splitlines()[-1] == "| split |  | of NCRL's repository | the standard one |  |"
    assert "Kinship" not in text


def test_inductive_data_and_own_data_have_tables_of_their_own() -> None:
    own, peers = TABLES.section("graphs-inductive"), TABLES.section("graphs-inductive-peers")
    assert [line.split(" | ")[0] for line in own.splitlines()[2:]] == ["| NELL-995 v1", "| Relatives"]
    assert "| RED-GNN | not stated | .637 |  | its README" in peers
    assert "UMLS" not in own + peers
    page = TABLES.text("# Graphs")
    assert page.index("WN18RR") < page.index("new entities") < page.index("Relatives")


def test_a_figure_that_is_not_published_is_left_open() -> None:
    record_of_fb = record("fb15k-237", 0, 0.4)
    text = GraphTables(load_published_graph_results(), {"x": record_of_fb}).section("graphs-peers")
    assert "| AnyBURL | not stated | - / .522 |" in text
    assert "NCRL" not in text


def test_an_unknown_section_is_an_error() -> None:
    assert GraphTables(load_published_graph_results(), {}).section("graphs") == ""
    with pytest.raises(R5Error, match="no table is called 'graphs-x'"):
        TABLES.section("graphs-x")
