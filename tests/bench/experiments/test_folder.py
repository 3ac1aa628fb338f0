"""The folder of experiments, and published figures over all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from r5.bench.experiments.folder import experiments_folder, find_published, load_experiments
from r5.errors import DataError


def test_find_published_lists_each_figure_once() -> None:
    found = [(one.system, one.table) for one in find_published("world_17")]
    assert found == [
        ("E-GAT", "Table 4"),
        ("R-GCN", "Table 4"),
        ("CTP", "Table 4"),
        ("R5", "Table 4"),
        ("Neural-LP", "Table 15"),
        ("RNNLogic w/o emb", "Table 15"),
        ("R5 with extra features", "Table 16"),
    ]
    again = [one for one in find_published("re_2") if one.system == "R5"]
    assert [(one.accuracy, one.table) for one in again] == [(0.446, "Table 5"), (0.44, "Table 9")]
    assert dict(find_published("data_db9b8f04")[0].by_length)[8] == 1.0
    assert find_published("no such data") == ()


def test_experiments_folder_is_in_the_package_or_the_source_tree(tmp_path: Path) -> None:
    assert experiments_folder() == Path(__file__).resolve().parents[3] / "experiments"
    package = tmp_path / "site" / "r5"
    (package / "_experiments").mkdir(parents=True)
    assert experiments_folder(package) == package / "_experiments"
    with pytest.raises(DataError, match="holds no experiments"):
        load_experiments(package / "_experiments")
