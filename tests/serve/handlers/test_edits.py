"""Edits give the same graph as building it with the edited facts."""

from __future__ import annotations

import pytest

import r5
from r5.serve.errors import RequestError
from r5.serve.handlers.edits import apply_edits, format_tsv

FAMILY = [("Ann", "mother", "Eve"), ("Eve", "brother", "Tom")]


def test_edits_apply_in_order() -> None:
    graph = r5.Graph.from_triples(FAMILY)
    assert apply_edits(graph, []) is graph
    edits = [["+", "Tom", "likes", "Zoe"], ["-", "Ann", "mother", "Eve"], ["-", "Tom", "likes", "Zoe"]]
    assert apply_edits(graph, edits[:2]).triples() == [FAMILY[1], ("Tom", "likes", "Zoe")]
    assert apply_edits(graph, edits).triples() == [FAMILY[1]]
    assert graph.triples() == FAMILY
    with pytest.raises(RequestError, match="there is no fact Ann -wife-> Eve to remove"):
        apply_edits(graph, [["-", "Ann", "wife", "Eve"]])


def test_edits_include_inverse_edges() -> None:
    graph = r5.Graph.from_triples(FAMILY).with_inverses()
    less = apply_edits(graph, [["-", "Eve", "brother", "Tom"]])
    assert sorted(less.triples()) == sorted(r5.Graph.from_triples(FAMILY[:1]).with_inverses().triples())
    more = apply_edits(graph, [["+", "Tom", "mother", "Ida"]])
    wanted = r5.Graph.from_triples([*FAMILY, ("Tom", "mother", "Ida")]).with_inverses()
    assert sorted(more.triples()) == sorted(wanted.triples())
    assert len(set(more.facts.tolist())) == 3


def test_tsv_replaces_tabs_and_line_ends() -> None:
    graph = r5.Graph.from_triples([("a\tb", "r  s", "c\nd"), ("e", "r  s", "f")])
    assert format_tsv(graph) == "a b\tr  s\tc d\ne\tr  s\tf\n"
