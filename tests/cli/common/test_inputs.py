"""Data of queries is read with the options of training; data without a known relation is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import r5
from r5.cli.common.inputs import add_facts
from tests.helpers.commands import run

ROWS = "Ann\tmother\tEve\nEve\tbrother\tTom\nAnn\tuncle\tTom\nZoe\tmother\tIda\nIda\tbrother\tMax\nZoe\tuncle\tMax\n"
QUICK = ("--engine", "grammar", "--seed", 0, "--set", "restarts=[0.5]", "--set", "annealing_steps=3", "--quiet")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two families, models trained on them without and with inverse edges, and one of generated data."""
    made = tmp_path_factory.mktemp("asking")
    (made / "family.tsv").write_text(ROWS)
    (made / "other.tsv").write_text("Uma\tmother\tPat\nPat\tbrother\tJon\n")
    (made / "molecules.tsv").write_text("C1\tbond\tC2\nC2\tbond\tO3\n")
    return made


@pytest.fixture(scope="module")
def model(folder: Path) -> Path:
    with pytest.raises(SystemExit) as ended:
        words = ["train", folder / "family.tsv", "--out", folder / "model", "--load", "inverse=true", *QUICK]
        r5.cli.main.main([str(word) for word in words])
    assert ended.value.code == 0
    return folder / "model"


def test_the_model_records_name_and_options_of_its_data(model: Path) -> None:
    assert r5.load_model(model).summary_["data"] == {"name": "family.tsv", "options": {"inverse": True}}


def test_other_data_is_read_with_the_options_of_training(
    capsys: pytest.CaptureFixture[str], folder: Path, model: Path
) -> None:
    # From Jon to Uma there are inverse edges only.
    ask = ("predict", model, folder / "other.tsv", "--source", "Jon", "--target", "Uma")
    code, shown, log = run(capsys, *ask)
    assert (code, log) == (0, "as for training: --load inverse=true\n")
    assert shown.startswith("Jon -> Uma: ")
    assert run(capsys, *ask, "--load", "inverse=true")[2] == ""
    code, shown, log = run(capsys, *ask, "--load", "inverse=false")
    assert "--load inverse=false, but the model was trained with inverse=true" in log
    assert "no path leads from Jon to Uma" in shown + log
    assert code == 1


