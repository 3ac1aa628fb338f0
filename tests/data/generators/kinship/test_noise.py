"""Further edges of each of CLUTRR's kinds stand to the chain as they should."""

from __future__ import annotations

import numpy as np
import pytest

from r5.data.generators.kinship.algebra import compose
from r5.data.generators.kinship.chains import Family
from r5.data.generators.kinship.dataset import generate_kinship
from r5.data.generators.kinship.genealogy import draw_genealogy
from r5.data.generators.kinship.noise import NOISE


def noisy(kind: str) -> list[tuple[list[str], list[tuple[str, str, str]]]]:
    """The chain's people and the further edges of each example."""
    data = generate_kinship(seed=4, train=60, valid=0, test=4, noise=kind, families=6)
    examples = [*data.train, *data.test]
    return [
        ([e.graph.entities[node] for node in e.resolution], e.graph.triples()[len(e.descriptor) :]) for e in examples
    ]


def test_clean_has_no_further_edges() -> None:
    assert all(not further for _, further in noisy("clean"))


def test_supporting_edges_are_a_detour_between_neighbours() -> None:
    for people, further in noisy("supporting"):
        (start, first, middle), (again, second, end) = further
        assert middle == again and middle not in people
        assert people.index(end) == people.index(start) + 1
        assert compose(first, second) is not None


def test_irrelevant_edges_leave_the_chain_and_never_come_back() -> None:
    for people, further in noisy("irrelevant"):
        assert 1 <= len(further) <= len(people) // 2
        assert further[0][0] in people
        assert not {target for _, _, target in further} & set(people)


def test_disconnected_edges_never_touch_the_chain() -> None:
    for people, further in noisy("disconnected"):
        assert further
        assert not {name for source, _, target in further for name in (source, target)} & set(people)


def test_noise_of_several_kinds_is_mixed() -> None:
    data = generate_kinship(train=80, valid=0, test=0, noise=["clean", "disconnected"])
    further = [example.graph.number_of_edges > example.hops for example in data.train]
    assert 20 < sum(further) < 60


@pytest.mark.parametrize("kind", ["supporting", "irrelevant", "disconnected"])
def test_noise_without_unused_people_is_none(kind: str) -> None:
    family = Family(draw_genealogy(np.random.default_rng(0), generations=2, children=1))
    child = 2
    father = int(family.genealogy.fathers[child])
    mother = int(family.genealogy.mothers[child])
    assert NOISE[kind](family, [child, father, mother], np.random.default_rng(0)) is None
