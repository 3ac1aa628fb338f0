"""The part of a knowledge graph that examples give: their own facts and the background, and no other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import as_int_array
from r5.examples import Examples
from r5.graph import Graph

__all__ = ["given_graph"]


def given_graph(examples: Examples) -> Graph:
    """Return the graph of the facts that examples over one graph ask for, and of the background facts.

    Args:
        examples: Questions over one graph, with their answers. A fact asked for is (source, answer, target), whatever
            fact of the graph is hidden from the question; questions without an answer give nothing.

    Returns:
        The pool itself where all of its facts are given, else its nodes with fewer edges, in the same order. Facts
        asked for that the pool does not have come last.

    >>> family = Graph.from_triples([("a", "mother", "b"), ("b", "mother", "c"), ("a", "grandmother", "c")])
    >>> given_graph(Examples.from_edges(family)[1:]).triples()
    [('b', 'mother', 'c'), ('a', 'grandmother', 'c')]

    """
    pool, found = examples.pool, examples.select(np.flatnonzero(examples.answers >= 0))
    edges = np.stack([pool.sources, pool.relations, pool.targets], axis=1)
    asked = np.stack([found.sources, found.answers, found.targets], axis=1)
    number = _numbers(np.concatenate([edges, asked]))
    edge_number, asked_number = number[: len(edges)], number[len(edges) :]
    # Facts with three arguments or more can share an edge: the one hidden from the question is the one asked for.
    facts = int(max(pool.facts.max(initial=-1), found.hidden_facts.max(initial=-1))) + 2
    edge_keys = edge_number * facts + pool.facts
    own = np.isin(asked_number * facts + found.hidden_facts, edge_keys) & (found.hidden_facts >= 0)
    named = np.isin(edge_number, asked_number[~own])
    given = np.concatenate([examples.background, found.hidden_facts[own], pool.facts[named]])
    stays = np.isin(pool.facts, given)
    _, first = np.unique(asked_number, return_index=True)
    new = asked[np.sort(first[~np.isin(asked_number[first], edge_number)])]
    if stays.all() and not len(new):
        return pool
    numbers = int(pool.facts.max(initial=-1)) + 1 + np.arange(len(new))
    kept = np.concatenate([np.column_stack([edges, pool.facts])[stays], np.column_stack([new, numbers])])
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
    """One number for each row, the same for equal rows."""
    order = np.lexsort(rows.T)
    new = np.ones(len(rows), dtype=bool)
    new[1:] = (rows[order[1:]] != rows[order[:-1]]).any(axis=1)
    found = np.empty(len(rows), dtype=np.int64)
    found[order] = np.cumsum(new) - 1
    return found
