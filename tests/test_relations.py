"""Vocabulary: names, ids, invented relations."""

from __future__ import annotations

import pytest

from r5._util.ordering import natural_key
from r5.errors import R5Error
from r5.relations import Vocabulary, inverse_name


def test_known_come_in_natural_order_whatever_the_order_given() -> None:
    words = Vocabulary.of(["R_10", "R_2", "R_2", "aunt"])
    assert words.known == ("R_2", "R_10", "aunt")
    assert Vocabulary.of(reversed(words.known)) == words


def test_numbers_inside_names_sort_as_numbers() -> None:
    assert sorted(["r_10", "r_9", "r_9a", "r"], key=natural_key) == ["r", "r_9", "r_9a", "r_10"]


def test_invented_relations_follow_the_known_and_avoid_their_names() -> None:
    words = Vocabulary.of(["invented_0", "son"]).with_invented(2)
    assert words.invented == ("invented_1", "invented_2")
    assert [words.id(name) for name in words] == [0, 1, 2, 3]
    assert words.names(range(4)) == tuple(words)


def test_with_known_keeps_ids() -> None:
    words = Vocabulary.of(["son"]).with_known("aunt", "son", "aunt")
    assert words.known == ("son", "aunt")
    assert words.with_known("son") is words


@pytest.mark.parametrize("name", ["mother", "R_1_+", "^-1x"])
def test_inverse_of_inverse_is_the_relation(name: str) -> None:
    assert inverse_name(name) != name
    assert inverse_name(inverse_name(name)) == name


def test_unknown_names_and_ids_are_told_plainly() -> None:
    words = Vocabulary.of([f"r{i}" for i in range(7)])
    with pytest.raises(R5Error, match="unknown relation 'sun'; known: r0, r1, r2, r3, r4, \\.\\.\\."):
        words.id("sun")
    with pytest.raises(R5Error, match="known: none"):
        Vocabulary(()).id("sun")
    with pytest.raises(R5Error, match="no relation has the id 7"):
        words.name(7)


def test_a_vocabulary_refuses_doubles_and_empty_names() -> None:
    with pytest.raises(R5Error, match="'a' is listed twice"):
        Vocabulary(("a", "b"), ("a",))
    with pytest.raises(R5Error, match="empty name"):
        Vocabulary(("",))
