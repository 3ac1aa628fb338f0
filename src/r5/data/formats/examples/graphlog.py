"""GraphLog worlds: folders of `train.jsonl`, `valid.jsonl`, `test.jsonl` and `config.json`.

Each line is one graph with one query: `edges` as [source, target, relation] and `query` as the
same three (v1.0, v1.1), or `query` as [source, target] with the answer under `target` (the newer
generator). `descriptor` holds the true relations along the path `resolution_path`, and `config.json`
the ground-truth rules.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from r5._util.files.folders import write_folder
from r5._util.files.reading import is_folder, list_files, parse_json, read_lines, read_text
from r5._util.text import abbreviate
from r5.data.builder import DatasetBuilder, Row, rows_of
from r5.data.formats.examples.graph_rows import edges_are_swapped, is_own_row
from r5.data.formats.tables.columns import column_roles
from r5.data.formats.tables.json_rows import first_value
from r5.dataset import SPLITS, Dataset
from r5.errors import DataError, R5Error
from r5.rules.ruleset import Rule, RuleSet

__all__ = ["is_graphlog", "load_graphlog", "read_config", "write_config", "write_graphlog"]

_FILE_NAMES = {"train": ("train",), "valid": ("valid", "val", "dev"), "test": ("test",)}
_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")


def is_graphlog(path: str | Path) -> bool:
    """Return whether a path is the folder of a GraphLog world; files of triples or of own graphs are not."""
    files = list_files(path, "train.jsonl")
    if not files:
        return False
    first = first_value(files[0])
    is_triple = isinstance(first, list) or (isinstance(first, dict) and column_roles(list(first)) is not None)
    return not is_triple and not is_own_row(first)


def load_graphlog(path: str | Path, *, drop_duplicates: bool = False) -> Dataset:
    """Load the folder of a world; entities are named by their numbers.

    `valid.jsonl`, `test.jsonl` and `config.json` may be missing.

    | set      | train | valid | test  | relations | classes | distinct paths |
    | -------- | ----- | ----- | ----- | --------- | ------- | -------------- |
    | World 17 | 5,000 | 1,000 | 1,000 | 20        | 17      | 147            |
    | Re 0     | 1,000 | 100   | 200   | 19        | 12      | 631            |
    | Re 2     | 1,000 | 25    | 1,000 | 19        | 11      | 725            |

    Args:
        path: The folder.
        drop_duplicates: Skip repeated training lines, as the paper's authors do: World 17 keeps 3,095 of 5,000.

    Returns:
        A data set.

    Raises:
        DataError: The folder or one of its files is invalid.
    """
    folder = Path(path)
    if not is_graphlog(folder):
        what = "holds no train.jsonl" if is_folder(folder) else "no such folder"
        raise DataError(f"{what}; expected the folder of a GraphLog world", folder)
    name, rules = read_config(folder)
    builder = DatasetBuilder(name)
    for split in SPLITS:
        files = [file for stem in _FILE_NAMES[split] for file in list_files(folder, f"{stem}.jsonl")]
        if len(files) > 1:
            raise DataError(f"duplicated split: {files[0].name} and {files[1].name} are both {split}", folder)
        for file in files:
            _read_split(builder, split, file, drop_duplicates and split == "train")
    return builder.build(rules)


def _read_split(builder: DatasetBuilder, split: str, path: Path, drop_duplicates: bool) -> None:
    """Add the rows of one file; errors name the line."""
    seen: set[str] = set()
    for line, text in read_lines(path):
        if drop_duplicates and text in seen:
            continue
        seen.add(text)
        value = parse_json(text, path, line)
        row = None
        try:
            row = _row(value)
            if row.answer is None and split == "train":
                raise R5Error("the answer is null; a training row needs one")
            builder.add(split, row)
        except R5Error as error:
            raise DataError(f"{error}{_hint(row)}", path, line) from None


def _hint(row: Row | None) -> str:
    """Return a hint if the edges fit the query only in another order than GraphLog's."""
    if row is not None and edges_are_swapped(row.edges, (row.source, row.target)):
        return "; the edges look like [source, relation, target], expected GraphLog's [source, target, relation]"
    return ""


