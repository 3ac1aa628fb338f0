"""Rules as text, read back."""

from __future__ import annotations

import pytest
from hypothesis import assume, given

from r5.errors import DataError
from r5.rules.formats.sentences import is_sentences, read_sentences
from r5.rules.ruleset import Rule, RuleSet
from tests.helpers.rule_strategies import RULES


@given(RULES)
def test_a_rule_reads_back_up_to_its_rounded_figures(rule: Rule) -> None:
    figures = (rule.weight, rule.probability, rule.score, rule.support, rule.pca)
    assume(all(value is None or abs(value) < 1e300 for value in figures))  # no rounding to infinity
    (read,) = read_sentences(rule.text())
    assert read.key == rule.key
    assert read.sentence() == rule.sentence()
    for name in ("weight", "probability", "score", "support", "pca"):
        value, shown = getattr(rule, name), getattr(read, name)
        assert (value is None) == (shown is None)
        assert value is None or shown == pytest.approx(value, rel=0.01, abs=0.01)


@given(RULES)
def test_rules_are_recognised(rule: Rule) -> None:
    assert is_sentences(rule.text())
    assert not is_sentences(RuleSet.of([rule]).to_anyburl())
    assert not is_sentences(RuleSet.of([rule]).to_json())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("aunt(X, Y)", "expected <= after the head"),
        ("aunt(X, Y) <= true", "expected two arguments"),
        ("aunt(X, Y) <= father(X, Y) best", "expected a comma, a figure such as support=3, or the end"),
        ("aunt(X, Y) <= father(X, Y)   p=high", "expected a number after p=, found 'high'"),
        ("aunt(X, Y) <= father(X, Y)   heat=3", "expected figures such as p=0.5 support=3, found 'heat'"),
        ("aunt(X, Y) <= father(X, Z)", "in one chain"),
        ("aunt(X, zoe) <= father(X, Z)", "expected a variable or a name in double quotes, found 'zoe'"),
    ],
)
def test_an_invalid_line_is_named(line: str, words: str) -> None:
    with pytest.raises(DataError) as error:
        read_sentences(f"a(X, Y) <= b(X, Y)\n{line}", "rules.txt")
    assert str(error.value).startswith("rules.txt:2: ")
    assert words in str(error.value)
