"""Fuzzed GraphLog and CLUTRR folders give a data set or an R5Error; written folders read back."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r5.data.builder import DatasetBuilder, Row
from r5.data.formats.examples.clutrr import load_clutrr, write_clutrr
from r5.data.formats.examples.graphlog import load_graphlog, write_graphlog
from r5.data.formats.examples.literals import parse_names, parse_numbers, parse_pair, parse_pairs
from r5.dataset import Dataset
from r5.errors import R5Error
from r5.rules.ruleset import Rule, RuleSet

ODD = ["a", "b", "0", "1", "-0", "007", "a,b", "in-law", "it's", 'a "b"', "'\"", "a:b", "[x]", "\\", "\\n", "a\nb"]
ODDER = [
    "\r",
    "a\r\nb",
    "\0",
    "\t",
    " ",
    "\ufeff",
    "\u2028",
    "\x85",
    "Zoë",
    "李",
    "\U0001f600",
    "None",
    "[]",
    "x" * 300,
]
NAMES = st.sampled_from(ODD + ODDER) | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)
GRAPHLOG_LINE = {
    "edges": [[0, 1, "R_1"], [1, 2, "R_2"], [2, 0, "R_1"]],
    "query": [0, 2, "R_3"],
    "target": "R_3",
    "descriptor": "R_1,R_4",
    "resolution_path": [0, 1, 2],
    "entities": ["a", "b", "c"],
}
CLUTRR_TEXT = (
    ",target,f_comb,task_name,story_edges,edge_types,query_edge,genders,position,entities,resolution,descriptor\n"
    '0,son,daughter-brother,task_1.2,"[(0, 1), (1, 2)]","[\'daughter\', \'brother\']","(0, 2)",'
    '"Ann:female,Eve:female,Tom:male",,,,\n'
    '1,aunt,mother-sister,task_1.2,"[(0, 1), (1, 2)]","[\'mother\', \'sister\']","(0, 2)",'
    "\"Ann:f,Eve:f,Tom:m\",1,\"['A', 'B\\n', 'C']\",\"[0, 1, 2]\",\"['mother', 'sister']\"\n"
)


@st.composite
def rows(draw: st.DrawFn, answered: bool) -> Row:
    """A small graph with a question about it."""
    people = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    person = st.sampled_from(people)
    edges = draw(st.lists(st.tuples(person, NAMES, person), min_size=1, max_size=5))
    there = st.sampled_from(sorted({name for source, _, target in edges for name in (source, target)}))
    source, target = draw(there), draw(there)
    path: list[str] = []
    if draw(st.booleans()):
        path = [source, *draw(st.lists(there, max_size=3)), target]
    steps = len(path) - 1 if path else draw(st.integers(0, 3))
    descriptor = draw(st.just([]) | st.lists(NAMES, min_size=steps, max_size=steps))
    answer = draw(NAMES if answered else NAMES | st.none())
    return Row(edges, source, target, answer, path, descriptor)


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    """A small data set with names of all kinds."""
    builder = DatasetBuilder(draw(NAMES))
    for split, fewest in (("train", 1), ("valid", 0), ("test", 0)):
        for row in draw(st.lists(rows(answered=split == "train"), min_size=fewest, max_size=3)):
            builder.add(split, row)
    bodies = st.lists(NAMES, min_size=1, max_size=2).map(tuple)
    rules = st.lists(st.builds(Rule, NAMES, bodies), max_size=2).map(RuleSet.of)
    return builder.build(draw(st.none() | rules))


def numbered(data: Dataset) -> Dataset:
    """The same data set, its entities called by numbers."""
    builder = DatasetBuilder(data.name)
    for split in ("train", "valid", "test"):
        for example in data.split(split):
            words = example.graph.vocabulary
            edges = [
                (str(s), words.name(r), str(t))
                for s, r, t in zip(example.graph.sources, example.graph.relations, example.graph.targets, strict=True)
            ]
            ends = (str(example.query.source), str(example.query.target))
            path = [str(node) for node in example.resolution]
            builder.add(split, Row(edges, *ends, example.answer_name, path, words.names(example.descriptor)))
    return builder.build(data.rules)


@settings(max_examples=60, deadline=None)
@given(datasets(), st.booleans())
def test_graphlog_reads_back_what_it_wrote(data: Dataset, numbers: bool) -> None:
    data = numbered(data) if numbers else data
    with tempfile.TemporaryDirectory() as folder:
        write_graphlog(data, Path(folder) / "out")
        assert load_graphlog(Path(folder) / "out") == data


@settings(max_examples=60, deadline=None)
@given(datasets())
def test_clutrr_reads_back_what_it_wrote_or_refuses_to_write(data: Dataset) -> None:
    answers = [example.answer_name or "" for split in (data.train, data.valid, data.test) for example in split]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out"
        if any("\r" in answer or "\0" in answer for answer in answers):
            with pytest.raises(R5Error, match="cannot hold the relation"):
                write_clutrr(data, path)
            assert not path.exists()
        else:
            write_clutrr(data, path)
            assert load_clutrr(path) == data


def survives(load: Callable[[Path], Dataset], files: dict[str, bytes]) -> None:
    """A folder of these files gives a data set or an error of ours, in one line."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        try:
            assert isinstance(load(Path(folder)), Dataset)
        except R5Error as error:
            assert "\n" not in str(error)
            assert str(error).startswith(folder)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode), st.booleans())
