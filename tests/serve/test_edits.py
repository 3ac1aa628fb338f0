"""What-if edits: the same as making the graph anew."""

from __future__ import annotations

import pytest

import r5
from r5.serve.edits import as_tsv, edited
from r5.serve.fields import RequestError

FAMILY = [("Ann", "mother", "Eve"), ("Eve", "brother", "Tom")]


def test_edits_in_order() -> None:
    graph = r5.Graph.from_triples(FAMILY)
    assert edited(graph, []) is graph
    edits = [["+", "Tom", "likes", "Zoe"], ["-", "Ann", "mother", "Eve"], ["-", "Tom", "likes", "Zoe"]]
    assert edited(graph, edits[:2]).triples() == [FAMILY[1], ("Tom", "likes", "Zoe")]
    assert edited(graph, edits).triples() == [FAMILY[1]]
    assert graph.triples() == FAMILY
    with pytest.raises(RequestError, match="there is no fact Ann -wife-> Eve to remove"):
        edited(graph, [["-", "Ann", "wife", "Eve"]])


def test_inverse_edges_go_with_theirs() -> None:
    graph = r5.Graph.from_triples(FAMILY).with_inverses()
    less = edited(graph, [["-", "Eve", "brother", "Tom"]])
    assert sorted(less.triples()) == sorted(r5.Graph.from_triples(FAMILY[:1]).with_inverses().triples())
    more = edited(graph, [["+", "Tom", "mother", "Ida"]])
    wanted = r5.Graph.from_triples([*FAMILY, ("Tom", "mother", "Ida")]).with_inverses()
    assert sorted(more.triples()) == sorted(wanted.triples())
    assert len(set(more.facts.tolist())) == 3


def test_what_is_exported_reads_back(tmp_path: object) -> None:
    graph = r5.Graph.from_triples([("a\tb", "r  s", "c\nd"), ("e", "r  s", "f")])
    assert as_tsv(graph) == "a b\tr  s\tc d\ne\tr  s\tf\n"
