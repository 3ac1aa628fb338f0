"""Pruning to a limit of rules."""

from __future__ import annotations

import r5
from r5.chains.training.pruning import number_of_rules
from r5.reasoners.chains import ChainReasoner
from tests.reasoners.test_chains import GRAPH, HELD_OUT


def rules_of(model: ChainReasoner) -> set[tuple[int, tuple[int, ...]]]:
    return {(step, body) for step, target in model.model_.targets.items() for body in target.bodies}


def test_pruning_keeps_the_rules_that_answer_held_out_queries() -> None:
    full = ChainReasoner(seed=0).fit(GRAPH)
    pruned = ChainReasoner(seed=0, rules_limit=30).fit(GRAPH)
    assert number_of_rules(pruned._scorer.graph, pruned.model_.targets) == 30
    assert number_of_rules(full._scorer.graph, full.model_.targets) > 30
    assert rules_of(pruned) < rules_of(full)
    for head, relation, tail in HELD_OUT:
        assert pruned.complete(head=head, relation=relation, top=1)[0].entity == tail


def test_limit_above_the_number_of_rules_changes_nothing() -> None:
    graph = r5.Graph.from_triples([("a", "r", "b"), ("b", "r", "c"), ("a", "s", "c")])
    assert rules_of(ChainReasoner(rules_limit=1000).fit(graph)) == rules_of(ChainReasoner().fit(graph))


def test_pruning_accepts_the_maximum_number_of_epochs() -> None:
    graph = r5.Graph.from_triples([("a", "r", "b"), ("b", "r", "c"), ("a", "s", "c")])
    pruned = ChainReasoner(rules_limit=2, epochs=10_000, rules=3, similarity=False).fit(graph)
    assert number_of_rules(pruned._scorer.graph, pruned.model_.targets) <= 2
