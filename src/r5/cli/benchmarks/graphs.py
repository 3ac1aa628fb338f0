"""`r5 bench graphs`: link prediction on knowledge graphs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from r5.cli.common.console import log, show, show_json
from r5.cli.common.parameters import QUIET
from r5.cli.common.progress import progress_bar
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.bench.graphs.published import PublishedGraphResults
    from r5.bench.graphs.runs import GraphJob

__all__ = ["graphs"]


def graphs(
    folders: list[Path] = typer.Argument(
        None, metavar="[FOLDER]...", help="Folders with train, test and perhaps valid or inference files of triples."
    ),
    data: Path | None = typer.Option(None, metavar="DIR", help="Folder of all known data; default: R5_DATA, or data."),
    datasets: str = typer.Option(
        "", metavar="A,B", help="Known data sets, such as umls,family; default: all, or none if folders are given."
    ),
    seeds: int = typer.Option(3, min=1, help="Number of models of each data set, with the seeds 0, 1, ..."),
    out: Path = typer.Option(Path("bench-graphs"), help="Folder of results; finished runs in it are not repeated."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
    quiet: bool = QUIET,
) -> None:
    """Evaluate link prediction on the usual or your own graphs.

    Models of the engine chains are trained on train (and facts) alone, calibrated on valid and ranked once on test:
    filtered, both directions, all entities, the mean rank among ties. Inductive data is a folder with inference files,
    or a folder X beside X_ind: its queries are answered on the graph of their own entities. The tables include
    published figures with their sources. After an interruption the same command runs the rest.

    Example: r5 bench graphs --data data --datasets umls --seeds 1 --out results

    Example: r5 bench graphs my-graph --seeds 1
    """
    from r5._util.files.writing import write_text
    from r5.bench.graphs.chart import draw_graphs_chart
    from r5.bench.graphs.published import load_published_graph_results
    from r5.bench.graphs.runs import read_graph_records, run_graph_jobs, write_graph_results
    from r5.bench.graphs.tables import GraphTables
    from r5.reasoners.base import Progress

    published = load_published_graph_results()
    jobs = [_own_job(folder, seed) for folder in folders or () for seed in range(seeds)]
    for job in jobs:
        if any(one.name == job.data for one in published.data):
            raise R5Error(f"{job.folder}: {job.data} is a known data set; run it with --data and --datasets")
    if datasets or not folders:
        jobs += _known_jobs(published, data, datasets, seeds, quiet)
    if len({job.key for job in jobs}) < len(jobs):
        raise R5Error("two of the folders have the same name, which the results are filed under")
    known = read_graph_records(out)
    todo = [job for job in jobs if job.key not in known]
    log(f"{len(jobs)} runs, {len(jobs) - len(todo)} of them done before", quiet)
    finished = 0
    try:
        with progress_bar("running", quiet) as progress:

            def done(job: GraphJob) -> None:
                nonlocal finished
                finished += 1
                if progress is not None:
                    progress(Progress(finished, len(todo), job.key))

            run_graph_jobs(todo, out, done)
    except KeyboardInterrupt:
        log(f"finished runs are kept in {out}; the same command continues with the rest")
        raise
    records = read_graph_records(out)
    write_graph_results(out, records)
    tables = GraphTables(published, records)
    write_text(out / "graphs.md", tables.text("# Knowledge graphs"), force=True)
    for name, inductive in (("graphs.svg", False), ("graphs-inductive.svg", True)):
        if tables.of_kind(inductive):
            write_text(out / name, draw_graphs_chart(tables, inductive), force=True)
    if as_json:
        show_json({"out": str(out), "runs": [records[job.key] for job in jobs]})
    else:
        show(tables.text().rstrip())


def _known_jobs(
    published: PublishedGraphResults, data: Path | None, datasets: str, seeds: int, quiet: bool
) -> list[GraphJob]:
    """Return the runs on the known data sets that are in the data folder."""
    from r5.bench.graphs.runs import GraphJob
    from r5.data.catalogue import data_folder

    root = data_folder(data)
    chosen = published.select([name.strip() for name in datasets.split(",") if name.strip()])
    available = [one for one in chosen if (root / one.folder).is_dir()]
    for one in chosen:
        if one not in available:
            log(f"{one.title} is not here: expected its splits in {root / one.folder}", quiet)
    if not available:
        raise R5Error(f"{root}: none of the data sets is here")
    return [
        GraphJob(one.name, str(root / one.folder), seed, one.title, one.inductive)
        for one in available
        for seed in range(seeds)
    ]


def _own_job(folder: Path, seed: int) -> GraphJob:
    """Return a run on a folder of triples, inductive if it has a partner or inference files."""
    from r5.bench.graphs.runs import GraphJob
    from r5.data.formats.split_files import find_paired_files, find_split_files

    folder = folder.resolve()
    if not folder.is_dir():
        raise R5Error(f"{folder}: no such folder; expected one with train and test files of triples")
    files = find_split_files(folder)
    inductive = "inference_train" not in files and folder.with_name(f"{folder.name}_ind").is_dir()
    files |= find_paired_files(folder) if inductive else {}
    test = "inference_test" if "inference_train" in files else "test"
    if test not in files:
        raise R5Error(f"{folder}: has no file {test}.txt: there is nothing to rank")
    return GraphJob(folder.name, str(folder), seed, inductive=inductive)
