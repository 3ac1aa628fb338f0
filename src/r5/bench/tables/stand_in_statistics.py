"""Table that compares stand-ins with the published data sets that they replace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from r5.bench.markdown import dataset_label, markdown_table
from r5.data.catalogue import catalogue
from r5.data.stand_ins import STAND_IN

__all__ = ["stand_in_table"]


def stand_in_table(stand_ins: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the statistics of Tables 7 and 8 of the paper, each above those of the stand-in.

    Args:
        stand_ins: Statistics by name of the stand-in.
    """
    names = ("classes", "distinct_paths", "average_resolution_length", "average_nodes", "average_edges")
    header = ["stand-in for", "", "classes", "distinct paths", "average length", "average nodes", "average edges"]
    rows = []
    entries = catalogue()
    for data, generated in sorted(stand_ins.items()):
        published = entries[data.removeprefix(STAND_IN)].statistics
        title = dataset_label(data.removeprefix(STAND_IN))
        if all(name in published for name in names):
            rows.append([title, "published", *(f"{published[name]:g}" for name in names)])
        rows.append([title, "generated", *(f"{generated[name]:.4g}" if generated.get(name) else "" for name in names)])
    return markdown_table(header, rows, keep=2)
