"""The program as a user runs it: what it prints, where, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import r5
from r5.cli.console import numbers, options
from r5.cli.main import main
from r5.errors import R5Error, need


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of `r5 arguments`."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    code = ended.value.code
    assert isinstance(code, int)
    return code, out, err


SMALL_KINSHIP = ("--train", 30, "--valid", 5, "--test", 2, "--test-hops", "4-5")
SMALL_WORLD = ("--train", 30, "--valid", 5, "--test", 8)


@pytest.mark.parametrize("style", ["clutrr", "graphlog"])
@pytest.mark.parametrize(("kind", "small"), [("kinship", SMALL_KINSHIP), ("world", SMALL_WORLD)])
def test_generate_writes_what_load_reads(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, kind: str, small: Sequence[object], style: str
) -> None:
    out = tmp_path / "data"
    code, shown, log = run(capsys, "generate", kind, out, "--seed", 3, "--format", style, *small)
    assert (code, shown) == (0, f"{out}\n")
    assert "30 training, 5 validation" in log
    made = {
        "kinship": {"train": 30, "valid": 5, "test": 2, "test_hops": (4, 5)},
        "world": {"train": 30, "valid": 5, "test": 8},
    }[kind]
    again = r5.load(out)
    assert again.train == r5.load(kind, seed=3, **made).train
    assert again.rules is not None


def test_generate_picks_and_prints_a_seed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    _, _, log = run(capsys, "generate", "world", tmp_path / "one", *SMALL_WORLD)
    word, seed = log.splitlines()[0].split()
    assert word == "seed"
    run(capsys, "generate", "world", tmp_path / "two", "--seed", seed, *SMALL_WORLD)
    assert r5.load(tmp_path / "one").test == r5.load(tmp_path / "two").test


def test_generate_keeps_what_is_there_unless_forced(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "data"
    run(capsys, "generate", "world", out, "--seed", 1, *SMALL_WORLD)
    before = (out / "test.jsonl").read_text()
    code, shown, log = run(capsys, "generate", "world", out, "--seed", 2, *SMALL_WORLD)
    assert (code, shown) == (2, "")
    assert "there already" in log
    assert (out / "test.jsonl").read_text() == before
    assert run(capsys, "generate", "world", out, "--seed", 2, "--force", *SMALL_WORLD)[0] == 0
    assert (out / "test.jsonl").read_text() != before


def test_describe(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("describe", "world", "--load", "train=20", "--load", "test=6")
    code, shown, _ = run(capsys, *arguments)
    assert code == 0
    assert "train                     20" in shown
    assert json.loads(run(capsys, *arguments, "--json")[1])["train"] == 20


def test_paths_names_the_entities(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    family = tmp_path / "family.tsv"
    family.write_text("Ann\tmother\tEve\nEve\tbrother\tTom\nAnn\tuncle\tTom\n")
    code, shown, _ = run(capsys, "paths", family, "--split", "train", "--index", 2)
    assert code == 0
    assert shown == "Ann -> Tom: uncle\n  Ann -mother-> Eve -brother-> Tom\n"
    found = json.loads(run(capsys, "paths", family, "--split", "train", "--index", 2, "--json")[1])
    assert found["paths"] == [{"relations": ["mother", "brother"], "entities": ["Ann", "Eve", "Tom"]}]
    assert found["complete"] is True
    assert run(capsys, "paths", family, "--split", "train")[1].endswith("no path\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("describe", "nothing-here"), "nothing-here"),
        (("describe", "kinship", "--load", "trian=3"), "trian"),
        (("describe", "kinship", "--load", "train"), "expected key=value"),
        (("paths", "kinship", "--split", "dev"), "'dev' is not one of 'train', 'valid', 'test'. (see r5 paths --help)"),
        (("paths", "kinship", "--index", "100000"), "there is no example 100000"),
        (("paths", "kinship", "--policy", "longest"), "longest"),
        (("generate", "kinship", "OUT", "--test-hops", "4..6"), "expected whole numbers like 2,3 or 4-10"),
        (("generate", "kinship", "OUT", "--test-hops", "1"), "test_hops"),
        (("generate", "kinship", "OUT", "--noise", "loud"), "loud"),
        (("generate", "world", "OUT", "--format", "xml"), "'xml' is not one of 'clutrr', 'graphlog'"),
        (("generate", "world", "OUT", "--wrong-edges", "2"), "wrong_edges"),
        (("generate", "world", "OUT", "--train", "-1"), "greater than or equal to 0 (see r5 generate world --help)"),
        (("generate", "moon", "OUT"), "moon"),
        (("fly",), "fly"),
    ],
)
def test_wrong_arguments_are_told_in_one_message_with_exit_code_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: Sequence[str], words: str
) -> None:
    out = tmp_path / "out"
    code, shown, log = run(capsys, *(out if word == "OUT" else word for word in arguments))
    assert (code, shown) == (2, "")
    *chosen_seed, message = log.splitlines()
    assert words in message
    assert message.startswith("r5: ")
    assert len(chosen_seed) <= 1
    assert not out.exists()


def test_files_that_are_no_data_are_told_with_file_and_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bad = tmp_path / "bad.tsv"
    bad.write_text("a\tr\tb\na\tb\n")
    assert run(capsys, "describe", bad)[2].startswith(f"r5: {bad}:2: ")
    bad.write_bytes(b"\x00\xff\x13")
    assert run(capsys, "describe", bad)[0] == 2
    (tmp_path / "empty").mkdir()
    assert run(capsys, "describe", tmp_path / "empty")[0] == 2


def test_version_help_and_no_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version")[1] == f"r5 {r5.__version__}\n"
    code, shown, _ = run(capsys, "--help")
    assert code == 0
    assert "generate" in shown
    assert run(capsys)[:2] == (0, shown)


def test_numbers_and_options() -> None:
    assert numbers("7") == (7,)
    assert numbers("3-1") == ()
    with pytest.raises(R5Error, match="more than 1,000"):
        numbers("1-100000")
    assert options(["name=1e5x", "many=[1,2]"]) == {"name": "1e5x", "many": [1, 2]}


def test_the_demo_does_the_main_job(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r5.cli.demo.ENGINES", ("grammar",))
    code, shown, _ = run(capsys, "demo")
    assert code == 0
    assert all(f"\n{length:>18}" in shown for length in range(4, 11))
    assert shown.count(" <= ") == 10
    assert "because" in shown.split("step by step")[1]


def test_the_demo_says_which_engine_needs_more(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def learned(engine: str, data: r5.Dataset, seed: int, quiet: bool) -> r5.Reasoner:
        if engine == "r5":
            raise need("torch", "torch")
        return r5.GrammarReasoner(seed=seed, restarts=(0.5,)).fit(data.train)

    monkeypatch.setattr("r5.cli.demo._learned", learned)
    code, shown, log = run(capsys, "demo")
    assert code == 0
    assert 'torch is not installed: pip install "r5-reasoning[torch]"' in log
    assert "grammar" in shown
