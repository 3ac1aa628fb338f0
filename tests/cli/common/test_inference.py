"""`r5 rank`, `evaluate`, `report`, `complete` and `predict` on a graph whose entities the model does not know."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import r5
from tests.helpers.commands import run
from tests.reasoners.test_chains import families

Triples = list[tuple[str, str, str]]


def write(folder: Path, **splits: Triples) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in splits.items():
        (folder / f"{name}.txt").write_text("".join("\t".join(row) + "\n" for row in rows))
    return folder


def renamed(rows: Triples, prefix: str = "new_") -> Triples:
    return [(prefix + head, relation, prefix + tail) for head, relation, tail in rows]


def held_out(rows: Triples) -> tuple[Triples, Triples]:
    """Facts of the graph, and every sixth grandparent as a query."""
    test = [row for row in rows if row[1] == "grandparent"][::6]
    return [row for row in rows if row not in test], test


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("new") / "model"
    r5.ChainReasoner(seed=0).fit(r5.Graph.from_triples(families(40))).save(path)
    return path


@pytest.fixture
def new_family(tmp_path: Path) -> Path:
    train, test = held_out(renamed(families(12)))
    return write(tmp_path / "cousins", train=train, test=test)


def test_rank_uses_the_facts_of_new_entities(model: Path, new_family: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "rank", model, new_family, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["mrr"] > 0.9
    assert found["graph"]["kind"] == "data"
    assert "all 60 entities of cousins are new to the model: queries are answered on the " in err


def test_rank_agrees_with_complete_and_predict_on_the_graph(
    model: Path, new_family: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, reasoner = r5.load(new_family), r5.load_model(model)
    assert isinstance(reasoner, r5.ChainReasoner)
    ranking = r5.rank(reasoner, data.test, (data.train.pool,), graph=data.graph)
    head, tail = ends(data.test[0])
    code, out, _ = run(
        capsys, "complete", model, new_family, "--head", head, "--relation", "grandparent", "--json", "--top", 60
    )
    answers = [one["fact"][2] for one in json.loads(out)]
    assert code == 0
    assert answers.index(tail) + 1 == ranking.ranks[0, 0]
    code, out, _ = run(capsys, "predict", model, new_family, "--source", head, "--target", tail, "--json")
    best = json.loads(out)
    assert best["relation"] == "grandparent"
    code, out, _ = run(capsys, "evaluate", model, new_family, "--json")
    assert json.loads(out)["accuracy"] == 1.0
    code, out, _ = run(capsys, "audit", model, new_family, "--json")
    assert all(one["fact"][0].startswith("new_") for one in json.loads(out)["facts"])


def ends(example: r5.Example) -> tuple[str, str]:
    return example.graph.entities[example.query.source], example.graph.entities[example.query.target]


def test_evaluate_and_report_say_which_graph_answers(
    model: Path, new_family: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "evaluate", model, new_family, "--json")
    assert (code, json.loads(out)["graph"]["kind"]) == (0, "data")
    assert "facts of cousins alone" in err
    code, _, err = run(capsys, "report", model, new_family, "--out", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert code == 0
    assert "facts of cousins alone" in err
    assert "All 60 entities of cousins are new to the model" in page


def test_old_and_new_entities_are_answered_on_both_graphs(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Children of zoe3: their grandparents, ann3 and tom3's spouse, follow from facts of the training graph.
    train = [("kim", "parent", "zoe3"), ("lea", "parent", "zoe5")]
    data = write(tmp_path / "children", train=train, test=[("kim", "grandparent", "ann3"), ("lea", "parent", "zoe5")])
    code, out, err = run(capsys, "rank", model, data, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["graph"] == {"kind": "merged", "entities": 5, "known_entities": 3, "facts": 2, "known_facts": 0}
    assert "2 of 5 entities of children are new to the model" in err
    assert "its training graph and 2 more facts of children" in err
    assert found["by_relation"]["grandparent"]["mrr"] == 1.0
    code, out, _ = run(capsys, "rank", model, data, "--json", "--graph", "data")
    assert json.loads(out)["graph"]["kind"] == "data"
    code, out, _ = run(capsys, "evaluate", model, data, "--json")
    assert (code, json.loads(out)["graph"]["kind"]) == (0, "merged")


def test_a_folder_with_an_inference_graph_is_trained_and_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train, test = held_out(renamed(families(12)))
    data = write(tmp_path / "people", train=families(40), inference=train, inference_test=test)
    code, _, err = run(capsys, "train", data, "--out", tmp_path / "model", "--seed", 0)
    assert (code, "the engine is chains" in err) == (0, True)
    code, out, err = run(capsys, "rank", tmp_path / "model", data, "--json")
    found = json.loads(out)
    assert (code, found["graph"]["kind"], found["n"]) == (0, "data", 2 * len(test))
    assert found["mrr"] > 0.9
    assert "people/inference" in err
    code, out, err = run(capsys, "audit", tmp_path / "model", data, "--json")
    assert all(one["fact"][0].startswith("new_") for one in json.loads(out)["facts"])
    assert "queries are answered on the" in err
    code, out, _ = run(capsys, "describe", data, "--json")
    assert json.loads(out)["inference_graph"]["known_entities"] == 0


def test_complete_says_that_the_graph_is_not_the_training_graph(
    model: Path, new_family: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = write(tmp_path / "children", train=[("kim", "parent", "zoe3")])
    _, _, err = run(capsys, "complete", model, data, "--head", "kim")
    assert "1 of 2 entities of children are new to the model" in err
    assert "on the 1 facts of children alone; --add adds facts to the training graph" in err
    _, _, err = run(capsys, "complete", model, write(tmp_path / "same", train=families(40)), "--head", "zoe3")
    assert "queries are answered" not in err


def test_facts_of_an_unknown_relation_are_ranked_last(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train, test = held_out(renamed(families(12)))
    data = write(tmp_path / "pets", train=[*train, ("x", "owns", "y")], test=[*test, ("y", "owns", "x")])
    code, out, err = run(capsys, "rank", model, data, "--json", "--ties", "optimistic")
    assert code == 0
    assert "the model has no rules for owns: 1 of 5 facts of test are ranked last" in err
    assert json.loads(out)["by_relation"]["owns"]["mrr"] == pytest.approx(1 / 62)
    assert run(capsys, "report", model, data, "--out", tmp_path / "report.html")[0] == 0
    write(data, test=[("y", "owns", "x")])
    code, _, err = run(capsys, "rank", model, data)
    assert code == 2
    assert "the model has no rules for any relation of the facts: 'owns'" in err


def test_entities_that_no_graph_has_are_an_error(
    model: Path, new_family: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run(capsys, "rank", model, new_family, "--graph", "training")
    assert code == 2
    assert "none of the entities of the facts is in the graph" in err


def test_the_graph_is_for_models_of_one_graph(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = r5.load("kinship", train=40, test=5)
    r5.GrammarReasoner(seed=0).fit(data.train).save(tmp_path / "grammar")
    code, _, err = run(capsys, "evaluate", tmp_path / "grammar", "kinship", "--graph", "data", "--load", "train=5")
    assert code == 2
    assert "--graph is for models of the engine chains" in err
