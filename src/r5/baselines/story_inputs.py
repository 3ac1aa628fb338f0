"""What story encoders read: the facts of a graph one after the other, entity, relation, entity, and the pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from r5.baselines.graph_inputs import check_size, edges_of_questions
from r5.baselines.inputs import Bags, Codes, IntColumn
from r5.baselines.numbering import numbered
from r5.baselines.settings import StorySettings
from r5.examples import Examples
from r5.relations import Vocabulary

__all__ = ["StoryBatch", "StoryInputs", "read_stories"]


class StoryBatch(NamedTuple):
    """Stories side by side. Tokens are 0 behind the end and for what was never seen, then relations, then entities."""

    tokens: Tensor  # [stories, longest]
    lengths: Tensor  # [stories]
    pairs: Tensor  # [stories, 2], the entities asked about


@dataclass(frozen=True, eq=False)
class StoryInputs:
    """Distinct stories, each with a question."""

    tokens: IntColumn  # [stories, longest]
    lengths: IntColumn  # [stories]
    pairs: IntColumn  # [stories, 2]

    def __len__(self) -> int:
        return int(self.lengths.size)

    def batch(self, rows: IntColumn) -> StoryBatch:
        """Some of the stories, cut to the longest of them."""
        lengths = self.lengths[rows]
        tokens = self.tokens[rows, : int(lengths.max(initial=1))]
        return StoryBatch(*map(torch.from_numpy, (tokens, lengths, self.pairs[rows])))


def read_stories(examples: Examples, codes: Codes, vocabulary: Vocabulary, settings: StorySettings) -> Bags:
    """The facts in the order of the data; equal stories are read once, and one without facts is not read."""
    check_size(examples, settings.edge_limit)
    relations = codes.of_relations(examples.vocabulary, vocabulary)
    entities = numbered(examples, settings.entities) + len(codes.relations) + 1
    edges, owner = edges_of_questions(examples, np.arange(len(examples)))
    facts = np.bincount(owner, minlength=len(examples))
    pool = examples.pool
    triples = np.stack(
        [entities[pool.sources[edges]], relations[pool.relations[edges]], entities[pool.targets[edges]]], axis=1
    )
    table = np.zeros((len(examples), 3 + 3 * int(facts.max(initial=1))), dtype=np.int64)
    table[:, 0], table[:, 1], table[:, 2] = 3 * facts, entities[examples.sources], entities[examples.targets]
    column = np.arange(edges.size) - np.repeat(np.cumsum(facts) - facts, facts)
    for place in range(3):
        table[owner, 3 * (column + 1) + place] = triples[:, place]
    some = np.flatnonzero(facts)
    distinct, row = np.unique(table[some], axis=0, return_inverse=True)
    starts = np.concatenate([[0], np.cumsum(facts > 0)])
    return Bags(StoryInputs(distinct[:, 3:], distinct[:, 0], distinct[:, 1:3]), row.reshape(-1), starts)
