"""Documentation is true: names in tables exist, examples run, commands print the output of the page.

How blocks are run is told in `tests/helpers/documentation.py`. A command of `r5` or `make` in a block that is not run
fails the test, unless it is in `NOT_RUN` with the reason.
"""

from __future__ import annotations

import re
import shlex
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import FrameType

import pytest
import typer

import r5
from r5.cli.main import app
from tests.helpers.documentation import PAGES, ROOT, Block, blocks, commands, matches, run_page, strays

SOURCES = Path(r5.__file__).parent
PAPER_TO_CODE = (ROOT / "docs" / "explanation" / "r5.md").read_text(encoding="utf-8")

NOT_RUN = {
    "make demo": "sets up an environment of its own; what it does then is tested in tests/cli",
    "make test": "runs this test",
}
"""Commands that may stand in a block which is not run, and why."""


def names_in_table() -> list[tuple[str, str]]:
    """`module.name` in the table of the page, the module by its short name."""
    rows = [line for line in PAPER_TO_CODE.splitlines() if line.startswith("| ") and "`" in line]
    return sorted({pair for row in rows for pair in re.findall(r"`([a-z_.]+)\.([A-Za-z_]\w*)", row)})


@pytest.mark.parametrize(("module", "name"), names_in_table())
def test_the_paper_page_points_to_existing_names(module: str, name: str) -> None:
    home = f"r5.agent.{module}" if find_spec(f"r5.agent.{module.partition('.')[0]}") else f"r5.{module}"
    assert hasattr(import_module(home), name)


def test_the_paper_page_names_every_equation_and_the_algorithm() -> None:
    table = "\n".join(line for line in PAPER_TO_CODE.splitlines() if line.startswith("| "))
    for wanted in ("Equation 1", "Equation 2", "Equation 3", "Equation 4", "Algorithm 1"):
        assert wanted in table
    assert len(names_in_table()) > 20


def test_the_paper_page_names_all_that_goes_beyond_the_paper() -> None:
    beyond = PAPER_TO_CODE[PAPER_TO_CODE.index("## Beyond the paper") : PAPER_TO_CODE.index("## Memory")]
    modules = {path.stem for path in (SOURCES / "agent" / "beyond").glob("[a-z]*.py")}
    assert set(re.findall(r"`beyond\.([a-z_]+)", beyond)) == modules
    text = (SOURCES / "agent" / "settings.py").read_text(encoding="utf-8")
    settings = set(re.findall(r'^    (\w+): .*\n    """Beyond the paper', text, re.MULTILINE))
    assert len(settings) > 8
    assert {name for name in settings if f"`{name}" not in beyond} == set()


def ways() -> list[tuple[str, str]]:
    """The files and functions that the page on the architecture leads through."""
    text = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    steps = text[text.index("## A training example") : text.index("## Decisions")]
    found, file = [], ""
    for word in re.findall(r"`([\w/.]+)`", steps):
        file = word if word.endswith(".py") else file
        found.append((file, "" if word == file or word.endswith("/") else word))
    return found


@pytest.mark.parametrize(("file", "name"), ways())
def test_the_walks_through_the_code_name_existing_functions(file: str, name: str) -> None:
    place: object = import_module("r5." + file.removesuffix(".py").replace("/", "."))
    for part in filter(None, name.split(".")):
        assert hasattr(place, part)
        place = getattr(place, part)


