"""CLUTRR folders: `1.2,1.3_train.csv`, `1.4_test.csv` and so on, one family story per row.

The numbers in a file's name are its tasks: `1.4` is a story of 4 hops and of kind 1 (clean; 2, 3
and 4 add supporting, irrelevant and disconnected facts). A story is a walk of that many edges from
the query's source to its target. `write_clutrr` adds columns that other readers ignore.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from r5._util.files.folders import write_folder
from r5._util.files.reading import is_folder, list_files, read_table
from r5._util.text import abbreviate
from r5.data.builder import DatasetBuilder, Row, rows_of
from r5.data.formats.examples.clutrr_stories import KNOWN_COLUMNS, NEEDED_COLUMNS, OWN_COLUMNS, StoryReader, task_hops
from r5.data.formats.examples.graphlog import read_config, write_config
from r5.dataset import SPLITS, Dataset
from r5.errors import DataError, R5Error

__all__ = ["is_clutrr", "load_clutrr", "write_clutrr"]

_COLUMNS = (
    *("", "id", "story", "query", "text_query", "target", "text_target", "clean_story", "proof_state", "f_comb"),
    *("task_name", "story_edges", "edge_types", "query_edge", "genders", "syn_story", "node_mapping", "task_split"),
    *OWN_COLUMNS,
)
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class _Story:
    """Example with its position in the files."""

    row: Row
    path: Path
    line: int
    position: int | None
    """Index within the split, if the file has it."""


def is_clutrr(path: str | Path) -> bool:
    """Return whether a path is a CLUTRR folder."""
    return bool(list_files(path, "*_train.csv") or list_files(path, "*_test.csv"))


def load_clutrr(path: str | Path) -> Dataset:
    """Load a CLUTRR folder: `*_train.csv`, `*_valid.csv` (optional), `*_test.csv`.

    Entities are the people's names. Facts without a relation, which CLUTRR adds to stories of kinds 2 to 4
    (`edge_types` ends before them), are left out.

    | set           | train  | test  | relations | training paths |
    | ------------- | ------ | ----- | --------- | -------------- |
    | data_089907f8 | 10,094 | 1,146 | 20        | 383            |
    | data_db9b8f04 | 15,083 | 1,048 | 20        | 2,183          |

    Args:
        path: The folder.

    Returns:
        A data set.

    Raises:
        DataError: The folder or one of its files is invalid.
    """
    folder = Path(path)
    if not is_clutrr(folder):
        what = "holds no *_train.csv or *_test.csv" if is_folder(folder) else "no such folder"
        raise DataError(f"{what}; expected a CLUTRR folder", folder)
    name, rules = read_config(folder)
    builder = DatasetBuilder(name)
    found = False
    for split in SPLITS:
        for story in _in_order(_read_split(folder, split)):
            found = True
            try:
                builder.add(split, story.row)
            except R5Error as error:
                raise DataError(str(error), story.path, story.line) from None
    if not found:
        raise DataError("holds no stories", folder)
    return builder.build(rules)


def _in_order(stories: Iterable[_Story]) -> list[_Story]:
    """Sort stories by their position in the split, if all files have it."""
    stories = list(stories)
    if all(story.position is not None for story in stories):
        stories.sort(key=lambda story: story.position or 0)
    return stories


def _read_split(folder: Path, split: str) -> Iterator[_Story]:
    """Yield the stories of a split, file by file."""
    home: dict[str, str] = {}
    reader = StoryReader()
    for path in list_files(folder, f"*_{split}.csv"):
        tasks = path.stem.removesuffix(f"_{split}").split(",")
        for task in tasks:
            if task_hops(task) is not None and (other := home.setdefault(task, path.name)) != path.name:
                raise DataError(f"duplicated split: {other} and {path.name} are both {split} of task {task}", folder)
        hops = task_hops(tasks[0]) if len(tasks) == 1 else None
        yield from _read_stories(path, reader, hops, answered=split == "train")


def _read_stories(path: Path, reader: StoryReader, hops: int | None, answered: bool) -> Iterator[_Story]:
    """Yield the stories of a file; errors name the line."""
    (line, header), *rows = read_table(path)
    indices = _column_indices(header, path, line)
    for line, cells in rows:
        if len(cells) != len(header):
            raise DataError(f"has {len(cells)} columns, expected {len(header)}", path, line)
        story = {name: cells[index] for name, index in indices.items()}
        try:
            if answered and not story["target"]:
                raise R5Error("the target is missing; a training story needs one")
            yield _Story(reader.row(story, hops), path, line, reader.position(story))
        except R5Error as error:
            raise DataError(str(error), path, line) from None


def _column_indices(header: Sequence[str], path: Path, line: int) -> dict[str, int]:
    """Return the index of each known column."""
    for name in NEEDED_COLUMNS:
        if header.count(name) != 1:
            often = "no column" if name not in header else "more than one column"
            raise DataError(f"has {often} {name!r}; expected {', '.join(NEEDED_COLUMNS)}", path, line)
    return {name: header.index(name) for name in KNOWN_COLUMNS if name in header}


def write_clutrr(
    dataset: Dataset,
    path: str | Path,
    *,
    force: bool = False,
    genders: Mapping[str, str] | None = None,
    task: int = 1,
) -> None:
    """Write a data set as a CLUTRR folder that reads back as the same data set.

    Test stories go to one file per number of hops, train and valid stories to one file each. Additional columns
    hold the position in the split, names of any kind, the resolution path and the true relations along it.

    Args:
        dataset: The data set.
        path: The folder.
        force: Replace an existing folder.
        genders: `male` or `female` by name.
        task: CLUTRR's kind of story (1: clean).

    Raises:
        R5Error: The data set has no examples, or the format cannot hold one of them.
    """
    if (dataset.train.answers < 0).any():
        raise R5Error("a training example without an answer cannot be written")
    if not any(len(dataset.split(split)) for split in SPLITS):
        raise R5Error("a CLUTRR folder needs examples, and there are none")

    def fill(folder: Path) -> None:
        write_config(dataset, folder)
        for split in SPLITS:
            rows = list(rows_of(dataset.split(split)))
            for name, positions in _files(rows, split, task):
                with (folder / name).open("w", encoding="utf-8", newline="") as file:
                    writer = csv.DictWriter(file, _COLUMNS, restval="", lineterminator="\n")
                    writer.writeheader()
                    for number, position in enumerate(positions):
                        cells = _cells(rows[position], task, genders or {})
                        origin = {"": number, "id": f"{split}-{position}", "task_split": split, "position": position}
                        writer.writerow(cells | origin)

    write_folder(path, fill, force=force, replaces=(".csv", ".json"))


def _files(rows: Sequence[Row], split: str, task: int) -> Iterator[tuple[str, list[int]]]:
    """Yield the names of a split's files and their row positions: one file, or one per number of hops."""
    by_hops: dict[int, list[int]] = {}
    for position, row in enumerate(rows):
        by_hops.setdefault(_hops(row), []).append(position)
    names = {hops: f"{task}.{hops}" for hops in sorted(by_hops)}
    together = ",".join(names.values())
    if split != "test" and rows and len(together) <= _LONGEST_NAME:
        yield f"{together}_{split}.csv", list(range(len(rows)))
    else:
        yield from ((f"{name}_{split}.csv", by_hops[hops]) for hops, name in names.items())


