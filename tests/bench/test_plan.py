"""Plans: which runs there are, each once, and what is asked for that is not there."""

from __future__ import annotations

import pytest

from r5.bench.experiments import load_experiments
from r5.bench.plan import QUICK_EXAMPLES, Run, cells, choose, make_plan, quickened
from r5.errors import R5Error
from tests.helpers.records import EXPERIMENTS

ALL = load_experiments()
HERE = ("data_089907f8", "data_db9b8f04", "world_17", "re_0", "re_2")


def test_a_key_depends_on_all_that_decides_the_result_and_on_nothing_else() -> None:
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


def test_a_run_that_several_tables_show_is_done_once() -> None:
    plan = make_plan(ALL, ["r5"], 1, HERE)
    keys = [run.key for run in plan.runs]
    assert len(keys) == len(set(keys))
    plain = [run for run in plan.runs if run.data == "world_17" and dict(run.settings) == {"preset": "paper"}]
    assert len(plain) == 1  # of Tables 4, 15 and 16
    one = [run for run in plan.runs if run.settings.get("invented") == 1 and run.data == "re_2"]
    assert [run.key in plan.watched for run in one] == [True]  # of Table 6 and Figure 3


def test_the_full_plan_is_of_the_size_that_was_reckoned_with() -> None:
    plan = make_plan(ALL, ["r5", "grammar"], 3, HERE)
    counts = {engine: sum(run.engine == engine for run in plan.runs) for engine in ("r5", "grammar")}
    # Two presets on five data sets; two ablations of two of them, eleven of the tuned preset on two, two with extra
    # features; six values of n on two.
    assert counts == {"r5": 3 * (10 + 4 + 22 + 2 + 12), "grammar": 3 * 5}
    assert set(plan.missing) == {f"world_{n}" for n in (2, 3, 13, 30, 6, 7, 8, 11, 32)} | {"re_1"}


def test_long_runs_come_first_and_the_quick_engine_last() -> None:
    runs = make_plan(ALL, ["r5", "grammar"], 2, HERE).runs
    assert (runs[0].data, runs[0].engine) == ("data_db9b8f04", "r5")
    assert [run.engine for run in runs[-8:]] == ["grammar"] * 8


def test_stand_ins_take_the_place_of_what_is_missing_only_when_asked() -> None:
    chosen = choose(ALL, ["re"])
    assert {run.data for run in make_plan(chosen, ["grammar"], 1, ["re_0"]).runs} == {"re_0"}
    plan = make_plan(chosen, ["grammar"], 1, ["re_0"], stand_ins=True)
    assert {run.data for run in plan.runs} == {"re_0", "stand_in_re_1", "stand_in_re_2"}


def test_a_quick_plan_takes_one_data_set_of_each_experiment() -> None:
    plan = make_plan(ALL, ["r5", "grammar"], 1, HERE, quick=True)
    assert all(run.examples == QUICK_EXAMPLES for run in plan.runs)
    assert {run.data for run in plan.runs} == set(HERE)
    assert len(plan.runs) == 28
    bare = make_plan(ALL, ["grammar"], 1, [], quick=True)
    assert {run.data for run in bare.runs} == {
        f"stand_in_{name}" for name in ("data_089907f8", "data_db9b8f04", "world_2", "re_0", "world_17")
    }


def test_quick_settings_of_engines_joined() -> None:
    found = quickened("r5+rgcn", {"r5": {"preset": "paper"}, "rgcn": {}})
    assert found == {"r5": {"preset": "paper", "epochs": 2, "simulations": 16, "restarts": 1}, "rgcn": {"epochs": 2}}


def test_a_setting_that_varies_has_a_cell_for_each_value() -> None:
    found = [cell for cell in cells(EXPERIMENTS["invented"], [0]) if cell.data == "re_0"]
    assert [cell.value for cell in found] == [1, 2, 5, 10, 20, 50]
    assert dict(found[2].runs[0].settings) == {"preset": "paper", "epochs": 5, "invented": 5}


def test_choosing() -> None:
    chosen = choose(ALL, ["re", "graphlog"], ["re_2", "world_17"])
    assert [(one.name, list(one.data)) for one in chosen] == [("graphlog", ["world_17"]), ("re", ["re_2"])]
    assert [one.name for one in choose(ALL, data=["world_32"])] == ["graphlog", "augmentation"]


def test_what_is_not_known_is_an_error_that_lists_what_is() -> None:
    with pytest.raises(R5Error, match="no experiment is called 'tabel'; expected clutrr-k23, "):
        choose(ALL, ["tabel"])
    with pytest.raises(R5Error, match="no data set of the experiments is called 'world_1'"):
        choose(ALL, data=["world_1"])
    with pytest.raises(R5Error, match="no engine of these experiments is called 'r6'; expected r5, grammar, ctp-l"):
        make_plan(ALL, ["r6"], 1, HERE)
