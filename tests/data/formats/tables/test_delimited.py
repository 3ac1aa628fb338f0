from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from r5.data.formats.tables.columns import Triple
from r5.data.formats.tables.delimited import read_delimited, read_facts
from r5.errors import DataError, R5Error

FAMILY = [("Ann", "mother", "Eve"), ("Eve", "brother", "Tom")]


def written(folder: Path, text: str | bytes, name: str = "data.txt") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def triples_of(path: Path, **options: Any) -> list[Triple]:
    return read_delimited(path, **options).triples


@pytest.mark.parametrize("mark", ["\t", ",", ";", "|", " ", "  \t "])
def test_delimiter_is_detected(tmp_path: Path, mark: str) -> None:
    text = "".join(mark.join(row) + "\n" for row in FAMILY)
    assert triples_of(written(tmp_path, text)) == FAMILY


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("New York\tis in\tthe USA", ("New York", "is in", "the USA")),
        ("Smith, Ann\twrote\tOn Rules; a Book", ("Smith, Ann", "wrote", "On Rules; a Book")),
        ("a b,c,d e", ("a b", "c", "d e")),
        ('a\tsays\t"hello', ("a", "says", '"hello')),
        ('a,says,it\'s "so"', ("a", "says", 'it\'s "so"')),
        ('"New York, NY", "is ""in""", USA', ("New York, NY", 'is "in"', "USA")),
        (" a , r , b ", ("a", "r", "b")),
        ("x,y r z,w", ("x", "y r z", "w")),
    ],
)
def test_names_may_hold_other_delimiters(tmp_path: Path, text: str, expected: tuple[str, ...]) -> None:
    assert triples_of(written(tmp_path, text)) == [expected]


def test_blanks_separate_columns_where_other_delimiters_are_rare(tmp_path: Path) -> None:
    assert triples_of(written(tmp_path, "a r b\nb r c,d\nc r d\n"))[1] == ("b", "r", "c,d")
    assert triples_of(written(tmp_path, "x,y r z,w"), delimiter=" ") == [("x,y", "r", "z,w")]


@pytest.mark.parametrize("mark", [":", "-", "\x01"])
def test_the_delimiter_can_be_given(tmp_path: Path, mark: str) -> None:
    assert triples_of(written(tmp_path, mark.join(FAMILY[0])), delimiter=mark) == FAMILY[:1]


@pytest.mark.parametrize("mark", ["", "::", '"', "\n", 5])
def test_a_delimiter_is_one_character(tmp_path: Path, mark: str) -> None:
    with pytest.raises(R5Error, match="a delimiter must be one character"):
        read_delimited(written(tmp_path, "a,b,c"), delimiter=mark)


@pytest.mark.parametrize(
    "header", ["head,relation,tail", "Subject, Predicate ,Object", "# source,edge_type,target", "head_id,rel,tail_id"]
)
def test_known_header_is_skipped(tmp_path: Path, header: str) -> None:
    assert triples_of(written(tmp_path, f"{header}\nAnn,mother,Eve\n")) == FAMILY[:1]


def test_the_header_tells_the_order_and_the_columns(tmp_path: Path) -> None:
    path = written(tmp_path, "weight\ttarget\tsource\ttype\n0.5\tEve\tAnn\tmother\n")
    assert triples_of(path) == FAMILY[:1]


def test_single_letters_are_nodes_unless_told(tmp_path: Path) -> None:
    path = written(tmp_path, "s r t\nt r s\n")
    assert triples_of(path) == [("s", "r", "t"), ("t", "r", "s")]
    assert triples_of(path, header=True) == [("t", "r", "s")]


def test_single_letters_that_no_row_has_are_a_header(tmp_path: Path) -> None:
    assert triples_of(written(tmp_path, "s,o,p\nAnn,Eve,mother\n")) == FAMILY[:1]


def test_log_says_how_a_file_was_read(tmp_path: Path) -> None:
    table = read_delimited(written(tmp_path, "weight\ttarget\tsource\ttype\n0.5\tEve\tAnn\tmother\n"))
    assert table.layout == "tab-separated, header, columns source, type, target as source, relation, target"
    assert table.dropped == ("column weight",)
    assert read_delimited(written(tmp_path, "a;b;c\n")).layout == "semicolon-separated, no header"


@pytest.mark.parametrize(
    ("rows", "suspicious"),
    [
        ("who,does,whom\nAnn,mother,Eve\nTom,mother,Eve\n", True),
        ("entity1,rel,entity2\n1,7,2\n2,7,3\n", True),
        ("Ann,mother,Eve\nTom,mother,Eve\nEve,brother,Ben\n", False),  # Eve occurs again
        ("Zoe,aunt,Max\nAnn,mother,Eve\nTom,father,Ida\n", False),  # no row has anything in common with others
        ("/m/1,/r/1,/m/2\n/m/3,/r/2,/m/4\n/m/5,/r/2,/m/4\n", False),  # not words
        ("who,does,whom\nAnn,mother,Eve\n", False),  # one row is no evidence
    ],
)
def test_first_row_that_may_be_a_header_is_reported(tmp_path: Path, rows: str, suspicious: bool) -> None:
    path = written(tmp_path, rows)
    assert (read_delimited(path).suspicion is not None) is suspicious
    assert read_delimited(path, header=False).suspicion is None
    assert read_delimited(path, header=True).suspicion is None


