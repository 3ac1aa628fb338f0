"""`r5 bench paper`: the experiments of the paper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from r5.cli.benchmarks.ablations import ablations
from r5.cli.benchmarks.discovery import discovery
from r5.cli.benchmarks.graphs import graphs
from r5.cli.common.cluster import connect_cluster
from r5.cli.common.console import log, show, show_json
from r5.cli.common.parameters import CLUSTER, QUIET
from r5.cli.common.progress import progress_bar
from r5.errors import ClusterLostError, MissingExtraError

if TYPE_CHECKING:
    from r5.bench.paper import PaperBenchmark
    from r5.bench.runs.job import Job
    from r5.reasoners.base import ProgressCallback

__all__ = ["app"]

app = typer.Typer(rich_markup_mode=None)
app.command()(graphs)
app.command()(discovery)
app.command()(ablations)


@app.callback()
def _bench() -> None:
    """Run published experiments and compare with published figures.

    Example: r5 bench paper --quick
    """


@app.command()
def paper(
    data: Path | None = typer.Option(None, metavar="DIR", help="Folder of all data; default: R5_DATA, or data."),
    datasets: str = typer.Option("", metavar="A,B", help="Only these data sets, such as re_0,world_17."),
    engines: str = typer.Option("r5,grammar", metavar="A,B", help="Engines, such as r5,grammar,lstm,rgcn,r5+rgcn."),
    experiments: str = typer.Option("", metavar="A,B", help="Only these experiments, such as clutrr-k23,ablations."),
    seeds: int = typer.Option(3, min=1, help="Number of models of each kind, with the seeds 0, 1, ..."),
    stand_ins: bool = typer.Option(False, "--stand-ins", help="Generate stand-ins for data sets that are missing."),
    quick: bool = typer.Option(
        False, "--quick", help="Run a small part in a minute, to check the set-up; the figures mean nothing."
    ),
    jobs: int = typer.Option(0, min=0, help="Number of parallel runs with one thread each; 0: one per core."),
    cluster: str = CLUSTER,
    out: Path = typer.Option(Path("bench-paper"), help="Folder of results; finished runs in it are not repeated."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
    quiet: bool = QUIET,
) -> None:
    """Run the paper's experiments and print its tables.

    The tables include the published figures. After an interruption the same command runs the rest. Exit code 1 if a
    run failed.

    Example: r5 bench paper --data data --seeds 3 --out results
    """
    from r5._util.runtime.threads import usable_threads
    from r5.bench.paper import PaperBenchmark, list_sources
    from r5.data.catalogue import data_folder

    root = data_folder(data)
    number = 1 if quick else seeds
    selection = (_parse_names(engines), number, _parse_names(experiments), _parse_names(datasets), stand_ins, quick)
    bench = PaperBenchmark.prepare(root, out, *selection)
    for line in list_sources([bench.entries[name] for name in bench.plan.missing], root):
        log(line, quiet)
    for name in bench.changed:
        log(f"{name}: the files in {bench.entries[name].place(root)} differ from the published ones", quiet)
    todo = bench.pending_jobs()
    workers = min(jobs or usable_threads(), max(len(todo), 1))
    done_before = len(bench.plan.runs) - sum(1 + len(job.sharing) for job in todo)
    at_once = f"{workers} at a time" if cluster == "local" else f"on {cluster}"
    log(f"{len(bench.plan.runs)} runs, {done_before} of them done before; {at_once}", quiet)
    try:
        with connect_cluster(cluster, jobs or None) as machines, progress_bar("running", quiet) as progress:
            tables, failures = bench.run(todo, workers, _count_runs(progress, len(todo)), machines)
    except (KeyboardInterrupt, ClusterLostError):
        log(f"finished runs are kept in {out}; the same command continues with the rest")
        raise
    _draw(bench, quiet)
    for failure in failures:
        log(f"the run {failure.key} failed: {failure.reason}")
    if as_json:
        failed = {failure.key: failure.reason for failure in failures}
        facts = {"out": str(out), "runs": len(bench.plan.runs), "missing": list(bench.plan.missing), "failed": failed}
        show_json({**facts, "quick": quick, "figures": tables.as_json()})
    else:
        show(tables.page().rstrip())
    if failures:
        raise typer.Exit(1)


def _parse_names(text: str) -> list[str]:
    """Parse names separated by commas.

    >>> _parse_names("r5, grammar"), _parse_names("")
    (['r5', 'grammar'], [])
    """
    return [name.strip() for name in text.split(",") if name.strip()]


def _count_runs(progress: ProgressCallback | None, total: int) -> Callable[[Job], None] | None:
    if progress is None:
        return None
    from r5.reasoners.base import Progress

    finished = 0
    progress(Progress(0, total, ""))

    def done(job: Job) -> None:
        nonlocal finished
        finished += 1
        progress(Progress(finished, total, job.run.key))

    return done


def _draw(bench: PaperBenchmark, quiet: bool) -> None:
    """Draw the figures if matplotlib is installed; the tables have the same numbers."""
    try:
        bench.draw()
    except MissingExtraError as error:
        log(f"no figures: {error}", quiet)
