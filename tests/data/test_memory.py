"""Objects in memory: splits, options and descriptions of how they were read."""

from __future__ import annotations

from typing import Any

import networkx
import numpy as np
import pandas
import polars
import pytest

import r5
from r5.data.memory import is_table
from r5.errors import R5Error

TRIPLES = [("Ann", "mother", "Eve"), ("Eve", "sister", "Zoe")]
FRAME = pandas.DataFrame(TRIPLES, columns=["head", "relation", "tail"])
SETTINGS: dict[str, Any] = {"seed": 0, "epochs": 1, "queries": 20}


def test_a_dict_of_splits_may_hold_frames_lists_and_dicts() -> None:
    data = r5.load({"train": FRAME, "valid": TRIPLES[:1], "test": [{"h": "Ann", "r": "aunt", "t": "Zoe"}]})
    assert [len(data.split(split)) for split in ("train", "valid", "test")] == [2, 1, 1]
    assert data.graph is not None and data.graph.triples() == TRIPLES
    assert data.test[0].answer_name == "aunt"
    assert data.source.startswith("train: 2 triples (data frame, columns head, relation, tail as source")
    assert r5.load({"train": polars.from_pandas(FRAME), "dev": FRAME}).valid[0].answer_name == "mother"


@pytest.mark.parametrize(
    ("source", "options", "complaint"),
    [
        ({"test": TRIPLES}, {}, "a dict of splits needs the key train; it has test"),
        ({"train": TRIPLES, "valid": TRIPLES, "dev": TRIPLES}, {}, "duplicated split"),
        ({"train": TRIPLES}, {"test_fraction": 0.5}, "the data has splits"),
        ({"train": TRIPLES}, {"table": "x"}, "has no option 'table'"),
        (3, {}, "expected a name, a path, a graph, a data frame or a list of triples, found 3"),
    ],
)
def test_invalid_splits_and_options_are_refused(source: Any, options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(R5Error, match=complaint):
        r5.load(source, **options)


def test_a_multigraph_has_relations_in_the_keys_of_its_edges() -> None:
    network = networkx.MultiDiGraph()
    for source, relation, target in TRIPLES:
        network.add_edge(source, target, key=relation, weight=1)
    data = r5.load(network)
    assert data.train.pool.triples() == TRIPLES
    assert data.source == "graph: 2 triples (networkx, relation=edge key; dropped: edge attribute weight)"
    attributes = networkx.MultiDiGraph()
    attributes.add_edge("Ann", "Eve", kind="mother")
    assert r5.load(attributes, relation="kind").train.pool.triples() == TRIPLES[:1]


def test_tables_are_told_from_examples() -> None:
    for table in (FRAME, TRIPLES, {"train": TRIPLES}, np.zeros((1, 3), int), [{"h": 1, "r": 2, "t": 3}]):
        assert is_table(table)
    examples = r5.load(TRIPLES).train
    for other in (list(examples), "library", b"", None, 3, []):
        assert not is_table(other)


@pytest.mark.parametrize("table", [FRAME, polars.from_pandas(FRAME), TRIPLES])
def test_chains_learn_from_a_table(table: Any) -> None:
    model = r5.ChainReasoner(**SETTINGS).fit(table)
    assert model.graph_.triples() == TRIPLES


def test_chains_calibrate_on_the_valid_split_of_a_table() -> None:
    people = [(f"p{n}", "parent", f"p{n + 1}") for n in range(30)]
    people += [(f"p{n}", "grandparent", f"p{n + 2}") for n in range(20)]
    held_out = [(f"p{n}", "grandparent", f"p{n + 2}") for n in range(20, 28)]
    model = r5.ChainReasoner(**SETTINGS).fit({"train": people, "valid": held_out})
    assert (model.summary_["facts"], model.summary_["held_out"]["split"]) == (50, "valid")
    with pytest.raises(R5Error, match="there are 2 columns"):
        r5.ChainReasoner(**SETTINGS).fit(FRAME[["head", "tail"]])
