"""Plug-ins of the documentation, installed as a package: commands find them by entry points."""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import r5
from r5.errors import R5Error
from r5.reasoners.base import Reasoner
from r5.reasoners.registry import engine_class, installed_engines
from r5.storage.folder import ModelError
from tests.helpers.commands import run
from tests.helpers.documentation import ROOT, blocks

PAGE = ROOT / "docs" / "how-to" / "plug-ins.md"
POINTS = """\
[r5.formats]
pairs = my_package.pairs:PAIRS
[r5.rule_formats]
arrow = my_package.arrow:ARROW
[r5.engines]
lookup = my_package.lookup:LookupReasoner
"""


def modules() -> dict[str, str]:
    """The files of the page by path; the first line of a block is its path."""
    found = {}
    for block in blocks(PAGE.read_text(encoding="utf-8")):
        if block.kind == "python" and block.lines[0].startswith("# my_package/"):
            found[block.lines[0].removeprefix("# ")] = "\n".join(block.lines[1:]) + "\n"
    return found


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of Python's path with the package of the page."""
    for path, text in {**modules(), "my_package/__init__.py": ""}.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    info = tmp_path / "my_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "my_package"]:
        del sys.modules[name]


def test_the_entry_points_of_the_page_are_those_of_this_test() -> None:
    text = next("\n".join(block.lines) for block in blocks(PAGE.read_text(encoding="utf-8")) if block.kind == "toml")
    shown = re.sub(r'\[project\.entry-points\."(.+?)"\]', r"[\1]", text).replace('"', "")
    assert [line for line in shown.splitlines() if line and line[0] != "#"] == POINTS.splitlines()


@pytest.mark.parametrize("name", sorted(modules()))
def test_a_plug_in_is_short(name: str) -> None:
    assert len([line for line in modules()[name].splitlines() if line.strip()]) <= 50


def test_an_installed_engine_works_in_every_command(capsys: pytest.CaptureFixture[str], package: Path) -> None:
    data = ("kinship", "--load", "train=200", "--load", "test=10", "--load", "test_hops=[2]", "--load", "seed=0")
    model = package / "model"
    code, shown, log = run(capsys, "train", *data, "--engine", "lookup", "--seed", 0, "--out", model)
    assert (code, shown) == (0, f"{model}\n"), log
    assert type(r5.load_model(model)).__name__ == "LookupReasoner"
    code, shown, _ = run(capsys, "evaluate", model, *data, "--split", "train", "--json", "--quiet")
    assert (code, json.loads(shown)["accuracy"] > 0.8) == (0, True)
    rule = max(r5.load_model(model).rules_, key=lambda rule: (rule.strength, -len(rule.body)))
    chosen = ("--head", rule.head, "--body", ", ".join(rule.body))
    assert run(capsys, "rules", model, *chosen)[:2] == (0, f"{rule.text()}\n")
    edges = zip("ABCDEF", rule.body, "BCDEFG", strict=False)
    (package / "family.tsv").write_text("".join(f"{source}\t{name}\t{target}\n" for source, name, target in edges))
    ask = ("predict", model, package / "family.tsv", "--source", "A", "--target", "ABCDEFG"[len(rule.body)], "--json")
    assert json.loads(run(capsys, *ask, "--quiet")[1])["relation"] == rule.head
    assert "seed=0" in run(capsys, "train", *data, "--out", model, "--help-settings", "lookup")[1]
    with pytest.raises(R5Error, match="expected r5, grammar, chains, lookup, rnn"):
        engine_class("magic")


def test_a_model_of_an_engine_that_is_gone_is_refused(
    capsys: pytest.CaptureFixture[str], package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_class("lookup")()
    engine.fit(r5.load("kinship", train=20, test=1, seed=0).train).save(package / "model")
    monkeypatch.setattr("r5._util.plugins.entry_points", lambda group: [])
    with pytest.raises(ModelError, match="the model is of an engine that is not known, 'lookup'"):
        r5.load_model(package / "model")


def test_installed_formats_of_data_and_rules_work_in_commands(
    capsys: pytest.CaptureFixture[str], package: Path
) -> None:
    (package / "some.pairs").write_text("Ann Eve Tom\n")
    code, shown, _ = run(capsys, "describe", package / "some.pairs", "--load", "answer=colleague")
    assert (code, "train                     1\n" in shown) == (0, True)
    (package / "bad.pairs").write_text("Ann Eve Tom\nAnn\n")
    code, _, log = run(capsys, "describe", package / "bad.pairs")
    assert (code, log) == (2, f"r5: {package / 'bad.pairs'}:2: expected three names, found 'Ann'\n")
    (package / "some.arrow").write_text("mother, sister -> aunt\n")
    arrow = ("rules", package / "some.arrow", "--format", "arrow")
    assert run(capsys, *arrow)[:2] == (0, "mother, sister -> aunt\n")
    assert run(capsys, *arrow, "--option", "arrow==>")[:2] == (0, "mother, sister => aunt\n")
    assert run(capsys, "rules", package / "some.arrow")[:2] == (0, "aunt(X, Y) <= mother(X, Z), sister(Z, Y)\n")


class Nameless(Reasoner):
    """An engine without methods and name."""


@pytest.mark.parametrize(
    ("value", "warning"),
    [
        ("no_such_package:X", "does not load: No module named 'no_such_package'"),
        ("sys:path", "declared as the engine 'bad', is not a type"),
        ("pathlib:Path", "the engine pathlib.Path is left out: it is not a subclass of Reasoner"),
        (f"{__name__}:Nameless", "lacks fit, from_stored, predict_many, predict_proba, save"),
        ("r5.reasoners.chains:ChainReasoner", "is called 'chains' as another engine"),
    ],
)
def test_a_broken_engine_is_told_and_left_out(monkeypatch: pytest.MonkeyPatch, value: str, warning: str) -> None:
    points = [importlib.metadata.EntryPoint("bad", value, "r5.engines")]
    monkeypatch.setattr("r5._util.plugins.entry_points", lambda group: points)
    with pytest.warns(UserWarning, match=re.escape(warning)):
        assert installed_engines() == {}
