"""`r5 train`: learn rules from a data set."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import typer

from r5.cli.console import chosen_seed, log, options, show, show_json
from r5.cli.parameters import DATA, JSON, LOAD, QUIET, engine_names
from r5.cli.progress import load_data, progress_bar
from r5.errors import R5Error

__all__ = ["train"]


def train(
    data: str = DATA,
    out: Path = typer.Option(..., help="The model folder to write."),
    engine: str = typer.Option("r5", help="r5 (the paper), grammar, or a baseline.", autocompletion=engine_names),
    seed: int | None = typer.Option(None, min=0, help="Same seed, same model; picked and printed where none is given."),
    setting: list[str] = typer.Option([], "--set", metavar="KEY=VALUE", help="A hyperparameter of the engine."),
    load: list[str] = LOAD,
    resume: bool = typer.Option(False, "--resume", help="Go on with a run that was interrupted."),
    force: bool = typer.Option(False, "--force", help="Replace a model that is there."),
    as_json: bool = JSON,
    quiet: bool = QUIET,
) -> None:
    """Learn rules and write them to a model folder.

    The engine r5 keeps a checkpoint beside that folder after each epoch, until it is done.

    Example: r5 train kinship --engine grammar --out model --seed 0
    """
    from r5._util.files import check_folder
    from r5.reasoners.registry import make_reasoner

    check_folder(out, force)
    checkpoint = out.with_name(f"{out.name}.checkpoint")
    if checkpoint.exists() and not (resume or force):
        raise R5Error(f"{checkpoint}: is of a run that was interrupted; go on with --resume or start over with --force")
    known = _seed_of(checkpoint) if resume else seed
    if resume and seed not in (None, known):
        raise R5Error(f"{checkpoint}: was made with the seed {known}, not {seed}")
    seed = chosen_seed(known, quiet)
    reasoner = make_reasoner(engine, seed=seed, **options(setting))
    more: dict[str, Any] = {}
    if reasoner.has_checkpoints:
        more = {"checkpoint": checkpoint, "resume": resume}
    elif resume:
        raise R5Error(f"the engine {engine} keeps no checkpoints: it is quick enough to start again")
    dataset = load_data(data, load, quiet)
    start = time.perf_counter()
    try:
        with progress_bar("training", quiet) as progress:
            reasoner.fit(dataset.train, dataset.valid, progress=progress, **more)
    except KeyboardInterrupt:
        log(_what_is_kept(checkpoint, reasoner.has_checkpoints))
        raise
    seconds = time.perf_counter() - start
    log(f"{len(reasoner.rules_)} rules from {len(dataset.train)} examples in {seconds:.1f} s", quiet)
    reasoner.save(out, force=force)
    shutil.rmtree(checkpoint, ignore_errors=True)
    if as_json:
        figures = {"rules": len(reasoner.rules_), "examples": len(dataset.train), "seconds": seconds}
        show_json({"model": str(out), "engine": engine, "seed": seed, **figures})
    else:
        show(str(out))


def _what_is_kept(checkpoint: Path, has_checkpoints: bool) -> str:
    """What an interrupted run leaves, and how to go on."""
    if checkpoint.is_dir():
        return f"the last epoch is kept in {checkpoint}; go on with the same command and --resume"
    return "no epoch was finished: nothing is kept" if has_checkpoints else "nothing is kept"


def _seed_of(checkpoint: Path) -> int:
    """The seed of the run that the checkpoint is of."""
    from r5.storage.folder import read_model

    if not checkpoint.is_dir():
        raise R5Error(f"{checkpoint}: there is no checkpoint to go on from; train without --resume")
    seed = read_model(checkpoint).settings.get("seed")
    if not isinstance(seed, int):
        raise R5Error(f"{checkpoint}: does not say its seed")
    return seed
