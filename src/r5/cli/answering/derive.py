"""`r5 derive`: the facts that rules derive and a graph lacks, as a table."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from r5.cli.common.console import log, show
from r5.cli.common.output import FORCE, OUT, STANDARD_OUTPUT, check_out
from r5.cli.common.parameters import LOAD, QUIET
from r5.cli.common.progress import load_graph, progress_bar
from r5.cli.common.rule_sources import RULES, find_unused_relation, read_rule_source, training_graph
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5._util.files.tables import TableWriter
    from r5.graph import Graph
    from r5.rules.derivation_checkpoint import DerivationCheckpoint
    from r5.rules.materialisation import DerivedFact, DerivedFacts
    from r5.rules.ruleset import RuleSet

__all__ = ["derive"]

_COLUMNS = {"head": "string", "relation": "string", "tail": "string", "confidence": "double", "rule": "string"}
_BATCH_SIZE = 10_000
"""Number of rows per batch."""


def derive(
    model: str = RULES,
    graph: str | None = typer.Argument(None, help="File or folder of triples; default: the training graph."),
    min_confidence: float = typer.Option(0.9, min=0.0, max=1.0, metavar="P", help="Minimum confidence of a rule."),
    min_support: float | None = typer.Option(None, metavar="N", help="Minimum support of a rule."),
    head: str | None = typer.Option(None, metavar="R", help="Only rules for this relation."),
    fixpoint: bool = typer.Option(
        False, "--fixpoint", help="Apply the rules to derived facts too, until nothing follows; adds the column round."
    ),
    limit: int = typer.Option(10_000_000, min=1, metavar="N", help="Maximum number of facts; stops there and says so."),
    out: Path | None = OUT,
    resume: bool = typer.Option(False, "--resume", help="With --out: continue an interrupted run."),
    force: bool = FORCE,
    load: list[str] = LOAD,
    as_json: bool = typer.Option(False, "--json", help="Print JSON lines."),
    quiet: bool = QUIET,
) -> None:
    """Write the facts that rules derive and a graph lacks.

    Each fact comes with the strongest rule that derives it. The columns are head, relation, tail, confidence and rule;
    the suffix of --out (.tsv, .csv, .jsonl, .parquet) is the format. The confidence is that of the rule; a rule without
    one is counted on the graph. Facts come in the order of their rules, the most confident first. The file appears when
    it is complete; until then a checkpoint is kept beside it, from which --resume continues.

    Example: r5 derive model --min-confidence .9 --out derived.parquet

    Example: r5 derive rules.json family.tsv --min-confidence .5 --fixpoint

    Example: r5 derive model --out derived.parquet --resume
    """
    from r5._util.files.tables import check_suffix, make_table_writer
    from r5._util.files.writing import stream_bytes
    from r5.rules.materialisation import derive_facts

    printed = out is None or out in STANDARD_OUTPUT
    if printed and resume:
        raise R5Error("--resume needs the --out of the interrupted run")
    name = Path("facts.jsonl" if as_json else "facts.tsv") if out is None or printed else out
    check_suffix(name)
    check_out(out, force)
    found = read_rule_source(model, quiet)
    known = training_graph(model, "GRAPH") if graph is None else load_graph(graph, load, quiet)
    if head is not None and (unused := find_unused_relation(found, [head])):
        raise R5Error(unused)
    rules = _choose_rules(found.filter(head=head), known, min_confidence, min_support, quiet)
    columns = {**_COLUMNS, **({"round": "int64"} if fixpoint else {})}
    kept = None if printed else _open_checkpoint(name, rules, known, fixpoint, resume, force)
    try:
        target = nullcontext(sys.stdout.buffer) if printed else stream_bytes(name, force)
        with target as stream, progress_bar("deriving", quiet) as progress:
            writer = make_table_writer(name, stream, columns)
            batches = derive_facts(rules.rules, known, fixpoint=fixpoint, progress=progress, checkpoint=kept)
            written, complete = _write(batches, writer, limit, fixpoint)
            stream.flush()
    except BaseException:
        if kept is not None and kept.close():
            log(f"the checkpoint is kept in {name}.checkpoint; continue with the same command and --resume", quiet)
        raise
    if kept is not None:
        kept.remove()
    if not complete:
        log(f"stopped at {_count(written, 'fact')}, there are more (--limit)", quiet)
    log(f"{_count(written, 'fact')} of {_count(len(rules), 'rule')}", quiet)
    if not printed:
        show(str(name))


def _write(batches: Iterator[DerivedFacts], writer: TableWriter, limit: int, fixpoint: bool) -> tuple[int, bool]:
    """Write the facts; return their number, and whether these are all."""
    written = 0
    facts = (fact for batch in batches for fact in batch.rows())
    rows = _rows(islice(facts, limit), fixpoint)
    while batch := list(islice(rows, _BATCH_SIZE)):
        writer.write(batch)
        written += len(batch)
    complete = next(facts, None) is None
    writer.close()
    return written, complete


def _open_checkpoint(
    out: Path, rules: RuleSet, graph: Graph, fixpoint: bool, resume: bool, force: bool
) -> DerivationCheckpoint:
    """Open the checkpoint beside a file.

    Raises:
        R5Error: There is one of an interrupted run, and neither --resume nor --force.
    """
    from r5.rules.derivation_checkpoint import DerivationCheckpoint, fingerprint

    path = out.with_name(f"{out.name}.checkpoint")
    if path.exists() and not (resume or force):
        raise R5Error(f"{path}: is of an interrupted run; continue with --resume or start again with --force")
    return DerivationCheckpoint(path, fingerprint(rules.rules, graph, fixpoint, loops=False), resume)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _rows(facts: Iterator[DerivedFact], fixpoint: bool) -> Iterator[list[object]]:
    """Yield the rows of the table."""
    sentences: dict[int, str] = {}
    for fact in facts:
        sentence = sentences.get(id(fact.rule)) or sentences.setdefault(id(fact.rule), fact.rule.sentence())
        yield [*fact[:3], float(fact.confidence), sentence, *([fact.round] if fixpoint else [])]


def _choose_rules(
    found: RuleSet, graph: Graph, min_confidence: float, min_support: float | None, quiet: bool
) -> RuleSet:
    """Return the rules to apply, the most confident first; invented relations are unfolded.

    Raises:
        R5Error: No rule meets the conditions.
    """
    from r5.rules.ruleset import RuleSet

    if len(found.filter(invented=True)):
        found = found.unfold()
    if any(rule.probability is None and rule.possibility is None for rule in found):
        with progress_bar("counting", quiet) as progress:
            counted = found.evaluate(graph, progress=progress)
        pairs = zip(found, counted, strict=True)
        found = RuleSet.of(new if old.probability is None else old for old, new in pairs)
    rules = found.filter(min_score=min_confidence, min_support=min_support).sorted("confidence")
    if not len(rules):
        best = max((rule.strength for rule in found), default=None)
        hint = "there are no rules" if best is None else f"the highest confidence is {best:.3g}"
        raise R5Error(f"no rule has the confidence of {min_confidence:g} and the support asked for: {hint}")
    return rules
