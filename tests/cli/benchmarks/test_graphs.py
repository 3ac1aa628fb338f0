"""`r5 bench graphs` on small folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers.commands import run
from tests.reasoners.test_chains import families

Triples = list[tuple[str, str, str]]


def write(folder: Path, **splits: Triples) -> Path:
    folder.mkdir(parents=True)
    for name, rows in splits.items():
        (folder / f"{name}.txt").write_text("".join("\t".join(row) + "\n" for row in rows))
    return folder


def test_own_folders_are_run_on_their_own_graphs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = [(f"new_{head}", relation, f"new_{tail}") for head, relation, tail in families(12)]
    test = [row for row in new if row[1] == "grandparent"][::6]
    rest = [row for row in new if row not in test]
    folder = write(tmp_path / "people", train=families(30))
    write(tmp_path / "people_ind", train=rest, test=test)
    words = ("bench", "graphs", folder, "--seeds", 1, "--out", tmp_path / "out")
    code, out, err = run(capsys, *words, "--json")
    (record,) = json.loads(out)["runs"]
    assert code == 0
    assert (record["data"], record["inductive"], record["n"]) == ("people", True, 2 * len(test))
    assert record["mrr"] > 0.9
    assert record["queries_per_second"] == pytest.approx(record["n"] / record["ranking_seconds"])
    assert sorted(path.name for path in (tmp_path / "out").glob("*.svg")) == ["graphs-inductive.svg"]
    code, out, err = run(capsys, *words)
    assert "1 runs, 1 of them done before" in err
    assert "| people |" in out


def test_folders_that_cannot_be_run_are_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train: Triples = [("a", "r", "b")]
    cases = {
        "no such folder": tmp_path / "missing",
        "has no file test.txt: there is nothing to rank": write(tmp_path / "one", train=train),
        "has no file inference_test.txt": write(tmp_path / "two", train=train, inference=train, test=train),
        "umls is a known data set; run it with --data": write(tmp_path / "umls", train=train, test=train),
        "has no training triples": write(tmp_path / "three", test=train),
    }
    for words, folder in cases.items():
        code, _, err = run(capsys, "bench", "graphs", folder, "--out", tmp_path / "out")
        assert (code, words in err) == (2, True), err
    twins = [write(tmp_path / name / "x", train=train, test=train) for name in "ab"]
    code, _, err = run(capsys, "bench", "graphs", *twins, "--seeds", 1, "--out", tmp_path / "out")
    assert (code, "have the same name" in err) == (2, True)
