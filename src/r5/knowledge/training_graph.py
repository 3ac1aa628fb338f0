"""Training graph: the facts of the training examples and the background, without the facts of other examples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import as_int_array
from r5.examples import Examples
from r5.graph import Graph

__all__ = ["training_graph"]


def training_graph(examples: Examples) -> Graph:
    """Return the graph of the facts that examples query and of the background facts.

    Args:
        examples: Queries over one graph, with their answers. The fact of a query is (source, answer, target), whatever
            fact is masked; queries without an answer have none.

    Returns:
        The pool itself if it has no other facts, else its nodes with fewer edges, in the same order. Facts of queries
        that the pool lacks come last.

    >>> family = Graph.from_triples([("a", "mother", "b"), ("b", "mother", "c"), ("a", "grandmother", "c")])
    >>> training_graph(Examples.from_edges(family)[1:]).triples()
    [('b', 'mother', 'c'), ('a', 'grandmother', 'c')]

    """
    pool, found = examples.pool, examples.select(np.flatnonzero(examples.answers >= 0))
    edges = np.stack([pool.sources, pool.relations, pool.targets], axis=1)
    queries = np.stack([found.sources, found.answers, found.targets], axis=1)
    number = _numbers(np.concatenate([edges, queries]))
    edge_number, query_number = number[: len(edges)], number[len(edges) :]
    # Facts with three or more arguments can share an edge: the masked fact is the one of the query.
    facts = int(max(pool.facts.max(initial=-1), found.masked_facts.max(initial=-1))) + 2
    edge_keys = edge_number * facts + pool.facts
    own = np.isin(query_number * facts + found.masked_facts, edge_keys) & (found.masked_facts >= 0)
    named = np.isin(edge_number, query_number[~own])
    given = np.concatenate([examples.background, found.masked_facts[own], pool.facts[named]])
    is_given = np.isin(pool.facts, given)
    _, first = np.unique(query_number, return_index=True)
    new = queries[np.sort(first[~np.isin(query_number[first], edge_number)])]
    if is_given.all() and not len(new):
        return pool
    numbers = int(pool.facts.max(initial=-1)) + 1 + np.arange(len(new))
    kept = np.concatenate([np.column_stack([edges, pool.facts])[is_given], np.column_stack([new, numbers])])
    sources, relations, targets, fact_numbers = kept.T
    return Graph(
        pool.vocabulary,
        pool.entities,
        as_int_array(sources),
        as_int_array(relations),
        as_int_array(targets),
        as_int_array(fact_numbers),
    )


def _numbers(rows: NDArray[np.integer]) -> NDArray[np.int64]:
    """Number the rows; equal rows have one number."""
    order = np.lexsort(rows.T)
    new = np.ones(len(rows), dtype=bool)
    new[1:] = (rows[order[1:]] != rows[order[:-1]]).any(axis=1)
    found = np.empty(len(rows), dtype=np.int64)
    found[order] = np.cumsum(new) - 1
    return found
