"""`r5 describe`: statistics of a data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from r5.cli.common.console import show, show_json
from r5.cli.common.parameters import DATA, JSON, LOAD, QUIET
from r5.cli.common.progress import load_data, spinner
from r5.cli.common.tables import format_columns

if TYPE_CHECKING:
    from r5.knowledge.profile import Partner, Profile

__all__ = ["describe"]

_MAX_LISTED = 40
"""Maximum number of relations listed; --json has all."""


def describe(data: str = DATA, load: list[str] = LOAD, as_json: bool = JSON, quiet: bool = QUIET) -> None:
    """Print the statistics of a data set.

    They are those of the paper's Tables 7 and 8. For a knowledge graph the output also has the properties of each
    relation, and the overlap of valid and test with training.

    Example: r5 describe kinship --load seed=1
    """
    from r5.knowledge.inference_graph import choose_inference_graph
    from r5.knowledge.profile import profile

    dataset = load_data(data, load, quiet)
    with spinner("counting", quiet):
        summary = dataset.describe()
        found = None if dataset.graph is None else profile(dataset)
    if dataset.inference is not None:
        new = choose_inference_graph(dataset.train.pool, dataset.inference.train.pool, "data")
        figures = {name: value for name, value in new.to_json().items() if name != "kind"}
        counts = f"{new.facts:,} facts, {new.entities:,} entities, {new.known_entities:,} of them in the training graph"
        text = f"{summary}\n{'inference graph':<26}{counts}"
        show_json(asdict(summary) | {"inference_graph": figures}) if as_json else show(text)
    elif as_json:
        show_json(asdict(summary) | ({} if found is None else {"knowledge_graph": found.to_json()}))
    else:
        show(str(summary) if found is None else f"{summary}\n\n{_format_relations(found)}{_format_splits(found)}")


def _format_relations(found: Profile) -> str:
    """Format a table of relations, the largest first."""
    rows = [("relation", "facts", "heads", "tails", "kind", "symmetric", "loops", "inverse", "same as")]
    for one in found.relations[:_MAX_LISTED]:
        counts = (f"{one.facts:,}", f"{one.heads:,}", f"{one.tails:,}", one.cardinality, f"{one.symmetry:.2f}")
        rows.append(
            (one.name, *counts, f"{one.loops:,}", _format_partners(one.inverses), _format_partners(one.duplicates))
        )
    more = len(found.relations) - _MAX_LISTED
    return format_columns(rows) + (f"\n... and {more} more (--json has all)" if more > 0 else "")


def _format_partners(partners: Sequence[Partner]) -> str:
    if not partners:
        return "-"
    return f"{partners[0]}" + (f" +{len(partners) - 1}" if len(partners) > 1 else "")


def _format_splits(found: Profile) -> str:
    """Format a table of the overlap of each split with training."""
    if not found.splits:
        return ""
    rows = [("", *(split.name for split in found.splits))]
    for title, field in (
        ("facts", "facts"),
        ("also in training", "in_training"),
        ("reverse in training", "reversed_in_training"),
        ("same under another name in training", "duplicated_in_training"),
        ("entities unseen in training", "unseen_entities"),
        ("facts with an unseen entity", "with_unseen_entity"),
        ("relations unseen in training", "unseen_relations"),
    ):
        rows.append((title, *(f"{getattr(split, field):,}" for split in found.splits)))
    return f"\n\n{format_columns(rows)}"
