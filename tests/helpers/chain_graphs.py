"""Small random graphs for the tests of chains."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from r5.chains.graph.step_graph import StepGraph
from r5.graph import Graph
from r5.relations import Vocabulary

RELATIONS = ("a", "b", "c")
ENTITIES = 6


def made_of(facts: list[tuple[int, int, int]], entities: int = ENTITIES) -> StepGraph:
    """Return the step graph of facts over some entities and three relations."""
    rows = np.array(facts, np.int32).reshape(-1, 3)
    names = tuple(f"e{i}" for i in range(entities))
    graph = Graph.from_arrays(Vocabulary(RELATIONS), names, rows[:, 0], rows[:, 1], rows[:, 2])
    return StepGraph.of(graph, RELATIONS)


FACTS = st.lists(
    st.tuples(st.integers(0, ENTITIES - 1), st.integers(0, len(RELATIONS) - 1), st.integers(0, ENTITIES - 1)),
    min_size=1,
    max_size=14,
    unique=True,
).map(sorted)
