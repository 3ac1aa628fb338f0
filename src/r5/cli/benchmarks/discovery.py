"""`r5 bench discovery`: missing facts, wrong facts and relations of pairs, on graphs with known answers."""

from __future__ import annotations

from pathlib import Path

import typer

from r5.cli.common.console import log, show, show_json
from r5.cli.common.parameters import QUIET
from r5.cli.common.progress import progress_bar
from r5.errors import R5Error

__all__ = ["discovery"]


def discovery(
    data: Path | None = typer.Option(None, metavar="DIR", help="Folder of all data; default: R5_DATA, or data."),
    datasets: str = typer.Option("", metavar="A,B", help="Only these data sets, such as library,umls."),
    seeds: int = typer.Option(3, min=1, help="Number of seeds per graph; the three largest have one."),
    out: Path = typer.Option(Path("bench-discovery"), help="Folder of results; finished runs in it are not repeated."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
    quiet: bool = QUIET,
) -> None:
    """Find missing and wrong facts of graphs with known answers.

    The graphs are ten generated libraries with known truth and those of the data folder. New facts are searched on
    the training graph and compared with the test facts, valid facts left out; the baseline sorts by the largest
    confidence of a rule. For the audit, 2 % of the training facts get another tail of their relation.

    Example: r5 bench discovery --datasets library --out results
    """
    from r5._util.files.writing import write_text
    from r5.bench.discovery.runs import DiscoveryJob
    from r5.bench.discovery.store import discovery_jobs, discovery_tables, read_records, run_all
    from r5.data.catalogue import data_folder
    from r5.reasoners.base import Progress

    names = [name.strip() for name in datasets.split(",") if name.strip()]
    root = None if names == ["library"] else data_folder(data)
    jobs = discovery_jobs(root, seeds, names)
    if not jobs:
        raise R5Error(f"{root}: none of the data sets is here")
    known = read_records(out)
    todo = [job for job in jobs if job.key not in known]
    log(f"{len(jobs)} runs, {len(jobs) - len(todo)} of them done before", quiet)
    finished = 0
    try:
        with progress_bar("running", quiet) as progress:

            def done(job: DiscoveryJob) -> None:
                nonlocal finished
                finished += 1
                if progress is not None:
                    progress(Progress(finished, len(todo), job.key))

            run_all(todo, out, done)
    except KeyboardInterrupt:
        log(f"finished runs are kept in {out}; the same command continues with the rest")
        raise
    records = read_records(out)
    text = discovery_tables(records)
    write_text(out / "discovery.md", f"# Missing and wrong facts\n\n{text}", force=True)
    if as_json:
        show_json({"out": str(out), "runs": [records[job.key] for job in jobs]})
    else:
        show(text.rstrip())
