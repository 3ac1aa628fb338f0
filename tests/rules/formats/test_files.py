"""Rules in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from r5.errors import DataError, R5Error
from r5.rules.formats.files import read_rules, rules_as, write_rules
from r5.rules.formats.registry import rule_formats
from r5.rules.ruleset import Rule, RuleSet

RULES = RuleSet.of([Rule("aunt", ("father", "sister"), 0.75, support=3, predictions=4)])


@pytest.mark.parametrize("name", ["rules.json", "rules.tsv", "rules.anyburl", "rules.csv"])
def test_what_is_written_is_read(tmp_path: Path, name: str) -> None:
    write_rules(RULES, tmp_path / name)
    assert read_rules(tmp_path / name) == RULES


def test_the_name_or_a_word_tells_the_style(tmp_path: Path) -> None:
    for name, style in (("a.txt", "text"), ("a.csv", "csv"), ("a.pl", "prolog")):
        write_rules(RULES, tmp_path / name)
        assert (tmp_path / name).read_text() == rules_as(RULES, style)
    write_rules(RULES, tmp_path / "a.rules", "json")
    assert read_rules(tmp_path / "a.rules") == RULES
    assert len({rules_as(RULES, style) for style in (format.name for format in rule_formats() if format.write)}) == 9
    with pytest.raises(R5Error, match="does not determine the format"):
        write_rules(RULES, tmp_path / "a.rules")
    with pytest.raises(R5Error, match="no format is called 'xml'"):
        rules_as(RULES, "xml")


def test_rules_of_other_shapes_are_an_error_or_left_out(tmp_path: Path) -> None:
    anyburl, amie = tmp_path / "anyburl.txt", tmp_path / "amie.txt"
    anyburl.write_text("4\t3\t0.75\taunt(X,Y) <= father(X,A), sister(A,Y)\n4\t3\t0.5\taunt(X,X) <= father(X,A)\n")
    amie.write_text(
        "?a  father  ?c  ?c  sister  ?b   => ?a  aunt  ?b\t1\t0.75\t1\t3\t4\t4\t?a\n"
        "?a  father  ?b  ?a  sister  ?b   => ?a  aunt  ?b\t1\t0.75\t1\t3\t4\t4\t?a\n"
    )
    for path in (anyburl, amie):
        with pytest.raises(DataError, match=rf"{path.name}:2: "):
            read_rules(path)
        left_out: list[str] = []
        assert [str(rule) for rule in read_rules(path, left_out=left_out)] == ["aunt <= father, sister"]
        assert [line.partition(":")[0] for line in left_out] == ["line 2"]


def test_what_is_wrong_is_said_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "rules.tsv"
    path.write_text("4\t3\t0.75\taunt(X,Y) <= father(X,A), sister(A,Y)\n4\t3\n")
    with pytest.raises(DataError, match=r"rules\.tsv:2: expected predictions, support"):
        read_rules(path)
    with pytest.raises(DataError, match="no such file"):
        read_rules(tmp_path / "nothing")
