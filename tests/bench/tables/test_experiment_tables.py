"""Experiment tables from synthetic results."""

from __future__ import annotations

from typing import Any

import pytest

from r5.bench.experiments.folder import load_experiments
from r5.bench.experiments.plan import QUICK_EXAMPLES, table_cells
from r5.bench.markdown import dataset_label, markdown_table
from r5.bench.tables.experiment_tables import ExperimentTables
from r5.errors import R5Error
from tests.helpers.records import EXPERIMENTS, record, records_of


def tables(records: dict[str, Any], *names: str, quick: bool = False) -> ExperimentTables:
    chosen = tuple(EXPERIMENTS[name] for name in names) or load_experiments()
    return ExperimentTables(chosen, records, quick)


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("|")]


def test_accuracy_table_has_published_figures_beside_ours() -> None:
    records = records_of("re", "R5", "re_0", [0.7, 0.8], protocol="by training fit")
    records |= records_of("re", "grammar", "re_0", [0.9], invalid_ratio=0.0, rule_recall=1.0, training_seconds=0.25)
    text = tables(records, "re").section("re")
    assert lines(text) == [
        "| data | system | accuracy, published | accuracy, ours | rule recall, published | rule recall, ours "
        "| no answer, ours | seconds |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        "| Re 0 | R5 | .665 ± .06 | .750 ± .071 | 1.00 ± .00 | .900 ± .000 | .100 ± .000 | 2.0 |",
        "| Re 0 | grammar |  | .900 |  | 1.000 | .000 | 0.2 |",
        "| Re 0 | CTP | .425 ± .03 |  | .75 ± .00 |  |  |  |",
    ]
    assert text.endswith(
        "Seeds: 1 or 2.\n\nHow models were chosen: `r5`: by training fit. `grammar`: by hand.\n\n"
        "Not run here: Re 1, Re 2; published figures are in the experiment's file."
    )


def test_rows_of_one_engine_with_different_rules_of_selection_are_named() -> None:
    records = records_of("re", "R5", "re_0", [0.7], protocol="by the last epoch")
    records |= records_of("re", "R5 tuned", "re_0", [0.8], protocol="by training fit")
    text = tables(records, "re").section("re")
    assert 'How models were chosen: "R5": by the last epoch. "R5 tuned": by training fit.' in text


def test_hops_table_has_the_published_row_above_ours() -> None:
    experiment = EXPERIMENTS["clutrr-k234"]
    lengths = {str(hop): {"n": 1, "accuracy": hop / 10} for hop in experiment.hops}
    found = lines(
        tables(records_of(experiment, "R5", "data_db9b8f04", [0.5], by_length=lengths)).section("clutrr-k234")
    )
    assert found[0] == "| system |  | 5 hops | 6 hops | 7 hops | 8 hops | 9 hops | 10 hops | seconds |"
    assert found[2].startswith("| R5 | published | .99 ± .02 | .99 ± .40 | .99 ± .03 | 1.00 ± .02 |")
    assert found[3] == "| R5 | ours | .500 | .600 | .700 | .800 | .900 | 1.000 | 2.0 |"
    assert len(found) == 4 + 12  # all other systems are there as published


def test_values_table_has_one_column_per_value() -> None:
    experiment = EXPERIMENTS["invented"]
    records = {}
    for cell in table_cells(experiment, range(2)):
        if cell.data == "re_0" and cell.value != 20:
            records |= {run.key: record(run, 0.5 + cell.value / 100 + run.seed / 10) for run in cell.runs}
    text = tables(records).section("invented")
    assert (
        "Re 0: best at invented = 50, 1.050 ± .071; invented = 1: 0.490 below it, spread .071; "
        "invented = 50: 0.000 below it, spread .071." in text
    )
    assert lines(text) == [
        "| data | system | invented = 1 | invented = 2 | invented = 5 | invented = 10 | invented = 50 |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        "| Re 0 | R5 | .560 ± .071 | .570 ± .071 | .600 ± .071 | .650 ± .071 | 1.050 ± .071 |",
    ]


def test_epochs_table_has_accuracy_and_rule_recall() -> None:
    points = [{"restart": 0, "epoch": n, "accuracy": n / 4, "rule_recall": n / 2} for n in (1, 2)]
    text = tables(records_of("epochs", "R5, n=1", "re_2", [0.5], epochs=points)).section("epochs")
    assert lines(text)[2:] == [
        "| Re 2 | R5, n=1 | accuracy | .250 | .500 |",
        "| Re 2 | R5, n=1 | rule recall | .500 | 1.000 |",
    ]
    assert "for this figure only" in text


def test_each_variant_is_compared_with_the_published_direction() -> None:
    records = records_of("ablations", "R5", "re_2", [0.5])
    records |= records_of("ablations", "R5 w/o PVN", "re_2", [0.4])
    records |= records_of("ablations", "R5, n=1", "re_2", [0.6])
    text = tables(records).section("ablations")
    assert "R5 w/o PVN against R5 on Re 2: published -0.238, ours -0.100, the same direction." in text
    assert "R5, n=1 against R5 on Re 2: published -0.097, ours +0.100, not the same direction." in text


