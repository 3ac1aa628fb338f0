"""Ablation studies: rows are run once, answering rows reuse the first model, and tables show changes with errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from r5.bench.ablations import ablation_tables, jobs_of, read_ablation, read_records, run_all
from r5.bench.experiments.folder import experiments_folder, load_experiments
from r5.errors import DataError
from r5.reasoners.grammar import GrammarReasoner

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


def test_an_unknown_key_is_refused(folder: Path) -> None:
    (folder / "odd.yaml").write_text("engine: grammar\nrows: []\nseeds: 3\n")
    with pytest.raises(DataError, match="expected the keys"):
        read_ablation(folder / "odd.yaml")


def test_the_study_of_the_grammar_engine_names_settings_that_exist() -> None:
    study = read_ablation(experiments_folder() / "grammar-ablations.yaml")
    for row in study.rows:
        GrammarReasoner(**{**study.settings, **row.settings})
    assert "grammar-ablations" not in [one.name for one in load_experiments()]
