"""`r5 similar` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import r5
from tests.helpers.commands import run

FACTS = [(f"p{n}", "lives_in", ("Ashton", "Elmford")[n % 2]) for n in range(8)]
FACTS += [(f"p{n}", "speaks", "French") for n in (0, 2, 3)]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("similar") / "model"
    r5.ChainReasoner(seed=0, epochs=1).fit(r5.Graph.from_triples(FACTS)).save(path)
    return path


def test_similar_entities_are_listed_with_shared_properties(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "similar", model, "p0", "--top", 2)
    similar = r5.load_model(model).similar("p0")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        f"   1  p2  {similar[0].similarity:.3f}   both: -speaks-> French, -lives_in-> Ashton",
        f"   2  p3  {similar[1].similarity:.3f}   both: -speaks-> French",
    ]


def test_json_has_all_that_the_library_returns(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "similar", model, "p0", "--json")
    assert code == 0
    assert json.loads(out) == [one.to_json() for one in r5.load_model(model).similar("p0")]


def test_another_graph_and_added_facts_are_used(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "more.tsv").write_text("Zoe\tspeaks\tDutch\nIda\tspeaks\tDutch\n")
    for given in ([tmp_path / "more.tsv"], ["--add", tmp_path / "more.tsv"]):
        code, out, _ = run(capsys, "similar", model, "Zoe", *given, "--json")
        assert code == 0
        assert [one["entity"] for one in json.loads(out)] == ["Ida"]
    assert run(capsys, "similar", model, "p0", tmp_path / "more.tsv")[0] == 2


def test_an_entity_similar_to_none_ends_with_code_1(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "similar", model, "French")
    assert (code, out) == (1, "")
    assert err.startswith("no entity is similar to French")
    assert run(capsys, "similar", model, "French", "--json")[:2] == (1, "[]\n")


def test_errors_are_one_line(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "similar", model, "Ashtn")
    assert (code, out) == (2, "")
    assert err == "r5: no entity is called 'Ashtn'; did you mean 'Ashton'?\n"


def test_the_output_is_a_file(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "similar", model, "p0", "--out", tmp_path / "similar.json", "--json")
    assert (code, out.strip()) == (0, str(tmp_path / "similar.json"))
    assert len(json.loads((tmp_path / "similar.json").read_text())) == 4
    assert run(capsys, "similar", model, "p0", "--out", tmp_path / "similar.json")[0] == 2
