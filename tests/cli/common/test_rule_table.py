"""Rules as a table: no line is wider than the terminal, no word is broken, and the least important columns go first."""

from __future__ import annotations

import re

import pytest

from r5.cli.common.rule_table import format_rule_table
from r5.rules.rule import Rule

RULES = [
    Rule("has_read_author", ("borrowed", "written_by"), 0.83, None, 273, False, 0.938, 329, 0.843, 2.26),
    Rule("visits", ("has_read_author",), 0.25, None, 4, False, 0.08, 16, 0.29, -0.8, None, "Oak Library", "Ann Lee"),
    Rule("visits", ("borrowed", "held_by"), 0.868, None, 1263, False, 1.0, 303, 0.88, 3.49),
]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_lines_fit_and_words_are_whole(width: int) -> None:
    text = format_rule_table(RULES, width)
    assert max(map(len, text.splitlines())) <= width
    words = re.findall(r"[\w-]+", text)
    for rule in RULES:
        assert all(word in words for word in re.findall(r"[\w-]+", rule.sentence()))


def test_columns_are_left_out_from_the_least_important_one() -> None:
    titles = [format_rule_table(RULES, width).splitlines()[0].split()[1:] for width in (120, 80, 70, 60, 40)]
    whole = ["confidence", "support", "pca", "weight", "coverage"]
    assert titles[0] == whole
    assert all(row == whole[: len(row)] for row in titles)
    assert [len(row) for row in titles] == sorted((len(row) for row in titles), reverse=True)
    assert len(titles[1]) >= 3


def test_a_row_has_the_figures_of_its_rule() -> None:
    rows = format_rule_table(RULES, 140).splitlines()
    assert rows[3].split()[-5:] == ["0.868", "1,263", "0.88", "3.49", "1"]


def test_figures_that_no_rule_has_get_no_column() -> None:
    assert format_rule_table([Rule("aunt", ("mother", "sister"))], 80).splitlines() == [
        "rule",
        "aunt(X, Y) <= mother(X, Z), sister(Z, Y)",
    ]
