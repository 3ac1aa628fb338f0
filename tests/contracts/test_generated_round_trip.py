"""Generated data sets read back from the formats of CLUTRR and GraphLog."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.data.formats.examples.clutrr import load_clutrr, write_clutrr
from r5.data.formats.examples.graphlog import load_graphlog, write_graphlog
from r5.data.generators.kinship.dataset import generate_kinship
from r5.data.generators.kinship.first_names import gender_of
from r5.data.generators.world.dataset import generate_world
from r5.dataset import SPLITS, Dataset

NOISE = ("clean", "supporting", "irrelevant", "disconnected", ["clean", "irrelevant"])

kinship = st.builds(
    generate_kinship,
    seed=st.integers(0, 10_000),
    train=st.integers(1, 12),
    valid=st.integers(0, 4),
    test=st.integers(0, 2),
    train_hops=st.sampled_from([(2, 3), (3, 5)]),
    test_hops=st.sampled_from([(4, 5), (3, 10)]),
    noise=st.sampled_from(NOISE),
    families=st.just(3),
)
worlds = st.builds(
    generate_world,
    seed=st.integers(0, 10_000),
    inverses=st.sampled_from([0, 0.5, 1]),
    train=st.integers(1, 12),
    valid=st.integers(0, 4),
    test=st.integers(0, 6),
    side_edges=st.sampled_from([0, 5]),
    wrong_edges=st.sampled_from([0, 0.4]),
    ambiguous=st.booleans(),
)


def genders(data: Dataset) -> dict[str, str] | None:
    people = {name for split in SPLITS for name in data.split(split).pool.entities}
    return {name: gender_of(name) for name in people} if data.name == "kinship" else None


@pytest.mark.parametrize("style", ["clutrr", "graphlog"])
@settings(max_examples=12, deadline=None)
@given(data=st.one_of(kinship, worlds))
def test_generated_data_reads_back(style: str, data: Dataset) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "data"
        if style == "clutrr":
            write_clutrr(data, place, genders=genders(data))
            again = load_clutrr(place)
        else:
            write_graphlog(data, place)
            again = load_graphlog(place)
    assert again == data
