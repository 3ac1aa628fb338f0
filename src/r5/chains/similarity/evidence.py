"""Evidence of similar entities: its weights, the arrays that kernels read, and the entities that it rests on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from r5.chains.graph.step_graph import StepGraph
from r5.chains.similarity.evidence_kernels import Evidence, EvidenceScratch, Similarities
from r5.chains.similarity.property_kernels import PropertyTable
from r5.chains.similarity.similar_entities import SimilarEntities

__all__ = ["SimilarityWeights", "make_evidence", "new_scratch"]


class SimilarityWeights(NamedTuple):
    """Weights of the evidence of similar entities; with both 0 there is none."""

    sources: float = 0.0
    """Weight of the similarity of the given entity to the entities that have the candidate as an answer."""
    answers: float = 0.0
    """Weight of the similarity of the candidate to the known answers."""

    @property
    def are_used(self) -> bool:
        """Return whether there is evidence of similar entities."""
        return self.sources != 0.0 or self.answers != 0.0


def make_evidence(similar: SimilarEntities, weights: SimilarityWeights) -> Evidence:
    """Return the arrays of a graph; empty ones where the weights are 0."""
    graph = similar.graph
    if not weights.are_used:
        return Evidence(
            Similarities(np.zeros((0, 0), np.int16), np.zeros((0, 0), np.int32)), _NO_TABLE, _NO_ROWS, 0.0, 0.0
        )
    return Evidence(
        similarities=similar.similarities,
        table=similar.table,
        first_rows=_first_rows(graph),
        sources=float(weights.sources),
        answers=float(weights.answers),
    )


def new_scratch(evidence: Evidence, entities: int) -> EvidenceScratch:
    """Return scratch arrays for a graph with a number of entities."""
    return EvidenceScratch(
        values=np.zeros(entities),
        found=np.zeros(entities, np.int32),
        is_found=np.zeros(entities, np.bool_),
        has=np.zeros(evidence.table.weights.size, np.bool_),
    )


_NO_ROWS = np.zeros(0, np.int64)
_NO_TABLE = PropertyTable(
    keys=np.zeros(0, np.int64),
    weights=np.zeros(0, np.float32),
    offsets=np.zeros(1, np.int64),
    properties=np.zeros(0, np.uint32),
    entity_offsets=np.zeros(1, np.int64),
    entities=np.zeros(0, np.uint32),
    own=np.zeros(0, np.float32),
    totals=np.zeros(0, np.float32),
)


def _first_rows(graph: StepGraph) -> np.ndarray:
    """Return the first row of each step in `Steps.by_step`, and the number of rows, [steps + 1]."""
    counts = np.bincount(graph.steps.row_steps, minlength=graph.number_of_steps)
    return np.append(0, np.cumsum(counts)).astype(np.int64)
