"""Few rules that say nearly as much as many."""

from __future__ import annotations

import r5
from r5.chains.training.pruning import number_of_rules
from r5.reasoners.chains import ChainReasoner
from tests.reasoners.test_chains import GRAPH, HELD_OUT


def rules_of(model: ChainReasoner) -> set[tuple[int, tuple[int, ...]]]:
    return {(step, body) for step, target in model.model_.targets.items() for body in target.bodies}


def test_the_rules_that_answers_rest_on_stay() -> None:
    every = ChainReasoner(seed=0).fit(GRAPH)
    few = ChainReasoner(seed=0, rules_limit=30).fit(GRAPH)
    assert number_of_rules(few._answerer.graph, few.model_.targets) == 30
    assert number_of_rules(every._answerer.graph, every.model_.targets) > 30
    assert rules_of(few) < rules_of(every)
    for head, relation, tail in HELD_OUT:
        assert few.complete(head=head, relation=relation, top=1)[0].entity == tail


def test_where_there_are_fewer_rules_nothing_changes() -> None:
    graph = r5.Graph.from_triples([("a", "r", "b"), ("b", "r", "c"), ("a", "s", "c")])
    assert rules_of(ChainReasoner(rules_limit=1000).fit(graph)) == rules_of(ChainReasoner().fit(graph))


def test_as_many_epochs_as_there_may_be_are_no_trouble() -> None:
    graph = r5.Graph.from_triples([("a", "r", "b"), ("b", "r", "c"), ("a", "s", "c")])
    few = ChainReasoner(rules_limit=2, epochs=10_000, rules=3, constants=0).fit(graph)
    assert number_of_rules(few._answerer.graph, few.model_.targets) <= 2
