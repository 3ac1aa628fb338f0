"""`r5 predict --split`: answers to all queries of a split, with or without known answers."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import r5
from r5.data.builder import rows_of
from tests.helpers.commands import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("split")
    data = r5.load("kinship", train=300, test=4)
    r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train).save(made / "model")
    rows = [{"edges": row.edges, "query": [row.source, row.target]} for row in list(rows_of(data.test))[:4]]
    rows += [{**rows[0], "answer": "aunt"}]
    (made / "new.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return made


def test_each_query_of_a_split_is_answered(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    ask = ("predict", folder / "model", folder / "new.jsonl", "--load", "split=test", "--split", "test", "--quiet")
    code, _, _ = run(capsys, *ask, "--out", tmp_path / "answers.csv")
    with (tmp_path / "answers.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert (code, [row["example"] for row in rows]) == (0, ["0", "1", "2", "3", "4"])
    assert [row["answer"] for row in rows] == ["", "", "", "", "aunt"]
    assert (rows[4]["relation"], rows[4]["probability"]) == (rows[0]["relation"], rows[0]["probability"])
    examples = r5.load(folder / "new.jsonl", split="test").test
    expected = [one.relation or "" for one in r5.load_model(folder / "model").predict(examples)]
    assert [row["relation"] for row in rows] == expected
    _, shown, _ = run(capsys, *ask, "--json", "--explain")
    lines = [json.loads(line) for line in shown.splitlines()]
    assert [line["relation"] or "" for line in lines] == expected
    assert (lines[4]["answer"], "answer" in lines[0]) == ("aunt", False)
    assert lines[0]["path"]


def test_a_fact_of_a_knowledge_graph_is_masked_in_its_own_query(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "train.txt").write_text("Ann\tmother\tEve\nEve\tbrother\tTom\nAnn\tuncle\tTom\n")
    (tmp_path / "test.txt").write_text("Tom\tsister\tEve\n")
    ask = ("predict", folder / "model", tmp_path, "--json", "--quiet")
    _, shown, _ = run(capsys, *ask, "--split", "train")
    assert [json.loads(line)["answer"] for line in shown.splitlines()] == ["mother", "brother", "uncle"]
    uncle = json.loads(shown.splitlines()[2])
    assert (uncle["relation"], uncle["probability"] < 1) == ("uncle", True)
    (tmp_path / "more.txt").write_text("Tom\tsister\tZoe\nZoe\tsister\tEve\n")
    assert json.loads(run(capsys, *ask, "--split", "test")[1])["relation"] is None
    assert json.loads(run(capsys, *ask, "--split", "test", "--add", tmp_path / "more.txt")[1])["relation"] == "sister"


def test_an_empty_split_is_an_error(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code, _, log = run(capsys, "predict", folder / "model", folder / "new.jsonl", "--split", "valid", "--quiet")
    assert (code, log.endswith("the valid split is empty; the data has train 1, test 4\n")) == (2, True)
    code, _, log = run(capsys, "predict", folder / "model", folder / "new.jsonl")
    assert (code, "--split test for all of a data set" in log) == (2, True)