def test_augmentation_table_shows_the_invalid_ratio() -> None:
    records = records_of("augmentation", "R5", "re_2", [0.5], invalid_ratio=0.2)
    records |= records_of("augmentation", "R-GCN", "re_2", [0.4], invalid_ratio=0.0, rule_recall=None)
    records |= records_of("augmentation", "R5 + R-GCN", "re_2", [0.6], invalid_ratio=0.0)
    text = tables(records).section("augmentation")
    assert lines(text)[2:] == [
        "| Re 2 | R-GCN | .371 | .400 |  |  | .000 | 2.0 |",
        "| Re 2 | R5 | .440 | .500 | .900 | .434 | .200 | 2.0 |",
        "| Re 2 | R5 + R-GCN | .652 | .600 | .900 |  | .000 | 2.0 |",
    ]
    assert "R5 + R-GCN against R5 on Re 2: published +0.212, ours +0.100, the same direction." in text


def test_the_summary_has_both_engines_beside_the_paper() -> None:
    records = records_of("graphlog", "R5", "world_17", [0.94, 0.95])
    records |= records_of("graphlog", "grammar", "world_17", [0.957], rule_recall=1.0)
    lengths = {str(hop): {"n": 1, "accuracy": hop / 10} for hop in range(4, 11)}
    records |= records_of("clutrr-k23", "grammar", "data_089907f8", [0.9], by_length=lengths)
    assert lines(tables(records).summary()) == [
        "|  | R5 as published | `r5`, paper preset | `r5`, tuned | `grammar` |",
        "| --- | --- | --- | --- | --- |",
        "| World 17 | .947 | .945 |  | .957 |",
        "| CLUTRR, 2 and 3 hops -> 4..10, the worst | .96 |  |  | .400 |",
        "| World 17, rule recall | 1.00 | .900 |  | 1.000 |",
    ]
    assert tables({}).summary() == ""


def stand_in_records() -> dict[str, Any]:
    cell = next(cell for cell in table_cells(EXPERIMENTS["re"], [0], stand_ins=True) if cell.data == "re_1")
    made = {"classes": 12, "distinct_paths": 751, "average_resolution_length": 5.135, "average_nodes": 38.78}
    return {run.key: record(run, 0.6, statistics={**made, "average_edges": 71.77}) for run in cell.runs}


def test_stand_ins_have_their_own_section_without_published_accuracy() -> None:
    found = tables(stand_in_records(), "re")
    page = found.page()
    before, after = page.split("## Stand-ins")
    assert ".600" not in before
    assert found.section("re") == ""
    assert "not the published data" in after
    assert lines(after) == [
        "| stand-in for |  | classes | distinct paths | average length | average nodes | average edges |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        "| Re 1 | published | 12 | 736 | 5.19 | 29.3 | 71.5 |",
        "| Re 1 | generated | 12 | 751 | 5.135 | 38.78 | 71.77 |",
        "| data | system | accuracy, ours | rule recall, ours | no answer, ours | seconds |",
        "| --- | --- | --- | --- | --- | --- |",
        "| stand-in for Re 1 | R5 | .600 | .900 | .100 | 2.0 |",
    ]
    assert [one["stand_in"] for one in found.as_json()] == [True]


def test_a_quick_page_warns_about_its_figures() -> None:
    cell = next(table_cells(EXPERIMENTS["re"], [0], quick=True))
    quick = {run.key: record(run, 0.6) for run in cell.runs}
    full = records_of("re", "R5", "re_0", [0.9])
    page = tables({**quick, **full}, "re", quick=True).page()
    assert "The figures mean nothing" in page
    assert ".600" in page
    assert ".900 |" not in page.split("accuracy")[0]
    assert cell.runs[0].examples == QUICK_EXAMPLES
    assert "1 runs" in page


def test_the_environment_lists_all_versions() -> None:
    records = records_of("re", "R5", "re_0", [0.7]) | records_of("re", "grammar", "re_0", [0.7], commit="def")
    assert tables(records).environment() == (
        "2 runs: r5 0.0, commit `abc`, commit `def`, Python 3.11, numpy 2.0, 2 cores."
    )
    assert tables({}).environment() == ""


def test_as_json_has_means_and_runs() -> None:
    (found,) = tables(records_of("re", "R5", "re_0", [0.7, 0.7]), "re").as_json()
    assert found["accuracy"] == {"mean": pytest.approx(0.7), "spread": 0.0, "runs": 2}
    assert (found["experiment"], found["system"], found["data"], found["stand_in"]) == ("re", "R5", "re_0", False)


def test_an_unknown_section_is_an_error() -> None:
    expected = "expected summary, environment, stand-ins, spreads, re"
    with pytest.raises(R5Error, match=f"no table is called 'res'; {expected}"):
        tables({}, "re").section("res")


def test_markdown_table_and_dataset_label() -> None:
    assert markdown_table(["a", "b"], []) == "| a |\n| --- |"
    assert dataset_label("data_db9b8f04") == "CLUTRR 2,3,4"
