"""Data sets over one knowledge graph: each fact is a query whose own fact is masked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from r5._util.arrays import as_int_array, id_difference, number_columns
from r5.data.generators.options import number_of, rate_of
from r5.dataset import Dataset
from r5.errors import R5Error
from r5.examples import Examples
from r5.graph import Graph
from r5.relations import Vocabulary
from r5.rules.ruleset import RuleSet

__all__ = ["dataset_from_graph", "dataset_on", "dataset_with_splits"]


def dataset_with_splits(
    name: str,
    rows: Mapping[str, Sequence[tuple[str, str, str]]],
    inverse: bool = False,
    sample: int | None = None,
    seed: int = 0,
    rules: RuleSet | None = None,
    vocabulary: Vocabulary | None = None,
) -> Dataset:
    """Build a data set over the graph of facts and training triples.

    Facts of the graph that no split queries are background: those of `facts`, and training triples outside the sample.

    Args:
        name: Name of the data set.
        rows: Triples of names by split: `facts`, `train`, `valid`, `test`.
        inverse: Add inverse edges to the graph.
        sample: Maximum number of training examples.
        seed: Seed of the sample.
        rules: Ground-truth rules, if known.
        vocabulary: Relation names; by default those of the triples.

    Returns:
        A data set whose splits share one graph.
    """
    parts = [rows.get(split, []) for split in ("facts", "train", "valid", "test")]
    starts = np.cumsum([0, *map(len, parts)])
    # Fact ids span all splits, so that a query whose fact is in the graph is recognised and masked.
    everything = Graph.from_triples([row for part in parts for row in part], vocabulary)
    facts = everything.facts
    graph = _keep(everything, np.arange(facts.size) < starts[2])
    graph = graph.with_inverses() if inverse else graph

    def queries(edges: NDArray[np.int64]) -> Examples:
        masked = np.where(np.isin(facts[edges], graph.facts), facts[edges], -1)
        ends = everything.sources[edges], everything.targets[edges]
        return Examples.over(graph, *ends, everything.relations[edges], masked)

    _, distinct = np.unique(facts[starts[1] : starts[2]], return_index=True)
    train = _sampled(queries(starts[1] + np.sort(distinct)), sample, seed)
    valid, test = (queries(np.arange(starts[part], starts[part + 1])) for part in (2, 3))
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
    """Build a data set whose examples are the facts of a graph, each masked in its own example.

    Args:
        graph: A knowledge graph.
        name: Name of the data set.
        sample: Maximum number of training examples.
        seed: Seed of the sample and of the splits.
        valid_fraction: Share of the facts held out for validation.
        test_fraction: Share of the facts held out for testing.

    Returns:
        A data set over the graph without the held-out facts.

    Raises:
        R5Error: The graph has no edges, or the fractions leave no facts for training.

    >>> graph = Graph.from_triples([("a", "mother", "b"), ("b", "mother", "c"), ("a", "grandmother", "c")])
    >>> data = dataset_from_graph(graph, test_fraction=0.4)
    >>> len(data.train), len(data.test), data.test.pool.number_of_edges
    (2, 1, 2)

    """
    if not graph.number_of_edges:
        raise R5Error("the graph has no edges, so there are no facts to query")
    fractions = rate_of("valid_fraction", valid_fraction), rate_of("test_fraction", test_fraction)
    if sum(fractions) >= 1:
        raise R5Error(f"valid_fraction and test_fraction must sum to less than 1, found {fractions}")
    _, first = np.unique(graph.facts, return_index=True)
    shuffled = np.random.default_rng(number_of("seed", seed)).permutation(np.sort(first))
    counts = [int(fraction * first.size) for fraction in fractions]
    valid, test, _ = np.split(shuffled, np.cumsum(counts))
    rest = _keep(graph, ~np.isin(graph.facts, graph.facts[shuffled[: sum(counts)]]))

    def queries(edges: NDArray[np.int64]) -> Examples:
        return Examples.over(rest, graph.sources[edges], graph.targets[edges], graph.relations[edges])

    train = _sampled(Examples.from_edges(rest), sample, seed)
    return _with_background(Dataset(name, train, queries(np.sort(valid)), queries(np.sort(test))))


def _with_background(data: Dataset) -> Dataset:
    """Set the background of each split to the facts of the graph that no split queries."""
    splits = (data.train, data.valid, data.test)
    queried = np.concatenate([split.masked_facts for split in splits])
    background = as_int_array(id_difference(data.train.pool.facts, queried))
    train, valid, test = (replace(split, background=background) for split in splits)
    return replace(data, train=train, valid=valid, test=test)


def dataset_on(data: Dataset, graph: Graph) -> Dataset:
    """Move the queries of a data set to an extended graph; a query whose fact was added has it masked.

    Args:
        data: A data set over one graph.
        graph: That graph with further facts, as returned by `Graph.with_triples`.

    Returns:
        A data set over the extended graph.

    Raises:
        R5Error: The examples do not share one graph.
    """
    if data.graph is None:
        raise R5Error(f"{data.name}: each example has a graph of its own; facts can be added to one graph only")
    edges = np.stack([graph.sources, graph.relations, graph.targets])

    def moved(part: Examples) -> Examples:
        columns = np.stack([part.sources, part.answers, part.targets])
        same = number_columns(np.concatenate([edges, columns], axis=1))
        fact = np.full(same.max(initial=-1) + 1, -1)
        fact[same[: graph.number_of_edges]] = graph.facts
        masked = np.where(part.masked_facts < 0, fact[same[graph.number_of_edges :]], part.masked_facts)
        nodes, numbers = np.array([0, graph.number_of_nodes]), np.array([0, graph.number_of_edges])
        return replace(
            part, pool=graph, node_offsets=nodes, edge_offsets=numbers, masked_facts=as_int_array(masked), _cache={}
        )

    return replace(data, train=moved(data.train), valid=moved(data.valid), test=moved(data.test))


def _sampled(examples: Examples, sample: int | None, seed: int) -> Examples:
    """Draw at most `sample` of the examples, in their order."""
    if sample is None or number_of("sample", sample) >= len(examples):
        return examples
    chosen = np.random.default_rng(number_of("seed", seed)).choice(len(examples), sample, replace=False)
    return examples.select(np.sort(chosen))


def _keep(graph: Graph, edges: NDArray[np.bool_]) -> Graph:
    """Return the graph with some of its edges, the same nodes and the same fact ids."""
    if edges.all():
        return graph
    columns = (graph.sources, graph.relations, graph.targets, graph.facts)
    return Graph(graph.vocabulary, graph.entities, *(as_int_array(column[edges]) for column in columns))
