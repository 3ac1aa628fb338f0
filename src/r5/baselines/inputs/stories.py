"""Story inputs: the facts of a graph as a sequence of entity, relation, entity, ..., and the pair of the query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from r5.baselines.inputs.bags import Bags
from r5.baselines.inputs.entity_numbers import number_entities
from r5.baselines.inputs.graphs import check_size, visible_edges
from r5.baselines.inputs.relation_index import IntArray, RelationIndex
from r5.baselines.networks.settings import StorySettings
from r5.examples import Examples
from r5.relations import Vocabulary

__all__ = ["StoryBatch", "StoryInputs", "read_stories"]


class StoryBatch(NamedTuple):
    """Stories, padded to the length of the longest. Token 0 is padding or unseen; then relations, then entities."""

    tokens: Tensor
    """[stories, longest]."""
    lengths: Tensor
    """[stories]."""
    pairs: Tensor
    """Source and target tokens, [stories, 2]."""


@dataclass(frozen=True, eq=False)
class StoryInputs:
    """Distinct stories, each with a query."""

    tokens: IntArray
    """[stories, longest]."""
    lengths: IntArray
    """[stories]."""
    pairs: IntArray
    """[stories, 2]."""

    def __len__(self) -> int:
        return int(self.lengths.size)

    def batch(self, rows: IntArray) -> StoryBatch:
        """Return some of the stories, padded to the longest of them."""
        lengths = self.lengths[rows]
        tokens = self.tokens[rows, : int(lengths.max(initial=1))]
        return StoryBatch(*map(torch.from_numpy, (tokens, lengths, self.pairs[rows])))


def read_stories(examples: Examples, index: RelationIndex, vocabulary: Vocabulary, settings: StorySettings) -> Bags:
    """Return the story of each example, facts in the order of the data; an example without facts has none.

    Args:
        examples: The examples.
        index: Relations of the network.
        vocabulary: Vocabulary of the index.
        settings: Number of entity tokens and limit of edges.

    Raises:
        R5Error: A graph has more edges than `edge_limit`.

    """
    check_size(examples, settings.edge_limit)
    relations = index.input_numbers(examples.vocabulary, vocabulary)
    entities = number_entities(examples, settings.entity_limit) + len(index.inputs) + 1
    edges, owner = visible_edges(examples, np.arange(len(examples)))
    facts = np.bincount(owner, minlength=len(examples))
    pool = examples.pool
    triples = np.stack(
        [entities[pool.sources[edges]], relations[pool.relations[edges]], entities[pool.targets[edges]]], axis=1
    )
    table = np.zeros((len(examples), 3 + 3 * int(facts.max(initial=1))), dtype=np.int64)
    table[:, 0], table[:, 1], table[:, 2] = 3 * facts, entities[examples.sources], entities[examples.targets]
    column = np.arange(edges.size) - np.repeat(np.cumsum(facts) - facts, facts)
    for part in range(3):
        table[owner, 3 * (column + 1) + part] = triples[:, part]
    distinct, rows = np.unique(table[np.flatnonzero(facts)], axis=0, return_inverse=True)
    offsets = np.concatenate([[0], np.cumsum(facts > 0)])
    return Bags(StoryInputs(distinct[:, 3:], distinct[:, 0], distinct[:, 1:3]), rows.reshape(-1), offsets)
