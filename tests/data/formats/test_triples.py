from __future__ import annotations

import gzip
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from r5.data.formats.triples import is_triples, load_triples, read_triples
from r5.dataset import Dataset
from r5.errors import DataError, R5Error
from r5.examples import Examples
from r5.graph import Graph

TRAIN = "a mother b\nb mother c\na grandmother c\nc father d\n"


def folder(path: Path, files: Mapping[str, str]) -> Path:
    path.mkdir(exist_ok=True)
    for name, text in files.items():
        (path / name).write_text(text, encoding="utf-8")
    return path


def asked(examples: Examples) -> list[tuple[str, str | None, str]]:
    return [(example.source, example.answer_name, example.target) for example in examples]


def masked(examples: Examples) -> list[list[tuple[str, str, str]]]:
    """The edges that each example hides."""
    triples = np.array(examples.pool.triples(), dtype=object)
    return [[tuple(row) for row in triples[examples.pool.facts == fact]] for fact in examples.masked_facts]


def one_graph(data: Dataset) -> Graph:
    assert data.train.pool is data.valid.pool is data.test.pool
    return data.train.pool


def test_file_of_triples_becomes_a_graph(tmp_path: Path) -> None:
    (tmp_path / "family.tsv").write_text("a\tmother\tb\nb\tmother\tc\n")
    graph = read_triples(tmp_path / "family.tsv")
    assert graph.triples() == [("a", "mother", "b"), ("b", "mother", "c")]
    assert read_triples(tmp_path / "family.tsv", inverse=True).triples()[2:] == [
        ("b", "mother^-1", "a"),
        ("c", "mother^-1", "b"),
    ]


def test_hyperedges_become_binary_facts(tmp_path: Path) -> None:
    (tmp_path / "facts.csv").write_text("r0,x0,x1,x2\nr1,x1,x2,x7\nr2,x0,x7\n")
    graph = read_triples(tmp_path / "facts.csv", hyperedges=True)
    assert graph.number_of_edges == 6 + 6 + 1
    data = load_triples(tmp_path / "facts.csv", hyperedges=True)
    assert asked(data.train) == [("x0", "r0", "x1"), ("x1", "r1", "x2"), ("x0", "r2", "x7")]


