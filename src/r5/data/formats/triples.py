"""Triples: one graph in a file, or a folder of split files.

- One file: every fact of the graph is a training example whose own fact is masked.
- A folder with a train file and optional valid and test files: the graph consists of the training triples. Each of
  them is an example whose own fact is masked; valid and test triples are queries over that graph.
- The same with a file of facts: the graph consists of the facts and the training triples; only the latter are examples.
- A folder with train and inference files (ILPC), or a folder X beside X_ind (GraIL) with the option `inductive`: an
  inductive data set, whose test queries are answered on the inference graph (`Dataset.inference`).

All splits share one graph object, except those of inductive data. An entity that occurs only in valid or test is a
node without edges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from r5._util.files.compression import strip_compression_suffix
from r5._util.files.folders import write_folder
from r5._util.files.reading import list_files
from r5.data.formats import rdf
from r5.data.formats.graphs.neo4j import is_neo4j, read_neo4j
from r5.data.formats.names import name_tables
from r5.data.formats.split_files import (
    INFERENCE,
    SUFFIXES,
    find_paired_files,
    find_split_files,
    is_of_inference,
    split_of,
)
from r5.data.formats.tables.columns import Triple
from r5.data.formats.tables.databases import DATABASE_SUFFIXES, query_file, read_database
from r5.data.formats.tables.delimited import read_delimited, read_facts
from r5.data.formats.tables.frames import read_parquet
from r5.data.formats.tables.json_rows import JSON_SUFFIXES, read_json
from r5.data.formats.tables.table import Table, describe_tables
from r5.data.inductive import inductive_dataset
from r5.data.one_graph import dataset_from_graph, dataset_with_splits
from r5.dataset import SPLITS, Dataset
from r5.errors import DataError, R5Error
from r5.graph import Graph

__all__ = ["check_headers", "is_triples", "load_triples", "read_triples", "write_triples"]


def is_triples(path: Path) -> bool:
    """Return whether a path is a file of triples, by its suffix, or a folder of split files or of Neo4j's CSV files."""
    if path.is_dir():
        return any(map(split_of, list_files(path, "*"))) or is_neo4j(path)
    return strip_compression_suffix(path).suffix.lower() in SUFFIXES


def read_triples(
    path: str | Path,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    columns: Sequence[str | int] | None = None,
    query: str | None = None,
    table: str | None = None,
    hyperedges: bool = False,
    literals: bool = False,
    types: bool = True,
    names: str | None = None,
    language: str | None = None,
    short: bool = False,
    inverse: bool = False,
    inductive: bool = False,
) -> Graph:
    """Read the graph of a file: Parquet, RDF, JSON, a database, an export of Neo4j, or text with one triple per row.

    Files may be compressed (.gz, .zst). For a folder of split files the graph consists of the facts and the training
    triples; for a folder of inductive data it is the inference graph. Names may be quoted, except with tabs or blanks
    as delimiters. Options that do not apply to the format of the file are ignored.

    Args:
        path: A file, a folder of split files, or a folder of Neo4j's CSV files.
        delimiter: One character; a space stands for any run of blanks. By default the one that gives most rows three
            fields.
        header: The first row names the columns. By default detected by names such as head, relation and tail.
        columns: Names or indices of source, relation and target. By default common names, or else the order.
        query: SQL query of the triples; a Parquet, CSV or JSON file is called `data` in it.
        table: Table of a database.
        hyperedges: Rows are relation, argument, argument ... (see `Graph.from_facts`).
        literals: Keep RDF literals.
        types: Keep statements of rdf:type.
        names: Names of entities: `label` for rdfs:label in RDF, or a property of the nodes of Neo4j.
        language: Language tag of labels in RDF.
        short: Abbreviate IRIs to their last part.
        inverse: Add inverse edges.
        inductive: See `load_triples`.

    Returns:
        A graph.

    Raises:
        DataError: The file is invalid; the message names the line.
        R5Error: An option is invalid.
    """
    reading = _Reading(
        delimiter, header, columns, query, table, hyperedges, literals, types, names, language, short, inverse
    )
    if not Path(path).is_dir():
        return reading.graph(Path(path))[0]
    data = _load(Path(path), reading, inductive=inductive)
    return (data.inference or data).train.pool


