"""Answers of a relation sequence under rules, by trying every merge of two neighbours, again and again."""

from __future__ import annotations

from collections.abc import Sequence

from r5.rules.ruleset import RuleSet


def derived(descriptor: Sequence[str], rules: RuleSet) -> set[str]:
    """All single relations that the sequence can be rewritten to."""
    heads = {rule.body: rule.head for rule in rules if len(rule.body) == 2}
    forms = {tuple(descriptor)}
    for _ in range(len(descriptor) - 1):
        forms = {
            (*form[:place], heads[form[place : place + 2]], *form[place + 2 :])
            for form in forms
            for place in range(len(form) - 1)
            if form[place : place + 2] in heads
        }
    return {form[0] for form in forms}
