"""Rules as CSV."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import example, given

from r5.errors import DataError
from r5.rules.formats.csv import read_csv
from r5.rules.formats.text import read_body
from r5.rules.ruleset import Rule, RuleSet
from tests.helpers.rule_strategies import RULE_SETS


@given(RULE_SETS)
@example(RuleSet.of([Rule("carriage\rreturn", ("a", "b\r"))]))
def test_a_reader_of_csv_finds_the_same_rules(rules: RuleSet) -> None:
    rows = list(csv.DictReader(io.StringIO(rules.to_csv(), newline="")))
    assert len(rows) == len(rules)
    for row, rule in zip(rows, rules, strict=True):
        assert (row["head"], read_body(row["body"]) if row["body"] else ()) == (rule.head, rule.body)
        assert (row["target"] or None, row["ending"] or None) == (rule.target, rule.ending)
        assert row["invented"] == str(rule.invented).lower()
        for key in ("weight", "probability", "score", "support", "predictions", "body_probability", "pca"):
            assert (float(row[key]) if row[key] else None) == getattr(rule, key)


@given(RULE_SETS)
def test_rules_read_back(rules: RuleSet) -> None:
    assert RuleSet.of(read_csv(rules.to_csv())) == rules


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ('aunt,"father, sister",high', "expected a number in the column support, found 'high'"),
        ("aunt,father", "another number of columns than the header"),
        (",father,3", "a relation must have a name"),
        ('aunt,"father"x,3', "is not valid CSV"),
        ('aunt,"father,",3', "expected a relation, found nothing"),
        ("aunt,,3", "needs a constant in its head"),
    ],
)
def test_an_invalid_row_is_named(row: str, words: str) -> None:
    with pytest.raises(DataError, match=rf"rules\.csv:3: .*{words}"):
        read_csv(f"head,body,support\naunt,father,3\n{row}\n", "rules.csv")
