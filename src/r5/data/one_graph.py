"""One graph as a data set: its facts are the questions, each asked in a graph that hides it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import as_int_array, number_columns
from r5.data.generators.options import number_of, rate_of
from r5.dataset import Dataset
from r5.errors import R5Error
from r5.examples import Examples
from r5.graph import Graph
from r5.rules.ruleset import RuleSet

__all__ = ["dataset_from_graph", "dataset_on", "dataset_with_splits"]


def dataset_with_splits(
    name: str,
    rows: Mapping[str, Sequence[tuple[str, str, str]]],
    inverse: bool = False,
    sample: int | None = None,
    seed: int = 0,
    rules: RuleSet | None = None,
) -> Dataset:
    """The data set of triples in splits (facts, train, valid, test), over one graph of facts and training triples.

    Facts of the graph that no split asks for are background: those of `facts`, and training triples left out of a
    `sample`.
    """
    parts = [rows.get(split, []) for split in ("facts", "train", "valid", "test")]
    starts = np.cumsum([0, *map(len, parts)])
    # Facts are numbered over all splits, so that a query which stands in the graph can be told and hidden.
    everything = Graph.from_triples([row for part in parts for row in part])
    facts = everything.facts
    graph = _keep(everything, np.arange(facts.size) < starts[2])
    graph = graph.with_inverses() if inverse else graph

    def asked(edges: NDArray[np.int64]) -> Examples:
        hidden = np.where(np.isin(facts[edges], graph.facts), facts[edges], -1)
        ends = everything.sources[edges], everything.targets[edges]
        return Examples.over(graph, *ends, everything.relations[edges], hidden)

    _, distinct = np.unique(facts[starts[1] : starts[2]], return_index=True)
    train = _sampled(asked(starts[1] + np.sort(distinct)), sample, seed)
    valid, test = (asked(np.arange(starts[part], starts[part + 1])) for part in (2, 3))
    return _with_background(Dataset(name, train, valid, test, rules))


def dataset_from_graph(
    graph: Graph,
    *,
    name: str = "graph",
    sample: int | None = None,
    seed: int = 0,
    valid_fraction: float = 0.0,
    test_fraction: float = 0.0,
) -> Dataset:
    """One graph as a data set: each fact (or `sample` of them) is an example in whose graph it is hidden.

    The given fractions of the facts are held out: no split's graph has them, and they are asked as queries.

    >>> graph = Graph.from_triples([("a", "mother", "b"), ("b", "mother", "c"), ("a", "grandmother", "c")])
    >>> data = dataset_from_graph(graph, test_fraction=0.4)
    >>> len(data.train), len(data.test), data.test.pool.number_of_edges
    (2, 1, 2)
    """
    if not graph.number_of_edges:
        raise R5Error("the graph has no edges, so there is nothing to ask")
    fractions = rate_of("valid_fraction", valid_fraction), rate_of("test_fraction", test_fraction)
    if sum(fractions) >= 1:
        raise R5Error(f"valid_fraction and test_fraction must leave facts to learn from, found {fractions}")
    _, first = np.unique(graph.facts, return_index=True)
    shuffled = np.random.default_rng(number_of("seed", seed)).permutation(np.sort(first))
    counts = [int(fraction * first.size) for fraction in fractions]
    valid, test, _ = np.split(shuffled, np.cumsum(counts))
    rest = _keep(graph, ~np.isin(graph.facts, graph.facts[shuffled[: sum(counts)]]))

    def asked(edges: NDArray[np.int64]) -> Examples:
        return Examples.over(rest, graph.sources[edges], graph.targets[edges], graph.relations[edges])

    train = _sampled(Examples.from_edges(rest), sample, seed)
    return _with_background(Dataset(name, train, asked(np.sort(valid)), asked(np.sort(test))))


def _with_background(data: Dataset) -> Dataset:
    """The data set, each split with the facts of the one graph that none of them asks for."""
    splits = (data.train, data.valid, data.test)
    asked = np.concatenate([split.hidden_facts for split in splits])
    background = as_int_array(np.setdiff1d(data.train.pool.facts, asked))
    train, valid, test = (replace(split, background=background) for split in splits)
    return replace(data, train=train, valid=valid, test=test)


def dataset_on(data: Dataset, graph: Graph) -> Dataset:
    """The same questions about the graph with further facts, as `Graph.with_triples` makes it of the data's own.

    A question whose fact was added has it hidden, as questions about facts of the graph have theirs.
    """
    if data.graph is None:
        raise R5Error(f"{data.name}: each example has a graph of its own; facts can be added to one graph only")
    edges = np.stack([graph.sources, graph.relations, graph.targets])

    def asked(part: Examples) -> Examples:
        columns = np.stack([part.sources, part.answers, part.targets])
        same = number_columns(np.concatenate([edges, columns], axis=1))
        fact = np.full(same.max(initial=-1) + 1, -1)
        fact[same[: graph.number_of_edges]] = graph.facts
        hidden = np.where(part.hidden_facts < 0, fact[same[graph.number_of_edges :]], part.hidden_facts)
        nodes, numbers = np.array([0, graph.number_of_nodes]), np.array([0, graph.number_of_edges])
        return replace(
            part, pool=graph, node_offsets=nodes, edge_offsets=numbers, hidden_facts=as_int_array(hidden), _cache={}
        )

    return Dataset(data.name, asked(data.train), asked(data.valid), asked(data.test), data.rules)


def _sampled(examples: Examples, sample: int | None, seed: int) -> Examples:
    """At most `sample` of the examples, in their order."""
    if sample is None or number_of("sample", sample) >= len(examples):
        return examples
    chosen = np.random.default_rng(number_of("seed", seed)).choice(len(examples), sample, replace=False)
    return examples.select(np.sort(chosen))


def _keep(graph: Graph, edges: NDArray[np.bool_]) -> Graph:
    """The graph with only these edges and all its nodes; facts keep their numbers."""
    if edges.all():
        return graph
    columns = (graph.sources, graph.relations, graph.targets, graph.facts)
    return Graph(graph.vocabulary, graph.entities, *(as_int_array(column[edges]) for column in columns))
