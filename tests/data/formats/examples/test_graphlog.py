"""GraphLog worlds: rows of both generators, the real worlds, bad input, writing."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from r5.data.builder import DatasetBuilder, Row
from r5.data.formats.examples.graphlog import is_graphlog, load_graphlog, write_graphlog
from r5.dataset import Dataset
from r5.errors import DataError, R5Error
from r5.rules.ruleset import Rule, RuleSet

EDGES = [[0, 1, "R_1"], [1, 2, "R_2"]]
OLD = {"edges": EDGES, "query": [0, 2, "R_3"], "rules": [], "resolution_path": [0, 1, 2]}
NEW = {
    "edges": EDGES,
    "query": [0, 2],
    "target": "R_3",
    "descriptor": "R_1,R_4",
    "rules_used": ["R_1,R_4"],
    "resolution_path": [0, 1, 2],
}


def world(folder: Path, **splits: list[Any]) -> Path:
    """A folder with these rows; text stands as it is."""
    folder.mkdir(exist_ok=True)
    for split, rows in splits.items():
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        (folder / f"{split}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def toy() -> Dataset:
    builder = DatasetBuilder("family")
    edges = [("Ann", "mother, or so", "Eve"), ("Eve", "brother", "Tom")]
    path = ("Ann", "Eve", "Tom")
    builder.add("train", Row(edges, "Ann", "Tom", "uncle", path, ("mother, or so", "brother")))
    builder.add("test", Row(edges, "Eve", "Ann"))
    return builder.build(RuleSet.of([Rule("uncle", ("mother", "brother")), Rule("uncle", ("great uncle",))]))


# ---- reading


def test_rows_of_both_versions_of_the_format_are_read_alike(tmp_path: Path) -> None:
    data = load_graphlog(world(tmp_path / "toy", train=[OLD, NEW]))
    assert data.name == "toy"
    assert data.vocabulary.known == ("R_1", "R_2", "R_3", "R_4")
    for example in data.train:
        assert (example.source, example.target, example.answer_name) == ("0", "2", "R_3")
        assert example.graph.triples() == [("0", "R_1", "1"), ("1", "R_2", "2")]
        assert example.resolution == (0, 1, 2)
    old, new = data.train
    assert data.vocabulary.names(old.descriptor) == ()
    assert data.vocabulary.names(new.descriptor) == ("R_1", "R_4")
    assert (len(data.valid), len(data.test), data.rules) == (0, 0, None)


def test_nodes_may_have_names(tmp_path: Path) -> None:
    edges = [["Zoë", "x" * 10_000, "R"], ["x" * 10_000, "名前", "R"]]
    data = load_graphlog(world(tmp_path, train=[{"edges": edges, "query": ["Zoë", "名前", "R"]}]))
    assert (data.train[0].source, data.train[0].target, data.train[0].hops) == ("Zoë", "名前", 0)


def test_splits_and_unanswered_queries(tmp_path: Path) -> None:
    unanswered = [{**OLD, "query": [0, 2, None]}, {**NEW, "target": None}]
    data = load_graphlog(world(tmp_path, train=[OLD], dev=[OLD, OLD], test=unanswered))
    assert (len(data.train), len(data.valid), len(data.test)) == (1, 2, 2)
    assert [example.answer for example in data.test] == [None, None]


def test_rules_have_one_relation_in_the_body_or_two(tmp_path: Path) -> None:
    rules = [
        {"body": "R_9", "head": "R_8", "p": 1.0},
        {"body": ["R_9"], "head": "R_7"},
        {"body": ["R_1", "R_2"], "head": "R_3"},
    ]
    (world(tmp_path, train=[OLD]) / "config.json").write_text(json.dumps({"num_rel": 10, "rules": rules}))
    data = load_graphlog(tmp_path)
    assert data.rules == RuleSet.of([Rule("R_8", ("R_9",)), Rule("R_7", ("R_9",)), Rule("R_3", ("R_1", "R_2"))])
    assert "R_9" not in data.vocabulary


def test_training_duplicates_can_be_dropped(tmp_path: Path) -> None:
    folder = world(tmp_path, train=[OLD, NEW, OLD], test=[OLD, OLD])
    assert len(load_graphlog(folder).train) == 3
    data = load_graphlog(folder, drop_duplicates=True)
    assert (len(data.train), len(data.test)) == (2, 2)


def test_byte_order_mark_crlf_and_blank_lines_are_ignored(tmp_path: Path) -> None:
    plain = load_graphlog(world(tmp_path / "w", train=[OLD, NEW]))
    text = f"\ufeff{json.dumps(OLD)}\r\n\r\n  {json.dumps(NEW)}\r\n"
    (tmp_path / "w" / "train.jsonl").write_bytes(text.encode())
    assert load_graphlog(tmp_path / "w") == plain


def test_worlds_are_recognised_by_their_files(tmp_path: Path) -> None:
    assert not is_graphlog(tmp_path)
    assert not is_graphlog("x" * 5000)
    assert is_graphlog(world(tmp_path, train=[OLD]))
    assert not is_graphlog(tmp_path / "train.jsonl")


# ---- bad input


BAD_ROWS = {
    "cut short": ('{"edges": [[0, 1, "R_1"], [1,', "is not valid JSON"),
    "not an object": ([1, 2], r"expected an object with edges and query, found \[1, 2\]"),
    "no edges": ({"query": [0, 2, "R"]}, "edges must be a list of .source, target, relation., found None"),
    "edge without relation": ({**OLD, "edges": [*EDGES, [0, 1]]}, r"an edge must be .*, found \[0, 1\]"),
    "edge with empty relation": ({**OLD, "edges": [*EDGES, [0, 1, ""]]}, "the relation of an edge.* is missing"),
    "null node": ({**OLD, "edges": [[None, 1, "R"]]}, "a node must be a number or a name, found None"),
    "node that is a truth value": ({**OLD, "edges": [[True, 1, "R"]]}, "a node must be a number.* found True"),
    "node that is not a number": ('{"edges": [[NaN, 1, "R"]], "query": [1, 1, "R"]}', "found nan"),
    "node that is huge": (f'{{"edges": [[{"9" * 5000}, 1, "R"]], "query": [1, 1, "R"]}}', "a number is too long"),
    "nodes of both kinds": ({**OLD, "edges": [*EDGES, ["1", "2", "R"]]}, "some nodes are numbers and some are names"),
    "empty node": ({**OLD, "edges": [["", "b", "R"]], "query": ["", "b", "R"]}, "an entity that is empty"),
    "nested": ('{"edges": ' + "[" * 100_000, "nested too deeply"),
    "no query": ({"edges": EDGES}, "query must be .*, found None"),
    "query of one": ({**OLD, "query": [0]}, r"query must be .*, found \[0\]"),
    "query on a node that is not there": ({**OLD, "query": [0, 9, "R"]}, "names '9', which no edge of the graph does"),
    "no answer": ({**OLD, "query": [0, 2]}, "the answer is missing: query has no third entry and there is no target"),
    "null answer": ({**OLD, "query": [0, 2, None]}, "the answer is null; a training row needs one"),
    "answer of another type": ({**NEW, "target": 3}, "the answer must be a relation, found 3"),
    "two answers": ({**OLD, "target": "R_4"}, "query and target disagree: 'R_3' and 'R_4'"),
    "path of another type": ({**OLD, "resolution_path": "012"}, "resolution_path must be a list of nodes, found '012'"),
    "path off the graph": ({**OLD, "resolution_path": [0, 7, 2]}, "names '7'"),
    "path elsewhere": ({**OLD, "resolution_path": [0, 1]}, "path does not lead from the query's source to its target"),
    "descriptor of another type": ({**NEW, "descriptor": 5}, "descriptor must be relations joined by commas, found 5"),
    "descriptor with a gap": ({**NEW, "descriptor": "R_1,"}, "of the descriptor is missing"),
    "descriptor too long": ({**NEW, "descriptor": "R_1,R_1,R_1"}, "descriptor has 3 relations where the path has 2"),
    "entities of another type": ({**OLD, "entities": "abc"}, "entities must be a list of names, found 'abc'"),
    "entities twice": ({**OLD, "entities": ["a", "a", "b"]}, "two entities have the same name"),
    "too few entities": ({**OLD, "entities": ["a", "b"]}, "a node must be a number from 0 to 1, found 2"),
    "half a character": ('{"edges": [["\\ud800", "b", "R"]], "query": ["b", "b", "R"]}', "half a surrogate pair"),
}


@pytest.mark.parametrize(("row", "message"), BAD_ROWS.values(), ids=BAD_ROWS.keys())
def test_invalid_row_is_reported_with_file_and_line(tmp_path: Path, row: Any, message: str) -> None:
    folder = world(tmp_path, train=[OLD, "", row, OLD])
    with pytest.raises(DataError, match=message) as caught:
        load_graphlog(folder)
    assert (caught.value.path, caught.value.line) == (folder / "train.jsonl", 3)
    assert len(str(caught.value)) < 500
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (b"", "is empty"),
        (b"\xff\x00", "is not UTF-8"),
        (b'{"rules": [', "is not valid JSON"),
        (b"[]", r"expected an object, found \[\]"),
        (b'{"rules": {}}', "rules must be a list"),
        (b'{"rules": [7]}', "a rule must have a head and a body of one or two relations, found 7"),
        (b'{"rules": [{"body": []}]}', "a rule must have"),
        (b'{"rules": [{"head": "R", "body": []}]}', "a rule must have"),
        (b'{"rules": [{"head": "R", "body": ["S", null]}]}', "a rule must have"),
        (b'{"rules": [{"head": 1, "body": "S"}]}', "a rule must have"),
    ],
)
def test_invalid_config_is_refused(tmp_path: Path, config: bytes, message: str) -> None:
    (world(tmp_path, train=[OLD]) / "config.json").write_bytes(config)
    with pytest.raises(DataError, match=f"config.json.*{message}"):
        load_graphlog(tmp_path)


def test_missing_and_empty_folders_and_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nothing: no such folder; expected the folder of a GraphLog world"):
        load_graphlog(tmp_path / "nothing")
    with pytest.raises(DataError, match=r"holds no train\.jsonl; expected the folder of a GraphLog world"):
        load_graphlog(tmp_path)
    with pytest.raises(DataError, match="no such folder"):
        load_graphlog("x" * 5000)
    world(tmp_path, train=[OLD], test=[OLD])
    (tmp_path / "test.jsonl").write_bytes(b"\n")
    with pytest.raises(DataError, match=r"test\.jsonl: is empty"):
        load_graphlog(tmp_path)
    (tmp_path / "train.jsonl").write_bytes(bytes(range(256)))
    with pytest.raises(DataError, match=r"train\.jsonl:2: is not UTF-8 text"):
        load_graphlog(tmp_path)


def test_duplicate_split_is_refused(tmp_path: Path) -> None:
    world(tmp_path, train=[OLD], valid=[OLD], val=[OLD])
    with pytest.raises(DataError, match=r"duplicated split: valid\.jsonl and val\.jsonl are both valid"):
        load_graphlog(tmp_path)


# ---- writing


def test_written_world_reads_back_equal_and_has_the_fields_of_other_readers(tmp_path: Path) -> None:
    data = toy()
    write_graphlog(data, tmp_path / "out")
    assert load_graphlog(tmp_path / "out") == data
    train = json.loads((tmp_path / "out" / "train.jsonl").read_text())
    assert train == {
        "edges": [[0, 1, "mother, or so"], [1, 2, "brother"]],
        "query": [0, 2, "uncle"],
        "target": "uncle",
        "descriptor": ["mother, or so", "brother"],
        "resolution_path": [0, 1, 2],
        "entities": ["Ann", "Eve", "Tom"],
    }
    assert json.loads((tmp_path / "out" / "test.jsonl").read_text())["query"] == [1, 0, None]
    assert not (tmp_path / "out" / "valid.jsonl").exists()
    config = json.loads((tmp_path / "out" / "config.json").read_text())
    assert config["rules"][0] == {"body": ["mother", "brother"], "head": "uncle", "p": 1.0}
    assert config["rules"][1] == {"body": "great uncle", "head": "uncle", "p": 1.0}
    assert config["num_rel"] == 2


def test_entities_that_are_numbers_stay_numbers(tmp_path: Path) -> None:
    data = load_graphlog(world(tmp_path / "in", train=[NEW, {"edges": [[-7, 10**17, "R"]], "query": [-7, -7, "R"]}]))
    write_graphlog(data, tmp_path / "out")
    first, second = (json.loads(line) for line in (tmp_path / "out" / "train.jsonl").read_text().splitlines())
    assert first == {key: NEW[key] for key in NEW if key != "rules_used"} | {"query": [0, 2, "R_3"]}
    assert second["edges"] == [[-7, 10**17, "R"]]
    again = load_graphlog(tmp_path / "out")
    assert (again.name, again.train) == ("in", data.train)


@pytest.mark.parametrize("name", ["007", "-0", "1_000", "\N{FULLWIDTH DIGIT ONE}", "9" * 30, "1 "])
def test_names_that_look_like_numbers_keep_their_spelling(tmp_path: Path, name: str) -> None:
    builder = DatasetBuilder("numbers")
    builder.add("train", Row([("1", "r", name)], "1", name, "r"))
    write_graphlog(builder.build(), tmp_path / "out")
    assert load_graphlog(tmp_path / "out") == builder.build()


def test_data_that_graphlog_cannot_represent_is_refused_before_writing(tmp_path: Path) -> None:
    row = Row([("a", "r", "b")], "a", "b")
    builder = DatasetBuilder("none")
    builder.add("test", row)
    with pytest.raises(R5Error, match="needs training examples"):
        write_graphlog(builder.build(), tmp_path / "out")
    builder.add("train", row)
    with pytest.raises(R5Error, match="training example without an answer"):
        write_graphlog(builder.build(), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_world_is_replaced_only_by_force(tmp_path: Path) -> None:
    data = toy()
    write_graphlog(data, tmp_path / "out")
    with pytest.raises(DataError, match="already exists"):
        write_graphlog(data, tmp_path / "out")
    write_graphlog(data, tmp_path / "out", force=True)
    (tmp_path / "out" / "notes.txt").write_text("mine")
    with pytest.raises(DataError, match=r"holds 'notes\.txt'"):
        write_graphlog(data, tmp_path / "out", force=True)
    assert load_graphlog(tmp_path / "out") == data


# ---- the real worlds


@pytest.mark.parametrize(
    ("name", "counts", "averages"),
    [  # train, valid, test, true rules; then NC, ND and ARL, AN, AE as the paper's Table 8 prints them
        ("world_17", (5000, 1000, 1000, 30, 17, 147), ("3.16", "8.16", "8.89")),
        ("re_0", (1000, 100, 200, 20, 12, 631), ("3.91", "28.8", "72.9")),
        ("re_2", (1000, 25, 1000, 20, 11, 725), ("3.82", "29.2", "73.0")),
    ],
)
def test_published_worlds_have_the_papers_statistics(
    real_data: Path, tmp_path: Path, name: str, counts: tuple[int, ...], averages: tuple[str, ...]
) -> None:
    data = load_graphlog(real_data / "graphlog" / name)
    found = data.describe()
    assert found.name == name
    assert (found.train, found.valid, found.test, found.rules, found.classes, found.distinct_paths) == counts
    means = (found.average_resolution_length, found.average_nodes, found.average_edges)
    for mean, printed in zip(means, averages, strict=True):
        assert f"{mean:.{len(printed.partition('.')[2])}f}" == printed
    write_graphlog(data, tmp_path / "copy")
    assert load_graphlog(tmp_path / "copy") == data


def test_world_17_has_83_training_paths_and_none_of_them_in_test(real_data: Path) -> None:
    data = load_graphlog(real_data / "graphlog" / "world_17")

    def paths(split: str) -> set[tuple[str, ...]]:
        found = set()
        for example in data.split(split):
            between = {(s, t): r for s, r, t in example.graph.triples()}
            names = [example.graph.entities[node] for node in example.resolution]
            found.add(tuple(between[step] for step in pairwise(names)))
        return found

    train, test = paths("train"), paths("test")
    assert (len(train), len(test), len(train & test)) == (83, 64, 0)
    assert paths("valid") < train
    assert len(load_graphlog(real_data / "graphlog" / "world_17", drop_duplicates=True).train) == 3095


def test_re_2_has_no_training_path_of_two_and_wrong_edges_on_its_paths(real_data: Path) -> None:
    data = load_graphlog(real_data / "graphlog" / "re_2")
    assert sorted(set(data.train.hops.tolist())) == [3, 4, 5]
    assert all(len(e.descriptor) == e.hops for split in (data.train, data.valid, data.test) for e in split)
    unseen = set(data.test.answers.tolist()) - set(data.train.answers.tolist())
    assert len(unseen) == 1
    assert round(float((data.test.answers == unseen.pop()).mean()), 2) == 0.14
