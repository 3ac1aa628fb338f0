"""Tables of rules of AMIE: headers of its versions, its log, constants, shapes and damage."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.errors import DataError, R5Error
from r5.graph import Graph
from r5.rules.formats.amie import is_amie, read_amie
from r5.rules.formats.anyburl import write_anyburl
from r5.rules.ruleset import RuleSet

OLD = "Rule\tHead Coverage\tStd Confidence\tPCA Confidence\tPositive Examples\tBody size\tPCA Body size\tFunctional"
NEW = "Rule\tHead Coverage\tStandard Confidence\tPca Confidence\tSupport\tBody Size\tPca Body Size\tFunctional"
RULE = "?a  <mother>  ?e  ?e  <sister>  ?b   => ?a  <aunt>  ?b"


def table(*rules: str, header: str = OLD) -> str:
    return "\n".join([header, *(f"{rule}\t0.5\t0.25\t0.75\t3\t12\t4\t?a" for rule in rules)])


@pytest.mark.parametrize("header", [OLD, NEW, ""])
def test_a_rule_has_the_figures_of_its_columns(header: str) -> None:
    (rule,) = read_amie(table(RULE, header=header))
    assert (rule.head, rule.body) == ("<aunt>", ("<mother>", "<sister>"))
    assert (rule.body_probability, rule.probability, rule.pca) == (0.5, 0.25, 0.75)
    assert (rule.support, rule.predictions) == (3, 12)


def test_columns_may_stand_in_another_order() -> None:
    text = f"Rule\tSupport\tPCA Confidence\tStd Confidence\n{RULE}\t7\t0.5\t0.25"
    (rule,) = read_amie(text)
    assert (rule.support, rule.pca, rule.probability, rule.predictions) == (7, 0.5, 0.25, None)


def test_the_log_around_the_table_is_passed_over() -> None:
    text = (
        f"Loading files...\nAssuming 12 as type relation\n{table(RULE)}\nMining done in 3.5 s\nTotal time 4 s\n1 rule\n"
    )
    assert len(read_amie(text)) == 1
    assert is_amie(text)
    assert not is_amie("12\t6\t0.5\taunt(X,Y) <= child(A,X), sister(A,Y)\n")
    assert not is_amie('[\n {"head": "a", "body": ["b"]}\n]')


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("?b  likes  ?a   => ?a  knows  ?b", "knows(X, Y) <= likes^-1(X, Y)"),
        ("?c  child  ?a  ?c  lives in  ?b   => ?a  home  ?b", 'home(X, Y) <= child^-1(X, Z), "lives in"(Z, Y)'),
        ("?a lives_in ?b => ?a home ?b", "home(X, Y) <= lives_in(X, Y)"),
        ("?a  lives  New York   => ?a  speaks  English", 'speaks(X, "English") <= lives(X, "New York")'),
        ("?a  lives  ?c   => ?a  speaks  English", 'speaks(X, "English") <= lives(X, Z)'),
        ("?a  knows  Ann   => Eve  knows  ?a", 'knows^-1(X, "Eve") <= knows(X, "Ann")'),
    ],
)
def test_atoms_have_any_order_direction_and_constants(rule: str, sentence: str) -> None:
    assert [one.sentence() for one in read_amie(table(rule))] == [sentence]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"{RULE}\t0.5\thigh\t0.75\t3\t12\t4\t?a", "expected a number, found 'high'"),
        (RULE, "there is no probability"),
        (f"?a  b   => ?a  c  ?d{chr(9)}1\t1\t1\t1\t1\t1", "expected atoms such as"),
        (f"?a  b  ?c   => ?a  c  ?d  ?d  e  ?a{chr(9)}1\t1\t1\t1\t1\t1", "expected one atom after =>"),
        (f"?a  b  ?c  ?a  d  ?c   => ?a  e  ?c{chr(9)}1\t1\t1\t1\t1\t1", "in one chain"),
        (f"?a  b  Ann   => Eve  e  Ann{chr(9)}1\t1\t1\t1\t1\t1", "the head has no variable"),
    ],
)
def test_an_invalid_line_is_named(line: str, words: str) -> None:
    with pytest.raises(DataError, match=r"amie\.tsv:3: ") as error:
        read_amie(f"{table(RULE)}\n{line}", "amie.tsv")
    assert words in str(error.value)


def test_a_table_without_rules_is_an_error() -> None:
    with pytest.raises(DataError, match="has no rules"):
        read_amie(OLD)


def test_rules_can_be_counted_and_exported() -> None:
    family = Graph.from_triples(
        [("Ann", "<mother>", "Eve"), ("Tom", "<mother>", "Eve"), ("Eve", "<sister>", "Zoe"), ("Ann", "<aunt>", "Zoe")]
    )
    rules = RuleSet.of(read_amie(table(RULE)))
    (counted,) = rules.evaluate(family)
    assert (counted.predictions, counted.support, counted.pca) == (2, 1, 1)
    assert RuleSet.from_anyburl(write_anyburl(rules)).rules[0].key == counted.key


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 200), st.integers(0, 6), st.text(max_size=5))
def test_damaged_tables_are_read_or_refused(place: int, length: int, new: str) -> None:
    text = table(RULE, RULE)
    try:
        read_amie(text[:place] + new + text[place + length :], "amie.tsv")
    except R5Error as error:
        assert str(error).startswith("amie.tsv")