@dataclass(frozen=True)
class _Reading:
    """Options of `read_triples`."""

    delimiter: str | None
    header: bool | None
    columns: Sequence[str | int] | None
    query: str | None
    table: str | None
    hyperedges: bool
    literals: bool
    types: bool
    names: str | None
    language: str | None
    short: bool
    inverse: bool

    def graph(self, path: Path) -> tuple[Graph, str]:
        """Read the graph of one file, and describe how it was read."""
        if self.hyperedges:
            facts = read_facts(path, delimiter=self.delimiter, header=self.header)
            graph, source = Graph.from_facts(facts), f"{path.name}: {len(facts):,} facts (relation, arguments)"
        else:
            tables = self.tables({"train": path})
            graph, source = Graph.from_triples(tables["train"].triples), describe_tables({path.name: tables["train"]})
        return graph.with_inverses() if self.inverse else graph, source

    def tables(self, files: Mapping[str, Path]) -> dict[str, Table]:
        """Read the triples of files by split."""
        tables = {split: self._table(path) for split, path in files.items()}
        check_headers(list(tables.values()))
        return dict(zip(tables, name_tables(list(tables.values()), self.short), strict=True))

    def _table(self, path: Path) -> Table:
        """Read the triples of one file of any format."""
        suffix = strip_compression_suffix(path).suffix.lower()
        if suffix in DATABASE_SUFFIXES:
            return read_database(path, query=self.query, table=self.table, columns=self.columns)
        if self.table is not None:
            raise DataError("has no tables to choose from: table is for databases", path)
        if self.query is not None:
            return query_file(path, self.query, self.columns)
        return read_neo4j(path, names=self.names) if is_neo4j(path) else self._file(path, suffix)

    def _file(self, path: Path, suffix: str) -> Table:
        """Read the triples of one file whose suffix is its format."""
        if suffix == ".parquet":
            return read_parquet(path, self.columns)
        if suffix in JSON_SUFFIXES:
            return read_json(path, self.columns)
        if suffix in rdf.FORMATS:
            options = {"literals": self.literals, "types": self.types}
            return rdf.read_rdf(path, **options, names=self.names, language=self.language)
        return read_delimited(path, delimiter=self.delimiter, header=self.header, columns=self.columns)


def check_headers(tables: Sequence[Table]) -> None:
    """Raise an error if the first row of a table looks like a header and no other table has its relation."""
    for number, table in enumerate(tables):
        if table.suspicion is not None:
            others = (triple[1] for place, other in enumerate(tables) if place != number for triple in other.triples)
            if table.triples[0][1] not in others:
                raise table.suspicion


def load_triples(
    path: str | Path,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    columns: Sequence[str | int] | None = None,
    query: str | None = None,
    table: str | None = None,
    hyperedges: bool = False,
    literals: bool = False,
    types: bool = True,
    names: str | None = None,
    language: str | None = None,
    short: bool = False,
    inverse: bool = False,
    sample: int | None = None,
    seed: int = 0,
    valid_fraction: float = 0.0,
    test_fraction: float = 0.0,
    inductive: bool = False,
) -> Dataset:
    """Load a file of triples or a folder of split files, as described in this module.

    Answers are relations of the data, never added inverse relations.

    Args:
        path: A file, a folder of split files, or a folder of Neo4j's CSV files.
        delimiter: See `read_triples`.
        header: See `read_triples`.
        columns: See `read_triples`.
        query: See `read_triples`.
        table: See `read_triples`.
        hyperedges: See `read_triples`; for one file only.
        literals: See `read_triples`.
        types: See `read_triples`.
        names: See `read_triples`.
        language: See `read_triples`.
        short: See `read_triples`.
        inverse: See `read_triples`.
        sample: Maximum number of training examples.
        seed: Seed of the sample and of the splits.
        valid_fraction: Share of the facts held out for validation; for one file only.
        test_fraction: Share of the facts held out for testing; for one file only.
        inductive: Take the inference graph and its queries from the folder of the same name with `_ind` at the end.

    Returns:
        A data set over one graph, or over a training and an inference graph.

    Raises:
        DataError: A file is invalid; the message names the line.
        R5Error: An option is invalid.
    """
    reading = _Reading(
        delimiter, header, columns, query, table, hyperedges, literals, types, names, language, short, inverse
    )
    return _load(Path(path), reading, sample, seed, valid_fraction, test_fraction, inductive)


