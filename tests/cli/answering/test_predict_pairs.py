"""`r5 predict --pairs`: files of queries and answers, with invalid rows refused or marked."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest

import r5
from tests.helpers.commands import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pairs")
    data = r5.load("kinship", train=300, test=1)
    r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train).save(made / "model")
    (made / "family.tsv").write_text("Ann\tmother\tEve\nEve\tbrother\tTom\nTom\tlikes\tZoe\n")
    (made / "graph").mkdir()
    (made / "graph" / "train.txt").write_text("Ann\tmother\tEve\nEve\tbrother\tTom\n")
    (made / "graph" / "test.txt").write_text("Ann\tuncle\tTom\n")
    (made / "packed.tsv.gz").write_bytes(gzip.compress((made / "family.tsv").read_bytes()))
    (made / "pairs.tsv").write_text("source\ttarget\nAnn\tTom\nTom\tAnn\nAnn\tTom\n")
    return made


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_pairs_are_answered_in_order(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    ask = ("predict", folder / "model", folder / "family.tsv", "--pairs", folder / "pairs.tsv")
    code, shown, log = run(capsys, *ask, "--out", tmp_path / "answers.tsv")
    unseen = "the model has never seen the relation 'likes': paths that use it are left out\n"
    assert (code, shown, log) == (0, f"{tmp_path / 'answers.tsv'}\n", unseen)
    first, second, third = rows(tmp_path / "answers.tsv")
    assert (first["source"], first["target"], first["relation"]) == ("Ann", "Tom", "uncle")
    assert first == third
    assert (second["relation"], second["reason"]) == ("", "no path leads from Tom to Ann")
    one = json.loads(run(capsys, *ask[:3], "--source", "Ann", "--target", "Tom", "--json")[1])
    assert float(first["probability"]) == one["probability"]
    code, _, log = run(capsys, *ask, "--out", tmp_path / "answers.tsv")
    assert (code, "already exists" in log) == (2, True)


@pytest.mark.parametrize("explain", [(), ("--explain",)])
def test_pairs_below_the_minimum_probability_have_no_answer(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path, explain: tuple[str, ...]
) -> None:
    (tmp_path / "pairs.tsv").write_text("Ann\tTom\nEve\tZoe\n")
    ask = ("predict", folder / "model", folder / "family.tsv", "--pairs", tmp_path / "pairs.tsv", "--json", "--quiet")
    code, shown, _ = run(capsys, *ask, *explain)
    known, unknown = map(json.loads, shown.splitlines())
    assert (code, known["relation"], unknown["relation"]) == (0, "uncle", None)
    assert unknown["reason"] == "every path found from Eve to Zoe uses likes (never seen in training)"
    code, shown, _ = run(capsys, *ask, *explain, "--min-probability", "1")
    refused, unknown_still = map(json.loads, shown.splitlines())
    assert (code, refused["relation"], refused["probability"]) == (0, None, None)
    assert refused["reason"].startswith("the best answer, uncle, has probability 0.9")
    assert unknown_still == unknown


def test_explained_json_lines_equal_single_queries(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    ask = ("predict", folder / "model", folder / "family.tsv")
    code, shown, _ = run(capsys, *ask, "--pairs", folder / "pairs.tsv", "--json", "--explain")
    assert code == 0
    lines = [json.loads(line) for line in shown.splitlines()]
    assert lines[0] == json.loads(run(capsys, *ask, "--source", "Ann", "--target", "Tom", "--json")[1])
    plain = run(capsys, *ask, "--pairs", folder / "pairs.tsv", "--json")[1].splitlines()
    assert list(json.loads(plain[0])) == ["source", "target", "relation", "probability", "score", "reason"]


@pytest.mark.parametrize("graph", ["graph", "packed.tsv.gz"])
def test_graphs_may_be_folders_or_compressed(capsys: pytest.CaptureFixture[str], folder: Path, graph: str) -> None:
    code, shown, _ = run(capsys, "predict", folder / "model", folder / graph, "--pairs", folder / "pairs.tsv")
    assert code == 0
    assert shown.splitlines()[1].startswith("Ann\tTom\tuncle\t0.9")


def test_graphs_may_be_compressed_with_zstandard(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    pack = pytest.importorskip("zstandard").ZstdCompressor().compress
    (tmp_path / "family.tsv.zst").write_bytes(pack((folder / "family.tsv").read_bytes()))
    (tmp_path / "pairs.csv.zst").write_bytes(pack(b"Ann,Tom\n"))
    words = ("predict", folder / "model", tmp_path / "family.tsv.zst", "--pairs", tmp_path / "pairs.csv.zst")
    assert run(capsys, *words)[1].splitlines()[1].startswith("Ann\tTom\tuncle")


def test_pairs_of_examples_with_their_own_graphs(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    data = r5.load("kinship", train=300, test=1)
    lines = [f"{number}\t{one.source}\t{one.target}\n" for number, one in enumerate(data.test)]
    (tmp_path / "pairs.tsv").write_text("".join(lines))
    load = ("--load", "train=300", "--load", "test=1")
    ask = ("predict", folder / "model", "kinship", "--pairs", tmp_path / "pairs.tsv", *load)
    code, _, log = run(capsys, *ask, "--out", tmp_path / "answers.tsv", "--explain")
    assert (code, log) == (0, "")
    model = r5.load_model(folder / "model")
    found = rows(tmp_path / "answers.tsv")
    assert [row["relation"] for row in found] == [answer.relation for answer in model.predict(data.test)]
    assert [row["example"] for row in found] == list("0123456")
    assert json.loads(found[0]["derivation"])["steps"]
    code, _, log = run(capsys, "predict", folder / "model", "kinship", "--source", "a", "--target", "b", *load)
    assert (code, "r5 explain with --index" in log) == (2, True)


def test_invalid_rows_are_errors_or_marked(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("Ann\tTom\nAnn\tTim\nAnn\n")
    ask = ("predict", folder / "model", folder / "family.tsv", "--pairs", tmp_path / "pairs.tsv")
    code, _, log = run(capsys, *ask, "--out", tmp_path / "answers.tsv")
    assert code == 2
    assert "pairs.tsv:2: no entity is called 'Tim'; did you mean 'Tom'" in log
    assert not (tmp_path / "answers.tsv").exists()
    code, _, log = run(capsys, *ask, "--out", tmp_path / "answers.tsv", "--keep-going")
    assert (code, "2 of 3 rows are invalid" in log) == (0, True)
    reasons = [row["reason"] for row in rows(tmp_path / "answers.tsv")]
    assert reasons == ["", "no entity is called 'Tim'", "expected source and target in 2 fields, found 1"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--source", "Ann"), "give --source and --target"),
        (("--pairs", "pairs.tsv", "--source", "Ann"), "give either"),
        (("--pairs", "pairs.tsv", "--out", "answers.xlsx"), "must end in one of"),
        (("--pairs", "nowhere.tsv"), "no such file"),
    ],
)
def test_invalid_options_are_errors(
    capsys: pytest.CaptureFixture[str], folder: Path, words: tuple[str, ...], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    code, _, log = run(capsys, "predict", "model", "family.tsv", *words)
    assert code == 2
    assert told in log
