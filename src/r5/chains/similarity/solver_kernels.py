"""Compiled kernels that compute similarities: kernel ridge regression, solved by conjugate gradients.

The similarities of an entity h to all entities are the row h of `K (K + ridge * I)^-1`, where K is the kernel matrix.
Several rows are solved together. Each column of a block is computed by itself, so it has the same bits in any block.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r5._util.kernels.compilation import int64, njit_free, njit_inner

__all__ = ["KernelMatrix", "SolverScratch", "solve_rows"]

Array = NDArray[Any]
RIDGE = 10.0
"""L2 penalty of the regression."""
TOLERANCE = 3e-3
"""Relative residual at which a column is solved; similarities then differ by about one percent."""
MAX_ITERATIONS = 60


class KernelMatrix(NamedTuple):
    """The kernel of some entities, as their properties in compressed rows."""

    offsets: Array  # [entities + 1]
    properties: Array
    weights: Array  # [properties]
    own: Array  # [entities], weight of the properties that no other entity has
    totals: Array  # [entities], diagonal of the kernel matrix


class SolverScratch(NamedTuple):
    """Scratch arrays of a block of columns."""

    solution: Array  # [entities, columns]
    residual: Array  # [entities, columns]
    direction: Array  # [entities, columns]
    product: Array  # [entities, columns]
    sums: Array  # [properties, columns]
    norms: Array  # [4, columns]


@njit_inner
def multiply(matrix: KernelMatrix, vectors: Array, sums: Array, product: Array) -> None:
    """Compute the product of the kernel matrix and each column of `vectors`."""
    columns = vectors.shape[1]
    for number in range(matrix.weights.size):
        for column in range(columns):
            sums[number, column] = np.float32(0.0)
    for entity in range(matrix.own.size):
        for entry in range(matrix.offsets[entity], matrix.offsets[entity + 1]):
            number = matrix.properties[entry]
            for column in range(columns):
                sums[number, column] += vectors[entity, column]
    for number in range(matrix.weights.size):
        for column in range(columns):
            sums[number, column] *= matrix.weights[number]
    for entity in range(matrix.own.size):
        for column in range(columns):
            product[entity, column] = matrix.own[entity] * vectors[entity, column]
        for entry in range(matrix.offsets[entity], matrix.offsets[entity + 1]):
            number = matrix.properties[entry]
            for column in range(columns):
                product[entity, column] += sums[number, column]


@njit_inner
def add_products(entities: int, left: Array, right: Array, out: Array) -> None:
    """Compute the inner product of each pair of columns, over the first rows."""
    for column in range(out.size):
        out[column] = 0.0
    for entity in range(entities):
        for column in range(out.size):
            out[column] += left[entity, column] * right[entity, column]


@njit_inner
def start(matrix: KernelMatrix, rows: Array, scratch: SolverScratch) -> None:
    """Set the residual to the rows of the kernel matrix, the first direction, and the solution to 0."""
    solution, direction = scratch.solution, scratch.direction
    columns, ridge = rows.size, np.float32(RIDGE)
    for entity in range(matrix.own.size):
        for column in range(columns):
            direction[entity, column] = np.float32(0.0)
            solution[entity, column] = np.float32(0.0)
    for column in range(columns):
        direction[rows[column], column] = np.float32(1.0)
    multiply(matrix, direction, scratch.sums, scratch.residual)
    for entity in range(matrix.own.size):
        scale = np.float32(1.0) / (matrix.totals[entity] + ridge)
        for column in range(columns):
            direction[entity, column] = scratch.residual[entity, column] * scale


@njit_inner
def advance(matrix: KernelMatrix, factors: Array, norms: Array, scratch: SolverScratch) -> None:
    """Move the solution along the direction, and compute the norm of the new residual."""
    ridge, columns = np.float32(RIDGE), factors.size
    for column in range(columns):
        norms[column] = 0.0
    for entity in range(matrix.own.size):
        scale = np.float32(1.0) / (matrix.totals[entity] + ridge)
        for column in range(columns):
            factor = np.float32(factors[column])
            scratch.solution[entity, column] += factor * scratch.direction[entity, column]
            scratch.residual[entity, column] -= factor * scratch.product[entity, column]
            residual = scratch.residual[entity, column]
            norms[column] += residual * residual * scale


@njit_inner
def turn(matrix: KernelMatrix, factors: Array, scratch: SolverScratch) -> None:
    """Set the next direction: the residual over the diagonal, plus a factor times the last direction."""
    ridge = np.float32(RIDGE)
    for entity in range(matrix.own.size):
        scale = np.float32(1.0) / (matrix.totals[entity] + ridge)
        for column in range(factors.size):
            scratch.direction[entity, column] = scratch.residual[entity, column] * scale + (
                np.float32(factors[column]) * scratch.direction[entity, column]
            )


@njit_inner
def apply_ridge(matrix: KernelMatrix, scratch: SolverScratch, columns: int) -> None:
    """Compute the product of the kernel matrix plus the ridge, and the direction."""
    ridge = np.float32(RIDGE)
    multiply(matrix, scratch.direction, scratch.sums, scratch.product)
    for entity in range(matrix.own.size):
        for column in range(columns):
            scratch.product[entity, column] += ridge * scratch.direction[entity, column]


@njit_free
def solve_rows(matrix: KernelMatrix, rows: Array, scratch: SolverScratch) -> int:
    """Solve for the similarities of some entities into `scratch.solution`; return the number of iterations.

    The preconditioner is the diagonal of the matrix.

    Args:
        matrix: The kernel matrix.
        rows: The entities, one for each column.
        scratch: Scratch arrays.
    """
    norm, new_norm, first, factor = scratch.norms[0], scratch.norms[1], scratch.norms[2], scratch.norms[3]
    start(matrix, rows, scratch)
    add_products(matrix.own.size, scratch.residual, scratch.direction, norm)
    for column in range(rows.size):
        first[column] = norm[column]
    for iteration in range(MAX_ITERATIONS):
        apply_ridge(matrix, scratch, rows.size)
        add_products(matrix.own.size, scratch.direction, scratch.product, factor)
        unsolved = int64(0)
        for column in range(rows.size):
            is_unsolved = norm[column] > TOLERANCE * TOLERANCE * first[column]
            unsolved += is_unsolved
            factor[column] = norm[column] / factor[column] if is_unsolved else 0.0
        if unsolved == 0:
            return int64(iteration)
        advance(matrix, factor, new_norm, scratch)
        for column in range(rows.size):
            if factor[column] != 0.0:  # a solved column stays as it is
                factor[column] = new_norm[column] / norm[column]
                norm[column] = new_norm[column]
        turn(matrix, factor, scratch)
    return int64(MAX_ITERATIONS)
