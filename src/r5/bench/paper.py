"""Benchmark of the paper's experiments: plan, missing runs, tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from r5._util.files.writing import write_text
from r5.baselines.methods import GRAPH_NETWORKS
from r5.bench import environment
from r5.bench.charts.figures import write_figures
from r5.bench.experiments.folder import load_experiments
from r5.bench.experiments.plan import Plan, Run, group_by_training, make_plan, select_experiments
from r5.bench.records.store import Record, read_records, write_results
from r5.bench.runs.cluster import run_on_cluster
from r5.bench.runs.job import Job
from r5.bench.runs.process_pool import Failure, run_in_processes
from r5.bench.tables.experiment_tables import ExperimentTables
from r5.data.catalogue import Entry, catalogue, digest
from r5.data.stand_ins import STAND_IN
from r5.errors import R5Error, need
from r5.parallel.cluster import Cluster

__all__ = ["PaperBenchmark", "list_sources"]


@dataclass(frozen=True)
class PaperBenchmark:
    """The chosen experiments, their plan, and the folders of data and results."""

    plan: Plan
    root: Path
    """Data folder."""
    out: Path
    """Folder of results."""
    seeds: int
    quick: bool
    entries: dict[str, Entry]
    changed: tuple[str, ...]
    """Data sets whose files differ from the published ones."""

    @classmethod
    def prepare(
        cls,
        root: Path,
        out: Path,
        engines: Sequence[str],
        seeds: int,
        experiments: Collection[str] = (),
        datasets: Collection[str] = (),
        stand_ins: bool = False,
        quick: bool = False,
    ) -> PaperBenchmark:
        """Find the data and plan the runs.

        Args:
            root: Data folder.
            out: Folder of results.
            engines: Engines to run.
            seeds: Number of seeds.
            experiments: Names of experiments; all by default.
            datasets: Names of data sets; all by default.
            stand_ins: Whether generated stand-ins replace absent data sets.
            quick: Whether to run a short test of the set-up.

        Raises:
            R5Error: A name is not known, or there is no data.
            MissingExtraError: An engine needs a package that is not installed.
        """
        chosen = select_experiments(load_experiments(), experiments, datasets)
        entries = catalogue()
        needed = dict.fromkeys(name for experiment in chosen for name in experiment.data)
        states = {name: entries[name].state(root) for name in needed}
        present = [name for name, state in states.items() if state in ("present", "changed")]
        plan = make_plan(chosen, engines, seeds, present, stand_ins, quick)
        if not plan.runs:
            missing = "; ".join(list_sources([entries[name] for name in plan.missing], root))
            raise R5Error(f"there is no data to run on: {missing}, --stand-ins generates data in their place")
        _check_extras(plan.runs)
        changed = tuple(name for name, state in states.items() if state == "changed")
        return cls(plan, root, out, seeds, quick, entries, changed)

    def pending_jobs(self) -> list[Job]:
        """Return the runs that have no record of this version and data."""
        finished = read_records(self.out)
        versions = environment.describe()
        sums = {name: self._checksum(name) for name in dict.fromkeys(run.data for run in self.plan.runs)}
        provenance = {run.key: {**versions, "data_sha256": sums[run.data]} for run in self.plan.runs}
        curves = self.plan.curves
        missing = [
            run
            for run in self.plan.runs
            if not _is_current(finished.get(run.key), provenance[run.key], run.key in curves)
        ]
        return [
            Job(run, self.root, self.out, run.key in curves, provenance[run.key], tuple(sharing))
            for run, *sharing in group_by_training(missing)
        ]

    def run(
        self,
        jobs: Sequence[Job],
        workers: int,
        done: Callable[[Job], None] | None = None,
        cluster: Cluster | None = None,
    ) -> tuple[ExperimentTables, list[Failure]]:
        """Run jobs in local processes or on a cluster, and write all results.

        Args:
            jobs: The jobs.
            workers: Number of local processes.
            done: Function that is called after each job.
            cluster: The cluster; None or a local one for local processes.

        Returns:
            The tables of all results, and the runs that failed.
        """
        if cluster is not None and not cluster.is_local:
            failures = run_on_cluster(jobs, cluster, done)
        else:
            failures = run_in_processes(jobs, workers, done)
        return self.write(), failures

    def write(self) -> ExperimentTables:
        """Write all results as JSON and CSV, and their tables as Markdown."""
        records = read_records(self.out)
        write_results(self.out, records.values())
        tables = self.tables(records)
        write_text(self.out / "tables.md", tables.page(), force=True)
        return tables

    def draw(self) -> list[Path]:
        """Draw the figures of all results.

        Raises:
            MissingExtraError: matplotlib is not installed.
        """
        tables = self.tables(read_records(self.out))
        folder = self.out / "figures"
        return [
            path
            for generated in (False, True)
            for path in write_figures(tables.experiments, tables.records, folder, self.quick, generated)
        ]

    def tables(self, records: dict[str, Record]) -> ExperimentTables:
        """Return the tables of the chosen experiments, with the records of all engines."""
        experiments = {experiment.name: experiment for experiment in load_experiments()}
        shown = [replace(experiments[one.name], data=one.data) for one in self.plan.experiments]
        return ExperimentTables(tuple(shown), records, self.quick)

    def _checksum(self, name: str) -> str | None:
        """Return the checksum of a data set; None for a stand-in, which depends on the version alone."""
        return None if name.startswith(STAND_IN) else digest(self.entries[name], self.root)


def list_sources(entries: Sequence[Entry], root: Path) -> list[str]:
    """Return a line for each project that publishes some of these data sets, which are not in the data folder."""
    lines = []
    for project in dict.fromkeys(entry.project for entry in entries):
        names = [entry.name for entry in entries if entry.project == project]
        lines.append(f"not in {root}: {', '.join(names)}, from {project}; r5 data get {names[0]} fetches such a set")
    return lines


def _is_current(record: Record | None, provenance: Record, curve: bool) -> bool:
    """Return whether a record has this version, this data and, if wanted, an epoch curve."""
    if record is None or (curve and "epochs" not in record):
        return False
    return all(record.get(name) == provenance[name] for name in ("version", "data_sha256"))


def _check_extras(runs: Sequence[Run]) -> None:
    """Raise an error before the first run if an engine needs a package that is not installed."""
    engines = {part for run in runs for part in run.engine.split("+")} - {"grammar"}
    if engines and find_spec("torch") is None:
        raise need("torch", "torch")
    if engines & set(GRAPH_NETWORKS) and find_spec("torch_geometric") is None:
        raise need("torch_geometric", "gnn")
