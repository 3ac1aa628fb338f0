"""Rules as JSON and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r5.errors import DataError, R5Error
from r5.rules.ruleset import Rule, RuleSet
from tests.helpers.rule_strategies import RULE_SETS


@given(RULE_SETS)
def test_json_reads_back(rules: RuleSet) -> None:
    text = rules.to_json()
    assert RuleSet.from_json(text) == rules
    assert RuleSet.from_json(json.dumps(json.loads(text), indent=2)) == rules


def test_json_has_the_documented_fields() -> None:
    rule = Rule("aunt", ("father", "sister"), probability=0.98, support=412)
    assert json.loads(RuleSet.of([rule]).to_json()) == [
        {"head": "aunt", "body": ["father", "sister"], "probability": 0.98, "support": 412, "invented": False}
    ]
    assert RuleSet().to_json() == "[]\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "r.json:1: expected a JSON list of rules"),
        ('\n{"head": "a"}', "r.json:2: expected a JSON list"),
        ("[\n1]", "r.json:2: rule 1: expected an object with a head and a body"),
        ('[{"head": "a", "body": "b"}]', "rule 1: expected an object"),
        ('[{"head": "a", "body": []}]', "rule 1: a rule without a body"),
        ('[{"head": "a", "body": ["b"], "ending": "c"}]', "rule 1: a rule without a body, or whose body ends"),
        ('[{"head": "a", "body": [], "target": "c", "ending": "d"}]', "cannot end at a constant"),
        ('[{"head": "a", "body": ["b"]},\n {"body": ["b"]}]', "r.json:2: rule 2: a relation must have a name"),
        ('[{"head": "a", "body": ["b", ""]}]', "a relation must have a name"),
        ('[{"head": "a", "body": ["\\ud800"]}]', "surrogate"),
        ('[{"head": "a", "body": ["b"], "score": "high"}]', "score must be a number"),
        ('[{"head": "a", "body": ["b"], "score": true}]', "score must be a number"),
        ('[{"head": "a", "body": ["b"], "support": 1' + "0" * 400 + "}]", "support must be a number"),
        ('[{"head": "a", "body": ["b"], "support": 1e999}]', "support must be a number"),
        ('[{"head": "a", "body": ["b"], "invented": 1}]', "invented must be true or false"),
        ('[{"head": "a", "body": ["b"], "score": NaN}]', "is not valid JSON"),
        ('[{"head": "a", "body": ["b"]}\n{}]', "r.json:2: is not valid JSON: expected a comma"),
        ('[{"head": "a", "body": ["b"]}', "is not valid JSON: expected a comma or ]"),
        ('[{"head": "a",\n "body": ["b"]},', "r.json:2: is not valid JSON"),
        ('[{"head":\n "a" "body"]}', "r.json:2: is not valid JSON"),
        ("[]\n[]", "something follows the list"),
        ("[" * 100_000, "is not valid JSON"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, words: str) -> None:
    with pytest.raises(DataError) as error:
        RuleSet.from_json(text, "r.json")
    assert words in str(error.value)


@given(RULE_SETS, st.data())
def test_damage_is_an_error_of_ours_or_none(rules: RuleSet, data: st.DataObject) -> None:
    text = rules.to_json()
    place = data.draw(st.integers(0, len(text)))
    damaged = text[:place] + data.draw(st.sampled_from(["", '"', "]", "{", "null", "\n"])) + text[place + 1 :]
    try:
        RuleSet.from_json(damaged)
    except R5Error as error:
        assert str(error)
