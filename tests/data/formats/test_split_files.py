"""Split files of folders, of inference graphs too."""

from __future__ import annotations

from pathlib import Path

import pytest

import r5
from r5.data.formats.split_files import find_split_files, split_of
from r5.data.formats.triples import is_triples, load_triples, read_triples


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text)
    return folder


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("train.txt", "train"),
        ("Valid.tsv.gz", "valid"),
        ("inference.txt", "inference_train"),
        ("inference_validation.txt", "inference_valid"),
        ("inference_test.csv", "inference_test"),
        ("inference_notes.txt", None),
        ("inferencetest.txt", None),
        ("train.json", "train"),
        ("train.pdf", None),
    ],
)
def test_file_name_has_the_split(name: str, split: str | None) -> None:
    assert split_of(Path(name)) == split


def test_a_folder_with_an_inference_graph_is_inductive_data(tmp_path: Path) -> None:
    folder = write(tmp_path / "small", train="a r b\n", inference="x r y\n", inference_test="y s x\n")
    data = r5.load(folder)
    assert data.inference is not None
    assert data.inference.graph is data.test.pool
    assert read_triples(folder).triples() == [("x", "r", "y")]
    assert data.train.pool.triples() == [("a", "r", "b")]


def test_pairs_of_folders_are_inductive_data_if_asked_for(tmp_path: Path) -> None:
    folder = write(tmp_path / "wn", train="a r b\n", valid="b r a\n", test="b s a\n")
    write(tmp_path / "wn_ind", train="x r y\n", test="y s x\n")
    assert load_triples(folder).inference is None
    data = load_triples(folder, inductive=True)
    assert data.inference is not None
    assert data.test.pool.entities == ("x", "y")
    assert data.valid.pool.entities == ("a", "b")
    assert read_triples(folder, inductive=True).entities == ("x", "y")


def test_an_inference_graph_that_is_missing_is_an_error(tmp_path: Path) -> None:
    folder = write(tmp_path / "alone", train="a r b\n")
    with pytest.raises(r5.DataError, match="expected the folder alone_ind beside it, or "):
        load_triples(folder, inductive=True)
    folder = write(tmp_path / "half", train="a r b\n", inference_test="y s x\n")
    assert is_triples(folder)
    with pytest.raises(r5.DataError, match="has no inference graph: expected inference"):
        find_split_files(folder)


def test_a_folder_of_data_sets_names_them(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(tmp_path / name, train="a r b\n")
    with pytest.raises(r5.DataError, match="is a folder of data sets: expected one of them, one, two"):
        r5.load(tmp_path)
