"""The file of data sets and figures of others."""

from __future__ import annotations

from pathlib import Path

import pytest

from r5.bench.graphs.published import load_peers
from r5.errors import DataError, R5Error


def test_the_committed_file_is_whole() -> None:
    peers = load_peers()
    measured = next(system for system in peers.systems if system.measured)
    assert set(measured.mrr) == {one.name for one in peers.data}
    assert measured.mrr["kinship"] == 0.683
    assert [one.name for one in peers.chosen(["umls", "family"])] == ["family", "umls"]
    with pytest.raises(R5Error, match="no data set is called 'freebase'"):
        peers.chosen(["freebase"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("data: [", "is not valid YAML"),
        ("data: {}", "is not a list of data sets"),
        (
            "data: {a: {title: A, folder: a, split: s}}\nsystems: [{name: S, kind: rules, ties: x, mrr: {b: 0.5}}]",
            "b: 0.5",
        ),
        (
            "data: {a: {title: A, folder: a, split: s}}\nsystems: [{name: S, kind: rules, ties: x, mrr: {a: 98}}]",
            "a: 98",
        ),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "p.yaml").write_text(text)
    with pytest.raises(DataError, match=words):
        load_peers(tmp_path / "p.yaml")
