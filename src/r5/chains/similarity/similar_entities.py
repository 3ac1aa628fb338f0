"""SimilarEntities: the similarities of the entities of a graph, computed row by row when they are first used."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r5.chains.graph.step_graph import IdArray, StepGraph
from r5.chains.similarity.evidence_kernels import SCALE, Similarities
from r5.chains.similarity.neighbour_kernels import NeighbourScratch, fill_neighbours
from r5.chains.similarity.properties import find_properties
from r5.chains.similarity.property_kernels import PropertyTable
from r5.chains.similarity.solver_kernels import KernelMatrix, SolverScratch, solve_rows
from r5.parallel.local_cluster import LocalCluster

__all__ = ["SimilarEntities"]

MAX_EXACT = 16_384
"""Maximum number of entities whose similarities are exact; their table takes 512 MB."""
_COLUMNS = 32
"""Rows that are solved together."""
_MAX_NEIGHBOURS, _MIN_NEIGHBOURS = 1_024, 32
_TABLE_ENTRIES = 64 * 1024 * 1024
"""Maximum number of neighbours of all entities together, 6 bytes each."""
_MATRIX_ENTRIES = 1 << 19
"""Maximum number of properties of all neighbours of one entity, counted with repetition."""
_PIECE = 256
"""Approximate entities: rows that a thread is given at a time."""


class SimilarEntities:
    """Similar entities of a graph.

    Up to 16,384 entities, the similarities are the solution of kernel ridge regression over all entities. In larger
    graphs each entity has a regression over its nearest neighbours, 1,024 or as many as memory allows.

    Args:
        graph: The graph.
        max_exact: Maximum number of entities for exact similarities.
        neighbours: Maximum number of neighbours in larger graphs.
    """

    def __init__(self, graph: StepGraph, max_exact: int = MAX_EXACT, neighbours: int = _MAX_NEIGHBOURS) -> None:
        self.graph = graph
        nodes = graph.number_of_nodes
        self.is_exact = nodes <= max_exact
        most = min(_TABLE_ENTRIES // max(nodes, 1), neighbours)
        self._width = nodes if self.is_exact else max(most, min(_MIN_NEIGHBOURS, neighbours))
        self._is_done = np.zeros(nodes, np.bool_)

    @cached_property
    def table(self) -> PropertyTable:
        """Properties of the entities."""
        return find_properties(self.graph)

    @cached_property
    def similarities(self) -> Similarities:
        """Table of similarities; rows that were not required are 0. Memory that is never written is not allocated."""
        nodes = self.graph.number_of_nodes
        values = np.zeros((nodes, self._width), np.int16)
        if self.is_exact:
            return Similarities(values, np.zeros((0, 0), np.int32))
        neighbours = np.zeros((nodes, self._width), np.int32)
        return Similarities(values, neighbours)

    def require(self, entities: IdArray, threads: int = 1) -> None:
        """Compute the rows of entities that are not computed yet; several threads may do so at once.

        Args:
            entities: The entities, repetitions allowed.
            threads: Number of threads; the result does not depend on it.
        """
        wanted = entities[~self._is_done[entities]]
        if not wanted.size:
            return
        wanted = np.unique(wanted)
        size = _COLUMNS if self.is_exact else _PIECE
        pieces = [wanted[first : first + size] for first in range(0, wanted.size, size)]
        solve = self._solve_exact if self.is_exact else self._solve_local
        _ = self.table, self.similarities
        if len(pieces) == 1 or threads == 1:
            for piece in pieces:
                solve(piece)
        else:
            with LocalCluster(threads) as pool:
                pool.map(solve, pieces)

    def row(self, entity: int) -> tuple[IdArray, NDArray[np.float64]]:
        """Return the entities similar to an entity, in no order, and their similarities; the entity itself is none."""
        self.require(np.array([entity]))
        stored = self.similarities.values[entity].astype(np.float64)
        values = stored * np.abs(stored) / SCALE**2
        if self.is_exact:
            found = np.flatnonzero(stored)
            return found, values[found]
        found = np.flatnonzero(stored)
        return self.similarities.neighbours[entity, found].astype(np.int64), values[found]

    def between(self, entity: int, other: int) -> float:
        """Return the similarity of an entity, whose row is computed, to another one."""
        place = other
        if not self.is_exact:
            at = np.flatnonzero(self.similarities.neighbours[entity] == other)
            if not at.size:
                return 0.0
            place = int(at[0])
        stored = float(self.similarities.values[entity, place])
        return stored * abs(stored) / SCALE**2

    def share_without(self, entity: int, other: int, step: int, target: int) -> float:
        """Return the share of the kernel of two entities that is left without a property, `(step, target)`."""
        shared = self.shared_properties(entity, other)
        masked = step * self.graph.number_of_nodes + target
        if masked not in shared:
            return 1.0
        weights = self.table.weights[np.searchsorted(self.table.keys, np.append(shared, masked))].astype(np.float64)
        return max(float(1.0 - weights[-1] / weights[:-1].sum()), 0.0)

    def shared_properties(self, entity: int, other: int) -> IdArray:
        """Return the keys of the properties that two entities share, those of the fewest entities first."""
        table = self.table
        own, others = (table.properties[table.offsets[one] : table.offsets[one + 1]] for one in (entity, other))
        shared = np.intersect1d(own, others)
        return np.asarray(table.keys[shared[np.lexsort((shared, -table.weights[shared]))]])

    def _store(self, entity: int, entities: IdArray | None, similarities: NDArray[np.float32]) -> None:
        stored = np.rint(np.sign(similarities) * np.sqrt(np.minimum(np.abs(similarities), 1.0)) * SCALE)
        if entities is None:
            self.similarities.values[entity] = stored
            self.similarities.values[entity, entity] = 0
        else:
            self.similarities.neighbours[entity, : entities.size] = entities
            self.similarities.values[entity, : entities.size] = np.where(entities == entity, 0, stored)

    def _solve_exact(self, entities: IdArray) -> None:
        table, columns = self.table, entities.size
        matrix = KernelMatrix(table.offsets, table.properties, table.weights, table.own, table.totals)
        scratch = _new_solver(self.graph.number_of_nodes, table.weights.size, columns)
        solve_rows(matrix, entities, scratch)
        rows = np.ascontiguousarray(scratch.solution.T)
        for column, entity in enumerate(entities.tolist()):
            self._store(entity, None, rows[column])
        self._is_done[entities] = True

    def _solve_local(self, entities: IdArray) -> None:
        table, nodes, members = self.table, self.graph.number_of_nodes, self._width + 1
        entries = min(_MATRIX_ENTRIES, table.properties.size)
        properties = min(entries, table.weights.size)
        matrix = KernelMatrix(
            np.zeros(members + 1, np.int64),
            np.zeros(entries, np.uint32),
            np.zeros(properties, np.float32),
            np.zeros(members, np.float32),
            np.zeros(members, np.float32),
        )
        scratch = NeighbourScratch(
            kernel=np.zeros(nodes, np.float32),
            found=np.zeros(nodes, np.uint32),
            numbers=np.full(table.weights.size, -1, np.int32),
            keys=np.zeros(self._width),
            members=np.zeros(members, np.int64),
            row=np.zeros(1, np.int64),
            matrix=matrix,
            solver=_new_solver(members, properties, 1),
        )
        for entity in entities.tolist():
            size = fill_neighbours(table, entity, scratch)
            self._store(entity, scratch.members[1:size], scratch.solver.solution[1:size, 0])
        self._is_done[entities] = True


def _new_solver(entities: int, properties: int, columns: int) -> SolverScratch:
    """Return scratch arrays of the solver."""
    solution, residual, direction, product = (np.zeros((entities, columns), np.float32) for _ in range(4))
    sums = np.zeros((properties, columns), np.float32)
    return SolverScratch(solution, residual, direction, product, sums, np.zeros((4, columns)))
