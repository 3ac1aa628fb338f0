"""select_paths: paths of queries according to settings, always with the shortest."""

from __future__ import annotations

import numpy as np

from r5._util.arrays import as_int_array
from r5._util.ragged import Ragged
from r5.examples import Examples
from r5.paths.search import PathSet, Tick, find_paths
from r5.paths.settings import PathSettings, Policy

__all__ = ["select_paths"]


def select_paths(
    examples: Examples, policy: Policy, settings: PathSettings, nodes: bool = True, tick: Tick | None = None
) -> PathSet:
    """Find the paths under a policy, and always the shortest paths.

    Args:
        examples: The queries.
        policy: Admitted paths.
        settings: Bounds, seed and treatment of direct edges.
        nodes: Keep the nodes of one path per sequence.
        tick: Progress callback of `find_paths`.

    Returns:
        The distinct sequences of both searches, the shortest paths first.

    >>> from r5.graph import Graph
    >>> chain = Graph.from_triples((f"n{i}", "next", f"n{i + 1}") for i in range(14))
    >>> found = select_paths(Examples.over(chain, [0], [14], [-1]), "trail", PathSettings(longest_path=10))
    >>> [len(path) for path in found[0]]
    [14]

    """
    shortest = _found(examples, "shortest", settings, nodes, tick)
    return shortest if policy == "shortest" else _joined(shortest, _found(examples, policy, settings, nodes, tick))


def _found(examples: Examples, policy: Policy, settings: PathSettings, nodes: bool, tick: Tick | None) -> PathSet:
    return find_paths(
        examples,
        policy,
        max_length=settings.longest_path,
        limit=settings.path_limit,
        direct=settings.direct,
        nodes=nodes,
        seed=settings.seed,
        tick=tick,
    )


def _joined(first: PathSet, second: PathSet) -> PathSet:
    """Concatenate two path sets without repeated sequences."""
    rows: list[int] = []
    starts = [0]
    offset = len(first.sequences)
    sequences = _stacked(first.sequences, second.sequences)
    words = list(map(tuple, sequences.rows()))
    for query in range(len(first)):
        both = [*first.rows(query), *(row + offset for row in second.rows(query))]
        rows += {words[row]: row for row in reversed(both)}.values()
        starts.append(len(rows))
    chosen = np.array(rows, dtype=np.int64)
    nodes = None
    if first.nodes is not None and second.nodes is not None:
        nodes = _stacked(first.nodes, second.nodes).take(chosen)
    return PathSet(
        starts=as_int_array(starts).astype(np.int64),
        sequences=sequences.take(chosen),
        nodes=nodes,
        complete=second.complete,
        vocabulary=first.vocabulary,
    )


def _stacked(first: Ragged, second: Ragged) -> Ragged:
    values = np.concatenate([first.values, second.values])
    return Ragged(values, np.concatenate([first.offsets, second.offsets[1:] + first.offsets[-1]]))
