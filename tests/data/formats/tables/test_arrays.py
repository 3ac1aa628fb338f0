"""Arrays of ids with label maps, dicts of columns, and OGB's and PyG's arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import r5
from r5.errors import R5Error

IDS = np.array([[0, 0, 1], [1, 1, 2]])
ENTITIES, RELATIONS = ["Ann", "Eve", "Zoe"], ["mother", "sister"]
TRIPLES = [("Ann", "mother", "Eve"), ("Eve", "sister", "Zoe")]


@pytest.mark.parametrize(
    "entities", [ENTITIES, {name: n for n, name in enumerate(ENTITIES)}, dict(enumerate(ENTITIES))]
)
def test_label_maps_have_either_direction(entities: Any) -> None:
    data = r5.load(IDS, entity_names=entities, relation_names={"sister": 1, "mother": 0})
    assert data.train.pool.triples() == TRIPLES
    assert data.source == "graph: 2 triples (array of ids)"
    assert "relations and entities named by their ids" in r5.load(IDS).source


def test_arrays_of_splits_are_those_of_ogb() -> None:
    part = {"head": IDS[:, 0], "relation": IDS[:, 1], "tail": IDS[:, 2]}
    data = r5.load({"train": part, "test": part}, entity_names=ENTITIES, relation_names=RELATIONS)
    assert data.train.pool.triples() == TRIPLES
    assert [example.answer_name for example in data.test] == ["mother", "sister"]


def test_edge_index_with_the_types_of_the_edges() -> None:
    for key, types in (("edge_reltype", IDS[:, [1]]), ("edge_type", IDS[:, 1])):
        arrays = {"edge_index": IDS[:, [0, 2]].T, key: types, "num_nodes": 3}
        assert r5.load(arrays, entity_names=ENTITIES, relation_names=RELATIONS).train.pool.triples() == TRIPLES


def test_typed_ends_are_numbered_within_their_type() -> None:
    columns = {
        "head": np.array([0, 0]),
        "head_type": ["drug", "disease"],
        "relation": np.array([0, 1]),
        "tail": np.array([0, 1]),
        "tail_type": ["disease", "disease"],
    }
    assert r5.load(columns).train.pool.triples() == [("drug:0", "0", "disease:0"), ("disease:0", "1", "disease:1")]


@pytest.mark.parametrize(
    ("source", "options", "complaint"),
    [
        (IDS, {"entity_names": {"Ann": 1}}, r"the ids in entity_names must be 0, 1, \.\.\. 0"),
        (IDS, {"entity_names": ["Ann"]}, r"ids must be in 0\.\.0"),
        (IDS, {"entity_names": {"Ann": "x"}}, "must map ids to names or names to ids"),
        (IDS[:, :2], {}, r"expected integers of shape \[edges, 3\]"),
        (-IDS, {}, "must not be negative"),
        ({"edge_index": IDS.T}, {}, "expected edge_reltype or edge_type"),
        ({"edge_index": IDS.T, "edge_type": IDS[:, 0]}, {}, r"expected edge_index of shape \[2, edges\]"),
        (
            {"head": ["a"], "relation": ["r", "s"], "tail": ["b"]},
            {},
            "columns differ in length: head 1, relation 2",
        ),
        ({"head": "a", "relation": "b", "tail": "c"}, {}, "must be a list or an array"),
        ({"a": 1, "b": 2}, {}, "there are 2 columns"),
        ({"head": ["a"], "relation": ["r"], "tail": ["b"]}, {"entity_names": ENTITIES}, "are for integer ids"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(source: Any, options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(R5Error, match=complaint):
        r5.load(source, **options)