def test_given_header_and_columns_select_the_triple(tmp_path: Path) -> None:
    path = written(tmp_path, "who,what,whom\nAnn,mother,Eve\n")
    assert triples_of(path)[0] == ("who", "what", "whom")
    assert triples_of(path, header=True) == FAMILY[:1]
    assert triples_of(path, columns=("whom", "what", "who")) == [("Eve", "mother", "Ann")]
    assert triples_of(path, columns=(2, 1, 0), header=True) == [("Eve", "mother", "Ann")]
    usual = written(tmp_path, "head,relation,tail\nAnn,mother,Eve\n")
    assert triples_of(usual, header=False)[0] == ("head", "relation", "tail")


def test_columns_chosen_by_place(tmp_path: Path) -> None:
    assert triples_of(written(tmp_path, "7,Ann,mother,Eve,x\n"), columns=[1, 2, 3]) == FAMILY[:1]


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        (("who", "what", "nobody"), r"data\.txt:1: there is no column 'nobody'; the columns are who, what, whom"),
        ((0, 1, 3), r"data\.txt:1: there is no column 3; the columns are 0, 1, 2"),
        ((0, 1), "columns must be a list of three"),
        ("who", "columns must be a list of three"),
        (7, "columns must be a list of three"),
    ],
)
def test_missing_columns_are_refused(tmp_path: Path, columns: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(R5Error, match=complaint):
        read_delimited(written(tmp_path, "who,what,whom\nAnn,mother,Eve\n"), columns=columns)


def test_header_must_be_true_or_false(tmp_path: Path) -> None:
    with pytest.raises(R5Error, match="header must be true or false, not 'no'"):
        read_delimited(written(tmp_path, "a,b,c"), header="no")  # type: ignore[arg-type]


def test_byte_order_mark_line_ends_blank_lines_and_unicode(tmp_path: Path) -> None:
    text = "\ufeffÅse\tलड़की\t李\r\n\r\n   \r\n\U0001f600\tr\tx\ry\tr\tz"
    path = written(tmp_path, text)
    assert triples_of(path) == [("Åse", "लड़की", "李"), ("\U0001f600", "r", "x"), ("y", "r", "z")]


def test_names_may_be_longer_than_a_csv_field_unless_quoted(tmp_path: Path) -> None:
    name = "x" * 300_000
    assert triples_of(written(tmp_path, f"{name},r,b\n")) == [(name, "r", "b")]
    with pytest.raises(DataError, match=r"data\.txt:2: is not valid CSV: field larger than"):
        read_delimited(written(tmp_path, f'a,r,b\n"{name}",r,b\n'))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", r"data\.txt: is empty"),
        (" \n\t\r\n", r"data\.txt: is empty"),
        ("\u2003\n", r"data\.txt: is empty"),
        (b"a\tb\tc\n\xff\xfe\x00", r"data\.txt:2: is not UTF-8 text"),
        (b"a\tb\tc\nd\t\x00\te", r"data\.txt:2: is not text: it holds a NUL byte"),
        (
            "a\tb\n",
            r"data\.txt:1: expected source, relation, target, separated by one of tab, .*; found 'a\\tb'",
        ),
        ("New York,capital of\n", r"data\.txt:1: expected source, relation, target"),
        ("a\tb\tc\n\na\tb\n", r"data\.txt:3: 2 columns where 3 were expected, separated by tab: 'a\\tb'"),
        ("a\tb\tc\nabc\n", r"data\.txt:2: 1 column where 3 were expected, separated by tab"),
        ("a,b,c\na,b,c,d\n", r"data\.txt:2: 4 columns where 3 .*; columns=\(source, relation, target\) chooses"),
        ("a,b,c\nd,e,f\ng\th\ti\n", r"data\.txt:3: mixed delimiters: tab here, comma elsewhere"),
        ("a\tb\tc\nd\te\tf\ng h i\n", r"data\.txt:3: mixed delimiters: blanks here, tab elsewhere"),
        ("a,,c\n", r"data\.txt:1: the relation is missing"),
        ("a\tb\tc\nd\te\t \n", r"data\.txt:2: the target is missing"),
        ("head,relation,tail\n", r"data\.txt: holds a header and no triples"),
        ('a,b,c\n"d,e,f\n', r"data\.txt:2: is not valid CSV: unexpected end of data"),
        ('""\n', r"data\.txt:1: expected source, relation, target"),
    ],
)
def test_invalid_file_is_refused_with_its_line(tmp_path: Path, text: str | bytes, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        read_delimited(written(tmp_path, text))


def test_file_of_empty_quotes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no names"):
        read_delimited(written(tmp_path, '""\n'), delimiter=",")


def test_quoted_names_over_several_lines_keep_the_count(tmp_path: Path) -> None:
    path = written(tmp_path, 'a,b,"c\nc"\nd,e\n')
    with pytest.raises(DataError, match=r"data\.txt:3: 2 columns"):
        read_delimited(path, delimiter=",")


def test_facts_of_any_arity(tmp_path: Path) -> None:
    path = written(tmp_path, "fact,arguments,more\nbetween,a,b,c\nnear,a,b\n")
    assert read_facts(path, header=True) == [("between", ["a", "b", "c"]), ("near", ["a", "b"])]
    assert len(read_facts(path)) == 3


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("between,a,b\nnear,a\n", r"data\.txt:2: 2 columns where 3 were expected"),
        ("near,a\n", r"data\.txt:1: expected relation, argument, argument"),
        ("between,a,,b\n", r"data\.txt:1: the relation or one of its arguments is missing"),
    ],
)
def test_invalid_hyperedge_is_refused_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        read_facts(written(tmp_path, text))


def test_file_with_only_a_header_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a header and no facts"):
        read_facts(written(tmp_path, "fact,x,y\n"), header=True)
