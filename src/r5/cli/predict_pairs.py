"""`r5 predict --pairs`: answers to a file of questions, written as they come."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from r5.cli.asking import asked_about, reckon_with_wrong_edges, tell_unseen, with_added
from r5.cli.clusters import on_cluster
from r5.cli.console import log, show
from r5.cli.output import STANDARD, check_out
from r5.cli.progress import progress_bar
from r5.errors import DataError, R5Error

if TYPE_CHECKING:
    from r5.data.formats.pairs import Pair
    from r5.derivations.derivation import Prediction
    from r5.graph import Graph
    from r5.parallel.cluster import Cluster

__all__ = ["Asked", "predict_pairs"]

_TYPES = {
    "source": "string",
    "target": "string",
    "relation": "string",
    "probability": "double",
    "score": "double",
    "reason": "string",
}
_AT_ONCE = 1000
"""Rows written at once."""


@dataclass(frozen=True)
class Asked:
    """Which questions, about what, and how they are to be answered."""

    model: str
    graph: str
    pairs: Path
    explain: bool
    keep_going: bool
    split: str
    cluster: str = "local"
    """Where they are answered."""
    wrong_edges: str | None = None
    """How often edges are wrong, where that is said."""
    min_probability: float | None = None
    """Minimum probability of an answer, where one is given."""
    add: tuple[Path, ...] = ()
    """Files of further facts."""


def predict_pairs(
    asked: Asked, out: Path | None, force: bool, load: list[str], as_json: bool = False, quiet: bool = False
) -> None:
    """Answer the pairs of a file, in their order; a bad row is an error with its line, or is marked."""
    from r5._util.output import stream_bytes
    from r5._util.tables import check_suffix, table_writer
    from r5.dataset import Dataset
    from r5.reasoners.base import Progress
    from r5.reasoners.registry import load_model

    printed = out is None or out in STANDARD
    name = Path("answers.jsonl" if as_json else "answers.tsv") if out is None or printed else out
    suffix = check_suffix(name)
    check_out(out, force)
    reasoner = load_model(asked.model)
    reckon_with_wrong_edges(reasoner, asked.wrong_edges)
    about = asked_about(reasoner, asked.graph, load, quiet)
    has_examples = isinstance(about, Dataset)
    if not isinstance(about, Dataset):
        about = with_added(reasoner, about, asked.add, load, quiet)
    elif asked.add:
        raise R5Error(f"{asked.graph}: each example has a graph of its own; --add is for data with one graph")
    tell_unseen(reasoner, about.split(asked.split).pool if isinstance(about, Dataset) else about, quiet)
    columns = {**({"example": "int64"} if has_examples else {}), **_TYPES}
    if asked.explain:
        columns["derivation"] = "string"
    target = nullcontext(sys.stdout.buffer) if printed else stream_bytes(name, force)
    bad = 0
    with on_cluster(asked.cluster) as there, target as stream, progress_bar("answering", quiet) as progress:
        answers = _answers(reasoner, about, asked, has_examples, there)
        part = list(islice(answers, _AT_ONCE))  # before the header: what is wrong with the file is told alone
        writer = table_writer(name, stream, columns)
        done = 0
        while part:
            bad += sum(answer is None for _, answer in part)
            if suffix == ".jsonl" and asked.explain:
                stream.write("".join(_line(pair, answer, has_examples) for pair, answer in part).encode())
            else:
                writer.write([_row(pair, answer, asked.explain, has_examples) for pair, answer in part])
            done += len(part)
            if progress is not None:
                progress(Progress(done, done, ""))
            part = list(islice(answers, _AT_ONCE))
        writer.close()
        stream.flush()
    if bad:
        log(f"{bad:,} of {done:,} rows could not be asked; their reason says why", quiet)
    if not printed:
        show(str(name))


def _answers(
    reasoner: Any, about: Any, asked: Asked, examples: bool, cluster: Cluster | None
) -> Iterator[tuple[Pair, Prediction | None]]:
    """Each pair with its answer; a bad one is an error unless it is to be kept."""
    from r5.data.formats.pairs import read_pairs
    from r5.graph import Graph
    from r5.reasoners.batch_answers import answer_pairs

    pairs = read_pairs(asked.pairs, examples)
    for pair, answer in answer_pairs(reasoner, about, pairs, asked.explain, asked.split, cluster):
        if answer is None and not asked.keep_going:
            problem = _with_hint(about, pair) if isinstance(about, Graph) else pair.problem
            raise DataError(f"{problem} (--keep-going marks such rows)", asked.pairs, pair.line)
        minimum = asked.min_probability
        yield pair, answer if answer is None or minimum is None else answer.at_least(minimum)


def _with_hint(graph: Graph, pair: Pair) -> str:
    """What is wrong with a pair, with near names where one is not known: slow, and so done once."""
    try:
        if pair.source and pair.target:
            graph.node(pair.source)
            graph.node(pair.target)
    except R5Error as error:
        return str(error)
    return pair.problem


def _row(pair: Pair, answer: Prediction | None, explain: bool, examples: bool) -> list[Any]:
    number = int(pair.example) if pair.example.isdecimal() else None
    row: list[Any] = [number, pair.source, pair.target] if examples else [pair.source, pair.target]
    if answer is None:
        return [*row, None, None, None, pair.problem, *([None] * explain)]
    row += [answer.relation, answer.probability, answer.score, answer.reason]
    if explain:
        row.append(None if answer.derivation is None else json.dumps(answer.derivation.to_json(), ensure_ascii=False))
    return row


def _line(pair: Pair, answer: Prediction | None, examples: bool) -> str:
    """The object that `r5 predict --json` prints, on one line."""
    from r5.derivations.derivation import Prediction

    told = (answer or Prediction(None, reason=pair.problem)).to_json()
    number = {"example": int(pair.example)} if examples and pair.example.isdecimal() else {}
    return json.dumps({**number, "source": pair.source, "target": pair.target, **told}, ensure_ascii=False) + "\n"
