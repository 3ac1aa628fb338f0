"""Option `--out` of every command keeps existing files; random arguments exit without a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import r5
from r5.cli.main import main
from tests.helpers.commands import run

FAMILY = "Ann\tmother\tEve\nEve\tbrother\tTom\nAnn\tuncle\tTom\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("output")
    rules = r5.RuleSet.of([r5.Rule("uncle", ("mother", "brother"), support=3.0)])
    r5.GrammarReasoner.from_rules(rules).save(made / "model")
    (made / "family.tsv").write_text(FAMILY)
    return made


def commands(folder: Path) -> dict[str, list[object]]:
    """Each command that writes a file."""
    model, family = folder / "model", folder / "family.tsv"
    ask = [model, family, "--source", "Ann", "--target", "Tom"]
    return {
        "rules": ["rules", model],
        "predict": ["predict", *ask],
        "explain": ["explain", *ask],
        "report": ["report", model, family, "--split", "train", "--examples", 0, "--quiet"],
    }


@pytest.mark.parametrize("command", ["rules", "predict", "explain", "report"])
def test_existing_files_are_not_replaced(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    words = commands(folder)[command]
    for there in (folder / "family.tsv", folder / "model" / "rules.json"):
        before = there.read_bytes()
        code, shown, log = run(capsys, *words, "--out", there)
        assert (code, shown) == (2, "")
        assert log == f"r5: {there}: already exists; choose another name or force it\n"
        assert there.read_bytes() == before
    (tmp_path / "link").symlink_to(tmp_path / "old")
    (tmp_path / "old").write_text("old")
    assert run(capsys, *words, "--out", "link", "--force")[:2] == (0, "link\n")
    assert (tmp_path / "link").is_symlink()
    written = (tmp_path / "old").read_text(encoding="utf-8")
    assert "uncle" in written
    assert run(capsys, *words, "--out", "/dev/null")[:2] == (0, "/dev/null\n")
    code, shown, _ = run(capsys, *words, "--out", "-")
    assert code == 0
    if command != "report":  # which tells the seconds that it took
        assert shown == written
    assert sorted(path.name for path in Path().iterdir()) == ["link", "old"]


@pytest.mark.parametrize("out", [".", "/", "..", "./", "x/.."])
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_no_command_replaces_the_working_directory(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    out: str,
    force: tuple[str, ...],
) -> None:
    (tmp_path / "x").mkdir()
    monkeypatch.chdir(tmp_path)
    for words in (("train", "kinship", "--out", out), ("generate", "world", out)):
        code, shown, log = run(capsys, *words, *force, "--seed", 0)
        assert (code, shown, log.count("\n")) == (2, "", 1)
        assert "is the folder that this runs in, or one above it" in log
    assert [path.name for path in Path().iterdir()] == ["x"]


def test_a_folder_with_foreign_files_is_refused_before_training(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "thesis.txt").write_text("dear")
    monkeypatch.setattr(r5.GrammarReasoner, "fit", None)  # not called
    code, _, log = run(capsys, "train", "kinship", "--engine", "grammar", "--out", tmp_path, "--force")
    assert (code, (tmp_path / "thesis.txt").read_text()) == (2, "dear")
    assert "holds 'thesis.txt', which is no part of such a folder" in log


NAMES = st.sampled_from(
    ["", ".", "/", "..", "-", "a", "a/b", "model", "family.tsv", "/dev/null", "/dev/full", "\u00e9", "x" * 300]
)
WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=8)
NUMBERS = st.sampled_from(["0", "1", "-1", "3", "1e9", "nan", "inf", "x", "", "99999999999999999999"])
OPTIONS = st.one_of(
    st.tuples(st.just("--out"), NAMES | WORDS),
    st.tuples(st.sampled_from(["--top", "--limit", "--chains", "--min-score", "--min-support", "--index"]), NUMBERS),
    st.tuples(st.sampled_from(["--format", "--split", "--head", "--body", "--source", "--target", "--load"]), WORDS),
    st.tuples(
        st.just("--load"), st.sampled_from(["inverse=true", "inverse=3", "header=true", "columns=[0]", "=", "a=b"])
    ),
    st.tuples(st.sampled_from(["--json", "--force", "--quiet", "--unfold", "--loops", "--invented", "--"])),
)


@settings(max_examples=70, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    command=st.sampled_from(["rules", "predict", "explain", "report", "evaluate", "describe", "paths"]),
    data=NAMES,
    options=st.lists(OPTIONS, max_size=4),
)
def test_random_arguments_exit_without_a_traceback(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, command: str, data: str, options: list[tuple[str, ...]]
) -> None:
    place = tmp_path_factory.mktemp("words")
    words = [command] if command in ("describe", "paths") else [command, str(folder / "model")]
    words += [] if command == "rules" else [str(folder / "family.tsv") if data in ("a", "model") else data]
    words += [word for option in options for word in option]
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        with pytest.raises(SystemExit) as ended:
            main(words)
    assert ended.value.code in (0, 1, 2), words
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
