"""`r5 bench graphs`: link prediction on the usual knowledge graphs."""

from __future__ import annotations

from pathlib import Path

import typer

from r5.cli.common.console import log, show, show_json
from r5.cli.common.parameters import QUIET
from r5.cli.common.progress import progress_bar
from r5.errors import R5Error

__all__ = ["graphs"]


def graphs(
    data: Path | None = typer.Option(None, metavar="DIR", help="Folder of all data; default: R5_DATA, or data."),
    datasets: str = typer.Option("", metavar="A,B", help="Only these data sets, such as umls,family."),
    seeds: int = typer.Option(3, min=1, help="Number of models of each data set, with the seeds 0, 1, ..."),
    out: Path = typer.Option(Path("bench-graphs"), help="Folder of results; finished runs in it are not repeated."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
    quiet: bool = QUIET,
) -> None:
    """Evaluate link prediction on the usual knowledge graphs.

    Models of the engine chains are trained on train (and facts) alone and ranked once on test: filtered, both
    directions, the mean rank among ties. The tables include published figures. After an interruption the same command
    runs the rest.

    Example: r5 bench graphs --data data --datasets umls --seeds 1 --out results
    """
    from r5._util.files.writing import write_text
    from r5.bench.graphs.chart import draw_graphs_chart
    from r5.bench.graphs.published import load_published_graph_results
    from r5.bench.graphs.runs import GraphJob, read_graph_records, run_graph_jobs, write_graph_results
    from r5.bench.graphs.tables import GraphTables
    from r5.data.catalogue import data_folder
    from r5.reasoners.base import Progress

    published = load_published_graph_results()
    root = data_folder(data)
    chosen = published.select([name.strip() for name in datasets.split(",") if name.strip()])
    available = [one for one in chosen if (root / one.folder).is_dir()]
    for one in chosen:
        if one not in available:
            log(f"{one.title} is not here: expected its splits in {root / one.folder}", quiet)
    if not available:
        raise R5Error(f"{root}: none of the data sets is here")
    known = read_graph_records(out)
    jobs = [GraphJob(one.name, str(root / one.folder), seed) for one in available for seed in range(seeds)]
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
    write_text(out / "graphs.svg", draw_graphs_chart(tables), force=True)
    if as_json:
        show_json({"out": str(out), "runs": [records[job.key] for job in jobs]})
    else:
        show(tables.text().rstrip())
