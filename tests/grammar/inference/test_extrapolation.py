"""Extrapolation to paths longer than any training path."""

from __future__ import annotations

import numpy as np
import pytest

from r5._util.ragged import Ragged
from r5.data.generators.world.dataset import generate_world
from r5.examples import Example, Examples, Query
from r5.grammar.corpus.corpus import Corpus
from r5.grammar.inference.answers import answer
from r5.grammar.inference.extrapolation import TrainingReach
from r5.grammar.inference.noise_level import adapt_noise
from r5.grammar.model import FittedGrammar
from r5.grammar.settings import GrammarSettings
from r5.grammar.training.trainer import learn
from r5.graph import Graph
from r5.reasoners.grammar import GrammarReasoner
from tests.helpers.groups import draw, symmetric


@pytest.fixture(scope="module")
def learned() -> FittedGrammar:
    """A group learned from paths of two and three with 10 % wrong edges."""
    paths, labels = draw(symmetric(), 1000, [2, 3], 0.1, seed=0)
    return learn(Corpus.of([(path,) for path in paths], labels, 6), GrammarSettings(restarts=(0.5,)))


def test_answers_without_a_confusion_keep_the_probability_that_all_edges_are_right(learned: FittedGrammar) -> None:
    way = adapt_noise(learned, None)
    assert way.reach is not None
    paths, _ = draw(symmetric(), 5, [9], 0.0, seed=2)
    kept = answer(way.model, np.arange(6), Ragged.of(paths), reach=way.reach).posterior
    none = TrainingReach(way.reach.longest, np.zeros(6))
    doubted = answer(way.model, np.arange(6), Ragged.of(paths), reach=none).posterior
    assert (kept.max(axis=1) >= doubted.max(axis=1) - 1e-12).all()
    assert (kept.max(axis=1) > doubted.max(axis=1) + 0.01).any()


def test_long_path_explained_by_confusions_only_has_answers() -> None:
    """No rules merge hundreds of relations at random, but that must not become a number beyond all others."""
    data = generate_world(seed=0, train=300, test=5, wrong_edges=0.1)
    model = GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train)
    relations = np.random.default_rng(0).choice(model.names_, 300).tolist()
    graph = Graph.from_triples((f"n{i}", relation, f"n{i + 1}") for i, relation in enumerate(relations))
    query = Examples.of([Example(graph, Query(graph.node("n0"), graph.node("n300")))])
    chances = model.predict_proba(query)
    assert chances.sum() == pytest.approx(1.0)
    assert 0.0 < chances.max() < 0.5
