"""Features of facts on small graphs, against counts made by hand."""

from __future__ import annotations

import numpy as np
import pytest

import r5
from r5.chains.calibration.fact_features import FEATURES, LEAST, FactFeatures
from r5.chains.graph.known_answers import KnownAnswers
from r5.chains.graph.plausibility import StepPlausibility
from r5.chains.graph.step_graph import StepGraph

FACTS = [
    ("ann", "born_in", "rome"),
    ("bob", "born_in", "rome"),
    ("cas", "born_in", "pisa"),
    ("ann", "speaks", "latin"),
    ("ann", "speaks", "greek"),
    ("bob", "speaks", "latin"),
]


def features_of(fact: tuple[str, str, str], masked: bool = False) -> dict[str, float]:
    """Return the features of one fact whose log-probabilities are all below the bound."""
    graph = StepGraph.of(r5.Graph.from_triples(FACTS), ("born_in", "speaks"), np.zeros(2, bool))
    numbers = {name: number for number, name in enumerate(graph.entities)}
    row = np.array([[numbers[fact[0]], graph.relations.index(fact[1]), numbers[fact[2]]]])
    features = FactFeatures(graph, KnownAnswers(graph.facts, 2), StepPlausibility(graph))
    logs = np.array([[-20.0, -20.0, -20.0, -20.0, 0.25]])
    found = features.of(row, logs, row[:, 1] if masked else np.array([-1]))
    return dict(zip(FEATURES, found[0].tolist(), strict=True))


def test_log_probabilities_are_bounded_and_the_confidence_is_kept() -> None:
    found = features_of(("cas", "speaks", "greek"))
    assert found["confidence"] == 0.25
    assert {found[name] for name in FEATURES if name.endswith(("joint", "fresh"))} == {LEAST}


def test_known_answers_are_counted_without_the_masked_fact() -> None:
    assert features_of(("bob", "speaks", "greek"))["known_tails"] == pytest.approx(np.log(2))
    assert features_of(("bob", "speaks", "latin"), masked=True)["known_tails"] == 0.0


def test_further_answer_has_the_rate_of_queries_with_as_many_answers() -> None:
    # Nobody was born in two places: of three with one, none has more. Of two who speak one language, one speaks two.
    assert features_of(("ann", "born_in", "pisa"))["more_tails"] == pytest.approx(np.log(0.5 / 4))
    assert features_of(("bob", "speaks", "greek"))["more_tails"] == pytest.approx(np.log(1.5 / 3))


def test_first_answer_has_the_rate_of_the_relation_among_similar_entities() -> None:
    # Two of three who were born somewhere speak a language.
    assert features_of(("cas", "speaks", "latin"))["more_tails"] == pytest.approx(np.log(2 / 3))
    # ann's only birthplace is masked: both who speak a language were born somewhere.
    assert features_of(("ann", "born_in", "rome"), masked=True)["more_tails"] == pytest.approx(0.0)
