"""`r5 bench ablations`: an engine with each of its mechanisms switched off alone."""

from __future__ import annotations

from pathlib import Path

import typer

from r5.cli.common.console import log, show, show_json
from r5.cli.common.parameters import QUIET
from r5.cli.common.progress import progress_bar
from r5.errors import R5Error

__all__ = ["ablations"]


def ablations(
    study: Path = typer.Argument(..., help="A YAML file that names engine, data and rows."),
    data: Path | None = typer.Option(None, metavar="DIR", help="The folder of all data; by default R5_DATA, or data."),
    datasets: str = typer.Option("", metavar="A,B", help="Only these data sets, such as re_0,world-12000."),
    out: Path = typer.Option(Path("bench-ablations"), help="The folder of results; runs in it are not done again."),
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
    quiet: bool = QUIET,
) -> None:
    """Switch off each mechanism of an engine alone.

    Accuracy, or MRR on `valid` for knowledge graphs, calibration error and seconds on the data sets that are there and
    on generated worlds. The mean change over worlds or graphs has its standard error.

    Example: r5 bench ablations experiments/grammar-ablations.yaml --datasets re_0
    """
    from r5._util.files.writing import write_text
    from r5.bench.ablations.runs import read_records, run_all
    from r5.bench.ablations.study import AblationJob, jobs_of, read_ablation
    from r5.bench.ablations.tables import ablation_tables
    from r5.data.catalogue import data_folder
    from r5.reasoners.base import Progress

    found = read_ablation(study)
    jobs = jobs_of(found, data_folder(data), [name.strip() for name in datasets.split(",") if name.strip()])
    if not jobs:
        raise R5Error(f"{study}: none of the data sets is here")
    finished = 0
    try:
        with progress_bar("running", quiet) as progress:

            def done(job: AblationJob) -> None:
                nonlocal finished
                finished += 1
                if progress is not None:
                    progress(Progress(finished, len(jobs), job.data))

            run_all(jobs, out, done)
    except KeyboardInterrupt:
        log(f"finished runs are kept in {out}; the same command continues with the rest")
        raise
    records = read_records(out)
    text = ablation_tables(found, records)
    write_text(out / "ablations.md", f"# {found.title}\n\n{text}", force=True)
    if as_json:
        show_json({"out": str(out), "runs": list(records.values())})
    else:
        show(text.rstrip())
