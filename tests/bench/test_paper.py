"""Pending runs of the paper benchmark, and messages about missing data and packages."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from r5.bench import paper
from r5.bench.paper import PaperBenchmark, list_sources
from r5.bench.records.store import write_record
from r5.data.catalogue import catalogue
from r5.data.formats.examples.graphlog import write_graphlog
from r5.data.generators.world.dataset import generate_world
from r5.errors import MissingExtraError, R5Error
from tests.helpers.records import record


@pytest.fixture
def root(tmp_path: Path) -> Path:
    data = generate_world(train=40, valid=5, test=6, train_lengths=(2, 3), test_lengths=(3,))
    for name in ("re_0", "re_2"):
        write_graphlog(data, tmp_path / "data" / "graphlog" / name)
    return tmp_path / "data"


def bench(root: Path, out: Path, *engines: str, seeds: int = 2, **more: bool) -> PaperBenchmark:
    return PaperBenchmark.prepare(root, out, engines or ("grammar",), seeds, experiments=["re"], **more)


def test_pending_jobs_are_those_without_a_record(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    jobs = bench(root, out).pending_jobs()
    assert len(jobs) == 4
    first = jobs[0]
    write_record(out, record(first.run, **first.provenance))
    assert [job.run.key for job in bench(root, out).pending_jobs()] == [job.run.key for job in jobs[1:]]


@pytest.mark.parametrize("stale", [{"version": "0.0.0"}, {"data_sha256": "other"}])
def test_records_of_another_version_or_of_other_data_are_stale(
    root: Path, tmp_path: Path, stale: dict[str, str]
) -> None:
    job = bench(root, tmp_path / "out").pending_jobs()[0]
    write_record(tmp_path / "out", record(job.run, **{**job.provenance, **stale}))
    assert len(bench(root, tmp_path / "out").pending_jobs()) == 4


def test_a_record_without_an_epoch_curve_is_stale_if_a_figure_needs_it(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    plain = PaperBenchmark.prepare(root, out, ["r5"], 1, experiments=["re"], datasets=["re_2"])
    job, *others = plain.pending_jobs()
    assert not job.curve
    for one in (job, *others):
        write_record(out, record(one.run, **one.provenance))
    assert plain.pending_jobs() == []
    figure = PaperBenchmark.prepare(root, out, ["r5"], 1, experiments=["epochs", "re"], datasets=["re_2"])
    assert job.run.key in {again.run.key for again in figure.pending_jobs()}
    write_record(out, record(job.run, **job.provenance, epochs=[]))
    assert job.run.key not in {again.run.key for again in figure.pending_jobs()}


def test_tables_include_records_of_other_engines(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for engine in ("grammar", "r5"):
        job = bench(root, out, engine, seeds=1).pending_jobs()[0]
        write_record(out, record(job.run, 0.75, **job.provenance))
    page = bench(root, out, seeds=1).write().page()
    assert page.count(".750") == 2
    assert (out / "tables.md").read_text() == page
    assert (out / "results.csv").is_file()


def test_the_error_without_data_names_its_source(tmp_path: Path) -> None:
    with pytest.raises(R5Error) as error:
        bench(tmp_path / "none", tmp_path / "out")
    text = str(error.value)
    assert f"not in {tmp_path / 'none'}: re_0, re_1, re_2, from R5, https://github.com/" in text
    assert "r5 data get re_0" in text
    assert "--stand-ins" in text


def test_changed_data_is_listed(root: Path, tmp_path: Path) -> None:
    assert bench(root, tmp_path).changed == ("re_0", "re_2")


def test_sources_have_one_line_per_project() -> None:
    entries = catalogue()
    lines = list_sources([entries[name] for name in ("world_2", "world_3", "re_1")], Path("data"))
    assert [line.split(", from ")[0] for line in lines] == ["not in data: world_2, world_3", "not in data: re_1"]


@pytest.mark.parametrize(("engine", "module", "extra"), [("r5", "torch", "torch"), ("rgcn", "torch_geometric", "gnn")])
def test_missing_packages_are_reported_before_the_first_run(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str, module: str, extra: str
) -> None:
    def find(name: str) -> object:
        return None if name == module else importlib.util.find_spec(name)

    monkeypatch.setattr(paper, "find_spec", find)
    with pytest.raises(MissingExtraError, match=rf"{module} is not installed.*\[{extra}\]"):
        bench(root, tmp_path, engine)
