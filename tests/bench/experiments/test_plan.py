"""Plans: the runs of experiments, their order, and unknown names."""

from __future__ import annotations

import pytest

from r5.bench.experiments.folder import load_experiments
from r5.bench.experiments.plan import QUICK_EXAMPLES, Run, make_plan, select_experiments, shorten_training, table_cells
from r5.errors import R5Error
from tests.helpers.records import EXPERIMENTS

ALL = load_experiments()
HERE = ("data_089907f8", "data_db9b8f04", "world_17", "re_0", "re_2")


def test_a_key_depends_on_everything_that_decides_the_result() -> None:
    run = Run("re_0", "r5", {"epochs": 5, "preset": "paper"}, 1)
    assert run.key == Run("re_0", "r5", {"preset": "paper", "epochs": 5}, 1).key
    others = [
        Run("re_2", "r5", {"epochs": 5, "preset": "paper"}, 1),
        Run("re_0", "rgcn", {"epochs": 5, "preset": "paper"}, 1),
        Run("re_0", "r5", {"epochs": 6, "preset": "paper"}, 1),
        Run("re_0", "r5", {"epochs": 5, "preset": "paper"}, 2),
        Run("re_0", "r5", {"epochs": 5, "preset": "paper"}, 1, examples=10),
    ]
    assert len({run.key, *(other.key for other in others)}) == 6


def test_a_run_that_several_tables_show_is_planned_once() -> None:
    plan = make_plan(ALL, ["r5"], 1, HERE)
    keys = [run.key for run in plan.runs]
    assert len(keys) == len(set(keys))
    plain = [run for run in plan.runs if run.data == "world_17" and dict(run.settings) == {"preset": "paper"}]
    assert len(plain) == 1  # of Tables 4, 15 and 16
    one = [run for run in plan.runs if run.settings.get("invented") == 1 and run.data == "re_2"]
    assert [run.key in plan.curves for run in one] == [True]  # of Table 6 and Figure 3


def test_the_full_plan_has_the_expected_size() -> None:
    plan = make_plan(ALL, ["r5", "grammar"], 3, HERE)
    counts = {engine: sum(run.engine == engine for run in plan.runs) for engine in ("r5", "grammar")}
    # Two presets on five data sets; two ablations of two of them, eleven of the tuned preset on two, two with extra
    # features; six values of n on two.
    assert counts == {"r5": 3 * (10 + 4 + 22 + 2 + 12), "grammar": 3 * 5}
    assert set(plan.missing) == {f"world_{n}" for n in (2, 3, 13, 30, 6, 7, 8, 11, 32)} | {"re_1"}


def test_long_runs_start_first_and_the_fast_engine_last() -> None:
    runs = make_plan(ALL, ["r5", "grammar"], 2, HERE).runs
    assert (runs[0].data, runs[0].engine) == ("data_db9b8f04", "r5")
    assert [run.engine for run in runs[-8:]] == ["grammar"] * 8


def test_stand_ins_replace_missing_data_only_on_request() -> None:
    chosen = select_experiments(ALL, ["re"])
    assert {run.data for run in make_plan(chosen, ["grammar"], 1, ["re_0"]).runs} == {"re_0"}
    plan = make_plan(chosen, ["grammar"], 1, ["re_0"], stand_ins=True)
    assert {run.data for run in plan.runs} == {"re_0", "stand_in_re_1", "stand_in_re_2"}


def test_a_quick_plan_has_one_data_set_per_experiment() -> None:
    plan = make_plan(ALL, ["r5", "grammar"], 1, HERE, quick=True)
    assert all(run.examples == QUICK_EXAMPLES for run in plan.runs)
    assert {run.data for run in plan.runs} == set(HERE)
    assert len(plan.runs) == 28
    bare = make_plan(ALL, ["grammar"], 1, [], quick=True)
    assert {run.data for run in bare.runs} == {
        f"stand_in_{name}" for name in ("data_089907f8", "data_db9b8f04", "world_2", "re_0", "world_17")
    }


def test_shorten_training_of_joined_engines() -> None:
    found = shorten_training("r5+rgcn", {"r5": {"preset": "paper"}, "rgcn": {}})
    assert found == {"r5": {"preset": "paper", "epochs": 2, "simulations": 16, "restarts": 1}, "rgcn": {"epochs": 2}}


def test_a_setting_that_varies_has_one_cell_per_value() -> None:
    found = [cell for cell in table_cells(EXPERIMENTS["invented"], [0]) if cell.data == "re_0"]
    assert [cell.value for cell in found] == [1, 2, 5, 10, 20, 50]
    assert dict(found[2].runs[0].settings) == {"preset": "paper", "epochs": 5, "invented": 5}


def test_select_experiments_by_name_and_data() -> None:
    chosen = select_experiments(ALL, ["re", "graphlog"], ["re_2", "world_17"])
    assert [(one.name, list(one.data)) for one in chosen] == [("graphlog", ["world_17"]), ("re", ["re_2"])]
    assert [one.name for one in select_experiments(ALL, data=["world_32"])] == ["graphlog", "augmentation"]


def test_unknown_names_are_errors_that_list_the_known_ones() -> None:
    with pytest.raises(R5Error, match="no experiment is called 'tabel'; expected clutrr-k23, "):
        select_experiments(ALL, ["tabel"])
    with pytest.raises(R5Error, match="no data set of the experiments is called 'world_1'"):
        select_experiments(ALL, data=["world_1"])
    with pytest.raises(R5Error, match="no engine of these experiments is called 'r6'; expected r5, grammar, ctp-l"):
        make_plan(ALL, ["r6"], 1, HERE)
