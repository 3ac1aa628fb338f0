"""Writing of a report, on the answers of a model or on a knowledge graph."""

from __future__ import annotations

import warnings
from pathlib import Path

from r5._util.files.writing import check_output, write_text
from r5.dataset import Dataset
from r5.errors import R5Error
from r5.evaluation import Evaluation
from r5.ranking import Ranking
from r5.reasoners.base import Reasoner
from r5.reasoners.chains import ChainReasoner
from r5.report.findings import gather_findings
from r5.report.graphs.findings import gather_graph_findings
from r5.report.graphs.page import render_graph_page
from r5.report.page import render_page

__all__ = ["write_report"]


def write_report(
    model: Reasoner,
    data: Dataset,
    path: str | Path,
    *,
    split: str = "test",
    examples: int = 200,
    name: str = "",
    force: bool = False,
) -> Evaluation | Ranking:
    """Write a report on a split as one self-contained HTML file.

    The same model and data give the same bytes, except for the seconds of the evaluation.

    Args:
        model: The model.
        data: The data set.
        path: The file.
        split: Name of the split.
        examples: Maximum number of embedded examples with their graphs.
        name: Name of the model in the report.
        force: Whether an existing file is replaced.

    Returns:
        The evaluation; for a `ChainReasoner` and one knowledge graph the ranking.

    Raises:
        DataError: The file exists.
        R5Error: The split has no queries with a known answer, or `examples` is negative.
    """
    check_output(path, force)
    if examples < 0:
        raise R5Error(f"examples must be 0 or more, not {examples}")
    if isinstance(model, ChainReasoner) and data.graph is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a large graph is searched in part
            graph_findings = gather_graph_findings(model, data, split, name, examples)
        write_text(path, render_graph_page(graph_findings), force)
        return graph_findings.ranking
    findings = gather_findings(model, data, split, name)
    write_text(path, render_page(findings, examples), force)
    return findings.evaluation
