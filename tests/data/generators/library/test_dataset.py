"""The generated library: what follows, what is missing, and the same again from a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

import r5
from r5.data.formats.triples import load_triples, write_triples
from r5.data.generators.library.dataset import RULES, generate_library
from r5.errors import R5Error
from r5.graph import Graph


def whole(data: r5.Dataset) -> Graph:
    """The library with nothing missing."""
    assert data.graph is not None
    triples = data.graph.triples()
    for part in (data.valid, data.test):
        triples += [(example.source, example.answer_name or "", example.target) for example in part]
    return Graph.from_triples(triples)


def test_the_rules_hold_wherever_they_apply() -> None:
    data = generate_library(seed=3)
    for rule in RULES.evaluate(whole(data), loops=True):
        assert (rule.probability, (rule.support or 0) > 10) == (1.0, True), rule.text()


def test_missing_facts_follow_from_the_rules() -> None:
    data = generate_library(seed=1, missing=0.3, valid=0.5)
    heads = {rule.head for rule in RULES}
    asked = [*data.valid, *data.test]
    assert 0.2 < len(asked) / len([t for t in whole(data).triples() if t[1] in heads]) < 0.4
    assert {example.answer_name for example in asked} == heads
    assert data.graph is not None
    known = set(data.graph.triples())
    assert not any((example.source, example.answer_name, example.target) in known for example in asked)
    assert data.rules is RULES


def test_library_depends_on_seed_and_sizes() -> None:
    assert generate_library(seed=5).train == generate_library(seed=5).train
    assert generate_library(seed=5).train != generate_library(seed=6).train
    assert len(generate_library(missing=0).test) == 0
    large = generate_library(members=3000, books=1000)
    assert large.graph is not None
    assert len(set(large.graph.entities)) == large.graph.number_of_nodes > 4000
    with pytest.raises(R5Error, match="missing must be a number from 0 to less than 1"):
        generate_library(missing=1.0)


def test_reads_back_the_same(tmp_path: Path) -> None:
    data = r5.load("library", seed=2)
    write_triples(data, tmp_path / "library")
    again = load_triples(tmp_path / "library")
    assert (again.train, again.valid, again.test) == (data.train, data.valid, data.test)
    with pytest.raises(R5Error, match="only one graph"):
        write_triples(r5.load("kinship", train=5, valid=1, test=1), tmp_path / "other")
