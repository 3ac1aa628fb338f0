"""First names tell the sex."""

from __future__ import annotations

import pytest

from r5.data.generators.kinship.first_names import FIRST_NAMES, gender_of
from r5.errors import R5Error


def test_each_name_has_one_sex() -> None:
    assert not set(FIRST_NAMES["male"]) & set(FIRST_NAMES["female"])
    for sex, names in FIRST_NAMES.items():
        assert len(set(names)) == len(names) > 70
        assert {gender_of(f"{name}{number}") for name in names for number in ("", 2, 13)} == {sex}


@pytest.mark.parametrize("name", ["Xyz", "", "2", "alice"])
def test_unknown_first_name_is_refused(name: str) -> None:
    with pytest.raises(R5Error, match=f"'{name}' is not a first name"):
        gender_of(name)
