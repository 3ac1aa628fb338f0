"""Scripts in `examples/` run and print their stored output."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from tests.helpers.documentation import ROOT, matches
from tools.gallery import ORDER, gallery_page

SCRIPTS = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_script_prints_the_stored_output(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    expected = (script.parent / "output" / f"{script.stem}.txt").read_text(encoding="utf-8").splitlines()
    assert matches(tuple(expected), capsys.readouterr().out)


def test_every_stored_output_has_a_script() -> None:
    assert [path.stem for path in sorted((ROOT / "examples" / "output").glob("*.txt"))] == [one.stem for one in SCRIPTS]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_script_fits_on_a_page(script: Path) -> None:
    assert 15 <= len(script.read_text(encoding="utf-8").splitlines()) <= 60


def test_the_gallery_has_every_script_in_its_order() -> None:
    assert len(SCRIPTS) >= 8
    assert sorted(ORDER) == [script.stem for script in SCRIPTS]
    page = gallery_page(ROOT / "examples")
    places = [page.index(f"`examples/{name}.py`") for name in ORDER]
    assert places == sorted(places)
