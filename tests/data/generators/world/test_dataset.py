"""Generated worlds: answers follow from the rules, splits share no descriptor, options do what they say."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.data.generators.world.dataset import generate_world
from r5.dataset import SPLITS, Dataset
from r5.errors import R5Error
from r5.rules.ruleset import Rule, RuleSet
from tests.oracle.merging import derived

SMALL = {"train": 60, "valid": 12, "test": 24}
CHAIN = RuleSet.of([Rule("a", ("a", "b")), Rule("a", ("c", "a"))])
"""Sequences c..c a b..b, of which there are as many as relations; each is an a."""


def descriptors(data: Dataset, split: str) -> list[tuple[str, ...]]:
    return [data.vocabulary.names(row) for row in data.split(split).descriptors.rows()]


def wrong_share(data: Dataset) -> float:
    """Return the share of wrong edges on the resolution paths."""
    wrong = total = 0
    for example in data.train:
        between = {(s, t): r for s, r, t in example.graph.triples()}
        names = [example.graph.entities[node] for node in example.resolution]
        shown = [between[step] for step in pairwise(names)]
        wrong += sum(a != b for a, b in zip(shown, data.vocabulary.names(example.descriptor), strict=True))
        total += len(shown)
    return wrong / total


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 2**40),
    relations=st.integers(5, 12),
    inverses=st.sampled_from([0, 0.3, 1.0]),
    wrong=st.sampled_from([0.0, 0.3]),
)
def test_answers_follow_from_the_rules(seed: int, relations: int, inverses: float, wrong: float) -> None:
    data = generate_world(seed=seed, relations=relations, inverses=inverses, wrong_edges=wrong, rules=18, **SMALL)
    assert [len(data.split(split)) for split in SPLITS] == [60, 12, 24]
    assert len(data.rules.with_body_of(1)) == round(relations * inverses)
    for split in SPLITS:
        for example in data.split(split):
            assert derived(data.vocabulary.names(example.descriptor), data.rules) == {example.answer_name}


def test_default_world_has_disjoint_descriptors_and_default_lengths() -> None:
    data = generate_world()
    train, valid, test = (set(descriptors(data, split)) for split in SPLITS)
    assert not train & test and not train & valid and not valid & test
    assert Counter(data.train.hops.tolist()) == dict.fromkeys((2, 3, 4, 5), 250)
    assert sorted(set(data.valid.hops.tolist())) == [3, 4, 5]
    assert sorted(set(data.test.hops.tolist())) == [3, 4, 5, 6, 7, 8]
    assert {rule.body for rule in data.rules.with_body_of(2)} <= train
    assert set(data.test.answers.tolist()) <= set(data.train.answers.tolist())
    assert wrong_share(data) == 0


def test_same_seed_same_world() -> None:
    options = {"wrong_edges": 0.2, **SMALL}
    assert generate_world(seed=8, **options) == generate_world(seed=8, **options)
    assert generate_world(seed=8, **options) != generate_world(seed=9, **options)


@pytest.mark.parametrize("systematic", [True, False])
def test_share_of_wrong_edges_is_the_given_rate(systematic: bool) -> None:
    data = generate_world(wrong_edges=0.15, systematic=systematic, train=1000, valid=0, test=0)
    assert wrong_share(data) == pytest.approx(0.15, abs=0.02)


def test_ambiguous_descriptors_on_request() -> None:
    rules = RuleSet.of([Rule("c", ("a", "b")), Rule("d", ("b", "a")), Rule("e", ("c", "a")), Rule("f", ("a", "d"))])
    sizes = {"train": 40, "valid": 0, "test": 0, "train_lengths": 3}
    with pytest.raises(R5Error, match=r"no relation sequence of length 3 is left for the split train.*ambiguous"):
        generate_world(rules=rules, **sizes)
    data = generate_world(rules=rules, ambiguous=True, **sizes)
    answers = Counter(zip(descriptors(data, "train"), [e.answer_name for e in data.train], strict=True))
    assert set(answers) == {(("a", "b", "a"), "e"), (("a", "b", "a"), "f")}
    assert min(answers.values()) > 8


def test_few_descriptors_recur_in_many_graphs() -> None:
    data = generate_world(rules=CHAIN, train=50, valid=0, test=6, train_lengths=(3, 4), test_lengths=(3, 4))
    train, test = Counter(descriptors(data, "train")), Counter(descriptors(data, "test"))
    assert set(train) | set(test) == {tuple(s) for s in ("abb", "cab", "cca", "abbb", "cabb", "ccab", "ccca")}
    assert not set(train) & set(test)
    assert min(train.values()) >= 8
    graphs = {tuple(example.graph.triples()) for example in data.train}
    assert len(graphs) > 30


def test_number_of_sequences_can_be_limited() -> None:
    data = generate_world(sequences=6, train=60, valid=20, test=60)
    by_length = Counter(len(s) for s in set().union(*(descriptors(data, split) for split in SPLITS)))
    assert set(by_length.values()) == {6}


def test_absent_length_is_left_out() -> None:
    rules = RuleSet.of([Rule("c", ("a", "b")), Rule("d", ("c", "b")), Rule("e", ("b", "b"))])
    data = generate_world(rules=rules, train=20, valid=0, test=4, train_lengths=(2, 7), test_lengths=(3, 9))
    assert set(data.train.hops.tolist()) == {2}
    assert set(descriptors(data, "test")) == {("a", "b", "b")}


def test_paths_of_30_edges_are_drawn() -> None:
    data = generate_world(train=10, valid=0, test=10, test_lengths=(30,))
    assert data.test.hops.tolist() == [30] * 10


def test_splits_may_be_empty() -> None:
    data = generate_world(train=0, valid=0, test=5)
    assert [len(data.split(split)) for split in SPLITS] == [0, 0, 5]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "seed must be"),
        ({"train": "many"}, "train must be a whole number of at least 0, not 'many'"),
        ({"relations": 1}, "relations must be a whole number from 2 to 1000"),
        ({"rules": 0}, "rules must be"),
        ({"relations": 3, "inverses": 0, "rules": 10}, "allow at most 9 rules, not 10"),
        ({"inverses": 2}, "inverses must be a number from 0 to 1, not 2"),
        ({"wrong_edges": 1}, "wrong_edges must be a number from 0 to less than 1, not 1"),
        ({"wrong_edges": -0.5}, "wrong_edges must be"),
        ({"side_edges": float("nan")}, "side_edges must be"),
        ({"train_lengths": (1,)}, "each of train_lengths must be a whole number from 2 to 100, not 1"),
        ({"test_lengths": []}, "test_lengths is empty"),
        ({"sequences": 0}, "sequences must be"),
        ({"relations": 3, "rules": 1}, "no relation sequence of length 3, 4, 5, 6, 7, 8 is left for the split test"),
        ({"rules": CHAIN, "train_lengths": 2, "test_lengths": 2}, "split valid: the rules give 2"),
    ],
)
def test_invalid_options_are_refused(options: dict, message: str) -> None:
    with pytest.raises(R5Error, match=message):
        generate_world(**{**SMALL, **options})