def _row(value: Any) -> Row:
    """Convert a JSON value to an example."""
    if not isinstance(value, dict):
        raise R5Error(f"expected an object with edges and query, found {abbreviate(value)}")
    node = _node if value.get("entities") is None else _lookup(value["entities"])
    query = value.get("query")
    if not isinstance(query, list) or len(query) not in (2, 3):
        raise R5Error(f"query must be [source, target] or [source, target, relation], found {abbreviate(query)}")
    return Row(
        edges=_edges(value.get("edges"), node),
        source=node(query[0]),
        target=node(query[1]),
        answer=_answer(query, value),
        resolution=_path(value.get("resolution_path"), node),
        descriptor=_descriptor(value.get("descriptor")),
    )


def _node(value: Any) -> str:
    """Return the name of a node given by number or by name."""
    if type(value) is int or type(value) is str:
        return str(value)
    raise R5Error(f"a node must be a number or a name, found {abbreviate(value)}")


def _lookup(entities: Any) -> Callable[[Any], str]:
    """Return the function from a node's index to its name in `entities`, which `write_graphlog` adds."""
    if not isinstance(entities, list) or not all(isinstance(name, str) for name in entities):
        raise R5Error(f"entities must be a list of names, found {abbreviate(entities)}")
    if len(set(entities)) != len(entities):
        raise R5Error("two entities have the same name")

    def node(value: Any) -> str:
        if type(value) is not int or not 0 <= value < len(entities):
            raise R5Error(f"a node must be a number from 0 to {len(entities) - 1}, found {abbreviate(value)}")
        name: str = entities[value]
        return name

    return node


def _edges(value: Any, node: Callable[[Any], str]) -> list[tuple[str, str, str]]:
    """Check and convert the edges, [source, target, relation] each."""
    if not isinstance(value, list):
        raise R5Error(f"edges must be a list of [source, target, relation], found {abbreviate(value)}")
    edges = []
    kinds = set()
    for edge in value:
        if not isinstance(edge, list) or len(edge) != 3 or type(edge[2]) is not str:
            swapped = isinstance(edge, list) and len(edge) == 3 and type(edge[1]) is str
            order = " (this one looks like [source, relation, target])" if swapped else ""
            raise R5Error(f"an edge must be [source, target, relation]{order}, found {abbreviate(edge)}")
        source, target, relation = edge
        edges.append((node(source), relation, node(target)))
        kinds |= {type(source), type(target)}
    if len(kinds) > 1:
        raise R5Error("some nodes are numbers and some are names; expected one or the other")
    return edges


def _answer(query: Sequence[Any], value: dict[str, Any]) -> str | None:
    """Return the answer: the third entry of the query or `target`, which must agree; None for null."""
    answers = [*query[2:], *([value["target"]] if "target" in value else [])]
    if not answers:
        raise R5Error("the answer is missing: query has no third entry and there is no target")
    answer = answers[0]
    if answer is not None and not isinstance(answer, str):
        raise R5Error(f"the answer must be a relation, found {abbreviate(answer)}")
    if answers[-1] != answer:
        raise R5Error(f"query and target disagree: {abbreviate(answer)} and {abbreviate(answers[-1])}")
    return answer


def _path(value: Any, node: Callable[[Any], str]) -> list[str]:
    """Return the nodes of the resolution path."""
    if value is not None and not isinstance(value, list):
        raise R5Error(f"resolution_path must be a list of nodes, found {abbreviate(value)}")
    return [node(step) for step in value or ()]


def _descriptor(value: Any) -> list[str]:
    """Return the relations of a descriptor: a list, or text with commas between the names."""
    if isinstance(value, str):
        return value.split(",") if value else []
    if value is not None and not (isinstance(value, list) and all(isinstance(name, str) for name in value)):
        raise R5Error(f"descriptor must be relations joined by commas, found {abbreviate(value)}")
    return value or []


