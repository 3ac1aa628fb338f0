"""Public functions refuse arguments of a wrong type; see test_reasoners.py for reasoners."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import r5
from r5.data.generators.world.dataset import generate_world

DATA: Any = generate_world(train=3, valid=1, test=1)
NUMBER: Any = 3
RULES: Any = r5.GrammarReasoner.from_rules(DATA.rules)
NO_SPLIT = r"expected Examples, .*, not a Dataset; give one of its splits, such as \.train"


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: r5.evaluate(RULES, DATA), NO_SPLIT),
        (lambda: r5.evaluate(DATA, DATA.test), "expected a model to evaluate, not a Dataset"),
        (lambda: r5.rank(RULES, DATA.test), "such as a ChainReasoner, not a GrammarReasoner"),
        (lambda: r5.rank(r5.ChainReasoner(), DATA), NO_SPLIT),
        (lambda: r5.find_paths(DATA), NO_SPLIT),
        (lambda: r5.ChainReasoner().fit(DATA), NO_SPLIT),
        (lambda: RULES.ask(NUMBER, "a", "b"), r"expected a Graph, such as Graph\.from_triples\(\.\.\.\), not a int"),
        (lambda: r5.load(NUMBER), "expected a name, a path, a graph, a data frame or a list of triples, found 3"),
        (lambda: r5.load_model(NUMBER), "expected the path of a model folder, not a int"),
        (lambda: r5.AugmentedReasoner(NUMBER, RULES), "expected a reasoner of r5 to answer first, not a int"),
        (lambda: r5.AugmentedReasoner(RULES, NUMBER), "expected a fallback with fit and predict_proba, not a int"),
        (lambda: r5.Graph.from_triples([(1, 2, 3)]), r"triple 0 must be three names, .*, not \(1, 2, 3\)"),
        (lambda: r5.Query(0.5, 1), "a query's source must be the number of a node, .*, not 0.5"),
    ],
)
def test_arguments_of_a_wrong_type_are_errors(call: Callable[[], object], complaint: str) -> None:
    with pytest.raises(r5.R5Error, match=complaint):
        call()
