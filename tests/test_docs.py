"""The documentation speaks of what is there: names in tables exist, and examples in Python run."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAPER_TO_CODE = (ROOT / "docs" / "from-paper-to-code.md").read_text(encoding="utf-8")


def names_in_table() -> list[tuple[str, str]]:
    """`module.name` in the table of the page, the module by its short name."""
    rows = [line for line in PAPER_TO_CODE.splitlines() if line.startswith("| ") and "`" in line]
    return sorted({pair for row in rows for pair in re.findall(r"`([a-z_]+)\.([A-Za-z_]\w*)", row)})


@pytest.mark.parametrize(("module", "name"), names_in_table())
def test_what_the_paper_page_points_to_is_there(module: str, name: str) -> None:
    home = f"r5.agent.{module}" if find_spec(f"r5.agent.{module}") else f"r5.{module}"
    assert hasattr(import_module(home), name)


def test_the_paper_page_names_every_equation_and_the_algorithm() -> None:
    table = "\n".join(line for line in PAPER_TO_CODE.splitlines() if line.startswith("| "))
    for wanted in ("Equation 1", "Equation 2", "Equation 3", "Equation 4", "Algorithm 1"):
        assert wanted in table
    assert len(names_in_table()) > 20


@pytest.mark.parametrize("page", ["README.md", "docs/data.md", "docs/paths.md", "docs/grammar.md"])
def test_examples_in_python_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("r5.data.registry._registered", {})
    Path("my-triples.tsv").write_text("a\tr\tb\nb\ts\tc\na\tt\tc\nc\tr\td\n")
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks
    scope: dict[str, object] = {"__name__": "docs"}
    for block in blocks:
        exec(compile(block, page, "exec"), scope)  # noqa: S102  our own documentation