def read_config(folder: Path) -> tuple[str, RuleSet | None]:
    """Read `config.json`.

    Args:
        folder: The folder of a data set; the file may be missing.

    Returns:
        The name of the data set (by default that of the folder) and its ground-truth rules, if known.

    Raises:
        DataError: The file is invalid.
    """
    path = folder / "config.json"
    name = folder.resolve().name
    if not path.exists():
        return name, None
    config = parse_json(read_text(path), path)
    if not isinstance(config, dict):
        raise DataError(f"expected an object, found {abbreviate(config)}", path)
    given, rules = config.get("name"), config.get("rules")
    name = given if isinstance(given, str) else name
    if rules is None:
        return name, None
    if not isinstance(rules, list):
        raise DataError(f"rules must be a list, found {abbreviate(rules)}", path)
    return name, RuleSet.of(_rule(rule, path) for rule in rules)


def _rule(value: Any, path: Path) -> Rule:
    """Convert a JSON value to a rule; the body is one relation or a list."""
    head, body = (value.get("head"), value.get("body")) if isinstance(value, dict) else (None, None)
    body = [body] if isinstance(body, str) else body
    if not isinstance(body, list) or not body or not all(isinstance(name, str) and name for name in [head, *body]):
        raise DataError(f"a rule must have a head and a body of one or two relations, found {abbreviate(value)}", path)
    return Rule(str(head), tuple(body))


def write_config(dataset: Dataset, folder: Path) -> None:
    """Write `config.json`: name, ground-truth rules and GraphLog's number of relation pairs."""
    config: dict[str, Any] = {"name": dataset.name, "num_rel": (len(dataset.vocabulary) + 1) // 2}
    if dataset.rules is not None:
        config["rules"] = [
            {"body": rule.body[0] if len(rule.body) == 1 else list(rule.body), "head": rule.head, "p": 1.0}
            for rule in dataset.rules
        ]
    _write(folder / "config.json", json.dumps(config, ensure_ascii=False, indent=1) + "\n")


def write_graphlog(dataset: Dataset, path: str | Path, *, force: bool = False) -> None:
    """Write a data set as a GraphLog world that reads back as the same data set.

    The answer is both the third entry of `query` and `target`, for readers of either version. If entities are not
    numbers, nodes are numbered and a list `entities` holds their names. Rules keep head and body. A split without
    examples has no file.

    Args:
        dataset: The data set.
        path: The folder.
        force: Replace an existing folder.

    Raises:
        R5Error: The data set has no training examples, or the format cannot hold one of them.
    """
    if not len(dataset.train):
        raise R5Error("a GraphLog world needs training examples, and there are none")
    if (dataset.train.answers < 0).any():
        raise R5Error("a training example without an answer cannot be written")
    names = (name for split in SPLITS for name in dataset.split(split).pool.entities)
    numbered = all(map(_NUMBER.fullmatch, names))

    def fill(folder: Path) -> None:
        write_config(dataset, folder)
        for split in SPLITS:
            if lines := [_line(row, numbered) for row in rows_of(dataset.split(split))]:
                _write(folder / f"{split}.jsonl", "\n".join(lines) + "\n")

    write_folder(path, fill, force=force, replaces=(".json", ".jsonl"))


def _line(row: Row, numbered: bool) -> str:
    """Return an example as a line of JSON."""
    names = list(dict.fromkeys(name for source, _, target in row.edges for name in (source, target)))
    node = int if numbered else {name: place for place, name in enumerate(names)}.__getitem__
    value: dict[str, Any] = {
        "edges": [[node(source), node(target), relation] for source, relation, target in row.edges],
        "query": [node(row.source), node(row.target), row.answer],
        "target": row.answer,
    }
    if row.descriptor:
        commas = any("," in name for name in row.descriptor)
        value["descriptor"] = list(row.descriptor) if commas else ",".join(row.descriptor)
    if row.resolution:
        value["resolution_path"] = [node(name) for name in row.resolution]
    if not numbered:
        value["entities"] = names
    return json.dumps(value, ensure_ascii=False)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
