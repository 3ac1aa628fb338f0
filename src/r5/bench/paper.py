"""The benchmark as a whole: what is to be done, doing what of it is missing, and writing tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from r5._util.files.writing import write_text
from r5.baselines.settings import GRAPH_NETWORKS
from r5.bench import environment
from r5.bench.experiments import load_experiments
from r5.bench.figures import write_figures
from r5.bench.plan import Plan, Run, choose, make_plan, together
from r5.bench.pool import Failure, run_all
from r5.bench.remote import run_there
from r5.bench.store import Record, read_records, write_results
from r5.bench.tables import Tables
from r5.bench.work import Job
from r5.data.catalogue import Entry, catalogue, digest
from r5.data.stand_ins import STAND_IN
from r5.errors import R5Error, need
from r5.parallel.cluster import Cluster

__all__ = ["Benchmark", "where_from"]


@dataclass(frozen=True)
class Benchmark:
    """What was asked for, and what there is to do for it."""

    plan: Plan
    root: Path
    """The folder of all data."""
    out: Path
    """The folder of results."""
    seeds: int
    quick: bool
    entries: dict[str, Entry]
    changed: tuple[str, ...]
    """Data sets whose files are not those that were published."""

    @classmethod
    def of(
        cls,
        root: Path,
        out: Path,
        engines: Sequence[str],
        seeds: int,
        experiments: Collection[str] = (),
        datasets: Collection[str] = (),
        stand_ins: bool = False,
        quick: bool = False,
    ) -> Benchmark:
        """Look what data is there and plan the runs; an error where there is nothing to do."""
        chosen = choose(load_experiments(), experiments, datasets)
        entries = catalogue()
        asked = dict.fromkeys(name for experiment in chosen for name in experiment.data)
        states = {name: entries[name].state(root) for name in asked}
        present = [name for name, state in states.items() if state in ("present", "changed")]
        plan = make_plan(chosen, engines, seeds, present, stand_ins, quick)
        if not plan.runs:
            missing = "; ".join(where_from([entries[name] for name in plan.missing], root))
            raise R5Error(f"there is no data to run on: {missing}, --stand-ins generates data in their place")
        _check_extras(plan.runs)
        changed = tuple(name for name, state in states.items() if state == "changed")
        return cls(plan, root, out, seeds, quick, entries, changed)

    def jobs(self) -> list[Job]:
        """The runs that are not done yet, or were done with another version or other data."""
        finished = read_records(self.out)
        here = environment.describe()
        sums = {name: self._sum(name) for name in dict.fromkeys(run.data for run in self.plan.runs)}
        facts = {run.key: {**here, "data_sha256": sums[run.data]} for run in self.plan.runs}
        watched = self.plan.watched
        missing = [
            run for run in self.plan.runs if not _usable(finished.get(run.key), facts[run.key], run.key in watched)
        ]
        return [
            Job(run, self.root, self.out, run.key in watched, facts[run.key], tuple(also))
            for run, *also in together(missing)
        ]

    def run(
        self,
        jobs: Sequence[Job],
        workers: int,
        done: Callable[[Job], None] | None = None,
        cluster: Cluster | None = None,
    ) -> tuple[Tables, list[Failure]]:
        """Do the jobs, in processes here or on a cluster, and write down what there is then."""
        elsewhere = cluster is not None and not cluster.is_here
        failures = run_there(jobs, cluster, done) if cluster and elsewhere else run_all(jobs, workers, done)
        return self.write(), failures

    def write(self) -> Tables:
        """Write all results in the folder as JSON and CSV, and the tables made of them as Markdown."""
        records = read_records(self.out)
        write_results(self.out, records.values())
        tables = self.tables(records)
        write_text(self.out / "tables.md", tables.page(), force=True)
        return tables

    def draw(self) -> list[Path]:
        """Draw the figures of what there is in the folder; an error where matplotlib is not installed."""
        tables = self.tables(read_records(self.out))
        folder = self.out / "figures"
        return [
            path
            for generated in (False, True)
            for path in write_figures(tables.experiments, tables.records, folder, self.quick, generated)
        ]

    def tables(self, records: dict[str, Record]) -> Tables:
        """The tables of all experiments asked for, with the runs of other engines that are known too."""
        every = {experiment.name: experiment for experiment in load_experiments()}
        shown = [replace(every[one.name], data=one.data) for one in self.plan.experiments]
        return Tables(tuple(shown), records, self.quick)

    def _sum(self, name: str) -> str | None:
        """The checksum of a data set; a stand-in follows from the version."""
        return None if name.startswith(STAND_IN) else digest(self.entries[name], self.root)


def where_from(entries: Sequence[Entry], root: Path) -> list[str]:
    """What to tell somebody who lacks these data sets: a line for each project that they come from."""
    lines = []
    for project in dict.fromkeys(entry.project for entry in entries):
        names = [entry.name for entry in entries if entry.project == project]
        lines.append(f"not in {root}: {', '.join(names)}, from {project}; r5 data get {names[0]} fetches such a set")
    return lines


def _usable(record: Record | None, facts: Record, watched: bool) -> bool:
    """Whether a run that was done before is the one that is wanted."""
    if record is None or (watched and "epochs" not in record):
        return False
    return all(record.get(name) == facts[name] for name in ("version", "data_sha256"))


def _check_extras(runs: Sequence[Run]) -> None:
    """Say at once, and not after an hour, that something is not installed."""
    engines = {part for run in runs for part in run.engine.split("+")} - {"grammar"}
    if engines and find_spec("torch") is None:
        raise need("torch", "torch")
    if engines & set(GRAPH_NETWORKS) and find_spec("torch_geometric") is None:
        raise need("torch_geometric", "gnn")