def _load(
    path: Path,
    reading: _Reading,
    sample: int | None = None,
    seed: int = 0,
    valid_fraction: float = 0.0,
    test_fraction: float = 0.0,
    inductive: bool = False,
) -> Dataset:
    name = path.resolve().name if path.is_dir() else strip_compression_suffix(path).stem
    files = find_split_files(path) if path.is_dir() and not is_neo4j(path) else {"train": path}
    if inductive and not any(map(is_of_inference, files)):
        files |= find_paired_files(path)
    if files.keys() != {"train"}:
        if reading.hyperedges or valid_fraction or test_fraction:
            raise DataError("has splits; valid_fraction, test_fraction and hyperedges are for one file", path)
        tables = reading.tables(files)
        rows = {split: table.triples for split, table in tables.items()}
        return replace(_with_splits(name, rows, reading.inverse, sample, seed), source=_describe(files, tables))
    graph, source = reading.graph(files["train"])
    data = dataset_from_graph(
        graph, name=name, sample=sample, seed=seed, valid_fraction=valid_fraction, test_fraction=test_fraction
    )
    return replace(data, source=source)


def _describe(files: Mapping[str, Path], tables: Mapping[str, Table]) -> str:
    """Describe how the files of splits were read; the folder is named where there are two."""
    several = len({file.parent for file in files.values()}) > 1
    names = {split: f"{file.parent.name}/{file.name}" if several else file.name for split, file in files.items()}
    return describe_tables({names[split]: table for split, table in tables.items()})


def _with_splits(
    name: str, rows: Mapping[str, Sequence[Triple]], inverse: bool, sample: int | None, seed: int
) -> Dataset:
    """Build a data set of splits, over one graph or with an inference graph."""
    if not any(map(is_of_inference, rows)):
        return dataset_with_splits(name, rows, inverse, sample, seed)
    training = {split: part for split, part in rows.items() if not is_of_inference(split)}
    inference = {split.removeprefix(f"{INFERENCE}_"): rows[split] for split in rows if is_of_inference(split)}
    return inductive_dataset(name, training, inference, inverse, sample, seed)


def write_triples(data: Dataset, folder: str | Path, force: bool = False) -> None:
    """Write a knowledge graph as a folder of train.txt, valid.txt and test.txt that reads back as the same data set.

    Tabs separate the names. An empty split has no file.

    Args:
        data: A data set over one graph, each of whose edges is a training example.
        folder: The folder.
        force: Replace an existing folder.

    Raises:
        R5Error: The data set is not of this kind, or a name contains a tab or a line end.
    """
    if data.graph is None or data.graph.number_of_edges != len(data.train):
        raise R5Error(f"{data.name}: only one graph, each of whose edges is a training example, is written as triples")
    words, names = data.vocabulary.names(range(len(data.vocabulary))), data.graph.entities
    if any(character in name for name in (*words, *names) for character in "\t\r\n"):
        raise R5Error("a name with a tab or a line end cannot be written as triples")

    def fill(new: Path) -> None:
        for split in SPLITS:
            part = data.split(split)
            rows = zip(part.sources.tolist(), part.answers.tolist(), part.targets.tolist(), strict=True)
            text = "".join(f"{names[s]}\t{words[r]}\t{names[t]}\n" for s, r, t in rows)
            if text:
                (new / f"{split}.txt").write_text(text, encoding="utf-8", newline="\n")

    write_folder(folder, fill, force, replaces=(".txt",))
