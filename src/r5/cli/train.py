"""`r5 train`: learn rules from a data set."""

from __future__ import annotations

import time
from pathlib import Path

import typer

from r5.cli.console import chosen_seed, log, options, show
from r5.cli.progress import progress_bar

__all__ = ["train"]


def train(
    data: str = typer.Argument(help="A built-in name (kinship, world), a folder or a file."),
    out: Path = typer.Option(..., help="The model folder to write."),
    engine: str = typer.Option("r5", help="r5 (the paper) or grammar."),
    seed: int | None = typer.Option(None, help="Same seed, same model; picked and printed where none is given."),
    setting: list[str] = typer.Option([], "--set", metavar="KEY=VALUE", help="A hyperparameter of the engine."),
    load: list[str] = typer.Option([], "--load", metavar="KEY=VALUE", help="An option for the loader."),
    force: bool = typer.Option(False, "--force", help="Replace a model that is there."),
    quiet: bool = typer.Option(False, "--quiet", help="No progress, no log."),
) -> None:
    """Learn rules and write them to a model folder.

    Example: r5 train kinship --engine grammar --out model --seed 0
    """
    import r5
    from r5.data.files import check_folder
    from r5.reasoners.registry import make_reasoner

    check_folder(out, force)
    reasoner = make_reasoner(engine, seed=chosen_seed(seed, quiet), **options(setting))
    dataset = r5.load(data, **options(load))
    start = time.perf_counter()
    with progress_bar("training", quiet) as report:
        reasoner.fit(dataset.train, dataset.valid, report=report)
    log(
        f"{len(reasoner.rules_)} rules from {len(dataset.train)} examples in {time.perf_counter() - start:.1f} s", quiet
    )
    reasoner.save(out, force=force)
    show(str(out))
