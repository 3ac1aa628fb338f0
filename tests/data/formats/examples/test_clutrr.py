"""CLUTRR folders: clean and noisy stories, the real folders, bad input, writing."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from r5.data.builder import DatasetBuilder, Row
from r5.data.formats.examples.clutrr import is_clutrr, load_clutrr, write_clutrr
from r5.dataset import Dataset
from r5.errors import DataError, R5Error
from r5.rules.ruleset import Rule, RuleSet

STORY = {
    "": "0",
    "id": "0fc660c1",
    "story": "[Ashley]'s daughter, [Lillian], asked her mom to read.\n[Nicholas] likes his sister [Lillian].",
    "query": "('Ashley', 'Nicholas')",
    "target": "son",
    "f_comb": "daughter-brother",
    "task_name": "task_1.2",
    "story_edges": "[(0, 1), (1, 2)]",
    "edge_types": "['daughter', 'brother']",
    "query_edge": "(0, 2)",
    "genders": "Ashley:female,Lillian:female,Nicholas:male",
    "task_split": "train",
}
LONGER = STORY | {
    "target": "mother-in-law",
    "f_comb": "wife-son-grandmother",
    "task_name": "task_1.3",
    "story_edges": "[(0, 1), (1, 2), (2, 3)]",
    "edge_types": "['wife', 'son', 'grandmother']",
    "query_edge": "(0, 3)",
    "genders": "Robert:male,Mary:female,Harold:male,Nettie:female",
}
# Tasks 2, 3 and 4 as CLUTRR writes them: facts after the walk, without a relation in edge_types.
SUPPORTING = LONGER | {"task_name": "task_2.3", "story_edges": "[(0, 1), (1, 2), (2, 3), (1, 4), (4, 2)]"}
DISCONNECTED = LONGER | {"task_name": "task_4.3", "story_edges": "[(0, 1), (1, 2), (2, 3), (4, 5)]"}


def table(stories: list[dict[str, str]]) -> str:
    """The stories as CSV text."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(stories[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(stories)
    return text.getvalue()


def folder(path: Path, files: dict[str, list[dict[str, str]]]) -> Path:
    path.mkdir(exist_ok=True)
    for name, stories in files.items():
        (path / name).write_text(table(stories), encoding="utf-8")
    return path


def without(column: str, story: dict[str, str] = STORY) -> dict[str, str]:
    return {name: cell for name, cell in story.items() if name != column}


# ---- reading


def test_story_becomes_a_graph_of_people_and_its_walk(tmp_path: Path) -> None:
    data = load_clutrr(folder(tmp_path / "toy", {"1.2,1.3_train.csv": [STORY, LONGER], "1.2_test.csv": [STORY]}))
    assert (data.name, len(data.train), len(data.valid), len(data.test), data.rules) == ("toy", 2, 0, 1, None)
    example = data.train[0]
    assert (example.source, example.target, example.answer_name) == ("Ashley", "Nicholas", "son")
    assert example.graph.triples() == [("Ashley", "daughter", "Lillian"), ("Lillian", "brother", "Nicholas")]
    assert example.resolution == (0, 1, 2)
    assert data.vocabulary.names(example.descriptor) == ("daughter", "brother")
    assert data.train[1].answer_name == "mother-in-law"
    assert data.test[0] == data.test[-1]


def test_test_files_are_read_in_the_order_of_their_hops(tmp_path: Path) -> None:
    chain = [(n, n + 1) for n in range(10)]
    ten = without("genders") | {
        "story_edges": str(chain),
        "edge_types": str(["son"] * 10),
        "query_edge": "(0, 10)",
        "f_comb": "",
        "task_name": "",
    }
    files = {"1.10_test.csv": [ten], "1.2_test.csv": [STORY], "1.3_valid.csv": [LONGER]}
    data = load_clutrr(folder(tmp_path, files))
    assert data.test.hops.tolist() == [2, 10]
    assert data.valid.hops.tolist() == [3]
    assert data.test[1].graph.entities == tuple(map(str, range(11)))
    assert data.test[1].descriptor == ()


@pytest.mark.parametrize("story", [SUPPORTING, DISCONNECTED])
def test_noise_facts_without_a_relation_are_left_out(tmp_path: Path, story: dict[str, str]) -> None:
    data = load_clutrr(folder(tmp_path, {"2.3_train.csv": [story]}))
    assert data.train[0].graph.triples() == [
        ("Robert", "wife", "Mary"),
        ("Mary", "son", "Harold"),
        ("Harold", "grandmother", "Nettie"),
    ]
    assert data.train[0].resolution == (0, 1, 2, 3)


