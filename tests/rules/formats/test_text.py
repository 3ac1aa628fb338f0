"""Names, atoms and bodies as rules show them."""

from __future__ import annotations

import pytest
from hypothesis import given

from r5.errors import R5Error
from r5.rules.formats.text import AtomReader, direct_atom, format_body, format_name, read_body
from r5.rules.ruleset import Rule
from tests.helpers.rule_strategies import BODIES, NAMES, RULES


@given(BODIES)
def test_a_body_reads_back(body: tuple[str, ...]) -> None:
    assert read_body(format_body(body)) == body


@given(NAMES)
def test_a_name_takes_one_line_and_ends_where_it_ends(name: str) -> None:
    text = format_name(name)
    assert text.isprintable()
    reader = AtomReader(f"{text}(X, Y) <= rest")
    assert reader.atom() == (name, "X", "Y")
    assert reader.sign("<=")


@given(RULES)
def test_a_rule_takes_one_line(rule: Rule) -> None:
    assert rule.text().isprintable()
    assert str(rule).isprintable()


def test_only_names_that_need_quotes_have_them() -> None:
    plain = ("father-in-law", "mother^-1", "/people/person/place_of_birth", "R_1_+", "it's", "été", "<dummy>")
    assert [format_name(name) for name in plain] == list(plain)
    assert Rule("lives in", ("born in",)).text() == '"lives in"(X, Y) <= "born in"(X, Y)'


def test_only_proper_inverses_are_turned() -> None:
    assert direct_atom("a^-1", "X", "Y") == ("a", "Y", "X")
    assert direct_atom("a^-1^-1", "X", "Y") == ("a^-1^-1", "X", "Y")
    assert direct_atom("^-1", "X", "Y") == ("^-1", "X", "Y")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected a relation, found nothing"),
        ("a b", "expected a comma or the end, found 'b'"),
        ("a,", "expected a relation, found nothing"),
        ('"a', "expected a relation, found '\"a'"),
        ('""', "not empty"),
        (r'"\q"', "not quoted as in JSON"),
        (r'"\ud800"', "surrogate"),
    ],
)
def test_a_body_that_is_none_is_refused(text: str, words: str) -> None:
    with pytest.raises(R5Error, match=words):
        read_body(text)