def test_generated_data_is_generated_as_for_training(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    made = ("--load", "train=60", "--load", "seed=5", "--load", "test=3")
    assert run(capsys, "train", "world", "--out", tmp_path / "m", *made, *QUICK)[0] == 0
    code, shown, log = run(capsys, "evaluate", tmp_path / "m", "world", "--load", "test=9", "--json")
    assert code == 0
    assert '"n": 9,' in shown
    assert log.splitlines() == [
        "--load test=9, but the model was trained with test=3",
        "as for training: --load train=60 --load seed=5",
    ]


@pytest.mark.parametrize("command", ["predict", "explain", "evaluate", "report"])
def test_data_without_a_known_relation_is_refused(
    capsys: pytest.CaptureFixture[str], folder: Path, model: Path, tmp_path: Path, command: str
) -> None:
    words: list[object] = [command, model, folder / "molecules.tsv", "--quiet", "--load", "inverse=false"]
    words += ["--source", "C1", "--target", "O3"] if command in ("predict", "explain") else ["--split", "train"]
    words += ["--out", tmp_path / "report.html"] if command == "report" else []
    code, shown, log = run(capsys, *words)
    assert (code, shown, log.count("\n")) == (2, "", 1)
    assert "molecules.tsv: shares no relation with the model, which knows brother, " in log
    assert "not bond;" in log
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("odd", [None, [], "x", {"name": 3, "options": []}, {"options": {"a b": 1, "inverse": "x"}}])
def test_invalid_records_of_the_data_are_ignored(
    capsys: pytest.CaptureFixture[str], folder: Path, model: Path, tmp_path: Path, odd: object
) -> None:
    reasoner = r5.load_model(model)
    reasoner.summary_["data"] = odd
    reasoner.save(tmp_path / "odd")
    ask = ("predict", tmp_path / "odd", folder / "other.tsv", "--source", "Uma", "--target", "Jon")
    assert run(capsys, *ask)[0] in (0, 1, 2)


ADDED = "Uma\tmother\tPat\nPat\tbrother\tJon\nJon\tlikes\ttea\nAnn\tmother\tEve\n"


def test_added_facts_are_read_with_the_options_of_training_and_counted(
    capsys: pytest.CaptureFixture[str], folder: Path, model: Path
) -> None:
    (folder / "added.tsv").write_text(ADDED)
    ask = ("predict", model, folder / "family.tsv", "--add", folder / "added.tsv", "--source", "Jon", "--target", "Uma")
    code, shown, log = run(capsys, *ask)
    assert (code, shown[:12]) == (0, "Jon -> Uma: ")
    assert log.splitlines()[-3:-1] == [
        "added 3 facts (1 was there already), 4 new entities",
        "the model has no rules for the relation 'likes', which only the added facts have: it is never predicted",
    ]
    assert run(capsys, *ask, "--quiet") == (0, shown, "")


def test_add_facts_takes_several_files_of_any_format(model: Path, tmp_path: Path) -> None:
    reasoner = r5.load_model(model)
    graph = r5.Graph.from_triples([("Ann", "mother", "Eve")])
    (tmp_path / "a.csv").write_text("head,relation,tail\nEve,brother,Tom\n")
    (tmp_path / "b.nt").write_text("<http://a/Tom> <http://a/likes> <http://a/Eve> .\n")
    wider = add_facts(
        reasoner, graph, [tmp_path / "a.csv", tmp_path / "b.nt"], ["inverse=false", "short=true", "train=3"]
    )
    assert wider.triples() == [("Ann", "mother", "Eve"), ("Eve", "brother", "Tom"), ("Tom", "likes", "Eve")]
    assert add_facts(reasoner, graph, []) is graph


def test_relations_of_added_facts_without_rules_are_logged(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "new.tsv").write_text("".join(f"a\tr{i}\tb\n" for i in range(9)))
    add_facts(r5.load_model(model), r5.Graph.from_triples([("a", "s", "b")]), [tmp_path / "new.tsv"])
    assert capsys.readouterr().err.splitlines()[2:] == [
        "added 9 facts, 0 new entities",
        "the model has no rules for the relations r0, r1, r2, r3, r4 and 4 more, "
        "which only the added facts have: they are never predicted",
    ]


def test_pairs_are_answered_on_the_graph_with_added_facts(
    capsys: pytest.CaptureFixture[str], folder: Path, model: Path, tmp_path: Path
) -> None:
    (tmp_path / "pairs.tsv").write_text("Uma\tJon\n")
    (tmp_path / "new.tsv").write_text("Uma\tmother\tPat\nPat\tbrother\tJon\n")
    words = ("predict", model, folder / "family.tsv", "--pairs", tmp_path / "pairs.tsv", "--json", "--quiet")
    assert run(capsys, *words)[0] == 2
    code, _, log = run(capsys, *words, "--add", tmp_path / "new.tsv", "--out", tmp_path / "out.jsonl")
    assert (code, log) == (0, "")
    assert '"relation": "uncle"' in (tmp_path / "out.jsonl").read_text()


@pytest.mark.parametrize("text", ["Uma\tmother\n", None])
def test_invalid_files_of_added_facts_are_errors(
    capsys: pytest.CaptureFixture[str], folder: Path, model: Path, tmp_path: Path, text: str | None
) -> None:
    new = tmp_path / "new.tsv"
    if text is not None:
        new.write_text(text)
    words = ("predict", model, folder / "family.tsv", "--add", new, "--source", "Ann", "--target", "Tom", "--quiet")
    code, shown, log = run(capsys, *words)
    assert (code, shown) == (2, "")
    assert log.startswith(f"r5: {new}:")
