"""`r5 bench`: published experiments; here those of the paper, on the data that is here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from r5.cli.bench_ablations import ablations
from r5.cli.bench_discovery import discovery
from r5.cli.bench_graphs import graphs
from r5.cli.clusters import on_cluster
from r5.cli.console import log, show, show_json
from r5.cli.parameters import CLUSTER, QUIET
from r5.cli.progress import progress_bar
from r5.errors import ClusterLostError, MissingExtraError

if TYPE_CHECKING:
    from r5.bench.paper import Benchmark
    from r5.bench.work import Job
    from r5.reasoners.base import ProgressCallback

__all__ = ["app"]

app = typer.Typer(rich_markup_mode=None)
app.command()(graphs)
app.command()(discovery)
app.command()(ablations)


@app.callback()
def _benchmarks() -> None:
    """Published experiments, run here beside their published figures.

    Example: r5 bench paper --quick
    """


@app.command()
def paper(
    data: Path | None = typer.Option(None, metavar="DIR", help="The folder of all data; by default R5_DATA, or data."),
    datasets: str = typer.Option("", metavar="A,B", help="Only these data sets, such as re_0,world_17."),
    engines: str = typer.Option("r5,grammar", metavar="A,B", help="Engines, such as r5,grammar,lstm,rgcn,r5+rgcn."),
    experiments: str = typer.Option("", metavar="A,B", help="Only these experiments, such as clutrr-k23,ablations."),
    seeds: int = typer.Option(3, min=1, help="Models of each kind, with the seeds 0, 1, ..."),
    stand_ins: bool = typer.Option(False, "--stand-ins", help="Also generated data in place of sets that are missing."),
    quick: bool = typer.Option(False, "--quick", help="A minute's look whether all works: the figures mean nothing."),
    jobs: int = typer.Option(0, min=0, help="Runs side by side, each with one thread; 0: as many as there are cores."),
    cluster: str = CLUSTER,
    out: Path = typer.Option(Path("bench-paper"), help="The folder of results; what is in it is not done again."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
    quiet: bool = QUIET,
) -> None:
    """Run the paper's experiments and print its tables.

    The published figures stand beside ours. What was interrupted goes on where it stopped with the same command.
    Exit code 1 where a run failed.

    Example: r5 bench paper --data data --seeds 3 --out results
    """
    from r5._util.threads import usable_threads
    from r5.bench.paper import Benchmark, where_from
    from r5.data.catalogue import data_folder

    root = data_folder(data)
    number = 1 if quick else seeds
    asked = (_names(engines), number, _names(experiments), _names(datasets), stand_ins, quick)
    bench = Benchmark.of(root, out, *asked)
    for line in where_from([bench.entries[name] for name in bench.plan.missing], root):
        log(line, quiet)
    for name in bench.changed:
        log(f"{name}: the files in {bench.entries[name].place(root)} are not those that were published", quiet)
    todo = bench.jobs()
    workers = min(jobs or usable_threads(), max(len(todo), 1))
    done_before = len(bench.plan.runs) - sum(1 + len(job.also) for job in todo)
    at_once = f"{workers} at a time" if cluster == "local" else f"on {cluster}"
    log(f"{len(bench.plan.runs)} runs, {done_before} of them done before; {at_once}", quiet)
    try:
        with on_cluster(cluster, jobs or None) as there, progress_bar("running", quiet) as progress:
            tables, failures = bench.run(todo, workers, _counter(progress, len(todo)), there)
    except (KeyboardInterrupt, ClusterLostError):
        log(f"what is done is kept in {out}; the same command goes on with the rest")
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


def _names(text: str) -> list[str]:
    """Names with commas between them.

    >>> _names("r5, grammar"), _names("")
    (['r5', 'grammar'], [])
    """
    return [name.strip() for name in text.split(",") if name.strip()]


def _counter(progress: ProgressCallback | None, total: int) -> Callable[[Job], None] | None:
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


def _draw(bench: Benchmark, quiet: bool) -> None:
    """Figures are drawn if matplotlib is there; the numbers are in the tables anyway."""
    try:
        bench.draw()
    except MissingExtraError as error:
        log(f"no figures: {error}", quiet)
