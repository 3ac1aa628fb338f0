"""The notebook runs and reproduces its outputs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.helpers.documentation import ROOT
from tests.helpers.notebooks import code_of, run_cells

NOTEBOOK = json.loads((ROOT / "docs" / "tutorials" / "notebook.ipynb").read_text(encoding="utf-8"))


def plain(outputs: list[dict[str, object]]) -> str:
    """The text of what a cell shows; seconds and versions differ from run to run."""
    text = json.dumps([one.get("text") or dict(one["data"])["text/plain"] for one in outputs])  # type: ignore[call-overload]
    return re.sub(r"seconds=[0-9.e-]+", "seconds", text)


def test_the_outputs_of_the_notebook_are_reproduced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    cells = code_of(NOTEBOOK)
    assert len(cells) == 10
    for cell, shown in zip(cells, run_cells(NOTEBOOK), strict=True):
        assert plain(shown) == plain(cell["outputs"]), "".join(cell["source"])
    assert (tmp_path / "report.html").exists()


def test_the_notebook_is_valid() -> None:
    assert (NOTEBOOK["nbformat"], NOTEBOOK["metadata"]["language_info"]["name"]) == (4, "python")
    assert sorted({cell["cell_type"] for cell in NOTEBOOK["cells"]}) == ["code", "markdown"]
    shown = ["".join(one.get("data", {}).get("text/html", "")) for cell in code_of(NOTEBOOK) for one in cell["outputs"]]
    assert any("<svg" in html for html in shown)
