"""`r5 rank`: link prediction metrics of a model (MRR, Hits@k)."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Container
from typing import TYPE_CHECKING, Any, Literal

import typer

from r5.cli.common.cluster import connect_cluster
from r5.cli.common.console import log, show, show_json
from r5.cli.common.inference import move_to_inference_graph
from r5.cli.common.inputs import list_some, load_queried_data
from r5.cli.common.models import load_chains_model
from r5.cli.common.parameters import CLUSTER, DATA, GRAPH, JSON, LOAD, MODEL, QUIET, SPLIT, GraphChoice, Split
from r5.cli.common.progress import progress_bar
from r5.cli.common.tables import format_columns
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.dataset import Dataset
    from r5.ranking import Ranking

__all__ = ["rank"]

Ties = Literal["realistic", "optimistic", "pessimistic"]
_MAX_LISTED = 40
"""Maximum number of relations listed; --json has all."""


def rank(
    model: str = MODEL,
    data: str = DATA,
    split: Split = SPLIT,
    ties: Ties = typer.Option("realistic", help="Rank among ties: the mean, the best or the worst."),
    graph: GraphChoice = GRAPH,
    load: list[str] = LOAD,
    cluster: str = CLUSTER,
    as_json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """Evaluate link prediction: MRR and Hits@k.

    Each fact of the split is a tail query and a head query. Every entity is a candidate; other true answers of any
    split are filtered. The output has the mean reciprocal rank and Hits@1, Hits@3 and Hits@10. If all entities of DATA
    are new to the model, queries are answered on the training facts of DATA; if some are, on both graphs together.

    Example: r5 rank model data --split valid --json
    """
    import r5

    reasoner = load_chains_model(model, "rank", quiet)
    dataset = load_queried_data(reasoner, data, load, quiet)
    if dataset.graph is None:
        raise R5Error(f"{data}: its examples do not share one graph; use r5 evaluate")
    examples = dataset.split(split)
    if not len(examples):
        raise R5Error(f"the {split} split has no facts to rank; give a folder with a file {split} beside train")
    dataset, inference = move_to_inference_graph(reasoner, dataset, graph, quiet)
    examples = dataset.split(split)
    for line in find_warnings(dataset, split, reasoner.vocabulary_):
        log(line, quiet)
    with (
        connect_cluster(cluster) as machines,
        progress_bar("ranking", quiet) as progress,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", UserWarning)  # logged above, with more figures
        known = (dataset.train.pool, dataset.valid, dataset.test)
        on = None if inference is None else inference.graph
        result = r5.rank(reasoner, examples, known, ties=ties, progress=progress, cluster=machines, graph=on)
    if as_json:
        show_json(result.to_json() | ({} if inference is None else {"graph": inference.to_json()}))
    else:
        show(format_ranking(result))


def find_warnings(data: Dataset, split: str, relations: Container[str]) -> list[str]:
    """List facts of a split that are in the graph, and entities and relations that are not, as warnings."""
    from r5.knowledge.profile import profile

    examples = data.split(split)
    queried = Counter(examples.vocabulary.names(examples.answers[examples.answers >= 0]))
    unknown = {name: count for name, count in queried.items() if name not in relations}
    lines = []
    if unknown:
        lines.append(
            f"warning: the model has no rules for {list_some(unknown)}: {sum(unknown.values()):,} of {len(examples):,} "
            f"facts of {split} are ranked last"
        )
    for part in profile(data).splits:
        if part.name == split and part.in_training:
            lines.append(f"warning: {part.in_training:,} of {part.facts:,} facts of {split} are in the graph")
        if part.name == split and part.unseen_entities:
            lines.append(
                f"warning: {part.unseen_entities:,} entities of {split}, in {part.with_unseen_entity:,} of "
                f"{part.facts:,} facts, have no edge in the graph"
            )
    return lines


def format_ranking(result: Ranking) -> str:
    """Format a ranking as a text table: overall, by direction, and by relation in descending order of size."""
    rows: list[tuple[str, ...]] = [("", "queries", "MRR", "Hits@1", "Hits@3", "Hits@10")]
    hits = {str(k): share for k, share in result.hits.items()}
    rows.append(_make_row("all", {"n": result.n, "mrr": result.mrr, "hits": hits}))
    rows += [_make_row(f"{name} queries", part) for name, part in result.by_direction.items()]
    relations = sorted(result.by_relation.items(), key=lambda item: -item[1]["n"])
    rows += [_make_row(name, part) for name, part in relations[:_MAX_LISTED]]
    more = len(relations) - _MAX_LISTED
    rest = f"\n... and {more} more relations (--json has all)" if more > 0 else ""
    return f"{format_columns(rows)}{rest}\n{result.ties} ranks among ties; {result.seconds:.2f} s"


def _make_row(name: str, part: dict[str, Any]) -> tuple[str, ...]:
    shares = (part["mrr"], *(part["hits"][k] for k in ("1", "3", "10")))
    return (name, f"{part['n']:,}", *(f"{share:.3f}" for share in shares))
