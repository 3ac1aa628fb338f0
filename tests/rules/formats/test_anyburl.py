"""Rules as AnyBURL's lines and back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from r5.errors import DataError, R5Error
from r5.relations import inverse_name
from r5.rules.formats.anyburl import read_anyburl
from r5.rules.ruleset import Rule, RuleSet
from tests.helpers.rule_strategies import COUNTED_SETS, RULE_SETS


def turned(rule: Rule) -> Rule:
    """The rule as AnyBURL says it: not for an inverse relation, unless it is about one entity."""
    plain = rule.head.removesuffix("^-1")
    if rule.target is not None or plain in ("", rule.head) or plain.endswith("^-1"):
        return rule
    body = rule.relations or rule.body
    if any(name == "^-1" or name.endswith("^-1^-1") for name in body):
        return rule
    return replace(rule, head=plain, body=tuple(map(inverse_name, reversed(body))))


@given(COUNTED_SETS)
def test_counted_rules_read_back(rules: RuleSet) -> None:
    text = rules.to_anyburl()
    assert RuleSet.from_anyburl(text).rules == tuple(dict.fromkeys(map(turned, rules)))


@given(RULE_SETS)
@example(RuleSet.of([Rule("a", ("b",), probability=-2.3e-308, support=4)]))
def test_other_rules_keep_what_they_say(rules: RuleSet) -> None:
    read = {rule.key for rule in RuleSet.from_anyburl(rules.to_anyburl())}
    assert read == {turned(rule).key for rule in rules}


@pytest.mark.parametrize(
    ("line", "text", "written"),
    [
        ("speaks(X,english) <= lives_in(X,london)", 'speaks(X, "english") <= lives_in(X, "london")', None),
        ("speaks(X,english) <= lives_in(X,A)", 'speaks(X, "english") <= lives_in(X, Z)', None),
        ("speaks(X,english) <= in(A,uk), lives_in(X,A)", 'speaks(X, "english") <= lives_in(X, Z), in(Z, "uk")', ""),
        ("knows(ann,Y) <= knows(Y,Q42)", 'knows^-1(X, "ann") <= knows(X, "Q42")', None),
        ("knows(ann,Y) <= ", 'knows^-1(X, "ann") <= true', None),
        ("speaks(X,english) <= ", 'speaks(X, "english") <= true', None),
        ('is(X,"A") <= a(X,"one, two")', 'is(X, "A") <= a(X, "one, two")', None),
        ("sister(X,Y) <= child(A,X), child(A,Y)", "sister(X, Y) <= child^-1(X, Z), child(Z, Y)", None),
        ("in(X,tbilisi_(city)) <= ", 'in(X, "tbilisi_(city)") <= true', ""),
        ("is at(X,sea (1)) <= swims  in(X,A)", '"is at"(X, "sea (1)") <= "swims  in"(X, Z)', ""),
        ("in(X,New  York) <= in(X,Coney Island (USA))", 'in(X, "New  York") <= in(X, "Coney Island (USA)")', ""),
    ],
)
def test_rules_that_anyburl_learns_are_read_and_written(line: str, text: str, written: str | None) -> None:
    rules = RuleSet.from_anyburl(f"20\t5\t0.25\t{line}\n")
    assert (rules.rules[0].sentence(), rules.rules[0].predictions, rules.rules[0].support) == (text, 20, 5)
    if written is None:
        assert rules.to_anyburl() == f"20\t5\t0.25\t{line}\n"
    assert RuleSet.from_anyburl(rules.to_anyburl()) == rules


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("h(a,b) <= c(X,Y)", "no variable"),
        ("h(X,c) <= b(A,B)", "in one chain"),
        ("h(X,c) <= b(X,d), e(d,A)", "'d' is inside the body"),
        ("h(X,c) <= b(X,A), e(X,B)", "in one chain"),
    ],
)
def test_other_shapes_are_refused(line: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        RuleSet.from_anyburl(f"20\t5\t0.25\t{line}\n")


def test_other_shapes_can_be_left_out() -> None:
    text = (
        "4\t2\t0.5\th(X,X) <= b(X,A)\n"
        "4\t2\t0.5\th(X,Y) <= b(X,Y)\n"
        "4\t2\t0.5\th(me_myself_i,Y) <= b(Y,A)\n"
        "4\t2\t0.5\th(X,c) <= b(X,A), e(X,B)\n"
    )
    left_out: list[str] = []
    assert [str(rule) for rule in read_anyburl(text, left_out=left_out)] == ["h <= b"]
    assert [line.partition(":")[0] for line in left_out] == ["line 1", "line 3", "line 4"]
    with pytest.raises(DataError, match="expected <="):
        read_anyburl("4\t2\t0.5\th(X,Y)", left_out=left_out)


def lines(*rules: Rule) -> list[list[str]]:
    return [line.split("\t") for line in RuleSet.of(rules).to_anyburl().splitlines()]


def test_figures_that_were_not_counted() -> None:
    assert lines(
        Rule("a", ("b", "c"), probability=0.5, support=78.8),
        Rule("a", ("b", "d"), score=20.0, support=10),
        Rule("a", ("b", "e"), score=5.0, support=3),
        Rule("a", ("b", "f")),
        Rule("a", ("b", "g"), probability=1e-320, support=1),
    ) == [
        ["158", "79", "0.5", "a(X,Y) <= b(X,A), c(A,Y)"],
        ["10", "10", "1.0", "a(X,Y) <= b(X,A), d(A,Y)"],
        ["12", "3", "0.25", "a(X,Y) <= b(X,A), e(A,Y)"],
        ["0", "0", "0.0", "a(X,Y) <= b(X,A), f(A,Y)"],
        ["1000000000000000", "1", "1e-320", "a(X,Y) <= b(X,A), g(A,Y)"],
    ]


def test_inverses_are_written_as_anyburl_writes_them() -> None:
    assert lines(Rule("a^-1", ("b^-1", "c")))[0][3] == "a(X,Y) <= c(A,X), b(A,Y)"
    assert lines(Rule("a", ("b", "<dummy>")))[0][3] == "a(X,Y) <= b(X,Y)"
    assert lines(Rule("a", ("<dummy>",)))[0][3] == "a(X,Y) <= <dummy>(X,Y)"
    assert lines(Rule("a", ("b",) * 26))[0][3].endswith("b(W,A23), b(A23,A24), b(A24,Y)")


@pytest.mark.parametrize(
    ("rule", "read"),
    [
        ("a(X,Y) <= c(A,Y), b(X,A)", "a <= b, c"),
        ("a( X , Y )<=b(A,X),c(Y,A)", "a <= b^-1, c^-1"),
        ("a(A,B) <= b(C,B), c(C,A)", "a <= c^-1, b"),
        ("a(Y,X) <= b(A,X), c(A,Y)", "a^-1 <= b^-1, c"),
        ("/film/film/genre(X,Y) <= /a/b./c(X,Y)", "/film/film/genre <= /a/b./c"),
    ],
)
def test_atoms_may_stand_in_any_order(rule: str, read: str) -> None:
    assert str(RuleSet.from_anyburl(f"5\t4\t0.8\t{rule}\n\n").rules[0]) == read


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a(X,Y) <= b(X,Y)", "expected predictions, support, confidence and rule"),
        ("5\t4\thigh\ta(X,Y) <= b(X,Y)", "expected a number, found 'high'"),
        ("5\t4\tnan\ta(X,Y) <= b(X,Y)", "expected a number, found 'nan'"),
        ("5\t4\t0.8\ta(X,Y)", "expected <= after the head, found nothing"),
        ("5\t4\t0.8\ta(X,Y) <= ", "expected a relation, found nothing"),
        ("5\t4\t0.8\ta <= b(X,Y)", "expected two arguments such as"),
        ("5\t4\t0.8\ta(X,Y) <= b(X,Y) c", "expected a comma or the end, found 'c'"),
        ("5\t4\t0.8\ta(X,Y) <= b(X,berlin)", "'berlin' is not a variable"),
        ("5\t4\t0.8\ta(X,Y) <= b(X,A)", "does not lead from X to Y in one chain"),
        ("5\t4\t0.8\ta(X,Y) <= b(X,A), c(B,Y)", "does not lead from X to Y in one chain"),
        ("5\t4\t0.8\ta(X,Y) <= b(X,A), c(A,X), d(X,Y)", "does not lead from X to Y in one chain"),
        ("5\t4\t0.8\ta(X,Y) <= b(X,Y), c(Y,A)", "does not lead from X to Y in one chain"),
        ("5\t4\t0.8\ta(X,X) <= b(X,X)", "the head is about an entity and itself"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(line: str, words: str) -> None:
    with pytest.raises(DataError) as error:
        RuleSet.from_anyburl("1\t1\t1.0\tok(X,Y) <= ok(X,Y)\n" + line, "rules.txt")
    assert words in str(error.value)
    assert str(error.value).startswith("rules.txt:2: ")


@given(COUNTED_SETS, st.data())
def test_damage_is_an_error_of_ours_or_none(rules: RuleSet, data: st.DataObject) -> None:
    text = rules.to_anyburl()
    place = data.draw(st.integers(0, len(text)))
    damaged = text[:place] + data.draw(st.sampled_from(["", '"', "\t", "(", "\\", "\n"])) + text[place + 1 :]
    try:
        RuleSet.from_anyburl(damaged)
    except R5Error as error:
        assert str(error)
