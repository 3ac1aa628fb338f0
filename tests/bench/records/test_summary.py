"""Means over seeds of runs with known figures."""

from __future__ import annotations

import pytest

from r5.bench.records.summary import Mean, summarize
from tests.helpers.records import EXPERIMENTS, records_of


def test_mean_and_standard_deviation() -> None:
    found = Mean.of([0.5, 0.7, None])
    assert found is not None
    assert (found.value, found.count) == (pytest.approx(0.6), 2)
    assert found.deviation == pytest.approx(0.1414, abs=1e-4)
    assert str(found) == ".600 ± .141"
    assert str(Mean.of([1.0])) == "1.000"
    assert Mean.of([None]) is None


def test_a_summary_covers_all_seeds() -> None:
    records = records_of("re", "R5", "re_0", [0.7, 0.8, 0.9])
    (found,) = summarize(EXPERIMENTS["re"], records)
    assert (found.row.name, found.data, found.seeds) == ("R5", "re_0", (0, 1, 2))
    assert found.accuracy is not None
    assert found.accuracy.value == pytest.approx(0.8)
    assert found.protocols == ("by hand",)


def test_runs_with_other_settings_are_not_included() -> None:
    records = records_of("ablations", "R5 w/o PVN", "re_2", [0.2])
    assert summarize(EXPERIMENTS["re"], records) == []
    assert summarize(EXPERIMENTS["ablations"], records, quick=True) == []
    assert summarize(EXPERIMENTS["ablations"], records, stand_ins=True) == []
    assert len(summarize(EXPERIMENTS["ablations"], records)) == 1


def test_accuracy_by_length_is_averaged() -> None:
    lengths = {"4": {"n": 2, "accuracy": 0.5}, "10": {"n": 2, "accuracy": 1.0}}
    records = records_of("clutrr-k23", "grammar", "data_089907f8", [0.7, 0.8], by_length=lengths)
    (found,) = summarize(EXPERIMENTS["clutrr-k23"], records)
    assert {length: mean.value for length, mean in found.by_length.items()} == {4: 0.5, 10: 1.0}


def test_a_curve_shows_the_selected_restart_and_keeps_its_last_figure() -> None:
    def point(restart: int, epoch: int, accuracy: float) -> dict[str, float]:
        return {"restart": restart, "epoch": epoch, "accuracy": accuracy, "rule_recall": accuracy / 2}

    first = [point(0, 1, 0.1), point(1, 1, 0.2), point(1, 2, 0.4), point(1, 3, 0.6)]
    second = [point(0, 1, 0.4), point(0, 2, 0.6)]
    one = records_of("epochs", "R5", "re_2", [0.6], epochs=first, fitted={"best_restart": 1})
    both = records_of("epochs", "R5", "re_2", [0.6, 0.6], epochs=second, fitted={"best_restart": 0})
    (found,) = summarize(EXPERIMENTS["epochs"], {**both, **one})
    assert [accuracy.value for accuracy, _ in found.epochs if accuracy] == pytest.approx([0.3, 0.5, 0.6])
    assert [recall.value for _, recall in found.epochs if recall] == pytest.approx([0.15, 0.25, 0.3])
