"""`r5 rank`: how well a model finds missing facts, by the usual measures."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal

import typer

from r5.cli.asking import asked_data
from r5.cli.clusters import on_cluster
from r5.cli.complete import completing_model
from r5.cli.console import log, show, show_json
from r5.cli.describe import columns
from r5.cli.parameters import CLUSTER, DATA, JSON, LOAD, MODEL, QUIET, SPLIT, Split
from r5.cli.progress import progress_bar
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.dataset import Dataset
    from r5.ranking import Ranking

__all__ = ["rank"]

Ties = Literal["realistic", "optimistic", "pessimistic"]
_SHOWN = 40
"""So many relations are listed; --json has all."""


def rank(
    model: str = MODEL,
    data: str = DATA,
    split: Split = SPLIT,
    ties: Ties = typer.Option("realistic", help="The place among ties: the middle, the first or the last."),
    load: list[str] = LOAD,
    cluster: str = CLUSTER,
    as_json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """How well a model finds missing facts.

    Each fact of the split is asked for its tail and for its head; every entity is a candidate, and other true answers
    (of any split) are left out. Shown are the mean reciprocal rank and the share of right answers among the first
    1, 3 and 10.

    Example: r5 rank model data --split valid --json
    """
    import r5

    reasoner = completing_model(model)
    dataset = asked_data(reasoner, data, load, quiet)
    if dataset.graph is None:
        raise R5Error(f"{data}: its questions are not all about one graph; r5 evaluate is for those")
    examples = dataset.split(split)
    if not len(examples):
        raise R5Error(f"the {split} split has no facts: there is nothing to rank")
    for line in warnings_of(dataset, split):
        log(line, quiet)
    with (
        on_cluster(cluster) as there,
        progress_bar("ranking", quiet) as progress,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", UserWarning)  # the same was told above, with more figures
        known = (dataset.train.pool, dataset.valid, dataset.test)
        result = r5.rank(reasoner, examples, known, ties=ties, progress=progress, cluster=there)
    if as_json:
        show_json(result.to_json())
    else:
        show(table(result))


def warnings_of(data: Dataset, split: str) -> list[str]:
    """What must be known to read the figures: facts that training has, and entities that it has not."""
    from r5.knowledge.profile import profile

    lines = []
    for part in profile(data).splits:
        if part.name == split and part.in_training:
            lines.append(f"warning: {part.in_training:,} of {part.facts:,} facts of {split} are in the training graph")
        if part.name == split and part.unseen_entities:
            lines.append(
                f"warning: {part.unseen_entities:,} entities of {split}, in {part.with_unseen_entity:,} of "
                f"{part.facts:,} facts, have no edge in the training graph"
            )
    return lines


def table(result: Ranking) -> str:
    """The figures for people: all, by direction, and by relation with the largest first."""
    rows: list[tuple[str, ...]] = [("", "questions", "MRR", "Hits@1", "Hits@3", "Hits@10")]
    hits = {str(k): share for k, share in result.hits.items()}
    rows.append(_row("all", {"n": result.n, "mrr": result.mrr, "hits": hits}))
    rows += [_row(f"{name} asked", part) for name, part in result.by_direction.items()]
    relations = sorted(result.by_relation.items(), key=lambda item: -item[1]["n"])
    rows += [_row(name, part) for name, part in relations[:_SHOWN]]
    more = len(relations) - _SHOWN
    rest = f"\n... and {more} more relations (--json has all)" if more > 0 else ""
    return f"{columns(rows)}{rest}\n{result.ties} ranks among ties; {result.seconds:.2f} s"


def _row(name: str, part: dict[str, Any]) -> tuple[str, ...]:
    shares = (part["mrr"], *(part["hits"][k] for k in ("1", "3", "10")))
    return (name, f"{part['n']:,}", *(f"{share:.3f}" for share in shares))