@pytest.mark.parametrize("name", ["2.3_train.csv", "2.2,2.3_train.csv", "mine_train.csv"])
def test_noise_facts_with_a_relation_are_kept_as_edges(tmp_path: Path, name: str) -> None:
    noisy = SUPPORTING | {
        "edge_types": "['wife', 'son', 'grandmother', 'son', 'brother']",
        "genders": SUPPORTING["genders"] + ",Mario:male",
    }
    example = load_clutrr(folder(tmp_path, {name: [noisy]})).train[0]
    assert example.graph.number_of_edges == 5
    assert [example.graph.entities[node] for node in example.resolution] == ["Robert", "Mary", "Harold", "Nettie"]
    assert example.graph.vocabulary.names(example.descriptor) == ("wife", "son", "grandmother")


def test_walk_length_without_a_task_is_that_of_the_spelling_or_of_the_story(tmp_path: Path) -> None:
    back = without("task_name") | {
        "story_edges": "[(0, 1), (1, 2), (2, 1), (1, 2)]",
        "edge_types": "['daughter', 'brother', 'sister', 'brother']",
    }
    other = back | {"f_comb": "a-b-c-d"}
    unknown = back | {"f_comb": "a-b-c"}
    scattered = back | {"story_edges": "[(1, 2), (0, 1), (2, 1), (1, 2)]"}
    train = load_clutrr(folder(tmp_path, {"mine_train.csv": [back, other, unknown, scattered]})).train
    assert train.hops.tolist() == [2, 4, 4, 0]
    names = [train.vocabulary.names(example.descriptor) for example in train]
    assert names == [("daughter", "brother"), ("a", "b", "c", "d"), (), ()]
    test = load_clutrr(folder(tmp_path, {"2.2_test.csv": [back, unknown], "2.4_test.csv": [back, other]})).test
    assert test.hops.tolist() == [2, 2, 4, 4]


def test_only_four_columns_are_needed(tmp_path: Path) -> None:
    bare = {name: STORY[name] for name in ("target", "query_edge", "edge_types", "story_edges")}
    example = load_clutrr(folder(tmp_path, {"1.2_train.csv": [bare]})).train[0]
    assert (example.source, example.target, example.hops) == ("0", "2", 2)


def test_names_of_any_kind_and_people_without_a_gender_are_read(tmp_path: Path) -> None:
    people = ["Zoë: the elder:female", " 李", "x" * 200_000]
    data = load_clutrr(folder(tmp_path, {"1.2_train.csv": [STORY | {"genders": ",".join(people)}]}))
    assert data.train.pool.entities == ("Zoë: the elder", "李", "x" * 200_000)


def test_byte_order_mark_and_crlf_are_ignored(tmp_path: Path) -> None:
    plain = load_clutrr(folder(tmp_path / "toy", {"1.2_train.csv": [STORY]}))
    text = "\ufeff" + table([STORY]).replace("\n", "\r\n")
    (tmp_path / "toy" / "1.2_train.csv").write_bytes(text.encode())
    assert load_clutrr(tmp_path / "toy") == plain


def test_stories_without_an_answer_and_empty_files_are_read(tmp_path: Path) -> None:
    data = load_clutrr(folder(tmp_path, {"1.2_test.csv": [STORY | {"target": ""}]}))
    assert (len(data.train), data.test[0].answer) == (0, None)
    header, *_ = table([STORY]).splitlines()
    (tmp_path / "1.3_test.csv").write_text(header)
    assert load_clutrr(tmp_path) == data
    (tmp_path / "1.2_test.csv").unlink()
    with pytest.raises(DataError, match="holds no stories"):
        load_clutrr(tmp_path)


def test_configs_of_clutrr_and_with_rules_are_read(tmp_path: Path) -> None:
    folder(tmp_path, {"1.2_train.csv": [STORY]})
    config = tmp_path / "config.json"
    config.write_text('{"train_task": {"1.2": "1.2_train.csv"}, "test_tasks": {}, "args": {}}')
    assert load_clutrr(tmp_path).rules is None
    config.write_text('{"rules": [{"body": ["daughter", "brother"], "head": "son"}]}')
    assert load_clutrr(tmp_path).rules == RuleSet.of([Rule("son", ("daughter", "brother"))])
    config.write_text('{"rules": [')
    with pytest.raises(DataError, match=r"config\.json:1: is not valid JSON"):
        load_clutrr(tmp_path)


