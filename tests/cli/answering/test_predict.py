"""`r5 predict` and `r5 explain`: queries, formats of the answer, reasons without an answer."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import r5
from tests.helpers.commands import run

BECAUSE = "Ann -uncle-> Tom  because  Ann -mother-> Eve, Eve -brother-> Tom"

UNSEEN = "the model has never seen the relation 'likes': paths that use it are left out\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of each engine, and a family."""
    made = tmp_path_factory.mktemp("predict")
    data = r5.load("kinship", train=300, test=5)
    r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train).save(made / "grammar")
    r5.R5Reasoner(seed=0, epochs=2, network=False).fit(data.train).save(made / "r5")
    (made / "family.tsv").write_text("Ann\tmother\tEve\nEve\tbrother\tTom\nTom\tlikes\tZoe\n")
    return made


@pytest.mark.parametrize("engine", ["grammar", "r5"])
@pytest.mark.parametrize("command", ["predict", "explain"])
def test_predict_in_a_file_of_triples(
    capsys: pytest.CaptureFixture[str], folder: Path, command: str, engine: str
) -> None:
    ask = (command, folder / engine, folder / "family.tsv", "--source", "Ann", "--target", "Tom")
    code, shown, log = run(capsys, *ask)
    assert (code, log) == (0, UNSEEN)
    assert shown.splitlines()[0].startswith("Ann -> Tom: uncle (")
    assert shown.splitlines()[1] == f"  {BECAUSE}"
    code, shown, _ = run(capsys, *ask, "--format", "tree")
    assert code == 0
    assert shown.splitlines()[2:4] == ["  ├── Ann -mother-> Eve", "  └── Eve -brother-> Tom"]
    found = json.loads(run(capsys, *ask, "--json")[1])
    assert found == json.loads(run(capsys, *ask, "--format", "json")[1])
    assert (found["source"], found["target"], found["relation"]) == ("Ann", "Tom", "uncle")
    assert found["path"] == [["Ann", "mother", "Eve"], ["Eve", "brother", "Tom"]]
    assert found["derivation"][0]["rule"] == {"head": "uncle", "body": ["mother", "brother"]}
    assert found["derivation"][0]["score"] > 0
    assert "answer" not in found
    picture = ElementTree.fromstring(run(capsys, *ask, "--format", "svg")[1])  # noqa: S314  our own
    assert picture.tag.endswith("svg")


