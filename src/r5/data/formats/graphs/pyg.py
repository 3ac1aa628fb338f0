"""Conversion from and to PyTorch Geometric's `Data` (the `gnn` extra)."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from r5.data.formats.tables.arrays import IdNames, read_arrays
from r5.errors import R5Error, need
from r5.graph import Graph

if TYPE_CHECKING:
    from torch_geometric.data import Data

__all__ = ["from_pyg", "to_pyg"]


def to_pyg(graph: Graph) -> Data:
    """Convert a graph to a `Data`.

    Returns:
        A `Data` with edge_index [2, edges], edge_type [edges], num_nodes, relation_names and entity_names.

    Raises:
        MissingExtraError: torch or torch_geometric is not installed.
    """
    try:
        import torch
        from torch_geometric.data import Data
    except ImportError:
        raise need("torch_geometric", "gnn") from None
    return Data(
        edge_index=torch.from_numpy(np.stack([graph.sources, graph.targets]).astype(np.int64)),
        edge_type=torch.from_numpy(graph.relations.astype(np.int64)),
        num_nodes=graph.number_of_nodes,
        relation_names=list(graph.vocabulary),
        entity_names=list(graph.entities),
    )


def from_pyg(
    data: Any,
    relation_names: IdNames | None = None,
    entity_names: IdNames | None = None,
    inverse: bool = False,
) -> Graph:
    """Convert a `Data` with edge_index and edge_type.

    Args:
        data: A `Data`.
        relation_names: Relation names; by default those of the data, or else the ids.
        entity_names: Entity names; by default those of the data, or else the ids.
        inverse: Add inverse edges.

    Raises:
        R5Error: The arrays are missing or have the wrong shape.
    """
    index, kinds = getattr(data, "edge_index", None), getattr(data, "edge_type", None)
    if index is None or kinds is None:
        raise R5Error("expected a Data with edge_index and edge_type; a HeteroData has them after to_homogeneous()")
    if index.ndim != 2 or index.shape[0] != 2 or tuple(kinds.shape) != (index.shape[1],):
        raise R5Error(
            "expected edge_index of shape [2, edges] and edge_type of shape [edges], "
            f"found {list(index.shape)} and {list(kinds.shape)}"
        )
    ends = index.detach().cpu().numpy()
    triples = np.stack([ends[0], kinds.detach().cpu().numpy(), ends[1]], axis=1)
    if entity_names is None:
        entity_names = getattr(data, "entity_names", None) or list(map(str, range(_number_of_nodes(data))))
    if relation_names is None:
        relation_names = getattr(data, "relation_names", None)
    graph = read_arrays(triples, relation_names, entity_names)[0]
    return graph.with_inverses() if inverse else graph


def _number_of_nodes(data: Any) -> int:
    """Return the number of nodes; torch_geometric infers it from the edges if it is missing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return int(data.num_nodes or 0)
