"""Tables of graph completion from synthetic records."""

from __future__ import annotations

from typing import Any

import pytest

from r5.bench.graphs.published import load_published_graph_results
from r5.bench.graphs.tables import GraphTables
from r5.errors import R5Error


def record(data: str, seed: int, mrr: float) -> dict[str, Any]:
    hits = {"1": mrr - 0.1, "3": mrr, "10": mrr}
    figures = {"seconds": 9.0, "cpu_seconds": 5.0 + seed, "rules": 1000, "calibration_error": 0.04}
    if data == "umls":
        figures["calibration_by_chance"] = 0.015
    return {"key": f"{data}_{seed}", "data": data, "seed": seed, "mrr": mrr, "hits": hits, **figures}


RECORDS = {one["key"]: one for one in (record("umls", 0, 0.96), record("umls", 1, 0.97), record("wn18rr", 0, 0.54))}
TABLES = GraphTables(load_published_graph_results(), RECORDS)


def test_our_table_has_means_and_ranges() -> None:
    umls, wn18rr = TABLES.section("graphs").splitlines()[2:]
    cells = ["UMLS", ".965", "2", ".010", ".865", ".965", ".040", ".015", "1,000", "6", ".961"]
    cells += [".813 DRUM", ".967 A*Net"]
    assert umls == "| " + " | ".join(cells) + " |"
    assert wn18rr.startswith("| WN18RR | .540 | 1 |  | .440 |")
    assert "| .040 |  | 1,000 | 5 |" in wn18rr
    assert wn18rr.endswith("| 5 | .493 | .519 RulE | .551 NBFNet |")


def test_system_table_has_split_and_ties() -> None:
    text = TABLES.section("graphs-peers")
    assert "| MRR | ties | UMLS | WN18RR |" in text
    assert "| engine `chains` | realistic | .965 | .540 |" in text
    assert "| AnyBURL | not stated | (.828) | .498 |" in text
    assert "| NBFNet | pessimistic | .948 | .551 |" in text
    assert text.splitlines()[-1] == "| split |  | of NCRL's repository | the standard one |"
    assert "Kinship" not in text


def test_an_unknown_section_is_an_error() -> None:
    assert GraphTables(load_published_graph_results(), {}).section("graphs") == ""
    with pytest.raises(R5Error, match="no table is called 'graphs-x'"):
        TABLES.section("graphs-x")