# ---- bad input


BAD_STORIES = {
    "edges that are no list": (STORY | {"story_edges": "0 1"}, "expected pairs of numbers .*, found '0 1'"),
    "edges with code": (STORY | {"story_edges": "__import__('os')"}, "expected pairs of numbers"),
    "a huge person": (STORY | {"story_edges": f"[(0, {'9' * 5000})]"}, "expected pairs of numbers"),
    "no edges": (STORY | {"story_edges": "[]", "edge_types": "[]"}, "names 'Ashley', which no edge"),
    "relations that are no list": (STORY | {"edge_types": "daughter"}, "expected names .*, found 'daughter'"),
    "relations nested": (STORY | {"edge_types": "[" * 100_000}, "expected names"),
    "a relation that is empty": (STORY | {"edge_types": "['daughter', '']"}, "the relation of an edge.* is missing"),
    "a relation with a wrong escape": (STORY | {"edge_types": r"['a', '\q']"}, r"is not a character"),
    "fewer relations": (STORY | {"edge_types": "['daughter']"}, "has 2 edges but edge_types has 1 relations"),
    "no query": (STORY | {"query_edge": ""}, "expected two numbers .*, found ''"),
    "query out of range": (STORY | {"query_edge": "(0, 7)"}, "person 7 has no name: there are 3, counted from 0"),
    "query off the graph": (without("genders") | {"query_edge": "(0, 7)"}, "names '7', which no edge of the graph"),
    "too few people": (STORY | {"genders": "Ashley:female"}, "person 1 has no name: there are 1"),
    "the same name": (STORY | {"genders": "Ann:female,Bob:male,Ann:female"}, "two people have the same name"),
    "a person without a name": (STORY | {"genders": ":female,Bob:male,"}, "an entity that is empty"),
    "no target": (STORY | {"target": ""}, "the target is missing; a training story needs one"),
    "a longer walk than the task": (LONGER | {"task_name": "task_1.2"}, "walk of 3 hops where the task says 2"),
    "a position that is no number": (STORY | {"position": "first"}, "position must be a number, found 'first'"),
    "a path that is no list": (STORY | {"resolution": "0"}, "expected numbers .*, found '0'"),
    "a path elsewhere": (STORY | {"resolution": "[0, 2, 1]"}, "does not lead from the query's source"),
    "a short descriptor": (STORY | {"descriptor": "['son']"}, "the descriptor has 1 relations where the path has 2"),
}


@pytest.mark.parametrize(("story", "message"), BAD_STORIES.values(), ids=BAD_STORIES.keys())
def test_invalid_story_is_reported_with_file_and_line(tmp_path: Path, story: dict[str, str], message: str) -> None:
    good = {name: STORY.get(name, "") for name in (story if len(story) > len(STORY) else STORY)}
    columns = list(good)
    stories = [good, {name: story.get(name, "") for name in columns}, good]
    path = folder(tmp_path, {"1.2,1.3_train.csv": stories})
    with pytest.raises(DataError, match=message) as caught:
        load_clutrr(path)
    # A header, and a story over two lines before the bad one.
    assert (caught.value.path, caught.value.line) == (path / "1.2,1.3_train.csv", 4)
    assert len(str(caught.value)) < 500
    assert "\n" not in str(caught.value)


def test_the_hops_of_a_file_name_must_be_those_of_its_stories(tmp_path: Path) -> None:
    path = folder(tmp_path, {"1.4_test.csv": [without("task_name", LONGER)]})
    with pytest.raises(DataError, match=r"1\.4_test\.csv:2: the story is a walk of 3 hops where the task says 4"):
        load_clutrr(path)


