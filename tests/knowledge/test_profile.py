"""Profile of a knowledge graph, by hand and against counting pair by pair."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.data.formats.triples import load_triples
from r5.data.registry import load
from r5.errors import R5Error
from r5.graph import Graph
from r5.knowledge.fact_index import FactIndex, all_facts, graph_facts
from r5.knowledge.profile import profile

TRAIN = """
a parent b, b child a, c parent d, d child c, a married c, c married a, b likes b, b likes c, b likes d,
b fond_of c, b fond_of d, e parent f
"""
TEST = "f child e, a parent b, d married new, b fond_of b, a knows b"


def split_folder(path: Path) -> Path:
    path.mkdir()
    for name, rows in (("train", TRAIN), ("test", TEST)):
        (path / f"{name}.txt").write_text("\n".join(row.strip() for row in rows.split(",")))
    return path


def test_relation_statistics_are_those_counted_by_hand(tmp_path: Path) -> None:
    found = {one.name: one for one in profile(load_triples(split_folder(tmp_path / "kg"))).relations}
    assert (found["parent"].facts, found["parent"].cardinality, found["parent"].symmetry) == (3, "1-1", 0.0)
    assert [str(partner) for partner in found["parent"].inverses] == ["child 0.67"]
    assert [str(partner) for partner in found["child"].inverses] == ["parent 1.00"]
    assert found["married"].symmetry == 1.0
    assert (found["likes"].cardinality, found["likes"].loops, found["likes"].symmetry) == ("1-n", 1, 0.0)
    assert [str(partner) for partner in found["fond_of"].duplicates] == ["likes 1.00"]


def test_leaks_are_counted_as_by_hand(tmp_path: Path) -> None:
    (split,) = profile(load_triples(split_folder(tmp_path / "kg"))).splits
    assert (split.name, split.facts, split.in_training, split.leaks) == ("test", 5, 1, 1)
    assert (split.reversed_in_training, split.duplicated_in_training) == (1, 1)
    assert (split.unseen_entities, split.with_unseen_entity, split.unseen_relations) == (1, 1, 1)


def test_several_graphs_are_refused() -> None:
    with pytest.raises(R5Error, match="do not share one graph"):
        profile(load("kinship", train=5, valid=1, test=1))


TRIPLES = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("rst"), st.sampled_from("abcd")), min_size=1, max_size=25
)


@settings(max_examples=60, deadline=None)
@given(TRIPLES)
def test_propagation_agrees_with_sets(rows: list[tuple[str, str, str]]) -> None:
    data = load(rows)
    facts = set(rows)
    for one in profile(data).relations:
        own = {(s, t) for s, r, t in facts if r == one.name}
        proper = {(s, t) for s, t in own if s != t}
        assert (one.facts, one.loops) == (len(own), len(own) - len(proper))
        back = sum((t, one.name, s) in facts for s, t in proper)
        assert one.symmetry == pytest.approx(back / len(proper) if proper else 0.0)
        for partner in one.duplicates:
            assert partner.share == pytest.approx(sum((s, partner.relation, t) in facts for s, t in own) / len(own))
    graph = Graph.from_triples(rows)
    index = FactIndex(graph_facts(graph), graph.number_of_nodes)
    for s in range(graph.number_of_nodes):
        for t in range(graph.number_of_nodes):
            wanted = {r for a, r, b in facts if (a, b) == (graph.entities[s], graph.entities[t])}
            assert set(graph.vocabulary.names(index.relations(s, t))) == wanted
    assert index.holds(graph_facts(graph)).all()
    assert not index.holds(np.array([[0, 99, 0]])).any()
    assert len(all_facts(data)) == len(facts)
