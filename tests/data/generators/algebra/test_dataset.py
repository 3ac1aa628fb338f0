"""Options of the generators, tables from files, wrong edges."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import r5
from r5.data.generators.algebra.dataset import generate_algebra, generate_interval, generate_rcc8, read_algebra
from r5.errors import R5Error


def test_same_seed_same_data() -> None:
    first, again, other = (generate_rcc8(train=20, valid=2, test=5, seed=seed) for seed in (1, 1, 2))
    assert first.train == again.train and first.test == again.test
    assert first.train != other.train


def test_lengths_and_branches_come_in_turn() -> None:
    data = generate_interval(train=0, valid=0, test=12, test_lengths=(5, 6), test_branches=(1, 2))
    assert data.test.hops.tolist() == [5, 6] * 6
    assert data.rules is not None and len(data.rules) == 409


def test_wrong_edges_are_in_training_only() -> None:
    clean, noisy = (generate_rcc8(train=300, valid=0, test=20, wrong_edges=rate) for rate in (0.0, 0.2))
    assert clean.test == noisy.test
    changed = np.mean(clean.train.pool.relations != noisy.train.pool.relations)
    assert 0.15 < changed < 0.25


def test_algebra_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "days.csv"
    file.write_text("first,second,compositions\n<,<,<\n<,=,<\n=,<,<\n=,=,=\n>,>,>\n>,=,>\n=,>,>\n")
    data = generate_algebra(algebra=str(file), train=5, valid=0, test=0)
    assert data.name == "days" and len(data.train) == 5
    assert read_algebra(file).compose("<", ">") == ("<", "=", ">")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("first,second\n<,<\n", "no column 'compositions'"),
        ("first,second,compositions\n<,,<\n", "days.csv:2: expected two relations"),
        ("first,second,compositions\n<,<,<\n<,<,=\n", "days.csv:3: the pair <, < occurs twice"),
        ("first,second,compositions\n", "holds no compositions"),
    ],
)
def test_invalid_algebra_table_is_refused(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "days.csv"
    file.write_text(content)
    with pytest.raises(R5Error, match=message):
        read_algebra(file)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"algebra": "rcc5"}, "the algebras are rcc8, interval, point, directions"),
        ({"wrong_edges": 1.0}, "wrong_edges must be a number"),
        ({"test_branches": 0}, "each of test_branches must be a whole number"),
        ({"train_branches": ()}, "train_branches is empty"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(R5Error, match=message):
        r5.load("algebra", **options)


def test_algebra_without_a_definite_composition_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "vague.csv"
    file.write_text("first,second,compositions\na,a,a b\na,b,a b\nb,a,a b\nb,b,a b\n")
    with pytest.raises(R5Error, match="every query has several answers"):
        generate_algebra(algebra=str(file), train=1)