@pytest.mark.parametrize("column", ["story_edges", "edge_types", "query_edge", "target"])
def test_missing_column_is_named_with_its_file(tmp_path: Path, column: str) -> None:
    folder(tmp_path, {"1.2_train.csv": [without(column)]})
    with pytest.raises(DataError, match=rf"1\.2_train\.csv:1: has no column '{column}'; expected story_edges, edge"):
        load_clutrr(tmp_path)
    text = table([STORY])
    (tmp_path / "1.2_train.csv").write_text(re.sub("^,id", f",{column}", text))
    with pytest.raises(DataError, match=f"has more than one column '{column}'"):
        load_clutrr(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"1\.2_train\.csv: is empty"),
        (bytes(range(256)) * 9, r"1\.2_train\.csv:2: is not UTF-8 text"),
        (b"\x00\x01", "is not text: it holds a NUL byte"),
        (b"no table\n", "has no column 'story_edges'"),
        (b'story_edges,edge_types,query_edge,target\n"x" y,z,1,2\n', r"csv:2: is not valid CSV"),
        (b'story_edges,edge_types,query_edge,target\n"x,z,1,2\n', r"csv:2: is not valid CSV"),
        (b"story_edges,edge_types,query_edge,target\nx,z\n", "csv:2: has 2 columns, expected 4"),
        (b"story_edges,edge_types,query_edge,target\n\nx,z,a,b,c\n", "csv:3: has 5 columns, expected 4"),
    ],
)
def test_table_without_stories_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "1.2_train.csv").write_bytes(content)
    with pytest.raises(DataError, match=message):
        load_clutrr(tmp_path)


def test_missing_and_empty_folders_are_refused(tmp_path: Path) -> None:
    assert not is_clutrr(tmp_path)
    assert not is_clutrr("x" * 5000)
    with pytest.raises(DataError, match=r"holds no \*_train\.csv or \*_test\.csv; expected a CLUTRR folder"):
        load_clutrr(tmp_path)
    with pytest.raises(DataError, match="nothing: no such folder; expected a CLUTRR folder"):
        load_clutrr(tmp_path / "nothing")
    assert is_clutrr(folder(tmp_path, {"1.2_test.csv": [STORY]}))


def test_duplicate_task_is_refused(tmp_path: Path) -> None:
    folder(tmp_path, {"1.2_train.csv": [STORY], "1.2,1.3_train.csv": [STORY]})
    with pytest.raises(DataError, match=r"duplicated split: 1\.2,1\.3_train.csv and 1\.2_train.csv are both train of"):
        load_clutrr(tmp_path)


# ---- writing


def toy() -> Dataset:
    builder = DatasetBuilder("family")
    two = [("Ann", "mother-in-law", "Eve"), ("Eve", "brother", "Tom")]
    three = [("Tom", "niece", "Ida"), *two]
    path = ("Ann", "Eve", "Tom")
    builder.add("train", Row([*two, ("Tom", "son", "Max")], "Ann", "Max", "cousin", (*path, "Max")))
    builder.add("train", Row(two, "Ann", "Tom", "uncle", path, ("mother", "brother")))
    builder.add("valid", Row(two, "Eve", "Tom"))
    builder.add("test", Row(three, "Ann", "Ida", None, (*path, "Ida")))
    builder.add("test", Row(three, "Ann", "Tom", "uncle", path))
    builder.add("test", Row(three, "Ann", "Ida", None, (*path, "Ida")))
    return builder.build(RuleSet.of([Rule("uncle", ("mother", "brother"))]))


def test_written_folder_reads_back_equal_and_has_the_columns_of_other_readers(tmp_path: Path) -> None:
    data = toy()
    write_clutrr(data, tmp_path / "out", genders={"Ann": "female"})
    assert load_clutrr(tmp_path / "out") == data
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"1.2,1.3_train.csv", "1.0_valid.csv", "1.2_test.csv", "1.3_test.csv", "config.json"}
    with (tmp_path / "out" / "1.2_test.csv").open(newline="") as file:
        (story,) = csv.DictReader(file)
    assert list(story)[:18] == [
        *("", "id", "story", "query", "text_query", "target", "text_target", "clean_story", "proof_state", "f_comb"),
        *("task_name", "story_edges", "edge_types", "query_edge", "genders", "syn_story", "node_mapping", "task_split"),
    ]
    expected = {
        "": "0",
        "id": "test-1",
        "story": "[Tom]'s niece is [Ida]. [Ann]'s mother-in-law is [Eve]. [Eve]'s brother is [Tom].",
        "query": "('Ann', 'Tom')",
        "target": "uncle",
        "clean_story": "[Ann]'s mother-in-law is [Eve]. [Eve]'s brother is [Tom].",
        "f_comb": "mother-in-law-brother",
        "task_name": "task_1.2",
        "story_edges": "[(0, 1), (2, 3), (3, 0)]",
        "edge_types": "['niece', 'mother-in-law', 'brother']",
        "query_edge": "(2, 0)",
        "genders": "Tom:unknown,Ida:unknown,Ann:female,Eve:unknown",
        "task_split": "test",
        "position": "1",
        "resolution": "[2, 3, 0]",
        "descriptor": "[]",
    }
    assert {name: story[name] for name in expected} == expected


