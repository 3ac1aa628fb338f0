"""`r5 complete`: queries and formats of answers, with a stand-in engine."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pandas
import pytest

from r5.cli.main import main
from r5.reasoners.grammar import GrammarReasoner
from tests.helpers.commands import without_reading
from tests.helpers.completing import RULE, StandIn


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    found = StandIn()
    monkeypatch.setattr("r5.cli.common.models.load_prepared", lambda path, command, quiet=False: found)
    return found


def run(*words: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(words)
    return int(end.value.code or 0)


def test_answers_are_listed_with_probabilities(model: StandIn, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("complete", "m", "--head", "Ann", "--relation", "aunt") == 0
    assert capsys.readouterr().out.splitlines() == [
        "   1  Ann -aunt-> Zoe  0.900",
        "   2  Ann -aunt-> Ida  0.050   in the graph",
    ]
    assert run("complete", "m", "--head", "Ann", "--relation", "aunt", "--min-probability", "0.5") == 0
    assert capsys.readouterr().out.splitlines() == ["   1  Ann -aunt-> Zoe  0.900"]
    assert model.asked[0][1] | {"explain": False} == {
        "head": "Ann",
        "relation": "aunt",
        "tail": None,
        "top": 10,
        "explain": False,
        "known": False,
    }


def test_reasons_sum_to_the_score(model: StandIn, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("complete", "m", "--head", "Ann", "--relation", "aunt", "--top", "1", "--explain") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split(None, 1) == ["+2.500", f"{RULE.text()}   (2 groundings)"]
    assert lines[2].strip() == "Ann -mother-> Eve, Eve -sister-> Zoe"
    assert lines[3].split(None, 1) == ["-0.750", "Zoe is nobody's aunt yet"]
    assert lines[-2].split(None, 1) == ["+0.500", "4 further reasons"]
    numbers = [float(line.split()[0]) for line in lines[1:] if line.split()[0][0] in "+-"]
    assert sum(numbers[:-1]) == numbers[-1] == 3.0


def test_answers_as_tree_json_and_svg(model: StandIn, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ask = ("complete", "m", "--head", "Ann", "--relation", "aunt", "--top", "1")
    assert run(*ask, "--format", "tree") == 0
    tree = capsys.readouterr().out.splitlines()
    assert tree[0] == "Ann -aunt-> Zoe   [P(fact) 0.900, score 3.000]"
    assert tree[2:4] == ["│   ├── Ann -mother-> Eve", "│   └── Eve -sister-> Zoe"]
    assert tree[-1] == "└── +0.500  4 further reasons"
    assert run(*ask, "--explain", "--json") == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert sum(reason["weight"] for reason in found["reasons"]) == found["score"]
    assert found["reasons"][0]["rule"]["pca"] == 1.0
    assert run(*ask, "--format", "svg", "--out", str(tmp_path / "why.svg")) == 0
    picture = ElementTree.fromstring((tmp_path / "why.svg").read_text())  # noqa: S314  our own file
    words = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Ann", "mother", "Eve", "sister", "Zoe", "+2.50", "-0.75", "4 further reasons"} <= set(words)


@pytest.mark.parametrize("ending", [".tsv", ".csv", ".parquet"])
def test_a_file_of_queries_becomes_a_table(model: StandIn, tmp_path: Path, ending: str) -> None:
    (tmp_path / "q.tsv").write_text("head\trelation\ttail\nAnn\taunt\t?\nZoe\taunt\t?\n?\taunt\tIda\n")
    out = tmp_path / f"answers{ending}"
    assert run("complete", "m", "--queries", str(tmp_path / "q.tsv"), "--out", str(out)) == 0
    read = {
        ".tsv": lambda: pandas.read_csv(out, sep="\t"),
        ".csv": lambda: pandas.read_csv(out),
        ".parquet": lambda: pandas.read_parquet(out),
    }
    table = read[ending]()
    assert table["query"].tolist() == [1, 1, 3, 3]
    assert table["entity"].tolist() == ["Zoe", "Ida"] * 2
    assert table["probability"].tolist() == [0.9, 0.05] * 2
    assert run("complete", "m", "--queries", str(tmp_path / "q.tsv"), "--out", str(out)) == 2


def test_a_file_of_queries_as_json_lines_and_on_standard_output(
    model: StandIn, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "q.csv").write_text("Ann,aunt,?\nZoe,?,?\n")
    out = tmp_path / "a.jsonl"
    assert run("complete", "m", "--queries", str(tmp_path / "q.csv"), "--out", str(out), "--explain") == 0
    first, second = map(json.loads, out.read_text().splitlines())
    assert (first["head"], len(first["answers"]), second["relation"], second["answers"]) == ("Ann", 2, None, [])
    capfdbinary.readouterr()
    assert run("complete", "m", "--queries", str(tmp_path / "q.csv"), "--json") == 0
    assert capfdbinary.readouterr().out.splitlines()[-1].decode() == out.read_text().splitlines()[-1]
    assert run("complete", "m", "--queries", str(tmp_path / "q.csv")) == 0
    assert capfdbinary.readouterr().out.startswith(b"query\thead\trelation")


def test_new_lists_the_most_probable_facts(model: StandIn, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("complete", "m", "--new", "1") == 0
    assert capsys.readouterr().out == "   1  Ann -aunt-> Zoe  0.900\n"
    words = ("--relation", "aunt", "--head", "Ann", "--min-probability", "0.25")
    assert run("complete", "m", "--new", "1", *words) == 0
    assert (model.asked[-1][1]["relation"], model.asked[-1][1]["min_probability"]) == ("aunt", 0.25)


def test_new_writes_a_table(model: StandIn, tmp_path: Path) -> None:
    assert run("complete", "m", "--new", "2", "--out", str(tmp_path / "new.tsv")) == 0
    header, first, second = (tmp_path / "new.tsv").read_text().splitlines()
    assert header.split("\t")[1:4] == ["head", "relation", "tail"]
    assert (first.split("\t")[1:4], second.split("\t")[4]) == (["Ann", "aunt", "Zoe"], "2")


def test_add_extends_the_training_graph_or_the_given_one(
    model: StandIn, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "new.tsv").write_text("Bob\tmother\tEve\nAnn\tmother\tEve\n")
    (tmp_path / "own.tsv").write_text("Sue\tmother\tAda\n")
    add = ("--add", str(tmp_path / "new.tsv"), "--head", "Bob", "--relation", "mother")
    assert run("complete", "m", *add) == 0
    assert without_reading(capsys.readouterr().err) == "added 1 fact (1 was there already), 1 new entity\n"
    assert model.asked[-1][0].triples() == [*model.graph_.triples(), ("Bob", "mother", "Eve")]
    assert run("complete", "m", str(tmp_path / "own.tsv"), *add, "--quiet") == 0
    assert model.asked[-1][0].triples() == [
        ("Sue", "mother", "Ada"),
        ("Bob", "mother", "Eve"),
        ("Ann", "mother", "Eve"),
    ]
    assert capsys.readouterr().err == ""
    (tmp_path / "q.tsv").write_text("Bob\tmother\t?\n")
    assert run("complete", "m", *add[:2], "--queries", str(tmp_path / "q.tsv"), "--quiet") == 0
    assert run("complete", "m", *add[2:]) == 2


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "give one of"),
        (("--new", "3", "--queries", "q.tsv"), "give one of"),
        (("--queries", "q.tsv", "--min-probability", "0.5"), "--min-probability goes with --new or with one query"),
        (("--relation", "aunt"), "give the head of a fact, its tail, or both"),
        (("--head", "An", "--relation", "aunt"), "no entity is called 'An'; did you mean 'Ann'"),
        (
            ("--head", "Ann", "--relation", "ant"),
            "unknown relation 'ant'; known: aunt, mother, sister; did you mean 'aunt'",
        ),
        (("--new", "0"), "Invalid value"),
        (("--queries", "nowhere.tsv"), "no such file"),
    ],
)
def test_invalid_queries_are_errors(
    model: StandIn, words: tuple[str, ...], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("complete", "m", *words) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("Ann\taunt\t?\nAnn\taunt\n", "q.tsv:2: expected head, relation, tail"),
        ("?\taunt\t?\n", "q.tsv:1: give the head of a fact, its tail, or both"),
        ("Nobody\taunt\t?\n", "q.tsv:1: no entity is called 'Nobody'"),
        ("head\trelation\ttail\n", "q.tsv: holds no queries"),
    ],
)
def test_invalid_files_of_queries_are_errors(
    model: StandIn, text: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q.tsv").write_text(text)
    assert run("complete", "m", "--queries", str(tmp_path / "q.tsv"), "--out", str(tmp_path / "a.tsv")) == 2
    assert complaint in capsys.readouterr().err
    assert not (tmp_path / "a.tsv").exists()


def test_no_answer_exits_with_code_1(model: StandIn, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("complete", "m", "--head", "Zoe", "--relation", "aunt") == 1
    assert run("complete", "m", "--head", "Zoe", "--relation", "aunt", "--json") == 1
    assert json.loads(capsys.readouterr().out) == []


def test_models_of_other_engines_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("r5.cli.common.models.load_prepared", lambda path, command, quiet=False: GrammarReasoner())
    assert run("complete", "m", "--new", "3") == 2
    assert "the engine grammar completes no graphs" in capsys.readouterr().err
