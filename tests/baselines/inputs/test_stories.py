"""Story inputs: facts in order, entities by number, masked facts left out."""

from __future__ import annotations

import numpy as np
import pytest

from r5.baselines.inputs.relation_index import RelationIndex
from r5.baselines.inputs.stories import read_stories
from r5.baselines.networks.settings import StorySettings
from r5.errors import R5Error
from r5.examples import Examples
from r5.graph import Graph

FAMILY = Graph.from_triples([("Tom", "sister", "Ann"), ("Ann", "son", "Sam"), ("Tom", "nephew", "Sam")])
HIDDEN = int(FAMILY.facts[2])
INDEX = RelationIndex.of(FAMILY.relations, FAMILY.relations)


def test_a_story_has_its_facts_with_numbered_entities() -> None:
    asked = Examples.over(FAMILY, [0, 0, 0], [2, 2, 1], [-1] * 3, masked_facts=[HIDDEN, HIDDEN, -1])
    read = read_stories(asked, INDEX, FAMILY.vocabulary, StorySettings("story-lstm", entity_limit=3))
    sister, son, nephew = (1 + INDEX.inputs.index(FAMILY.vocabulary.id(name)) for name in ("sister", "son", "nephew"))
    ann, sam, tom = 4, 5, 6
    assert len(read.inputs) == 2
    batch = read.inputs.batch(read.rows)
    assert batch.tokens.tolist() == [
        [tom, sister, ann, ann, son, sam, 0, 0, 0],
        [tom, sister, ann, ann, son, sam, 0, 0, 0],
        [tom, sister, ann, ann, son, sam, tom, nephew, sam],
    ]
    assert batch.lengths.tolist() == [6, 6, 9]
    assert batch.pairs.tolist() == [[tom, sam], [tom, sam], [tom, ann]]


def test_entities_beyond_the_limit_share_the_last_number() -> None:
    asked = Examples.over(FAMILY, [0], [2], [-1])
    read = read_stories(asked, INDEX, FAMILY.vocabulary, StorySettings("story-lstm", entity_limit=2))
    assert read.inputs.batch(np.array([0])).pairs.tolist() == [[5, 5]]


def test_a_story_without_facts_has_no_input() -> None:
    alone = Graph.from_triples([("a", "sister", "b")], FAMILY.vocabulary)
    read = read_stories(Examples.from_edges(alone), INDEX, FAMILY.vocabulary, StorySettings("story-lstm"))
    assert (len(read), read.rows.size) == (1, 0)


def test_a_graph_above_the_edge_limit_is_refused() -> None:
    asked = Examples.over(FAMILY, [0], [2], [-1])
    with pytest.raises(R5Error, match="of at most 2 edges"):
        read_stories(asked, INDEX, FAMILY.vocabulary, StorySettings("story-lstm", edge_limit=2))
