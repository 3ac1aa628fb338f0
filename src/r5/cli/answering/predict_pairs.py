"""`r5 predict --pairs` and `--split`: answers to the queries of a file or a split, written in batches."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from r5.cli.answering.predict_split import load_split
from r5.cli.common.cluster import connect_cluster
from r5.cli.common.console import log, show
from r5.cli.common.inputs import add_facts, load_queried, log_unseen_relations, set_wrong_edges
from r5.cli.common.models import load_prepared
from r5.cli.common.output import STANDARD_OUTPUT, check_out
from r5.cli.common.progress import progress_bar
from r5.errors import DataError, R5Error

if TYPE_CHECKING:
    from r5.data.formats.pairs import Pair
    from r5.dataset import Dataset
    from r5.derivations.derivation import Prediction
    from r5.graph import Graph
    from r5.parallel.cluster import Cluster
    from r5.reasoners.base import Reasoner

__all__ = ["PairsRequest", "predict_pairs"]

_TYPES = {
    "source": "string",
    "target": "string",
    "relation": "string",
    "probability": "double",
    "score": "double",
    "reason": "string",
}
_BATCH_SIZE = 1000
"""Number of rows per batch."""


@dataclass(frozen=True)
class PairsRequest:
    """Model, data and options of a run of `r5 predict --pairs` or `--split`."""

    model: str
    graph: str
    pairs: Path | None
    """File of queries; None for those of the split."""
    explain: bool
    keep_going: bool
    split: str
    cluster: str = "local"
    """Machines to run on."""
    wrong_edges: str | None = None
    """Share of wrong edges, or `estimate`; None for that of the model."""
    min_probability: float | None = None
    """Minimum probability of an answer; None for no minimum."""
    add: tuple[Path, ...] = ()
    """Files of triples to add to the graph."""


def predict_pairs(
    request: PairsRequest, out: Path | None, force: bool, load: list[str], as_json: bool = False, quiet: bool = False
) -> None:
    """Answer the pairs of a file, or the queries of a split, in order.

    Raises:
        DataError: A row is invalid and the request does not keep going.
    """
    from r5._util.files.tables import check_suffix, make_table_writer
    from r5._util.files.writing import stream_bytes
    from r5.dataset import Dataset
    from r5.reasoners.base import Progress

    printed = out is None or out in STANDARD_OUTPUT
    name = Path("answers.jsonl" if as_json else "answers.tsv") if out is None or printed else out
    suffix = check_suffix(name)
    check_out(out, force)
    reasoner = load_prepared(request.model, "predict", quiet)
    set_wrong_edges(reasoner, request.wrong_edges)
    queried = _load(reasoner, request, load, quiet)
    has_examples = isinstance(queried, Dataset)
    log_unseen_relations(
        reasoner, queried.split(request.split).pool if isinstance(queried, Dataset) else queried, quiet
    )
    columns = {**({"example": "int64"} if has_examples else {}), **_TYPES}
    if request.pairs is None:
        columns["answer"] = "string"
    if request.explain:
        columns["derivation"] = "string"
    target = nullcontext(sys.stdout.buffer) if printed else stream_bytes(name, force)
    invalid = 0
    with connect_cluster(request.cluster) as machines, target as stream, progress_bar("answering", quiet) as progress:
        answers = _answer_rows(reasoner, queried, request, has_examples, machines)
        batch = list(islice(answers, _BATCH_SIZE))  # before the header: an error in the file leaves no output
        writer = make_table_writer(name, stream, columns)
        done = 0
        while batch:
            invalid += sum(answer is None for _, answer in batch)
            if suffix == ".jsonl" and request.explain:
                stream.write("".join(_format_json_line(pair, answer, has_examples) for pair, answer in batch).encode())
            else:
                writer.write([_make_row(pair, answer, columns) for pair, answer in batch])
            done += len(batch)
            if progress is not None:
                progress(Progress(done, done, ""))
            batch = list(islice(answers, _BATCH_SIZE))
        writer.close()
        stream.flush()
    if invalid:
        log(f"{invalid:,} of {done:,} rows are invalid; see their reason", quiet)
    if not printed:
        show(str(name))


def _load(reasoner: Reasoner, request: PairsRequest, load: list[str], quiet: bool) -> Graph | Dataset:
    """Load the graph of the pairs, or the data set whose examples have graphs of their own or are the queries.

    Raises:
        R5Error: Facts are added to many graphs.
    """
    from r5.dataset import Dataset

    if request.pairs is None:
        return load_split(reasoner, request.graph, request.split, request.add, load, quiet)
    queried = load_queried(reasoner, request.graph, load, quiet)
    if not isinstance(queried, Dataset):
        return add_facts(reasoner, queried, request.add, load, quiet)
    if request.add:
        raise R5Error(f"{request.graph}: each example has a graph of its own; --add is for data with one graph")
    return queried


def _answer_rows(
    reasoner: Any, queried: Any, request: PairsRequest, examples: bool, cluster: Cluster | None
) -> Iterator[tuple[Pair, Prediction | None]]:
    """Yield each pair with its answer; None for an invalid pair that is kept."""
    from r5.data.formats.pairs import read_pairs
    from r5.graph import Graph
    from r5.reasoners.batch_answers import answer_examples, answer_pairs

    if request.pairs is None:
        found: Iterator[tuple[Pair, Prediction | None]] = answer_examples(
            reasoner, queried.split(request.split), request.explain, cluster
        )
    else:
        pairs = read_pairs(request.pairs, examples)
        found = answer_pairs(reasoner, queried, pairs, request.explain, request.split, cluster)
    for pair, answer in found:
        if answer is None and request.pairs is not None and not request.keep_going:
            problem = _describe_problem(queried, pair) if isinstance(queried, Graph) else pair.problem
            raise DataError(f"{problem} (--keep-going marks such rows)", request.pairs, pair.line)
        minimum = request.min_probability
        yield pair, answer if answer is None or minimum is None else answer.at_least(minimum)


def _describe_problem(graph: Graph, pair: Pair) -> str:
    """Return the problem of a pair, with similar names for an unknown entity; slow, so done for one pair only."""
    try:
        if pair.source and pair.target:
            graph.node(pair.source)
            graph.node(pair.target)
    except R5Error as error:
        return str(error)
    return pair.problem


def _make_row(pair: Pair, answer: Prediction | None, columns: Collection[str]) -> list[Any]:
    """Return the values of the columns."""
    from r5.derivations.derivation import Prediction

    answered = answer or Prediction(None, reason=pair.problem)
    derivation = answered.derivation
    values: dict[str, Any] = {
        "example": int(pair.example) if pair.example.isdecimal() else None,
        "source": pair.source,
        "target": pair.target,
        "relation": answered.relation,
        "probability": None if answer is None else answered.probability,
        "score": None if answer is None else answered.score,
        "reason": answered.reason,
        "answer": pair.answer,
        "derivation": None if derivation is None else json.dumps(derivation.to_json(), ensure_ascii=False),
    }
    return [values[name] for name in columns]


def _format_json_line(pair: Pair, answer: Prediction | None, examples: bool) -> str:
    """Return the object of `r5 predict --json` as one line."""
    from r5.derivations.derivation import Prediction

    answered = (answer or Prediction(None, reason=pair.problem)).to_json()
    number = {"example": int(pair.example)} if examples and pair.example.isdecimal() else {}
    truth = {} if pair.answer is None else {"answer": pair.answer}
    query = {**number, "source": pair.source, "target": pair.target, **truth}
    return json.dumps({**query, **answered}, ensure_ascii=False) + "\n"
