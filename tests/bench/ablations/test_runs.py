"""Ablation studies: rows are run once, answering rows reuse the first model, and tables show changes with errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from r5.bench.ablations.runs import read_records, run_all
from r5.bench.ablations.study import jobs_of, read_ablation
from r5.bench.ablations.tables import ablation_tables
from r5.bench.experiments.folder import experiments_folder, load_experiments
from r5.errors import DataError
from r5.reasoners.registry import make_reasoner

STUDY = """
engine: grammar
settings: {seed: 0, restarts: [0.5], annealing_steps: 4, sparse_steps: 2}
worlds: {first: 12000, count: 2, relations: 6, examples: 220, test: 20}
shifted: {first: 12100, count: 1, relations: 6, examples: 220, test: 20}
rows:
  - {name: default}
  - {name: no sparsity, settings: {sparsity: 0.0}}
  - {name: estimated noise, answering: {wrong_edges: estimate}}
"""
TOWN = """
engine: chains
graphs: {kg/town: 2, kg/elsewhere: 1}
groups: {families: [kg/town]}
rows:
  - {name: default}
  - {name: single steps, settings: {max_length: 1}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ablations")
    (folder / "study.yaml").write_text(STUDY)
    return folder


def test_every_row_of_every_world_is_recorded_once(folder: Path) -> None:
    study = read_ablation(folder / "study.yaml")
    jobs = jobs_of(study, folder)
    assert [job.data for job in jobs] == ["world-12000", "world-12001", "shifted-12100"]
    assert [job.data for job in jobs_of(study, folder, ["world-12001"])] == ["world-12001"]
    run_all(jobs, folder / "out")
    records = read_records(folder / "out")
    assert len(records) == 9
    first, last = records["world-12000", "default"], records["world-12000", "estimated noise"]
    assert first["training_seconds"] == last["training_seconds"]
    options = records["shifted-12100", "default"]["options"]
    assert (options["wrong_edges"], options["test_wrong_edges"]) == (0.1, 0.0)
    done: list[str] = []
    run_all(jobs, folder / "out", lambda job: done.append(job.data))
    assert read_records(folder / "out") == records
    lines = ablation_tables(study, records).splitlines()
    assert lines[0].startswith("| Accuracy | all worlds (2) |")
    assert sum(line.startswith("| no sparsity |") for line in lines) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("engine: grammar\nrows: []\nseeds: 3\n", "expected the keys"),
        ("engine: grammar\nrows: []\n", "a list of rows, each with a name"),
        ("engine: grammar\nrows: [{settings: {}}]\n", "a list of rows, each with a name"),
        ("engine: [grammar\n", "not valid YAML"),
    ],
)
def test_a_wrong_study_is_refused(folder: Path, text: str, message: str) -> None:
    (folder / "odd.yaml").write_text(text)
    with pytest.raises(DataError, match=message):
        read_ablation(folder / "odd.yaml")


@pytest.mark.parametrize("name", ["chains-ablations", "grammar-ablations"])
def test_the_studies_name_settings_that_exist(name: str) -> None:
    study = read_ablation(experiments_folder() / f"{name}.yaml")
    for row in study.rows:
        make_reasoner(study.engine, **{**study.settings, **row.settings})
    assert set().union(*study.groups.values()) <= set(study.graphs)
    assert name not in [one.name for one in load_experiments()]


def test_graphs_are_ranked_on_valid_with_several_seeds_and_on_new_entities(folder: Path) -> None:
    for name, letter in (("town", "a"), ("town_ind", "b")):
        own = folder / "kg" / name
        own.mkdir(parents=True)
        for split, people in (("train", range(24)), ("valid", range(24, 30)), ("test", range(30, 33))):
            lines = [f"{letter}{n}\tparent\t{letter}{n + 1}" for n in range(34)] if split == "train" else []
            lines += [f"{letter}{n}\tgrandparent\t{letter}{n + 2}" for n in people]
            (own / f"{split}.txt").write_text("\n".join(lines) + "\n")
    (folder / "town.yaml").write_text(TOWN)
    study = read_ablation(folder / "town.yaml")
    jobs = jobs_of(study, folder)
    assert [job.data for job in jobs] == ["kg/town"]
    run_all(jobs, folder / "ranks")
    records = read_records(folder / "ranks")
    default, short = records["kg/town", "default"], records["kg/town", "single steps"]
    assert [set(run) for run in default["seeds"]] == [set(default) - {"data", "row", "options", "seeds"}] * 2
    assert default["mrr"] == pytest.approx(1.0) and default["new_mrr"] == pytest.approx(1.0)
    assert short["mrr"] < 0.5 and short["new_mrr"] < 0.5
    text = ablation_tables(study, records)
    assert "| MRR on valid | town | all graphs (1) | families (1) |" in text
    assert "Accuracy" not in text
