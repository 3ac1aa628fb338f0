"""Held-out examples, and longer examples composed of them."""

from __future__ import annotations

from r5.baselines.networks.held_out import compose_longer, hold_out
from r5.examples import Example
from tests.helpers.relatives import RULES, chain, examples


def path_of(example: Example) -> list[str]:
    """Return the relations of an example whose facts are one chain from source to target."""
    at, relations = example.source, []
    for head, relation, tail in example.graph.triples():
        assert head == at
        at = tail
        relations.append(relation)
    assert at == example.target
    return relations


def derived(relations: list[str]) -> str:
    """Return the relation that rules of two relations derive from a chain, in any order of merges."""
    rules = {tuple(body.split()): head for body, head in RULES.items() if len(body.split()) == 2}
    known = {tuple(relations)}
    while known:
        path = known.pop()
        if len(path) == 1:
            return path[0]
        for place in range(len(path) - 1):
            head = rules.get((path[place], path[place + 1]))
            if head is not None:
                known.add((*path[:place], head, *path[place + 2 :]))
    return ""


def test_longer_examples_derive_their_answer() -> None:
    found = compose_longer(examples([chain(body, head) for body, head in RULES.items()]), seed=0)
    assert len(found) > 100
    for example in found:
        path = path_of(example)
        assert 3 < len(path) <= 6
        assert derived(path) == example.answer_name


def test_no_longer_examples_if_no_answer_is_the_relation_of_a_fact() -> None:
    assert len(compose_longer(examples([chain("father sister", "aunt")]), seed=0)) == 0
    assert len(compose_longer(examples([chain("father sister", "aunt")])[:0], seed=0)) == 0


def test_a_tenth_is_held_out() -> None:
    every = examples([chain(f"father r{n}", "aunt") for n in range(40)])
    train, held = hold_out(every, seed=1)
    assert (len(train), len(held)) == (36, 4)
    names = {some.graph.triples()[1][1] for part in (train, held) for some in part}
    assert len(names) == 40
    again, same = hold_out(every, seed=1)
    assert (train, held) == (again, same)
