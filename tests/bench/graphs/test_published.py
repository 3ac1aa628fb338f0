"""File of data sets and published figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from r5.bench.graphs.published import load_published_graph_results
from r5.errors import DataError, R5Error


def test_the_committed_file_is_complete() -> None:
    results = load_published_graph_results()
    measured = next(system for system in results.systems if system.measured)
    assert set(measured.mrr) == {one.name for one in results.data} - {"fb15k-237"}
    assert all(system.source for system in results.systems)
    assert [one.name for one in results.data if one.inductive] == ["wn18rr-v1", "fb15k-237-v1", "nell-v1"]
    assert measured.mrr["kinship"] == 0.683
    assert [one.name for one in results.select(["umls", "family"])] == ["family", "umls"]
    with pytest.raises(R5Error, match="no data set is called 'freebase'"):
        results.select(["freebase"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("data: [", "is not valid YAML"),
        ("data: {}", "is not a list of data sets"),
        (
            "data: {a: {title: A, folder: a, split: s}}\n"
            "systems: [{name: S, kind: rules, ties: x, source: y, mrr: {b: 0.5}}]",
            "b: expected a share on a data set of this file, not 0.5",
        ),
        (
            "data: {a: {title: A, folder: a, split: s}}\n"
            "systems: [{name: S, kind: rules, ties: x, source: y, mrr: {a: 98}}]",
            "a: expected a share on a data set of this file, not 98",
        ),
        (
            "data: {a: {title: A, folder: a, split: s}}\nsystems: [{name: S, kind: rules, ties: x, mrr: {a: 0.9}}]",
            "source",
        ),
    ],
)
def test_invalid_files_are_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "p.yaml").write_text(text)
    with pytest.raises(DataError, match=words):
        load_published_graph_results(tmp_path / "p.yaml")
