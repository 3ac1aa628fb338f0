"""Rules as CSV."""

from __future__ import annotations

import csv
import io

from hypothesis import example, given

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
