"""`r5 report`: rules and accuracy of a model as one HTML file."""

from __future__ import annotations

import warnings
from pathlib import Path

import typer

from r5.cli.common.console import log
from r5.cli.common.inference import move_to_inference_graph
from r5.cli.common.inputs import load_queried_data
from r5.cli.common.models import load_prepared
from r5.cli.common.output import FORCE, check_out, write_result
from r5.cli.common.parameters import DATA, GRAPH, LOAD, MODEL, QUIET, SPLIT, GraphChoice, Split
from r5.cli.common.progress import progress_bar, spinner

__all__ = ["report"]


def report(
    model: str = MODEL,
    data: str = DATA,
    out: Path = typer.Option(Path("report.html"), help="File to write; - is standard output."),
    split: Split = SPLIT,
    graph: GraphChoice = GRAPH,
    load: list[str] = LOAD,
    examples: int = typer.Option(200, min=0, help="Maximum number of examples with their graphs, wrong answers first."),
    force: bool = FORCE,
    quiet: bool = QUIET,
) -> None:
    """Write a report for a browser.

    It shows accuracy, rules, calibration and examples step by step; for the engine chains on a knowledge graph, ranks
    by relation and direction, explained answers, missing facts and facts that look wrong. The file is self-contained
    and needs no network.

    Example: r5 report model kinship --out report.html
    """
    from r5.reasoners.chains import ChainReasoner
    from r5.report.findings import gather_findings
    from r5.report.graphs.findings import gather_graph_findings
    from r5.report.graphs.page import render_graph_page
    from r5.report.page import render_page

    check_out(out, force)
    reasoner = load_prepared(model, "evaluate", quiet)
    dataset = load_queried_data(reasoner, data, load, quiet)
    dataset, inference = move_to_inference_graph(reasoner, dataset, graph, quiet)
    if inference is not None and isinstance(reasoner, ChainReasoner):
        with progress_bar("ranking", quiet) as progress, warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            name = Path(model).resolve().name
            found = gather_graph_findings(reasoner, dataset, split, name, examples, inference, progress)
        log(f"MRR {found.ranking.mrr:.3f} on {found.ranking.n} queries in {found.ranking.seconds:.1f} s", quiet)
        write_result(render_graph_page(found), out, force)
        return
    with progress_bar("answering", quiet) as progress:
        findings = gather_findings(reasoner, dataset, split, Path(model).resolve().name, progress)
    with spinner("drawing", quiet):
        page = render_page(findings, examples)
    result = findings.evaluation
    log(f"accuracy {result.accuracy:.3f} on {result.overall.n} queries in {result.seconds:.1f} s", quiet)
    write_result(page, out, force)
