"""What an architecture reads of examples, and the network that reads it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol

import numpy as np
from torch import nn

from r5.baselines.graph_inputs import read_graphs
from r5.baselines.inputs import Bags, Codes
from r5.baselines.path_inputs import read_paths
from r5.baselines.settings import GraphSettings, SequenceSettings, StorySettings, TrainingSettings
from r5.baselines.story_inputs import read_stories
from r5.examples import Examples
from r5.paths.selection import select_paths
from r5.relations import Vocabulary

__all__ = ["Reader", "reader_of"]


class Reader(Protocol):
    """Stands between examples and a network."""

    def learn(self, examples: Examples) -> tuple[Vocabulary, Codes, Bags]:
        """The relations of training examples, those a network is made for, and what it reads of these examples."""

    def read(self, examples: Examples, codes: Codes, vocabulary: Vocabulary) -> Bags:
        """What a network reads of other examples."""

    def network(self, codes: Codes) -> nn.Module:
        """A network with random weights."""


class PathReader:
    """For sequence encoders."""

    def __init__(self, settings: SequenceSettings) -> None:
        self.settings = settings

    def learn(self, examples: Examples) -> tuple[Vocabulary, Codes, Bags]:
        """The relations on the paths are those that the network can read."""
        found = select_paths(examples, self.settings.training_paths, self.settings, nodes=False)
        codes = Codes.of(found.sequences.values, examples.answers)
        return found.vocabulary, codes, read_paths(found, codes, found.vocabulary)

    def read(self, examples: Examples, codes: Codes, vocabulary: Vocabulary) -> Bags:
        """The paths of the examples."""
        found = select_paths(examples, self.settings.policy, self.settings, nodes=False)
        return read_paths(found, codes, vocabulary)

    def network(self, codes: Codes) -> nn.Module:
        """An encoder and its classifier."""
        from r5.baselines.path_network import PathNetwork

        return PathNetwork(self.settings, len(codes.relations), len(codes.answers))


class WholeReader(ABC):
    """For networks that read all edges of a graph."""

    def learn(self, examples: Examples) -> tuple[Vocabulary, Codes, Bags]:
        """The relations on the edges are those that the network can read."""
        graphs = np.zeros(examples.edge_offsets.size - 1, dtype=bool)
        graphs[examples.graph_of] = True
        used = examples.pool.relations[np.repeat(graphs, np.diff(examples.edge_offsets))]
        codes = Codes.of(used, examples.answers)
        return examples.vocabulary, codes, self.read(examples, codes, examples.vocabulary)

    @abstractmethod
    def read(self, examples: Examples, codes: Codes, vocabulary: Vocabulary) -> Bags:
        """What a network reads of the examples."""


class StoryReader(WholeReader):
    """For story encoders."""

    def __init__(self, settings: StorySettings) -> None:
        self.settings = settings

    def read(self, examples: Examples, codes: Codes, vocabulary: Vocabulary) -> Bags:
        """The facts of the examples, one after the other."""
        return read_stories(examples, codes, vocabulary, self.settings)

    def network(self, codes: Codes) -> nn.Module:
        """An encoder and its classifier."""
        from r5.baselines.story_network import StoryNetwork

        return StoryNetwork(self.settings, len(codes.relations), len(codes.answers))


class GraphReader(WholeReader):
    """For graph networks."""

    def __init__(self, settings: GraphSettings) -> None:
        self.settings = settings

    def read(self, examples: Examples, codes: Codes, vocabulary: Vocabulary) -> Bags:
        """The graphs of the examples."""
        return read_graphs(examples, codes, vocabulary, self.settings)

    def network(self, codes: Codes) -> nn.Module:
        """Layers of messages and a classifier."""
        from r5.baselines.graph_network import GraphNetwork

        return GraphNetwork(self.settings, len(codes.relations), len(codes.answers))


def reader_of(settings: TrainingSettings) -> Reader:
    """The reader of an architecture."""
    if isinstance(settings, SequenceSettings):
        return PathReader(settings)
    if isinstance(settings, StorySettings):
        return StoryReader(settings)
    assert isinstance(settings, GraphSettings)  # noqa: S101  there are no others
    return GraphReader(settings)
