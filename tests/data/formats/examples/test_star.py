"""STaR's files: read, written, refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import r5
from r5.data.formats.examples.star import is_star, write_star
from r5.errors import DataError
from r5.paths.branches import count_branches

HEADER = ",edges,edge_labels,query_edge,query_label\n"
ROW = '0,"[(0, 1), (1, 2)]","[\'EC\', \'DC\']","(0, 2)",PO\n'


def test_file_name_determines_the_split(tmp_path: Path) -> None:
    for split in ("train", "test"):
        file = tmp_path / f"{split}_rcc8_k_2_b_1.csv"
        file.write_text(HEADER + ROW)
        assert is_star(file)
        (example,) = r5.load(file).split(split)
        assert example.graph.triples() == [("0", "EC", "1"), ("1", "DC", "2")]
        assert (example.source, example.target, example.answer_name, example.hops) == ("0", "2", "PO", 2)


def test_a_folder_is_read_and_written(tmp_path: Path) -> None:
    data = r5.load("rcc8", train=12, valid=3, test=12)
    write_star(data, tmp_path / "out")
    again = r5.load(tmp_path / "out")
    assert again.train == data.train and again.valid == data.valid
    assert sorted(again.test.hops) == sorted(data.test.hops)
    assert (tmp_path / "out" / "test_rcc8_k_9_b_3.csv").is_file()


def test_algebra_option_selects_among_several(tmp_path: Path) -> None:
    for name in ("train_rcc8.csv", "train_interval.csv"):
        (tmp_path / name).write_text(HEADER + ROW)
    with pytest.raises(DataError, match="algebra=interval or algebra=rcc8"):
        r5.load(tmp_path)
    assert r5.load(tmp_path, algebra="rcc8").name == "rcc8"
    with pytest.raises(DataError, match="no files of the algebra 'point'"):
        r5.load(tmp_path, algebra="point")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (HEADER + ROW.replace("'DC'", ""), ":2: "),
        (HEADER + ROW.replace(", 'DC'", ""), ":2: there are 2 edges and 1 labels"),
        (HEADER + ROW.replace("(0, 2)", "(0, 9)"), ":2: the query or its path names"),
        (HEADER + ROW + "1,2\n", ":3: has 2 columns, expected 5"),
        (HEADER + ROW.replace("[(0, 1)", "[(0, x)"), ":2: expected pairs of numbers"),
    ],
)
def test_invalid_row_is_reported_with_its_line(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "train_rcc8.csv"
    file.write_text(content)
    with pytest.raises(DataError, match=f"train_rcc8.csv{message}"):
        r5.load(file)


def test_other_tables_are_not_recognised(tmp_path: Path) -> None:
    file = tmp_path / "train_rcc8.csv"
    file.write_text("a,mother,b\n")
    assert not is_star(file)
    assert not is_star(tmp_path / "missing_rcc8.csv")


def test_published_files_have_the_published_lengths_and_branches(real_data: Path) -> None:
    folder = real_data / "star"
    if not folder.is_dir():
        pytest.skip("the STaR files are not among the benchmark data")
    data = r5.load(folder, algebra="interval")
    assert len(data.train) == 9000
    few = r5.load(folder / "test_interval_k_4_b_3.csv").test[:50]
    assert set(few.hops) == {4} and set(count_branches(few)) == {3}
