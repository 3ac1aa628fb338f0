"""Candidates of a query with their shares, ranked and given."""

from __future__ import annotations

import pytest

import r5
from r5.errors import R5Error


@pytest.fixture(scope="module")
def model() -> r5.ChainReasoner:
    people = [(f"p{i}", "parent", f"p{i + 1}") for i in range(40)]
    people += [(f"p{i}", "grandparent", f"p{i + 2}") for i in range(30)]
    return r5.ChainReasoner(seed=0).fit(r5.Graph.from_triples(people))


QUERIES = [("p33", "grandparent", None), (None, "grandparent", "p36"), ("p3", "parent", None)]


@pytest.mark.parametrize("query", QUERIES)
def test_shares_of_all_new_candidates_sum_to_one(model: r5.ChainReasoner, query: tuple[str | None, ...]) -> None:
    head, relation, tail = query
    (found,) = model.rank_candidates([(head, relation, tail)], top=1000)
    known = {
        end
        for h, r, t in model.graph_.triples()
        if r == relation and (h == head or t == tail)
        for end in [t if tail is None else h]
    }
    assert {one.entity for one in found} == set(model.graph_.entities) - known
    assert sum(one.share for one in found) == pytest.approx(1.0)
    assert [one.share for one in found] == sorted((one.share for one in found), reverse=True)


@pytest.mark.parametrize("query", QUERIES)
def test_shares_are_those_of_complete(model: r5.ChainReasoner, query: tuple[str | None, ...]) -> None:
    head, relation, tail = query
    (ranked,) = model.rank_candidates([(head, relation, tail)], top=1000)
    shares = {one.entity: one.share for one in ranked}
    completed = model.complete(head=head, relation=relation, tail=tail, top=5, explain=True)
    assert all(one.share == pytest.approx(shares[one.entity]) for one in completed)
    given = model.score_candidates((head, relation, tail), [one.entity for one in completed], explain=True)
    assert given == completed


def test_a_known_answer_has_no_share(model: r5.ChainReasoner) -> None:
    known, new = model.score_candidates(("p3", "grandparent", None), ["p5", "p6"])
    assert (known.known, known.share) == (True, None)
    assert new.share is not None and not new.known


def test_a_query_needs_a_relation_and_one_end(model: r5.ChainReasoner) -> None:
    for query in ((None, "parent", None), ("p1", None, None), ("p1", "parent", "p2")):
        with pytest.raises(R5Error, match="give a relation and one end"):
            list(model.rank_candidates([query]))
    with pytest.raises(R5Error, match="top"):
        model.rank_candidates([("p1", "parent", None)], top=0)