def walked(act: Callable[[], object], way: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The functions of a way in the order in which they are first called, on any thread."""
    met: dict[tuple[str, str], None] = {}
    looked_for = {(str(SOURCES / file), name): (file, name) for file, name in way}

    def called(frame: FrameType, event: str, _: object) -> None:
        at = looked_for.get((frame.f_code.co_filename, frame.f_code.co_qualname))
        if at is not None and event == "call":
            met.setdefault(at)

    threading.setprofile(called)
    sys.setprofile(called)
    try:
        act()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return list(met)


def test_the_walks_through_the_code_have_the_order_of_the_page() -> None:
    functions = [at for at in ways() if at[1].rpartition(".")[2][:1].islower()]
    learning = functions[: functions.index(("grammar/rules.py", "learned_rules")) + 1]
    asking = functions[functions.index(("reasoners/base.py", "Reasoner.ask")) : -1]  # the last is of the other engine
    asking.remove(("grammar/inference/explanations.py", "first_gap"))  # where there is no answer

    def learn(train: int = 40) -> r5.GrammarReasoner:
        model = r5.GrammarReasoner(seed=0, restarts=(0.5,), annealing_steps=8, sparse_steps=4)
        return model.fit(r5.load("kinship", train=train, test=1).train)

    model = learn(41)  # kernels are read from disk now, and not under watch
    assert walked(learn, learning) == learning
    family = r5.Graph.from_triples([("Ann", "mother", "Eve"), ("Eve", "brother", "Tom")])
    assert walked(lambda: model.ask(family, "Ann", "Tom").explain(), asking) == asking


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def runs(page: str) -> bool:
    """Whether there is anything to run on a page."""
    return any(block.kind in ("python", "console") for block in blocks(text_of(page)))


@pytest.mark.same_everywhere
@pytest.mark.parametrize("page", [page for page in PAGES if runs(page)])
def test_examples_and_commands_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("r5.data.registry._registered", {})
    assert run_page(page, tmp_path) > 0


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_is_run(page: str) -> None:
    unknown = [f"{page}:{line}: {command}" for line, command in strays(text_of(page)) if command not in NOT_RUN]
    assert unknown == []


def test_commands_that_are_not_run_exist() -> None:
    targets = re.findall(r"^([a-z-]+):", text_of("Makefile"), flags=re.MULTILINE)
    for command in NOT_RUN:
        program, *words = shlex.split(command)
        if program == "make":
            assert words[0] in targets, command
        else:
            assert_is_a_command(words)


def assert_is_a_command(words: list[str]) -> None:
    """The words name a command of `r5`, and its options are known."""
    command = typer.main.get_command(app)
    while words and words[0] in getattr(command, "commands", {}):
        command = command.commands[words.pop(0)]  # type: ignore[attr-defined]
    known = {name for parameter in command.params for name in parameter.opts}
    assert command.name != "r5"
    assert {word for word in words if word.startswith("--")} <= known


PAGE = """Text with `r5 train` in it.

    r5 describe kinship   # indented

```console
$ printf 'a\\tb\\n' > one.tsv
$ cat one.tsv \\
    one.tsv
a	b
...
$ false  # exit 1
```

~~~text
$ ls
r5: no command
~~~
```sh
pip install .
```
"""


def test_a_page_is_split_into_commands_and_outputs() -> None:
    assert [block.kind for block in blocks(PAGE)] == ["indented", "console", "text", "sh"]
    console = next(block for block in blocks(PAGE) if block.kind == "console")
    first, second, third = commands(console)
    assert (first.code, first.expected, first.line) == (0, (), 6)
    assert (second.text, second.expected) == ("cat one.tsv one.tsv", ("a\tb", "..."))
    assert third.code == 1
    assert strays(PAGE) == [(3, "r5 describe kinship"), (15, "ls"), (19, "pip install .")]
    with pytest.raises(ValueError, match="starts with a command"):
        commands(Block("console", 1, ("r5 train",)))
    with pytest.raises(ValueError, match="no end"):
        list(blocks("```text\nnever closed"))


@pytest.mark.parametrize(
    ("expected", "shown", "same"),
    [
        (("a", "b"), "a\nb\n", True),
        (("a",), "a\nb\n", False),
        (("a", "..."), "a\nb\nc\n", True),
        (("a", "..."), "a\n", True),
        (("...", "c"), "a\nb\nc\n", True),
        (("took ... s",), "took 0.3 s  \n", True),
        (("took ... s",), "took\n3 s\n", False),
        (("a+",), "aa\n", False),
    ],
)
def test_output_is_compared_with_gaps(expected: tuple[str, ...], shown: str, same: bool) -> None:
    assert matches(expected, shown) is same


def test_a_wrong_page_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    for number, (block, words) in enumerate(
        [
            ("```console\n$ echo one\ntwo\n```\n", "echo one\none\n\nis not\ntwo"),
            ("```console\n$ false\n```\n", "ended with 1, not 0"),
            ("```python\nassert 1 > 2, 'not so'\n```\n", "not so"),
        ]
    ):
        page.write_text(block)
        folder = tmp_path / str(number)
        folder.mkdir()
        with pytest.raises(AssertionError, match=words):
            run_page(str(page), folder)
