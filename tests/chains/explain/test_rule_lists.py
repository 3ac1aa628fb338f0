"""Rules of a chain model as they are listed: each once, the true ones first."""

from __future__ import annotations

import numpy as np
import pytest

import r5
from r5.chains.explain.rule_lists import learned_rules
from r5.reasoners.chains import ChainReasoner
from r5.relations import inverse_name
from tests.reasoners.test_chains import GRAPH

LANDS = ("France", "Italy", "Japan", "Spain", "Kenya")


def films() -> list[tuple[str, str, str]]:
    """People born in cities of five countries, of which they are citizens, and films; a tenth of it is missing."""
    rng = np.random.default_rng(7)
    cities = {f"city{n}": LANDS[n % 5] for n in range(20)}
    people = [f"person{n}" for n in range(150)]
    facts = [(city, "located_in", land) for city, land in cities.items()]
    for person in people:
        city = str(rng.choice(list(cities)))
        facts += [(person, "born_in", city), (person, "citizen_of", cities[city])]
    for n in range(60):
        facts += [(f"film{n}", "genre", str(rng.choice(["drama", "noir"])))]
        for actor in map(str, rng.choice(people, 3, replace=False)):
            facts += [(f"film{n}", "has_actor", actor), (actor, "acted_in", f"film{n}")]
    return [facts[n] for n in rng.permutation(len(facts))[len(facts) // 10 :].tolist()]


def with_constants(model: ChainReasoner) -> ChainReasoner:
    """Return a model of the rules of a model of films, and a rule with constants for each city and country."""
    cities = [city for city, relation, _ in films() if relation == "located_in"]
    rules = [r5.Rule("citizen_of", ("born_in",), target=land, ending=city) for land in LANDS for city in cities]
    rules += [r5.Rule("citizen_of", (), target=land) for land in LANDS]
    return ChainReasoner.from_rules(r5.RuleSet.of([*model.rules_, *rules]), model.graph_)


@pytest.fixture(scope="module")
def model() -> ChainReasoner:
    return ChainReasoner(seed=0).fit(r5.Graph.from_triples(films()))


def test_obviously_true_rules_come_first(model: ChainReasoner) -> None:
    first = [str(rule) for rule in list(model.rules_)[:5]]
    assert first[0] == "citizen_of <= born_in, located_in"
    assert {"acted_in <= has_actor^-1", "has_actor <= acted_in^-1", "located_in <= born_in^-1, citizen_of"} < set(first)


@pytest.fixture(scope="module")
def mixed(model: ChainReasoner) -> ChainReasoner:
    return with_constants(model)


def test_chain_rules_come_before_rules_with_constants(mixed: ChainReasoner) -> None:
    kinds = [rule.target is not None for rule in mixed.rules_]
    assert kinds == sorted(kinds)
    assert set(kinds) == {False, True}


@pytest.mark.parametrize("symmetric", [False, True])
def test_a_rule_and_its_mirror_image_are_listed_once(model: ChainReasoner, symmetric: bool) -> None:
    """With relations that are symmetric (spouse, sibling) mirror images have the same head."""
    found = ChainReasoner(seed=0).fit(GRAPH) if symmetric else model
    own = {"spouse", "sibling"} if symmetric else set()
    chains = {(rule.head, rule.body) for rule in found.rules_ if rule.target is None}
    assert not any(head.endswith("^-1") for head, _ in chains)

    def mirror(name: str) -> str:
        return name if name in own else inverse_name(name)

    for head, body in chains:
        other = mirror(head), tuple(mirror(name) for name in reversed(body))
        assert other == (head, body) or other not in chains
    graph = found._scorer.graph
    for step, target in found.model_.targets.items():
        listed = sum(head == graph.name(step) for head, _ in chains)
        learned = sum(body != (step,) or graph.name(step) in own for body in target.bodies)
        if graph.name(step) in own:
            assert (step,) in target.bodies
            assert learned / 2 <= listed < learned
        else:
            assert listed == (0 if graph.name(step).endswith("^-1") else learned)


def test_the_number_of_rules_is_that_of_the_rules_listed(model: ChainReasoner) -> None:
    assert model.number_of_rules == model.summary_["rules"] == len(model.rules_)
    assert len({rule.key for rule in model.rules_}) == len(model.rules_)


def test_half_of_the_places_are_for_rules_with_constants(model: ChainReasoner) -> None:
    graph = model._scorer.graph
    every = model.rules_
    for most in (1, 50, 51, len(every) - 1):
        rules = learned_rules(graph, model.model_, most)
        chains = rules.filter(constants=False)
        assert len(rules) == most
        assert len(chains) >= min((most + 1) // 2, len(every.filter(constants=False)))
        least = min(abs(rule.weight or 0) for rule in chains)
        left = {rule.key for rule in every.filter(constants=False)} - {rule.key for rule in chains}
        assert all(abs(rule.weight or 0) <= least for rule in every if rule.key in left)


def test_fewer_rules_listed_leave_the_number_as_it_is() -> None:
    few = ChainReasoner(seed=0, listed_rules=10).fit(GRAPH)
    assert (len(few.rules_), few.number_of_rules) == (10, ChainReasoner(seed=0).fit(GRAPH).number_of_rules)
    assert few.summary_["rules"] == few.number_of_rules > 10


def test_a_rule_switched_off_says_nothing_from_either_end(model: ChainReasoner) -> None:
    rule = next(rule for rule in model.rules_ if str(rule) == "citizen_of <= born_in, located_in")
    born, lies = ({a: b for a, name, b in films() if name == kind} for kind in ("born_in", "located_in"))
    person = next(a for a, kind, b in films() if kind == "citizen_of" and lies.get(born.get(a, "")) == b)
    for given in (rule, r5.Rule("citizen_of^-1", ("located_in^-1", "born_in^-1"))):
        without = model.without_rules([given])
        for query in ({"head": person}, {"tail": "Italy"}):
            used = [
                {reason.rule.body for reason in answer.reasons if reason.kind == "rule" and reason.weight}
                for one in (model, without)
                for answer in one.complete(relation="citizen_of", top=1, known=True, explain=True, **query)
            ]
            bodies = {("born_in", "located_in"), ("located_in^-1", "born_in^-1")}
            assert used[0] & bodies
            assert not used[1] & bodies
