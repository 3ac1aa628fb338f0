"""Rules of a model of one graph: counted on it, none that chance explains, kept with the model."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import r5
from r5.grammar.rules import counted_rules
from r5.graph import Graph
from r5.rules.ruleset import Rule, RuleSet

FAMILY = [
    fact
    for child, mother, grandmother in ("abc", "def", "ghi", "jkl")
    for fact in (
        (child, "mother", mother),
        (mother, "mother", grandmother),
        (child, "grandmother", grandmother),
    )
]


def random_graph(entities: int = 40, facts: int = 500, relations: int = 5) -> list[tuple[str, str, str]]:
    rng = np.random.default_rng(0)
    ends = rng.integers(0, entities, (facts, 2))
    kinds = rng.integers(0, relations, facts)
    drawn = zip(ends.tolist(), kinds.tolist(), strict=True)
    return sorted({(f"e{one}", f"r{kind}", f"e{other}") for (one, other), kind in drawn if one != other})


def test_rules_that_hold_by_chance_are_left_out() -> None:
    graph = Graph.from_triples(random_graph())
    names = [f"r{n}" for n in range(5)]
    every = RuleSet.of(Rule(head, (left, right)) for head in names for left in names for right in names)
    assert len(counted_rules(every, graph)) <= 4, "of 125 rules about one in a thousand by luck"
    apart = RuleSet.of(Rule(rule.head, rule.body, possibility=1.0) for rule in every)
    shown = counted_rules(apart, graph)
    assert all(len([rule for rule in shown if rule.body == body]) == 5 for body in {rule.body for rule in shown})


def test_rule_that_always_holds_is_kept(tmp_path: Path) -> None:
    model = r5.GrammarReasoner(seed=0).fit(r5.load(FAMILY).train)
    told = ["grandmother(X, Y) <= mother(X, Z), mother(Z, Y)   confidence=1 support=4 coverage=1 pca=1"]
    assert [rule.text() for rule in model.rules_] == told
    model.save(tmp_path / "model")
    assert [rule.text() for rule in r5.load_model(tmp_path / "model").rules_] == told
    assert len(model.without_rules(model.rules_).rules_) == 0


def test_rules_are_not_counted_on_a_graph_without_the_facts() -> None:
    data = r5.load("kinship", train=1, test=1)
    assert "counted" not in r5.GrammarReasoner(seed=0, restarts=(0.5,)).fit(data.train).summary_
