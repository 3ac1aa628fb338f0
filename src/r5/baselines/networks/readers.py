"""Readers: the inputs that a kind of network takes from examples, and the network itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol

import numpy as np
from torch import nn

from r5.baselines.inputs.bags import Bags
from r5.baselines.inputs.graphs import read_graphs
from r5.baselines.inputs.paths import read_paths
from r5.baselines.inputs.relation_index import RelationIndex
from r5.baselines.inputs.stories import read_stories
from r5.baselines.networks.settings import GraphSettings, SequenceSettings, StorySettings, TrainingSettings
from r5.examples import Examples
from r5.paths.selection import select_paths
from r5.relations import Vocabulary

__all__ = ["Reader", "make_reader"]


class Reader(Protocol):
    """Reader of examples for one kind of network."""

    def read_training(self, examples: Examples) -> tuple[Vocabulary, RelationIndex, Bags]:
        """Return the vocabulary, the relation index and the inputs of training examples."""

    def read(self, examples: Examples, index: RelationIndex, vocabulary: Vocabulary) -> Bags:
        """Return the inputs of examples for a trained network."""

    def make_network(self, index: RelationIndex) -> nn.Module:
        """Return a network with random weights."""


class PathReader:
    """Reader for sequence encoders."""

    def __init__(self, settings: SequenceSettings) -> None:
        self.settings = settings

    def read_training(self, examples: Examples) -> tuple[Vocabulary, RelationIndex, Bags]:
        """Return the paths of training examples; their relations are the inputs of the network."""
        paths = select_paths(examples, self.settings.training_paths, self.settings, nodes=False)
        index = RelationIndex.of(paths.sequences.values, examples.answers)
        return paths.vocabulary, index, read_paths(paths, index, paths.vocabulary)

    def read(self, examples: Examples, index: RelationIndex, vocabulary: Vocabulary) -> Bags:
        """Return the paths of the examples."""
        paths = select_paths(examples, self.settings.policy, self.settings, nodes=False)
        return read_paths(paths, index, vocabulary)

    def make_network(self, index: RelationIndex) -> nn.Module:
        """Return a sequence encoder with a classifier."""
        from r5.baselines.networks.path_network import PathNetwork

        return PathNetwork(self.settings, len(index.inputs), len(index.answers))


class WholeGraphReader(ABC):
    """Reader for networks that take all edges of a graph."""

    def read_training(self, examples: Examples) -> tuple[Vocabulary, RelationIndex, Bags]:
        """Return the graphs of training examples; the relations of their edges are the inputs of the network."""
        graphs = np.zeros(examples.edge_offsets.size - 1, dtype=bool)
        graphs[examples.graph_of] = True
        used = examples.pool.relations[np.repeat(graphs, np.diff(examples.edge_offsets))]
        index = RelationIndex.of(used, examples.answers)
        return examples.vocabulary, index, self.read(examples, index, examples.vocabulary)

    @abstractmethod
    def read(self, examples: Examples, index: RelationIndex, vocabulary: Vocabulary) -> Bags:
        """Return the inputs of examples for a trained network."""


class StoryReader(WholeGraphReader):
    """Reader for story encoders."""

    def __init__(self, settings: StorySettings) -> None:
        self.settings = settings

    def read(self, examples: Examples, index: RelationIndex, vocabulary: Vocabulary) -> Bags:
        """Return the facts of the examples as sequences."""
        return read_stories(examples, index, vocabulary, self.settings)

    def make_network(self, index: RelationIndex) -> nn.Module:
        """Return a story encoder with a classifier."""
        from r5.baselines.networks.story_network import StoryNetwork

        return StoryNetwork(self.settings, len(index.inputs), len(index.answers))


class GraphReader(WholeGraphReader):
    """Reader for graph networks."""

    def __init__(self, settings: GraphSettings) -> None:
        self.settings = settings

    def read(self, examples: Examples, index: RelationIndex, vocabulary: Vocabulary) -> Bags:
        """Return the graphs of the examples."""
        return read_graphs(examples, index, vocabulary, self.settings)

    def make_network(self, index: RelationIndex) -> nn.Module:
        """Return a graph network with a classifier."""
        from r5.baselines.networks.graph_network import GraphNetwork

        return GraphNetwork(self.settings, len(index.inputs), len(index.answers))


def make_reader(settings: TrainingSettings) -> Reader:
    """Return the reader of a baseline."""
    if isinstance(settings, SequenceSettings):
        return PathReader(settings)
    if isinstance(settings, StorySettings):
        return StoryReader(settings)
    assert isinstance(settings, GraphSettings)  # noqa: S101  there are no others
    return GraphReader(settings)
