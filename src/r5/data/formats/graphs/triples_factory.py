"""PyKEEN's `TriplesFactory`, recognised by its attributes: `mapped_triples` and label maps."""

from __future__ import annotations

from typing import Any

import numpy as np

from r5.data.formats.tables.arrays import read_arrays
from r5.errors import R5Error
from r5.graph import Graph

__all__ = ["read_triples_factory"]


def read_triples_factory(factory: Any) -> tuple[Graph, str]:
    """Convert a `TriplesFactory`; a `CoreTriplesFactory`, which has no labels, names entities by their ids.

    Args:
        factory: The factory; `mapped_triples` are (head, relation, tail) ids, [triples, 3].

    Raises:
        R5Error: The ids have the wrong shape, or an id has no label.
    """
    ids = factory.mapped_triples
    ids = np.asarray(ids.detach().cpu().numpy() if hasattr(ids, "detach") else ids)
    if ids.ndim != 2 or ids.shape[1] != 3:
        raise R5Error(f"expected mapped_triples of shape [triples, 3], found {list(ids.shape)}")
    entities, relations = getattr(factory, "entity_to_id", None), getattr(factory, "relation_to_id", None)
    return read_arrays(ids, relations, entities, "PyKEEN TriplesFactory")
