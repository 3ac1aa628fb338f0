"""Names of the baselines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from r5._util.settings import Settings

__all__ = [
    "BASELINES",
    "GRAPH_NETWORKS",
    "NETWORKS",
    "RULE_LEARNERS",
    "SEQUENCE_ENCODERS",
    "STORY_ENCODERS",
    "MethodSettings",
]

SequenceEncoder = Literal["rnn", "lstm", "gru", "cnn", "cnnh", "mha"]
StoryEncoder = Literal["story-rnn", "story-lstm", "story-gru", "story-cnn", "story-cnnh", "story-mha"]
GraphNetwork = Literal["gcn", "gat", "rgcn", "egat", "story-gcn", "story-gat"]
RuleLearnerName = Literal["ctp-l", "ctp-a", "ctp-m", "gntp", "neural-lp", "rnnlogic"]

SEQUENCE_ENCODERS: tuple[str, ...] = get_args(SequenceEncoder)
"""Encoders of the relations along the paths between source and target."""
STORY_ENCODERS: tuple[str, ...] = get_args(StoryEncoder)
"""Encoders of all facts of a graph, with their entities, and of the queried pair."""
GRAPH_NETWORKS: tuple[str, ...] = get_args(GraphNetwork)
"""Graph networks; those called story know entities by number, the others mark source and target only."""
NETWORKS = (*SEQUENCE_ENCODERS, *STORY_ENCODERS, *GRAPH_NETWORKS)
"""All neural classifiers."""
RULE_LEARNERS: tuple[str, ...] = get_args(RuleLearnerName)
"""Published systems that learn rules."""
BASELINES = (*NETWORKS, *RULE_LEARNERS)
"""All baselines."""


@dataclass(frozen=True)
class MethodSettings(Settings):
    """Name of a baseline; a class of its own, so that it is the first parameter of `BaselineReasoner`."""

    method: SequenceEncoder | StoryEncoder | GraphNetwork | RuleLearnerName = "lstm"
    """Name of the baseline."""
