"""The algebra of kinship on known answers, and against families: no rule ever fails, and no other would hold."""

from __future__ import annotations

import ast
import csv
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from r5.data.generators.kinship.algebra import EDGE_RELATIONS, RELATIONS, compose, composition_rules, positions
from r5.data.generators.kinship.genealogy import draw_genealogy
from r5.errors import R5Error


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ("father", "mother", "grandmother"),
        ("mother", "brother", "uncle"),
        ("sister", "daughter", "niece"),
        ("daughter", "husband", "son-in-law"),
        ("wife", "father", "father-in-law"),
        ("son", "mother", "wife"),
        ("uncle", "father", "grandfather"),
        ("son", "nephew", "grandson"),
        ("father", "mother-in-law", "grandmother"),
        ("grandmother", "son", None),  # a father or an uncle
        ("grandson", "father", None),  # a son or a son-in-law
        ("daughter", "uncle", None),  # a brother or the spouse's brother
        ("brother", "wife", None),  # has no name among the twenty
        ("father", "husband", None),
        ("husband", "wife", None),
    ],
)
def test_composition_of_kinship_relations_is_known(first: str, second: str, together: str | None) -> None:
    assert compose(first, second) == together


def test_an_unknown_relation_is_refused() -> None:
    with pytest.raises(R5Error, match="unknown relation 'boss'"):
        compose("father", "boss")


def test_relations_are_those_of_clutrr() -> None:
    assert len(RELATIONS) == 20
    assert set(RELATIONS) - set(EDGE_RELATIONS) == {
        *("nephew", "niece", "father-in-law", "mother-in-law", "son-in-law", "daughter-in-law")
    }


def test_positions_do_not_depend_on_which_steps_are_merged_first() -> None:
    for steps in product("pcsm", repeat=3):
        left = set().union(*(positions(start + steps[2]) for start in positions(steps[0] + steps[1])))
        right = set().union(*(positions(steps[0] + rest) for rest in positions(steps[1] + steps[2])))
        assert left == right == positions("".join(steps)), steps


def test_rules_hold_in_every_family_and_no_other_pair_has_one_answer() -> None:
    """Over many families, what a body was seen to lead to is what the algebra says: always, or nothing certain."""
    names = list(RELATIONS)
    seen: dict[tuple[str, str], set[str | None]] = {}
    for seed in range(12):
        kin = draw_genealogy(np.random.default_rng(seed), in_laws=0.7).kinship()
        related = [np.flatnonzero(row >= 0) for row in kin]
        for one in range(len(kin)):
            for two in related[one].tolist():
                for three in related[two].tolist():
                    if three != one:
                        body = names[kin[one, two]], names[kin[two, three]]
                        answer = kin[one, three]
                        seen.setdefault(body, set()).add(names[answer] if answer >= 0 else None)
    for body, answers in seen.items():
        assert answers == {compose(*body)} or (compose(*body) is None and (len(answers) > 1 or None in answers)), body
    assert {rule.body for rule in composition_rules()} <= set(seen)


def test_rules_over_a_marriage_and_back_are_left_out() -> None:
    left_out = {pair for pair in product(RELATIONS, repeat=2) if compose(*pair)} - {r.body for r in composition_rules()}
    assert ("son-in-law", "wife") in left_out
    assert len(left_out) == 10
    assert all(RELATIONS[a].steps[-1] + RELATIONS[b].steps[0] == "mm" for a, b in left_out)


def test_agrees_with_clutrr_where_both_are_certain(real_data: Path) -> None:
    path = real_data / "clutrr" / "data_089907f8" / "1.2,1.3_train.csv"
    agree, silent = 0, set()
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            body = ast.literal_eval(row["edge_types"])
            if len(body) == 2:
                together = compose(*body)
                assert together in (row["target"], None), (body, row["target"])
                agree += together is not None
                silent |= {tuple(body)} if together is None else set()
    assert agree > 4000
    # CLUTRR takes a child's grandparents, uncles and aunts for one's own parents, brothers and sisters.
    assert silent == set(product(("son", "daughter"), ("grandfather", "grandmother", "uncle", "aunt")))
