"""Rules with names that are hard to write down, for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from r5.relations import DUMMY
from r5.rules.ruleset import Rule, RuleSet

NASTY = (
    'say "hi"',
    "it's",
    "a, b",
    "f(X, Y)",
    "a <= b",
    "<=",
    "one\ntwo",
    "tab\there",
    "carriage\rreturn",
    "back\\slash",
    "\\n",
    " ",
    "été",
    "親",
    "\U0001f9d1",
    "line\u2028separator",
    "next\x85line",
    "nul\x00",
    "\ufeffmark",
    "^-1",
    "mother^-1",
    "mother^-1^-1",
    "R_1_+",
    "is",
    "is_relation",
    ",",
    "$x",
    "Aunt",
    "2nd",
    "%",
    "(a)",
)

NAMES = st.one_of(
    st.sampled_from(NASTY),
    st.sampled_from(("a", "a^-1", "a^-1^-1")),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(lambda name: name != DUMMY),
    st.text(alphabet="ab^-1\"(), \\<=\n\t'", min_size=1, max_size=6),
)
BODIES = st.lists(NAMES, min_size=1, max_size=5).map(tuple)
FIGURES = st.one_of(st.none(), st.integers(0, 10**12), st.floats(allow_nan=False, allow_infinity=False))
GENERAL = st.builds(Rule, NAMES, BODIES, FIGURES, FIGURES, FIGURES, st.booleans(), FIGURES, FIGURES)
ENTITIES = st.one_of(NAMES, st.sampled_from(("X", "A", "Q42", "berlin", "a(b)")))
ABOUT_ONE = st.one_of(
    st.builds(Rule, NAMES, BODIES, pca=FIGURES, weight=FIGURES, target=ENTITIES, ending=st.none() | ENTITIES),
    st.builds(Rule, NAMES, st.just(()), target=ENTITIES),
)
RULES = GENERAL | ABOUT_ONE
RULE_SETS = st.lists(RULES, max_size=5).map(RuleSet.of)

COUNTS = st.integers(0, 10**9)
COUNTED = st.builds(
    Rule,
    NAMES,
    BODIES,
    probability=st.floats(0.0, 1.0),
    support=COUNTS,
    predictions=COUNTS,
)
COUNTED_SETS = st.lists(COUNTED, max_size=5).map(RuleSet.of)
