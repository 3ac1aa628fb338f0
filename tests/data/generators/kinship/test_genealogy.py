"""Family trees: they keep to the conventions, and relations are read from them correctly."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from r5._util.arrays import as_int_array
from r5.data.generators.kinship.algebra import RELATIONS
from r5.data.generators.kinship.first_names import FIRST_NAMES, gender_of
from r5.data.generators.kinship.genealogy import Genealogy, draw_genealogy

families = st.builds(
    lambda seed, generations, children, in_laws: draw_genealogy(
        np.random.default_rng(seed), generations=generations, children=children, in_laws=in_laws
    ),
    st.integers(0, 10_000),
    st.integers(2, 5),
    st.integers(1, 7),
    st.sampled_from([0.0, 0.5, 1.0]),
)


@settings(max_examples=30, deadline=None)
@given(families)
def test_people_have_two_married_parents_and_marry_no_kin(family: Genealogy) -> None:
    """Two parents, married, of the generation before; marriages of one man and one woman; nobody marries kin."""
    assert len(set(family.names)) == len(family.names)
    for person, spouse in enumerate(family.spouses.tolist()):
        if spouse >= 0:
            assert family.spouses[spouse] == person
            assert family.male[person] != family.male[spouse]
            assert family.generations[person] == family.generations[spouse]
    for person, (father, mother) in enumerate(zip(family.fathers.tolist(), family.mothers.tolist(), strict=True)):
        assert (father < 0) == (mother < 0)
        if father >= 0:
            assert family.male[father] and not family.male[mother]
            assert family.spouses[father] == mother
            assert family.generations[father] == family.generations[mother] == family.generations[person] - 1
    assert [gender_of(name) == "male" for name in family.names] == family.male.tolist()


@settings(max_examples=20, deadline=None)
@given(families)
def test_genealogy_is_a_tree_of_people_and_marriages(family: Genealogy) -> None:
    """Each person is tied to at most two couples, as child and as spouse: one tie fewer than there are knots."""
    couples = {(min(p, s), max(p, s)) for p, s in enumerate(family.spouses.tolist()) if s >= 0}
    ties = 2 * len(couples) + int((family.fathers >= 0).sum())
    assert ties == len(family.names) + len(couples) - 1


def test_kinship_of_a_small_family_matches_the_known_relations() -> None:
    """Adam and Eva have Tom and Ruth; Tom marries Nora, whose father is Hugo (of Hugo and Ida); they have Leo."""
    names = ("Adam", "Eva", "Tom", "Ruth", "Nora", "Hugo", "Ida", "Leo")
    family = Genealogy(
        names,
        male=np.array([gender_of(name) == "male" for name in names]),
        fathers=as_int_array([-1, -1, 0, 0, 5, -1, -1, 2]),
        mothers=as_int_array([-1, -1, 1, 1, 6, -1, -1, 4]),
        spouses=as_int_array([1, 0, 4, -1, 2, 6, 5, -1]),
        generations=as_int_array([0, 0, 1, 1, 1, 0, 0, 2]),
    )
    kin = family.kinship()
    relations = list(RELATIONS)

    def of(name: str) -> dict[str, str]:
        row = kin[names.index(name)].tolist()
        return {other: relations[number] for other, number in zip(names, row, strict=True) if number >= 0}

    assert of("Leo") == {
        **{"Tom": "father", "Nora": "mother", "Ruth": "aunt"},
        **{"Adam": "grandfather", "Eva": "grandmother", "Hugo": "grandfather", "Ida": "grandmother"},
    }
    assert of("Ruth") == {"Adam": "father", "Eva": "mother", "Tom": "brother", "Leo": "nephew"}
    assert of("Tom") == {
        **{"Adam": "father", "Eva": "mother", "Ruth": "sister", "Nora": "wife", "Leo": "son"},
        **{"Hugo": "father-in-law", "Ida": "mother-in-law"},
    }
    assert of("Ida") == {"Hugo": "husband", "Nora": "daughter", "Tom": "son-in-law", "Leo": "grandson"}
    assert of("Adam")["Nora"] == "daughter-in-law"


def test_names_are_numbered_when_the_list_is_used_up() -> None:
    family = draw_genealogy(np.random.default_rng(0), generations=6, children=30)
    assert len(family.names) > sum(map(len, FIRST_NAMES.values()))
    assert any(name.endswith("2") for name in family.names)