def test_short_names_of_iris(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("http://x/ann\thttp://x/mother\thttp://x/eve\n")
    assert read_triples(tmp_path / "a.tsv", short=True).triples() == [("ann", "mother", "eve")]


def test_one_file_gives_one_masked_query_per_fact(tmp_path: Path) -> None:
    (tmp_path / "family.txt").write_text(TRAIN + "a mother b\n")
    data = load_triples(tmp_path / "family.txt")
    graph = one_graph(data)
    assert data.name == "family"
    assert graph.number_of_edges == 5
    assert asked(data.train) == graph.triples()[:4]
    assert masked(data.train)[0] == [("a", "mother", "b")] * 2
    assert len(data.valid) == len(data.test) == 0


def test_inverse_edges_are_masked_and_never_answers(tmp_path: Path) -> None:
    (tmp_path / "family.txt").write_text(TRAIN)
    data = load_triples(tmp_path / "family.txt", inverse=True)
    assert one_graph(data).number_of_edges == 8
    assert asked(data.train) == [tuple(line.split()) for line in TRAIN.splitlines()]
    assert masked(data.train)[0] == [("a", "mother", "b"), ("b", "mother^-1", "a")]


def test_sample_is_seeded_and_in_order(tmp_path: Path) -> None:
    (tmp_path / "many.txt").write_text("".join(f"n{i} r n{i + 1}\n" for i in range(50)))
    first, again, other = (load_triples(tmp_path / "many.txt", sample=5, seed=seed).train for seed in (1, 1, 2))
    assert asked(first) == asked(again) != asked(other)
    assert first.sources.tolist() == sorted(first.sources.tolist())
    assert len(first) == 5
    assert len(load_triples(tmp_path / "many.txt", sample=99).train) == 50
    assert len(load_triples(folder(tmp_path / "f", {"train.txt": TRAIN, "test.txt": "a r b"}), sample=2).train) == 2


def test_folder_with_train_valid_test(tmp_path: Path) -> None:
    files = {
        "train.txt": TRAIN + "a mother b\n",
        "valid.tsv": "a\tmother\tb\n",
        "test.csv": "a,great-grandmother,d\nnew,mother,a\na,great-grandmother,d\n",
        "entities.dict": "0 a",
        "README.txt": "not triples",
    }
    data = load_triples(folder(tmp_path / "family", files))
    graph = one_graph(data)
    assert data.name == "family"
    assert graph.triples() == [tuple(line.split()) for line in files["train.txt"].splitlines()]
    assert graph.entities == ("a", "b", "c", "d", "new")
    assert set(data.vocabulary) == {"mother", "grandmother", "father", "great-grandmother"}
    assert asked(data.train) == graph.triples()[:4]
    assert masked(data.train)[0] == [("a", "mother", "b")] * 2
    assert masked(data.valid) == [[("a", "mother", "b")] * 2]
    assert asked(data.test) == [
        ("a", "great-grandmother", "d"),
        ("new", "mother", "a"),
        ("a", "great-grandmother", "d"),
    ]
    assert (data.test.masked_facts == -1).all()


def test_facts_file_of_a_folder_is_background(tmp_path: Path) -> None:
    files = {
        "facts.txt": "a mother b\nb mother c\n",
        "train.txt": "a grandmother c\na mother b\n",
        "dev.txt": "c father d",
    }
    data = load_triples(folder(tmp_path / "kg", files), inverse=True)
    graph = one_graph(data)
    assert graph.triples()[:4] == [
        ("a", "mother", "b"),
        ("b", "mother", "c"),
        ("a", "grandmother", "c"),
        ("a", "mother", "b"),
    ]
    assert asked(data.train) == [("a", "grandmother", "c"), ("a", "mother", "b")]
    assert masked(data.train) == [
        [("a", "grandmother", "c"), ("c", "grandmother^-1", "a")],
        [("a", "mother", "b"), ("a", "mother", "b"), ("b", "mother^-1", "a"), ("b", "mother^-1", "a")],
    ]
    assert asked(data.valid) == [("c", "father", "d")]
    assert len(data.test) == 0
    assert "father^-1" in data.vocabulary


def test_a_query_whose_inverse_is_in_the_graph_is_masked(tmp_path: Path) -> None:
    data = load_triples(folder(tmp_path / "kg", {"train.txt": "a r b\nb r c\n", "test.txt": "b r^-1 a\n"}))
    assert masked(data.test) == [[("a", "r", "b")]]


def test_folder_with_train_only_can_be_held_out(tmp_path: Path) -> None:
    data = load_triples(folder(tmp_path / "kg", {"train.txt": TRAIN}), test_fraction=0.5)
    assert (data.name, len(data.train), len(data.test)) == ("kg", 2, 2)


def test_short_names_must_not_clash_between_files(tmp_path: Path) -> None:
    files = {"train.txt": "http://x/a http://x/r http://x/b", "test.txt": "http://x/a http://x/r http://y/b"}
    assert load_triples(folder(tmp_path / "kg", files)).train[0].target == "http://x/b"
    with pytest.raises(R5Error, match="are both 'b' when shortened; read them with short=False"):
        load_triples(tmp_path / "kg", short=True)
    (tmp_path / "kg" / "test.txt").write_text("http://x/b http://x/s http://x/a")
    assert asked(load_triples(tmp_path / "kg", short=True).test) == [("b", "s", "a")]


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({"train.txt": TRAIN, "train.tsv": TRAIN}, "kg: duplicated split: train.tsv and train.txt are both train"),
        ({"train.txt": TRAIN, "valid.txt": TRAIN, "dev.txt": TRAIN}, "kg: duplicated split: dev.txt and valid.txt"),
        ({"test.txt": TRAIN}, "kg: has no training triples: expected one of train.tsv .*; found test.txt"),
        ({}, "kg: has no training triples: .* found none of the splits"),
        ({"train.txt": TRAIN, "test.txt": ""}, r"test\.txt: is empty"),
        ({"train.txt": "a b c\nd e\n", "test.txt": "a b c"}, r"train\.txt:2: 2 columns where 3"),
    ],
)
def test_invalid_folder_is_refused(tmp_path: Path, files: dict[str, str], complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        load_triples(folder(tmp_path / "kg", files))


@pytest.mark.parametrize("options", [{"test_fraction": 0.1}, {"hyperedges": True}])
def test_options_for_one_file_are_refused_for_splits(tmp_path: Path, options: dict[str, bool]) -> None:
    with pytest.raises(DataError, match="has splits"):
        load_triples(folder(tmp_path / "kg", {"train.txt": TRAIN, "test.txt": TRAIN}), **options)


def test_missing_file_and_missing_training_triples_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nothing\.txt: no such file"):
        load_triples(tmp_path / "nothing.txt")
    with pytest.raises(DataError, match="has no training triples"):
        read_triples(tmp_path)


def test_triples_are_recognised_by_name_and_content(tmp_path: Path) -> None:
    assert is_triples(tmp_path / "x.TSV")
    assert is_triples(tmp_path / "x.json")
    assert not is_triples(tmp_path / "x.png")
    assert not is_triples(tmp_path)
    assert is_triples(folder(tmp_path / "kg", {"test.txt": TRAIN}))
    assert not is_triples(folder(tmp_path / "other", {"train.png": "{}"}))


@pytest.mark.parametrize(
    ("name", "graph", "relations", "splits"),
    [
        ("family", "Graph(nodes=3007, edges=23483, relations=12)", 12, (5868, 2038, 2835)),
        ("kinship", "Graph(nodes=104, edges=8758, relations=25)", 25, (2350, 1068, 860)),
        ("umls", "Graph(nodes=135, edges=5214, relations=46)", 46, (1302, 652, 661)),
        ("wn-18rr", "Graph(nodes=40943, edges=74400, relations=11)", 11, (18600, 9300, 9303)),
    ],
)
def test_published_graphs_have_the_published_sizes(
    real_data: Path, name: str, graph: str, relations: int, splits: tuple[int, ...]
) -> None:
    data = load_triples(real_data / "kg" / name)
    assert str(one_graph(data)) == graph
    assert len(data.vocabulary) == relations
    assert (len(data.train), len(data.valid), len(data.test)) == splits
    assert (data.train.masked_facts >= 0).all()
    assert (data.valid.masked_facts == -1).all()
    assert (data.test.masked_facts == -1).all()
    lines = (real_data / "kg" / name / "test.txt").read_text().split("\n")
    assert asked(data.test[:20]) == [tuple(line.split("\t")) for line in lines[:20]]


def test_packed_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "one.tsv.gz").write_bytes(gzip.compress(b"head\trelation\ttail\na\tmother\tb\n"))
    assert is_triples(tmp_path / "one.tsv.gz")
    assert read_triples(tmp_path / "one.tsv.gz").triples() == [("a", "mother", "b")]
    assert load_triples(tmp_path / "one.tsv.gz").name == "one"
    (tmp_path / "rows.nt.gz").write_bytes(gzip.compress(b"<x:a> <x:mother> <x:b> .\n"))
    assert len(read_triples(tmp_path / "rows.nt.gz").triples()) == 1
    (tmp_path / "bad.tsv.gz").write_bytes(b"a\tmother\tb\n")
    with pytest.raises(DataError, match=r"bad\.tsv\.gz: is not a packed file"):
        read_triples(tmp_path / "bad.tsv.gz")
    (tmp_path / "cut.tsv.gz").write_bytes(gzip.compress(b"a\tmother\tb\n" * 100)[:-12])
    with pytest.raises(DataError, match=r"cut\.tsv\.gz: is not a packed file"):
        read_triples(tmp_path / "cut.tsv.gz")