def _hops(row: Row) -> int:
    return max(len(row.resolution) - 1, 0)


def _cells(row: Row, task: int, genders: Mapping[str, str]) -> dict[str, object]:
    """Return the cells of one story by column; lists are Python literals."""
    if row.answer is not None and ("\r" in row.answer or "\0" in row.answer):
        raise R5Error(f"a CLUTRR file cannot hold the relation {abbreviate(row.answer)}")
    people = list(dict.fromkeys(name for source, _, target in row.edges for name in (source, target)))
    number = {name: place for place, name in enumerate(people)}
    between = {(edge[0], edge[2]): edge for edge in reversed(row.edges)}
    walk = [between[step] for step in pairwise(row.resolution) if step in between]
    return {
        "story": _sentences(row.edges),
        "query": (row.source, row.target),
        "target": row.answer or "",
        "text_target": [],
        "clean_story": _sentences(walk),
        "proof_state": [],
        "f_comb": _printable("-".join(row.descriptor or [relation for _, relation, _ in walk])),
        "task_name": f"task_{task}.{_hops(row)}",
        "story_edges": [(number[source], number[target]) for source, _, target in row.edges],
        "edge_types": [relation for _, relation, _ in row.edges],
        "query_edge": (number[row.source], number[row.target]),
        "genders": ",".join(f"{_printable(name)}:{genders.get(name, 'unknown')}" for name in people),
        "node_mapping": {place: place for place in number.values()},
        "entities": people,
        "resolution": [number[name] for name in row.resolution],
        "descriptor": list(row.descriptor),
    }


def _sentences(edges: Iterable[tuple[str, str, str]]) -> str:
    """Return the edges as sentences."""
    return _printable(" ".join(f"[{source}]'s {relation} is [{target}]." for source, relation, target in edges))


def _printable(text: str) -> str:
    """Replace each unprintable character by a space."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