def test_random_bytes_are_read_or_refused(content: bytes, in_config: bool) -> None:
    line = json.dumps(GRAPHLOG_LINE).encode()
    survives(load_graphlog, {"train.jsonl": line, "config.json": content} if in_config else {"train.jsonl": content})
    survives(load_clutrr, {"1.2_train.csv": CLUTRR_TEXT.encode()} | ({"config.json": content} if in_config else {}))
    survives(load_clutrr, {"1.2_test.csv": content})


CUTS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 8), st.binary(max_size=4)), min_size=1, max_size=3)


def damaged(text: str, cuts: list[tuple[float, int, bytes]]) -> bytes:
    """The text with some bytes taken out and others put in."""
    content = text.encode()
    for place, length, new in cuts:
        at = int(place * len(content))
        content = content[:at] + new + content[at + length :]
    return content


@settings(max_examples=100, deadline=None)
@given(CUTS)
def test_damaged_files_are_read_or_refused(cuts: list[tuple[float, int, bytes]]) -> None:
    survives(load_graphlog, {"train.jsonl": damaged(f"{json.dumps(GRAPHLOG_LINE)}\n" * 2, cuts)})
    survives(load_clutrr, {"1.2,1.3_train.csv": damaged(CLUTRR_TEXT, cuts)})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.sampled_from([0, 1, "R_1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=5,
)


@st.composite
def wrong_lines(draw: st.DrawFn) -> Any:
    """A good line with something else in one place, at any depth."""
    line: Any = json.loads(json.dumps(GRAPHLOG_LINE))
    line.pop(draw(st.sampled_from(["entities", "target", "nothing"])), None)
    here = line
    while True:
        key = draw(st.sampled_from(sorted(here) if isinstance(here, dict) else range(len(here))))
        if isinstance(here[key], list) and here[key] and draw(st.booleans()):
            here = here[key]
            continue
        here[key] = draw(JSON)
        return line


@settings(max_examples=100, deadline=None)
@given(wrong_lines())
def test_rows_with_a_wrong_value_are_read_or_refused(line: Any) -> None:
    survives(load_graphlog, {"train.jsonl": json.dumps(line).encode()})


@settings(max_examples=100, deadline=None)
@given(st.lists(NAMES, max_size=4), st.lists(st.tuples(st.integers(0, 10**9 - 1), st.integers(0, 99)), max_size=4))
def test_literals_equal_those_of_python(names: list[str], pairs: list[tuple[int, int]]) -> None:
    assert parse_names(repr(names)) == tuple(names)
    assert parse_pairs(repr(pairs)) == tuple(pairs)
    for pair in pairs:
        assert parse_pair(repr(pair)) == pair
        assert parse_numbers(repr(list(pair))) == pair


@settings(max_examples=100, deadline=None)
@given(st.text("[](),0'\"\\ xu-a", max_size=12))
def test_invalid_literals_are_refused(text: str) -> None:
    for parse in (parse_names, parse_pairs, parse_numbers, parse_pair):
        try:
            assert isinstance(parse(text), tuple)
        except R5Error:
            continue
