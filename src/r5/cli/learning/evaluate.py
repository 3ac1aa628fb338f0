"""`r5 evaluate`: accuracy of a model on a data set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from r5.cli.common.console import show, show_json
from r5.cli.common.inference import move_to_inference_graph
from r5.cli.common.inputs import load_queried_data, set_wrong_edges
from r5.cli.common.models import load_prepared
from r5.cli.common.parameters import DATA, GRAPH, JSON, LOAD, MODEL, QUIET, SPLIT, WRONG_EDGES, GraphChoice, Split
from r5.cli.common.progress import progress_bar
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.evaluation import Evaluation

__all__ = ["evaluate", "format_evaluation"]


def format_evaluation(result: Evaluation) -> str:
    """Format an evaluation as a text table."""
    rows = [("length", "n", "accuracy", "95 % interval")]
    parts = [(str(length), part) for length, part in sorted(result.by_length.items())]
    parts += [(f"b = {branches}", part) for branches, part in sorted(result.by_branches.items())]
    rows += [(name, str(p.n), f"{p.accuracy:.3f}", "{:.3f} - {:.3f}".format(*p.interval)) for name, p in parts]
    overall = result.overall
    rows.append(("all", str(overall.n), f"{overall.accuracy:.3f}", "{:.3f} - {:.3f}".format(*overall.interval)))
    lines = [f"{a:>6}  {b:>6}  {c:>8}  {d:>15}" for a, b, c, d in rows]
    lines.append(f"no answer to {result.invalid_ratio:.1%} of the queries; {result.seconds:.2f} s")
    if result.rule_recall is not None:
        lines.append(f"rule recall {result.rule_recall:.2f}")
    return "\n".join(lines)


def evaluate(
    model: str = MODEL,
    data: str = DATA,
    split: Split = SPLIT,
    graph: GraphChoice = GRAPH,
    load: list[str] = LOAD,
    wrong_edges: str | None = WRONG_EDGES,
    as_json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """Evaluate the accuracy of a model on a data set.

    The output has accuracy by path length, the share of queries without an answer, and rule recall if the true rules
    are known; if answers depend on several paths, also accuracy by their number b. In a knowledge graph every true
    relation of the two entities counts as correct.

    Example: r5 evaluate model kinship --json
    """
    import r5

    reasoner = load_prepared(model, "evaluate", quiet)
    dataset = load_queried_data(reasoner, data, load, quiet)
    dataset, inference = move_to_inference_graph(reasoner, dataset, graph, quiet)
    examples = dataset.split(split)
    if not len(examples):
        raise R5Error(
            f"the {split} split has no examples to evaluate on; give a folder with a file {split} beside train"
        )
    set_wrong_edges(reasoner, wrong_edges, examples, quiet)
    with progress_bar("answering", quiet) as progress:
        several = reasoner.summary_.get("evidence") == "every"
        parts = (dataset.train, dataset.valid, dataset.test)
        result = r5.evaluate(reasoner, examples, dataset.rules, parts, branches=several, progress=progress)
    if as_json:
        show_json(result.to_json() | ({} if inference is None else {"graph": inference.to_json()}))
    else:
        show(format_evaluation(result))