def test_the_graph_of_a_folder_is_what_is_known_in_training(tmp_path: Path) -> None:
    (tmp_path / "kg").mkdir()
    (tmp_path / "kg" / "train.txt.gz").write_bytes(gzip.compress(b"a mother b\n"))
    folder(tmp_path / "kg", {"facts.txt": "b mother c\n", "test.txt": "a grandmother d\n"})
    graph = read_triples(tmp_path / "kg")
    assert graph.triples() == [("b", "mother", "c"), ("a", "mother", "b")]
    assert "d" in graph.entities
    assert "mother^-1" in read_triples(tmp_path / "kg", inverse=True).vocabulary


def test_an_unknown_header_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "w.tsv").write_text("who\tdoes\twhom\nAnn\tmother\tEve\nTom\tmother\tEve\n")
    with pytest.raises(DataError, match=r"w\.tsv:1: who, does, whom occur in no other line: is it a header\? header="):
        read_triples(tmp_path / "w.tsv")
    assert len(load_triples(tmp_path / "w.tsv", header=True).train) == 2
    assert len(load_triples(tmp_path / "w.tsv", header=False).train) == 3
    rows = "Zoe\tlikes\tMax\nAnn\tmother\tEve\nTom\tmother\tEve\n"
    known = {"train.tsv": "a\tlikes\tb\nb\tlikes\tc\nc\tmother\td\n", "test.tsv": rows}
    assert len(load_triples(folder(tmp_path / "known", known)).test) == 3
    with pytest.raises(DataError, match=r"test\.tsv:1: Zoe, likes, Max occur in no other line"):
        load_triples(folder(tmp_path / "new", known | {"train.tsv": "a\tmother\tb\nb\tmother\tc\n"}))


def test_source_says_how_files_were_read(tmp_path: Path) -> None:
    files = {"train.tsv": "a\tmother\tb\n", "test.csv": "head,relation,tail,weight\nb,mother,c,1\n"}
    data = load_triples(folder(tmp_path / "kg", files))
    assert data.source == (
        "test.csv: 1 triple (comma-separated, header, columns head, relation, tail as source, relation, target; "
        "dropped: column weight); train.tsv: 1 triple (tab-separated, no header)"
    )


def test_weights_are_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "w.tsv").write_text("a\tlikes\tb\t0.5\nb\tlikes\tc\t1e-3\n")
    with pytest.raises(DataError, match=r"w\.tsv:1: 4 columns separated by tab, the last of them numbers.*columns="):
        read_triples(tmp_path / "w.tsv")
    assert len(read_triples(tmp_path / "w.tsv", columns=[0, 1, 2]).triples()) == 2
    (tmp_path / "h.tsv").write_text("head\trelation\ttail\tweight\na\tlikes\tb\t0.5\n")
    assert read_triples(tmp_path / "h.tsv").triples() == [("a", "likes", "b")]
