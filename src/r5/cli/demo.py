"""`r5 demo`: learning and answering on generated families, in a minute."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import typer

from r5._util.kernels.compile_events import COMPILATIONS
from r5.cli.answering.answers import format_answer
from r5.cli.common.console import show
from r5.cli.common.first_run import prepare_kernels
from r5.cli.common.parameters import QUIET
from r5.cli.common.progress import load_data, progress_bar
from r5.cli.common.terminal import text_for_terminal

if TYPE_CHECKING:
    from r5.dataset import Dataset
    from r5.evaluation import Evaluation
    from r5.reasoners.base import Reasoner

__all__ = ["demo"]

NEW = 5
"""Number of missing facts shown."""


def demo(
    seed: int = typer.Option(0, min=0, help="Random seed of the families and the engines."),
    paper: bool = typer.Option(False, "--paper", help="Train the engine of the paper, too; it needs PyTorch."),
    quiet: bool = QUIET,
) -> None:
    """Learn from short chains of relatives and answer long ones.

    The engine grammar learns kinship rules from chains of 2 and 3 relatives and answers for chains of 4 to 10. Then a
    model of a library finds missing facts: one with its reasons, and the five most probable ones. No data is needed.

    Example: r5 demo --seed 1

    Example: r5 demo --paper
    """
    import r5

    data = load_data("kinship", [f"seed={seed}", "train=1000"], quiet)
    show(f"{len(data.train)} short chains of relatives to learn from, {len(data.test)} long ones to answer\n")
    reasoners: dict[str, Reasoner] = {}
    results: dict[str, Evaluation] = {}
    seconds: dict[str, float] = {}
    for engine in ("grammar", "r5") if paper else ("grammar",):
        prepare_kernels(engine, "train", quiet)
        start, compiled = time.perf_counter(), COMPILATIONS.seconds
        reasoners[engine] = _train(engine, data, seed, quiet)
        seconds[engine] = time.perf_counter() - start - (COMPILATIONS.seconds - compiled)
        prepare_kernels(engine, "evaluate", quiet)
        results[engine] = r5.evaluate(reasoners[engine], data.test, data.rules)
    show(_format_comparison(results, seconds))
    best = reasoners["grammar"]
    show("\nThe ten best rules (engine grammar):")
    _show_text("\n".join(f"  {rule.text()}" for rule in list(best.rules_)[:10]))
    show("\nOne answer, step by step:")
    example = data.test[-1]
    _show_text("\n".join(f"  {line}" for line in format_answer(example, best.predict(example)).splitlines()))
    _show_missing_facts(seed, quiet)


def _show_missing_facts(seed: int, quiet: bool) -> None:
    """Complete a knowledge graph: one missing fact with its reasons, then the most probable ones."""
    from r5.derivations.completion_text import completion_lines
    from r5.reasoners.chains import ChainReasoner

    prepare_kernels("chains", "train", quiet)
    library = load_data("library", [f"seed={seed}", "members=60", "books=60"], quiet)
    with progress_bar("engine chains", quiet) as progress:
        model = ChainReasoner(seed=seed).fit(library.train, progress=progress)
    query = next(example for example in library.test if example.answer_name == "reports_to")
    found = model.complete(head=query.source, relation="reports_to", top=1, explain=True)
    show(f"\nA library as one knowledge graph of {len(library.train)} facts: a missing link (engine chains):")
    _show_text("\n".join(completion_lines(found, explained=True, most=3)))
    new = model.new_facts(NEW)
    truth = {(one.source, one.answer_name, one.target) for part in (library.valid, library.test) for one in part}
    true = sum((one.head, one.relation, one.tail) in truth for one in new)
    show("\nIts most probable missing facts, with the probability that each is true:")
    _show_text("\n".join(completion_lines(new)))
    show(f"{true} of {len(new)} are true")


def _show_text(text: str) -> None:
    """Print text, wrapped and coloured on a terminal."""
    show(text_for_terminal(text))


def _train(engine: str, data: Dataset, seed: int, quiet: bool) -> Reasoner:
    from r5.reasoners.registry import make_reasoner

    with progress_bar(f"engine {engine}", quiet) as progress:
        return make_reasoner(engine, seed=seed).fit(data.train, data.valid, progress=progress)


def _format_comparison(results: dict[str, Evaluation], seconds: dict[str, float]) -> str:
    """Format accuracy by length, rule recall and seconds, with a column per engine."""
    lengths = sorted({length for result in results.values() for length in result.by_length})
    rows = [("accuracy at length", list(results))]
    rows += [(f"{k}", [f"{result.by_length[k].accuracy:.3f}" for result in results.values()]) for k in lengths]
    rows += [
        ("all", [f"{result.accuracy:.3f}" for result in results.values()]),
        ("rule recall", [f"{result.rule_recall or 0.0:.2f}" for result in results.values()]),
        ("seconds to learn", [f"{seconds[engine]:.1f}" for engine in results]),
    ]
    return "\n".join(f"{title:>18}" + "".join(f"{cell:>10}" for cell in cells) for title, cells in rows)
