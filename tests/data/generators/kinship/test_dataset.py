"""Generated kinship data: true to the families' rules, learnable from training, reproducible."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.data.generators.kinship.algebra import EDGE_RELATIONS, compose
from r5.data.generators.kinship.dataset import generate_kinship
from r5.dataset import SPLITS, Dataset
from r5.errors import R5Error
from r5.examples import Example
from r5.rules.ruleset import RuleSet
from tests.oracle.merging import derived


@lru_cache(maxsize=1)
def default() -> Dataset:
    return generate_kinship(seed=3)


def descriptors(data: Dataset, split: str) -> set[tuple[str, ...]]:
    return {data.vocabulary.names(row) for row in data.split(split).descriptors.rows()}


def check(example: Example, rules: RuleSet) -> None:
    """The chain is a simple path of told edges, in story order, and every way to merge it gives the answer."""
    graph = example.graph
    names = graph.vocabulary.names(example.descriptor)
    chain = [graph.entities[node] for node in example.resolution]
    story = list(zip(chain, names, chain[1:], strict=False))
    assert graph.triples()[: len(story)] == story
    assert len(set(chain)) == len(chain)
    assert (chain[0], chain[-1]) == (example.source, example.target)
    assert derived(names, rules) == {example.answer_name}
    assert {relation for _, relation, _ in graph.triples()} <= set(EDGE_RELATIONS)


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 2**40),
    noise=st.sampled_from(["clean", "supporting", "irrelevant", "disconnected", ("clean", "supporting")]),
    generations=st.integers(3, 5),
)
def test_every_answer_follows_from_the_rules(seed: int, noise: str, generations: int) -> None:
    sizes = {"train": 30, "valid": 6, "test": 2, "test_hops": (4, 6, 8)}
    data = generate_kinship(seed=seed, noise=noise, generations=generations, families=4, **sizes)
    assert [len(data.split(split)) for split in SPLITS] == [30, 6, 6]
    for split in SPLITS:
        for example in data.split(split):
            check(example, data.rules)


def test_default_data_has_the_documented_sizes_and_lengths() -> None:
    data = default()
    assert Counter(data.train.hops.tolist()) == {2: 1000, 3: 1000}
    assert Counter(data.valid.hops.tolist()) == {3: 200}
    assert Counter(data.test.hops.tolist()) == dict.fromkeys(range(4, 11), 100)
    assert len(data.vocabulary) == 20
    assert len(set(data.train.answers.tolist())) == 20
    for example in data.test[::7]:
        check(example, data.rules)


def test_training_shows_every_rule() -> None:
    """The rules without hidden relations as chains of two; each other one in a way to merge some chain of three."""
    data = default()
    shown = set()
    for chain in descriptors(data, "train"):
        if len(chain) == 2:
            shown.add(chain)
        else:
            one, two, three = chain
            left, right = compose(one, two), compose(two, three)
            shown |= {(left, three)} if left else set()
            shown |= {(one, right)} if right else set()
    assert {rule.body for rule in data.rules} <= shown


def test_two_hop_rules_are_enough_for_every_test_example() -> None:
    data = default()
    told = RuleSet.of(rule for rule in data.rules if rule.body in descriptors(data, "train"))
    assert len(told) == 70
    for example in data.test:
        assert derived(data.vocabulary.names(example.descriptor), told) == {example.answer_name}


def test_no_sequence_is_in_two_splits() -> None:
    overlapping = generate_kinship(seed=1, train=600, valid=60, test=30, train_hops=(2, 3, 4), test_hops=(2, 3, 4, 5))
    for data in (default(), overlapping):
        train, valid, test = (descriptors(data, split) for split in SPLITS)
        assert not train & test
        assert not train & valid
        assert not valid & test


def test_split_does_not_depend_on_the_size_of_others() -> None:
    small = generate_kinship(seed=5, train=50, valid=0, test=3)
    large = generate_kinship(seed=5, train=90, valid=0, test=3)
    assert [e.graph.triples() for e in small.test] == [e.graph.triples() for e in large.test]


def test_same_seed_same_data() -> None:
    options = {"train": 60, "valid": 10, "test": 3, "noise": ("supporting", "irrelevant", "disconnected")}
    assert generate_kinship(seed=2, **options) == generate_kinship(seed=2, **options)
    assert generate_kinship(seed=2, **options) != generate_kinship(seed=3, **options)


def test_chains_of_25_edges_are_drawn() -> None:
    data = generate_kinship(train=0, valid=0, test=2, test_hops=(25,), families=3)
    for example in data.test:
        assert example.hops == 25
        assert len(set(example.resolution)) == 26


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "seed must be a whole number of at least 0, not -1"),
        ({"train": -5}, "train must be"),
        ({"test": 1.5}, "test must be a whole number"),
        ({"train_hops": (1, 2)}, "each of train_hops must be a whole number from 2 to 100, not 1"),
        ({"test_hops": ()}, "test_hops is empty"),
        ({"valid_hops": "3"}, "each of valid_hops"),
        ({"noise": "loud"}, "unknown noise 'loud'; expected clean, supporting"),
        ({"noise": ()}, "unknown noise"),
        ({"families": 0}, "families must be"),
        ({"generations": 1}, "generations must be a whole number from 2 to 8"),
        ({"children": 0}, "children must be"),
        ({"children": 1}, "no chain of . hops"),
    ],
)
def test_invalid_options_are_refused(options: dict, message: str) -> None:
    with pytest.raises(R5Error, match=message):
        generate_kinship(**{"train": 20, "valid": 2, "test": 1, **options})