def test_wrong_edges_lower_the_probability(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    ask = (folder / "family.tsv", "--source", "Ann", "--target", "Tom", "--json")

    def sure(*more: object) -> float:
        return float(json.loads(run(capsys, "predict", folder / "grammar", *ask, *more)[1])["probability"])

    assert sure("--wrong-edges", "0.3") < sure() - 0.1
    (folder / "pairs.tsv").write_text("Ann\tTom\n")
    pairs = ("predict", folder / "grammar", folder / "family.tsv", "--pairs", folder / "pairs.tsv", "--json")
    told = json.loads(run(capsys, *pairs, "--wrong-edges", "0.3")[1])
    assert told["probability"] == sure("--wrong-edges", "0.3")
    code, _, log = run(capsys, "predict", folder / "r5", *ask, "--wrong-edges", "0.3")
    assert (code, log) == (2, "r5: --wrong-edges is for the engine grammar, and this is a model of r5\n")
    for given in ("many", "1.5", "estimate"):
        assert run(capsys, "predict", folder / "grammar", *ask, "--wrong-edges", given)[0] == 2


def test_an_answer_is_written_to_a_file(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "answers" / "why.svg"
    ask = ("explain", folder / "grammar", folder / "family.tsv", "--source", "Ann", "--target", "Tom")
    assert run(capsys, *ask, "--format", "svg", "--out", out)[:2] == (0, f"{out}\n")
    assert out.read_text().startswith("<svg")
    code, shown, log = run(capsys, *ask, "--out", tmp_path)
    assert (code, shown) == (2, "")
    assert "is a folder, expected a file to write to" in log


def test_explain_shows_whether_the_answer_is_correct(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    data = r5.load("world", train=80, test=40, wrong_edges=0.3)
    model = r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train)
    model.save(tmp_path / "model")
    answers = model.predict_many(data.test)
    right = [answer.relation == example.answer_name for answer, example in zip(answers, data.test, strict=True)]
    good, bad = right.index(True), right.index(False)
    noisy = ("train=80", "test=40", "wrong_edges=0.3")
    ask = ("explain", tmp_path / "model", "world", *(word for pair in noisy for word in ("--load", pair)), "--index")
    shown = run(capsys, *ask, good)[1]
    assert shown.splitlines()[0].endswith(", which is right")
    assert "  because  " in shown
    wrong = run(capsys, *ask, bad, "--top", 4)[1]
    assert f"; the right answer is {data.test[bad].answer_name}" in wrong.splitlines()[0]
    assert "\n  or " in wrong
    found = json.loads(run(capsys, *ask, bad, "--top", 4, "--json")[1])
    assert found["answer"] == data.test[bad].answer_name
    assert all(0 < other["probability"] < found["probability"] for other in found["alternatives"])
    assert len(found["alternatives"]) == len(answers[bad].alternatives)


@pytest.mark.parametrize("command", ["predict", "explain"])
@pytest.mark.parametrize("engine", ["grammar", "r5"])
def test_no_answer_exits_with_code_1(
    capsys: pytest.CaptureFixture[str], folder: Path, command: str, engine: str
) -> None:
    ask = (command, folder / engine, folder / "family.tsv", "--source", "Zoe", "--target", "Ann")
    why = "cannot say: no path leads from Zoe to Ann"
    assert run(capsys, *ask) == (1, f"Zoe -> Ann: {why}\n", UNSEEN)
    assert run(capsys, *ask, "--format", "tree") == (1, f"Zoe -> Ann: {why}\n", UNSEEN)
    assert run(capsys, *ask, "--format", "svg") == (1, "", f"{UNSEEN}Zoe -> Ann: {why}\n")
    assert run(capsys, *ask, "--quiet") == (1, f"Zoe -> Ann: {why}\n", "")
    code, shown, _ = run(capsys, *ask, "--json")
    assert code == 1
    assert json.loads(shown)["reason"] == "no path leads from Zoe to Ann"


@pytest.mark.parametrize("command", ["predict", "explain"])
@pytest.mark.parametrize("engine", ["grammar", "r5"])
def test_a_path_with_an_unseen_relation_has_no_answer(
    capsys: pytest.CaptureFixture[str], folder: Path, command: str, engine: str
) -> None:
    ask = (command, folder / engine, folder / "family.tsv", "--source", "Eve", "--target", "Zoe")
    why = "cannot say: every path found from Eve to Zoe uses likes (never seen in training)"
    assert run(capsys, *ask) == (1, f"Eve -> Zoe: {why}\n", UNSEEN)


def test_unseen_relations_are_logged(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    lines = [f"Tom\tlikes_{n}\tZoe\n" for n in range(12)]
    (tmp_path / "family.tsv").write_text("".join(["Ann\tmother\tEve\nEve\tbrother\tTom\n", *lines]))
    ask = ("predict", folder / "grammar", tmp_path / "family.tsv", "--source", "Ann", "--target", "Tom")
    few = ", ".join(f"'likes_{n}'" for n in range(5))
    told = f"the model has never seen the relations {few} and 7 more: paths that use them are left out\n"
    assert run(capsys, *ask)[2] == told


@pytest.mark.parametrize("command", ["predict", "explain"])
@pytest.mark.parametrize(("engine", "measure"), [("grammar", "probability"), ("r5", "score")])
def test_below_the_minimum_probability_there_is_no_answer(
    capsys: pytest.CaptureFixture[str], folder: Path, command: str, engine: str, measure: str
) -> None:
    ask = (command, folder / engine, folder / "family.tsv", "--source", "Ann", "--target", "Tom", "--quiet")
    value = json.loads(run(capsys, *ask, "--json")[1])[measure]
    below, above = value - 0.001, min(value + 0.001, 1.0)
    assert run(capsys, *ask, "--min-probability", below)[:2] == run(capsys, *ask)[:2]
    code, shown, _ = run(capsys, *ask, "--min-probability", above, "--top", 1)
    assert code == 1
    assert shown.startswith(f"Ann -> Tom: cannot say: the best answer, uncle, has {measure} {value:.2g}"[:-1])
    assert shown.endswith(f", below {above:g}\n")
    found = json.loads(run(capsys, *ask, "--min-probability", above, "--top", 2, "--json")[1])
    assert (found["relation"], found[measure], found["derivation"]) == (None, None, [])
    assert [other[measure] for other in found["alternatives"]] == [value]


def test_a_minimum_probability_out_of_range_is_refused(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    ask = ("predict", folder / "grammar", folder / "family.tsv", "--source", "Ann", "--target", "Tom")
    for given in ("1.5", "-0.1", "nan", "likely"):
        assert run(capsys, *ask, "--min-probability", given)[0] == 2


@pytest.mark.parametrize("command", ["predict", "explain"])
@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        ("Ann", "Tim", "no entity is called 'Tim'; did you mean 'Tom'?"),
        ("ann", "Tom", "no entity is called 'ann'; did you mean 'Ann'?"),
        ("Xerxes", "Tom", "no entity is called 'Xerxes'"),
    ],
)
def test_an_unknown_name_gets_suggestions(
    capsys: pytest.CaptureFixture[str], folder: Path, command: str, source: str, target: str, words: str
) -> None:
    ask = (command, folder / "grammar", folder / "family.tsv", "--source", source, "--target", target)
    assert run(capsys, *ask) == (2, "", f"r5: {words}\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give either --index, for an example of a data set, or --source and --target, for a graph"),
        (("--index", 0, "--source", "Ann", "--target", "Tom"), "give either --index"),
        (("--index", 0, "--source", "Ann"), "give either --index"),
        (("--source", "Ann"), "give either --index"),
        (("--index", 0), "the test split has 0 examples; there is no example 0"),
        (("--index", 0, "--format", "png"), "'png' is not one of 'text', 'tree', 'json', 'svg'"),
        (("--index", 0, "--top", 0), "--top"),
        (("--source", "Ann", "--target", "Tom", "--load", "inverted=true"), "has no option 'inverted'"),
    ],
)
def test_invalid_queries_are_errors(
    capsys: pytest.CaptureFixture[str], folder: Path, words: tuple[object, ...], message: str
) -> None:
    code, shown, log = run(capsys, "explain", folder / "grammar", folder / "family.tsv", *words)
    assert (code, shown) == (2, "")
    assert message in log
    assert len(log.splitlines()) == 1


def test_inverse_edges_are_an_option(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    family = tmp_path / "family.tsv"
    facts = [("e", "parent", "a"), ("a", "brother", "b"), ("e", "nephew", "b")]
    lines = [f"{s}{n}\t{r}\t{t}{n}\n" for n in range(8) for s, r, t in facts]
    family.write_text("".join(lines))
    data = r5.load(family, inverse=True)
    r5.GrammarReasoner(restarts=(0.5,), training_paths="simple").fit(data.train).save(tmp_path / "model")
    ask = ("predict", tmp_path / "model", family, "--source", "a0", "--target", "b0")
    assert run(capsys, *ask)[0] == 1
    code, shown, _ = run(capsys, *ask, "--load", "inverse=true")
    assert code == 0
    assert "e0 -parent-> a0, e0 -nephew-> b0" in shown  # as stored
    # No training question has a path that walks nephew against its direction.
    back = ("predict", tmp_path / "model", family, "--source", "b0", "--target", "a0", "--load", "inverse=true")
    why = "cannot say: every path found from b0 to a0 uses nephew^-1 (never seen in training)"
    assert run(capsys, *back)[:2] == (1, f"b0 -> a0: {why}\n")
