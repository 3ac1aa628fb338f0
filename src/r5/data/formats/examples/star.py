"""STaR: qualitative reasoning, one graph with one query per row: `train_rcc8.csv`, `test_rcc8_k_9_b_3.csv` and so on.

The columns are `edges` `[(0, 1), ...]`, `edge_labels` `['EC', ...]`, `query_edge` `(0, 4)` and `query_label`. The name
of a file consists of split and algebra. All files of an algebra in a folder are one data set.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from r5._util.files.folders import write_folder
from r5._util.files.reading import is_folder, list_files, read_columns
from r5.data.builder import DatasetBuilder, Row, rows_of
from r5.data.formats.examples.literals import parse_names, parse_pair, parse_pairs
from r5.dataset import SPLITS, Dataset
from r5.errors import DataError, R5Error
from r5.paths.branches import branches_between

__all__ = ["is_star", "load_star", "write_star"]

_COLUMNS = ("edges", "edge_labels", "query_edge", "query_label")
_NAME = re.compile(r"(train|valid|test)_(.+?)(_k_\d+)?(_b_\d+)?\.csv")


def is_star(path: str | Path) -> bool:
    """Return whether a path is a STaR file or a folder of STaR files."""
    where = Path(path)
    files = list_files(where, "*.csv") if is_folder(where) else [where] if where.suffix == ".csv" else []
    return any(_NAME.fullmatch(file.name) and _is_table(file) for file in files)


def _is_table(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            header = next(csv.reader([file.readline(10_000)]), [])
    except (OSError, csv.Error):
        return False
    return all(name in header for name in _COLUMNS)


def load_star(path: str | Path, algebra: str = "") -> Dataset:
    """Load a STaR file or folder.

    | algebra  | train | test files | relations |
    | -------- | ----- | ---------- | --------- |
    | rcc8     | 9,000 | 17         | 8         |
    | interval | 9,000 | 16         | 13        |

    Args:
        path: A file or a folder.
        algebra: The algebra to load from a folder with several.

    Returns:
        A data set.

    Raises:
        DataError: A file is invalid, or the folder has several algebras and none is chosen.
    """
    where = Path(path)
    files = list_files(where, "*.csv") if is_folder(where) else [where]
    named = [(file, match) for file in files if (match := _NAME.fullmatch(file.name))]
    found = sorted({match[2] for _, match in named})
    if not found:
        raise DataError("expected files named train_NAME.csv and test_NAME_k_K_b_B.csv", path)
    if algebra and algebra not in found:
        raise DataError(f"has no files of the algebra {algebra!r}; there are {', '.join(found)}", path)
    if not algebra and len(found) > 1:
        raise DataError(f"holds several algebras: choose one with algebra={' or algebra='.join(found)}", path)
    wanted = algebra or found[0]
    builder = DatasetBuilder(wanted)
    for file, match in named:
        if match[2] == wanted:
            for line, row in _rows(file):
                try:
                    builder.add(match[1], row)
                except R5Error as error:
                    raise DataError(str(error), file, line) from None
    return builder.build()


def _rows(path: Path) -> Iterator[tuple[int, Row]]:
    """Yield the examples of a file with their lines."""
    for line, cells in read_columns(path, _COLUMNS):
        try:
            edges, names = parse_pairs(cells["edges"]), parse_names(cells["edge_labels"])
            source, target = parse_pair(cells["query_edge"])
            if len(edges) != len(names):
                raise R5Error(f"there are {len(edges)} edges and {len(names)} labels; expected one label per edge")
        except R5Error as error:
            raise DataError(str(error), path, line) from None
        named = [(str(s), name, str(t)) for (s, t), name in zip(edges, names, strict=True)]
        yield line, Row(named, str(source), str(target), cells["query_label"] or None, _shortest(edges, source, target))


def _shortest(edges: tuple[tuple[int, int], ...], source: int, target: int) -> tuple[str, ...]:
    """Return the nodes of the shortest path, the first in the order of the edges; empty without a path."""
    previous = {source: source}
    queue = [source]
    for node in queue:
        for start, end in edges:
            if start == node and end not in previous:
                previous[end] = node
                queue.append(end)
    if target not in previous or source == target:
        return ()
    path = [target]
    while path[-1] != source:
        path.append(previous[path[-1]])
    return tuple(map(str, reversed(path)))


def write_star(dataset: Dataset, path: str | Path, *, force: bool = False) -> None:
    """Write a data set as a folder of STaR files; the test split has one file per path length and number of branches.

    Args:
        dataset: The data set.
        path: The folder.
        force: Replace an existing folder.
    """

    def fill(folder: Path) -> None:
        for split in SPLITS:
            for name, rows in _files(dataset, split).items():
                with (folder / name).open("w", encoding="utf-8", newline="") as file:
                    writer = csv.writer(file, lineterminator="\n")
                    writer.writerow(("", *_COLUMNS))
                    writer.writerows((number, *cells) for number, cells in enumerate(rows))

    write_folder(path, fill, force=force, replaces=(".csv",))


def _files(dataset: Dataset, split: str) -> dict[str, list[tuple[object, ...]]]:
    """Return the rows of each file of a split."""
    files: dict[str, list[tuple[object, ...]]] = {}
    for row in rows_of(dataset.split(split)):
        number = _numbers(row)
        edges = [(number[s], number[t]) for s, _, t in row.edges]
        query = number[row.source], number[row.target]
        kind = f"_k_{max(len(row.resolution) - 1, 0)}_b_{branches_between(edges, *query)}" if split == "test" else ""
        cells = (edges, [relation for _, relation, _ in row.edges], query, row.answer or "")
        files.setdefault(f"{split}_{dataset.name}{kind}.csv", []).append(cells)
    return files


def _numbers(row: Row) -> dict[str, int]:
    """Number the nodes; nodes whose names are all numbers keep them."""
    names = list(dict.fromkeys(name for source, _, target in row.edges for name in (source, target)))
    if all(name.isascii() and name.isdigit() and str(int(name)) == name for name in names):
        return {name: int(name) for name in names}
    return {name: place for place, name in enumerate(names)}
