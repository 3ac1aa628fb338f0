"""Progress is shown on a terminal, on standard error only."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import pytest

from r5.cli.common.progress import load_data, load_graph, progress_bar, spinner
from r5.reasoners.base import Progress


@pytest.mark.parametrize(("terminal", "quiet"), [(False, False), (True, True)])
def test_nothing_is_shown_without_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, terminal: bool, quiet: bool
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    with progress_bar("training", quiet) as report, spinner("reading", quiet):
        assert report is None
    assert capsys.readouterr() == ("", "")


def test_a_terminal_shows_a_bar_and_a_spinner(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("r5.cli.common.progress.is_terminal", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress_bar("training [/odd]") as report:
        assert report is not None
        report(Progress(1, 10, "loss 0.9"))
        time.sleep(0.01)
        report(Progress(3, 10, "loss 0.5 [/]"))
        time.sleep(0.2)  # the bar is drawn ten times a second
        report(Progress(7, 90, "", stage="finding paths"))
        time.sleep(0.2)  # the bar is drawn ten times a second
    out, err = capsys.readouterr()
    assert out == ""
    assert "training" in err
    assert "finding paths" in err
    assert "7/90" in err
    assert "3/10" in err
    assert "loss 0.5 [/]" in err
    assert "/s" in err
    with spinner("reading a file [/odd]"):
        pass
    assert "reading a file [/odd]" in capsys.readouterr().err


def test_a_stage_starts_without_the_figures_of_the_one_before(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("r5.cli.common.progress.is_terminal", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress_bar("training") as report:
        assert report is not None
        report(Progress(40, 40, "loss 0.5", stage="finding paths"))
        time.sleep(0.2)  # the bar is drawn ten times a second
        for done in range(1, 200):
            report(Progress(done, 300, ""))
            time.sleep(0.002)
    lines = [line for line in re.split(r"[\r\n]", capsys.readouterr().err) if "training" in line]
    assert lines and not [line for line in lines if "40/40" in line or "loss" in line]


def test_how_data_was_read_is_logged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "w.tsv").write_text("who\tdoes\twhom\nAnn\tmother\tEve\n")
    line = "read w.tsv: 1 triple (tab-separated, header, columns who, does, whom as source, relation, target)\n"
    load_data(str(tmp_path / "w.tsv"), ["header=true"])
    assert capsys.readouterr() == ("", line)
    load_graph(str(tmp_path / "w.tsv"), ["header=true"])
    assert capsys.readouterr() == ("", line)
    load_data(str(tmp_path / "w.tsv"), ["header=true"], quiet=True)
    assert capsys.readouterr() == ("", "")
