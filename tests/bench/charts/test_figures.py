"""Figures: equal results give equal bytes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from r5.bench.charts.figures import write_figures
from r5.bench.experiments.folder import load_experiments
from r5.bench.experiments.plan import table_cells
from r5.errors import MissingExtraError
from tests.helpers.records import EXPERIMENTS, HOPS, LENGTHS, record, records_to_draw


def test_equal_results_give_equal_files(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    chosen = [EXPERIMENTS[name] for name in ("clutrr-k23", "epochs", "invented", "re")]
    paths = write_figures(chosen, records_to_draw(), tmp_path / "one")
    assert [path.name for path in paths] == ["clutrr-k23.svg", "epochs.svg", "invented.svg"]
    again = write_figures(chosen, records_to_draw(), tmp_path / "two")
    assert [path.read_bytes() for path in paths] == [path.read_bytes() for path in again]
    svg = paths[0].read_text()
    assert "dc:date" not in svg
    assert "LSTM_s, published" in svg


def test_a_figure_of_stand_ins_has_no_published_lines(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    cell = next(table_cells(HOPS, [0], stand_ins=True))
    records = {run.key: record(run, by_length=LENGTHS) for run in cell.runs}
    (svg,) = write_figures([HOPS], records, tmp_path, stand_ins=True)
    assert svg.name == "stand-ins-clutrr-k23.svg"
    assert "on stand-ins" in svg.read_text()
    assert "published" not in svg.read_text()


def test_the_error_without_matplotlib_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r'matplotlib is not installed: pip install "r5-reasoning\[plots\]"'):
        write_figures(load_experiments(), {}, tmp_path)
