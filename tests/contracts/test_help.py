"""Help and completion of every command: each has an example, and no heavy package is imported."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from r5.cli.main import app, main
from tests.helpers.commands import run

HEAVY = {
    "torch",
    "numba",
    "numpy",
    "pandas",
    "networkx",
    "safetensors",
    "yaml",
    "matplotlib",
    "rdflib",
    "pyoxigraph",
    "duckdb",
    "sqlite3",
}


def commands(command: Any = None, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """All commands of the program with their words, groups and the program itself included."""
    command = command or typer.main.get_command(app)
    yield words, command
    for name, part in getattr(command, "commands", {}).items():
        yield from commands(part, (*words, name))


ALL = dict(commands())


def test_the_commands_of_the_contract_exist() -> None:
    wanted = {"generate", "train", "evaluate", "predict", "explain", "rules", "report"}
    assert wanted <= {words[0] for words in ALL if words}


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_help_has_an_example_that_names_known_options(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    code, shown, log = run(capsys, *words, "--help")
    assert (code, log) == (0, "")
    flat = " ".join(shown.split())
    examples = re.findall(r"Example: (r5 .+?)(?= Example: | Arguments: | Options: )", flat)
    assert examples, f"r5 {' '.join(words)} --help has no example"
    for example in examples:
        for one in re.split(r", then |; ", example):
            assert_is_a_command(shlex.split(one)[1:])
    if words and not getattr(ALL[words], "commands", {}):
        assert shlex.split(examples[0])[1 : 1 + len(words)] == list(words)


def assert_is_a_command(words: list[str]) -> None:
    """The words name a command, and its options are known."""
    path: tuple[str, ...] = ()
    while words and (*path, words[0]) in ALL:
        path = (*path, words.pop(0))
    assert path
    known = {name for parameter in ALL[path].params for name in (*parameter.opts, *parameter.secondary_opts)}
    assert {word for word in words if word.startswith("--")} <= known


@pytest.mark.parametrize("words", [words for words in ALL if words], ids=" ".join)
def test_every_option_has_a_help_and_the_summary_fits_a_line(words: tuple[str, ...]) -> None:
    command = ALL[words]
    for parameter in command.params:
        assert getattr(parameter, "help", None), f"{parameter.name} of r5 {' '.join(words)} has no help"
    first = " ".join(command.help.split("\n\n")[0].split())
    assert len(first) <= 66, f"the list of commands has no room for {first!r}"


def loaded_after(*calls: tuple[str, ...], **environment: str) -> set[str]:
    """The modules that are loaded after these calls of the program, in a process of its own."""
    code = """
import json, os, sys
calls, environment = json.loads(sys.argv[1]), json.loads(sys.argv[2])
os.environ.update(environment)
from r5.cli.main import main
for call in calls:
    try:
        main(call)
    except SystemExit as ended:
        assert ended.code in (0, None), (call, ended.code)
print(json.dumps(list(sys.modules)), file=sys.stderr)
"""
    command = [sys.executable, "-c", code, json.dumps(calls), json.dumps(environment)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_help_and_version_import_nothing_heavy() -> None:
    loaded = loaded_after(("--version",), *((*words, "--help") for words in ALL))
    assert "typer" in loaded
    assert loaded & HEAVY == set()


def complete(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str) -> list[str]:
    """What bash offers for the last word of a line."""
    monkeypatch.setenv("_R5_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 0
    return capsys.readouterr().out.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("r5 ev", ["evaluate"]),
        ("r5 explain --for", ["--format", "--force"]),
        ("r5 explain model data --format t", ["text", "tree"]),
        ("r5 generate w", ["world"]),
        ("r5 train kin", ["kinship"]),
        ("r5 train kinship --engine gram", ["grammar"]),
        ("r5 evaluate model kinship --split v", ["valid"]),
    ],
)
def test_the_shell_completes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, offered: list[str]
) -> None:
    assert complete(monkeypatch, capsys, line) == offered


def test_completion_imports_nothing_heavy() -> None:
    for line in ("r5 ev", "r5 explain --for", "r5 train kin"):
        words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
        assert loaded_after((), _R5_COMPLETE="complete_bash", **words) & HEAVY == set()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_shown_for_every_shell(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, shell: str
) -> None:
    monkeypatch.setattr("shellingham.detect_shell", lambda: (shell, f"/bin/{shell}"))
    code, shown, _ = run(capsys, "--show-completion")
    assert code == 0
    assert f"complete_{shell}" in shown
