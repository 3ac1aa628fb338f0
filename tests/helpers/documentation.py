"""Pages of documentation as a reader meets them: blocks of code from top to bottom, and how to run them.

- A ```` ```python ```` block is executed; the blocks of a page share their names.
- In a ```` ```console ```` block each line that starts with `$ ` is run by the shell; one that ends in a backslash
  goes on in the next. It must end with exit code 0, or with that of a comment: `$ r5 predict ...  # exit 1`.
  Lines that follow, up to the next command, are what it must print (standard output and standard error);
  `...` alone stands for any lines, within a line for any text. No such line: the output is not looked at.
  Lines `read ...`, on how files were read, may be left out.
  A line that is `r5` with plain words is run in this process: starting another takes longer than most commands.
- All blocks of a page run in one empty folder, so that files come from commands further up the page.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from unittest.mock import patch

from r5.cli.main import main
from tests.helpers.commands import without_reading

__all__ = ["PAGES", "ROOT", "Block", "Command", "blocks", "commands", "environment", "matches", "run_page", "strays"]

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
_PLAIN = re.compile(r"""r5( +("[^"$`\\]*"|'[^']*'|[\w./=,:@%+-]+))* *(#.*)?""")
"""A command of `r5` in which a shell would find nothing to do but to take off quotation marks."""
_SHELLS = ("bash", "sh", "shell", "zsh", "shell-session")


@dataclass(frozen=True)
class Block:
    """A fenced block, with the language it is marked with, or a run of indented lines."""

    kind: str
    line: int
    """Where its first line stands, counted from 1."""
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Command:
    """A line for the shell, how it must end and what it must print, if anything is said about that."""

    text: str
    line: int
    code: int
    expected: tuple[str, ...]


def blocks(text: str) -> Iterator[Block]:
    """The blocks of code of a page, in order."""
    fence, kind, start = "", "", 0
    inside: list[str] = []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        opening = re.match(r"\s*(`{3,}|~{3,})\s*([\w-]*)", line)
        if fence and line.strip() == fence:
            yield Block(kind, start, tuple(inside))
            fence, inside = "", []
        elif fence:
            inside.append(line)
        elif opening:
            fence, kind, start = opening[1], opening[2], number + 1
        elif line.startswith("    "):
            yield Block("indented", number, (line.strip(),))
    if fence:
        raise ValueError(f"the block that starts on line {start} has no end")


def commands(block: Block) -> list[Command]:
    """The commands of a console block."""
    found: list[Command] = []
    lines = iter(enumerate(block.lines, start=block.line))
    for number, line in lines:
        if line.startswith("$ "):
            text = line.removeprefix("$ ")
            while text.endswith("\\"):
                text = text.removesuffix("\\") + next(lines)[1].strip()
            code = re.search(r"\s# exit (\d+)$", text)
            found.append(Command(text, number, int(code[1]) if code else 0, ()))
        elif found:
            last = found[-1]
            found[-1] = Command(last.text, last.line, last.code, (*last.expected, line))
        else:
            raise ValueError(f"line {number}: a console block starts with a command, `$ ...`")
    return found


def matches(expected: tuple[str, ...], shown: str) -> bool:
    """Whether a program printed what the page says."""
    pattern = "".join(
        r"(?:[^\n]*\n)*?" if line.strip() == "..." else re.escape(line.rstrip()).replace(r"\.\.\.", r"[^\n]*") + "\n"
        for line in expected
    )
    lines = [line.rstrip() for line in shown.splitlines()]
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is not None


def strays(text: str) -> list[tuple[int, str]]:
    """Commands that stand in a block which is not run, with their lines."""
    found = []
    for block in blocks(text):
        if block.kind in ("console", "python"):
            continue
        for number, line in enumerate(block.lines, start=block.line):
            command = line.strip()
            if re.match(r"\$ |(r5|make)\s+\S", command) or (block.kind in _SHELLS and command):
                found.append((number, re.sub(r"\s+#.*", "", command.removeprefix("$ "))))
    return found


def environment(folder: Path) -> dict[str, str]:
    """Where commands run: `r5` is the program of this interpreter, nothing is on a terminal, no real data is known."""
    programs = folder / ".programs"
    programs.mkdir()
    (programs / "r5").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m r5 "$@"\n')
    (programs / "r5").chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if name not in ("R5_DATA", "FORCE_COLOR")}
    path = f"{programs}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{kept.get('PATH', '')}"
    shown_at_once = {"COLUMNS": "80", "PYTHONUNBUFFERED": "1"}
    return {**kept, "PATH": path, "HOME": str(folder), "LC_ALL": "C.UTF-8", **shown_at_once}


def run_page(page: str, folder: Path) -> int:
    """Run the blocks of a page from top to bottom, in a folder that is the current one; how many there were."""
    count = 0
    scope: dict[str, object] = {"__name__": "docs"}
    around = environment(folder)
    for block in blocks((ROOT / page).read_text(encoding="utf-8")):
        if block.kind == "python":
            padding = "\n" * (block.line - 1)
            exec(compile(padding + "\n".join(block.lines), page, "exec", dont_inherit=True), scope)  # noqa: S102  our own documentation
        elif block.kind == "console":
            for command in commands(block):
                _run(page, command, around)
        count += block.kind in ("python", "console")
    return count


def _run(page: str, command: Command, around: dict[str, str]) -> None:
    place = f"{page}:{command.line}: $ {command.text}"
    code, shown = (_here if _PLAIN.fullmatch(command.text) else _by_the_shell)(command.text, around)
    assert code == command.code, f"{place}\nended with {code}, not {command.code}:\n{shown}"
    expected = "\n".join(command.expected)
    fits = not command.expected or matches(command.expected, shown) or matches(command.expected, without_reading(shown))
    assert fits, f"{place}\n{shown}\nis not\n{expected}"


def _by_the_shell(command: str, around: dict[str, str]) -> tuple[int, str]:
    """The exit code of a command, and what it prints."""
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        env=around,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=600,
        check=False,
    )
    return done.returncode, done.stdout.decode()


def _here(command: str, around: dict[str, str]) -> tuple[int, str]:
    """The same for a command of `r5`, in this process."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as printed:
        code: object = 0
        with ExitStack() as stack:
            stack.enter_context(patch.dict(os.environ, around, clear=True))
            stack.enter_context(_descriptors(printed.fileno()))
            stack.enter_context(warnings.catch_warnings())
            for redirect in (redirect_stdout, redirect_stderr):
                raw = os.fdopen(os.dup(printed.fileno()), "wb", buffering=0)
                at_once = TextIOWrapper(raw, "utf-8", write_through=True)  # type: ignore[type-var]
                stack.enter_context(redirect(stack.enter_context(at_once)))
            try:
                main(shlex.split(command, comments=True)[1:])
            except SystemExit as ended:
                code = ended.code
        assert isinstance(code, int), code
        printed.seek(0)
        return code, printed.read()


@contextmanager
def _descriptors(file: int) -> Iterator[None]:
    """Standard output and standard error go to a file, those of processes that are started meanwhile among them."""
    kept = [os.dup(descriptor) for descriptor in (1, 2)]
    try:
        for descriptor in (1, 2):
            os.dup2(file, descriptor)
        yield
    finally:
        for descriptor, before in zip((1, 2), kept, strict=True):
            os.dup2(before, descriptor)
            os.close(before)