def test_missing_test_file_leaves_the_others(tmp_path: Path) -> None:
    write_clutrr(toy(), tmp_path / "out", task=3)
    (tmp_path / "out" / "3.3_test.csv").unlink()
    assert load_clutrr(tmp_path / "out").test.hops.tolist() == [2]


def test_many_lengths_of_training_stories_go_to_a_file_each(tmp_path: Path) -> None:
    builder = DatasetBuilder("long")
    for hops in range(60, 1, -1):
        edges = [(str(n), "next", str(n + 1)) for n in range(hops)]
        builder.add("train", Row(edges, "0", str(hops), "far", [str(n) for n in range(hops + 1)]))
    write_clutrr(builder.build(), tmp_path / "out")
    assert (tmp_path / "out" / "1.60_train.csv").is_file()
    assert load_clutrr(tmp_path / "out") == builder.build()


def test_data_that_clutrr_cannot_represent_is_refused_before_writing(tmp_path: Path) -> None:
    builder = DatasetBuilder("none")
    with pytest.raises(R5Error, match="needs examples, and there are none"):
        write_clutrr(builder.build(), tmp_path / "out")
    builder.add("train", Row([("a", "r", "b")], "a", "b"))
    with pytest.raises(R5Error, match="training example without an answer"):
        write_clutrr(builder.build(), tmp_path / "out")
    for name in ("car\rriage", "nu\0ll"):
        builder = DatasetBuilder("odd")
        builder.add("train", Row([(name, name, "b")], "b", "b", name))
        with pytest.raises(R5Error, match=f"cannot hold the relation {name!r}".replace("\\", r"\\")):
            write_clutrr(builder.build(), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_folder_is_replaced_only_by_force(tmp_path: Path) -> None:
    write_clutrr(toy(), tmp_path / "out")
    with pytest.raises(DataError, match="already exists"):
        write_clutrr(toy(), tmp_path / "out")
    write_clutrr(toy(), tmp_path / "out", force=True, task=2)
    assert load_clutrr(tmp_path / "out") == toy()
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    with pytest.raises(DataError, match=r"holds 'thesis\.txt'"):
        write_clutrr(toy(), tmp_path / "out", force=True)


# ---- the real folders


@pytest.mark.parametrize(
    ("name", "stories", "paths"),
    [  # stories by hops from 2 on; distinct training paths
        ("data_089907f8", {"train": [5096, 4998], "test": [38, 105, 190, 174, 107, 144, 150, 119, 119]}, 383),
        ("data_db9b8f04", {"train": [5063, 4996, 5024], "test": [38, 107, 77, 185, 105, 155, 135, 124, 122]}, 2183),
    ],
)
def test_published_folders_have_the_published_numbers_of_stories_by_hops(
    real_data: Path, tmp_path: Path, name: str, stories: dict[str, list[int]], paths: int
) -> None:
    data = load_clutrr(real_data / "clutrr" / name)
    assert len(data.valid) == 0
    for split, counts in stories.items():
        expected = [hops for hops, count in enumerate(counts, start=2) for _ in range(count)]
        hops = data.split(split).hops.tolist()
        assert (hops if split == "test" else sorted(hops)) == expected
    assert data.describe().relations == 20
    assert len(set(map(tuple, data.train.descriptors.rows()))) == paths
    some = replace(data, train=data.train[:500])
    write_clutrr(some, tmp_path / "copy")
    copy = load_clutrr(tmp_path / "copy")
    assert (copy.test, len(copy.train)) == (data.test, 500)


def test_published_story_is_read_in_its_own_order(real_data: Path) -> None:
    example = load_clutrr(real_data / "clutrr" / "data_db9b8f04").train[0]
    names = [example.graph.entities[node] for node in example.resolution]
    between = {(s, t): r for s, r, t in example.graph.triples()}
    assert names == ["Ashley", "Lillian", "Nicholas"]
    assert [between[step] for step in pairwise(names)] == ["daughter", "brother"]
    assert example.answer_name == "son"
