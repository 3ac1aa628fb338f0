"""`r5 train`: learn rules from a data set."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from r5.cli.asking import note_data
from r5.cli.clusters import on_cluster
from r5.cli.console import chosen_seed, log, options, show, show_json
from r5.cli.help_settings import AS_JSON, HELP_SETTINGS
from r5.cli.parameters import CLUSTER, DATA, LOAD, QUIET, engine_names
from r5.cli.progress import load_data, progress_bar
from r5.errors import ClusterLostError, R5Error

if TYPE_CHECKING:
    from r5._util.budget import Budget
    from r5.dataset import Dataset
    from r5.reasoners.base import Reasoner

__all__ = ["train"]


def train(
    data: str = DATA,
    out: Path = typer.Option(..., help="The model folder to write."),
    engine: str | None = typer.Option(
        None,
        help="r5 (the paper), grammar, chains or a baseline; by default chains for one knowledge graph, else r5.",
        autocompletion=engine_names,
    ),
    seed: int | None = typer.Option(None, min=0, help="Same seed, same model; picked and printed where none is given."),
    preset: str | None = typer.Option(None, help="Of the engine r5: paper, tuned or auto (tuned, fitted to the data)."),
    setting: list[str] = typer.Option([], "--set", metavar="KEY=VALUE", help="A setting; see --help-settings."),
    load: list[str] = LOAD,
    resume: bool = typer.Option(False, "--resume", help="Go on with a run that was interrupted."),
    force: bool = typer.Option(False, "--force", help="Replace a model that is there."),
    time_limit: float | None = typer.Option(None, metavar="SECONDS", help="Keep what is learned in so many seconds."),
    threads: int | None = typer.Option(None, min=1, help="Threads; by default all that this process may use."),
    cluster: str = CLUSTER,
    help_settings: str | None = HELP_SETTINGS,
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
) -> None:
    """Learn rules and write them to a model folder.

    A checkpoint is kept beside that folder until training is done: after Ctrl-C, go on with --resume.

    Example: r5 train kinship --engine grammar --out model --seed 0

    Example: r5 train library --out model --seed 0
    """
    from r5._util.budget import Budget
    from r5._util.files import check_folder
    from r5._util.lock import only_writer
    from r5.storage.folder import SUFFIXES

    check_folder(out, force, SUFFIXES)
    budget = Budget(time_limit, threads)
    engine = "r5" if engine is None and preset is not None else engine
    with only_writer(out), ExitStack() as stack:
        there = partial(_opened, stack, cluster, threads)
        given = _settings(engine, preset, setting)
        _train(data, out, engine, seed, given, load, resume, force, budget, there, as_json, quiet)


def _opened(stack: ExitStack, cluster: str, threads: int | None, reasoner: Reasoner) -> dict[str, Any]:
    """What training is to be told of the cluster; left to itself, an engine takes all threads of this machine."""
    there = stack.enter_context(on_cluster(cluster, threads))
    if reasoner.runs_on_clusters:
        return {"cluster": there}
    if there is not None and not there.is_local:
        raise R5Error(f"the engine {reasoner.engine} does not run on a cluster: leave out --cluster")
    return {}


def _train(
    data: str,
    out: Path,
    engine: str | None,
    seed: int | None,
    settings: dict[str, Any],
    load: list[str],
    resume: bool,
    force: bool,
    budget: Budget,
    there: Callable[[Reasoner], dict[str, Any]],
    as_json: bool,
    quiet: bool,
) -> None:
    """Train, with the folder for ourselves."""
    from r5.data.path_shards import PathShards, is_shards
    from r5.reasoners.registry import make_reasoner

    out = out.resolve() if out.name == ".." else out
    checkpoint = out.with_name(f"{out.name}.checkpoint")
    seed = chosen_seed(_checked_seed(checkpoint, resume, force, seed), quiet)
    shards = PathShards.of(data) if is_shards(data) else None
    engine, dataset = _engine_for(data, engine, shards is not None, load, quiet)
    reasoner = make_reasoner(engine, seed=seed, **settings)
    more: dict[str, Any] = {}
    if reasoner.has_checkpoints:
        more = {"checkpoint": checkpoint, "resume": resume}
    elif resume:
        raise R5Error(f"the engine {engine} keeps no checkpoints: start again without --resume")
    if shards is None:
        dataset = dataset or load_data(data, load, quiet)
    more |= there(reasoner)
    start = time.perf_counter()
    try:
        with progress_bar("training", quiet) as progress:
            if dataset is None:
                reasoner.fit(shards, progress=progress, budget=budget, **more)  # type: ignore[arg-type]
            else:
                reasoner.fit(dataset.train, dataset.valid, progress=progress, budget=budget, **more)
    except (KeyboardInterrupt, ClusterLostError):
        log(_what_is_kept(checkpoint, reasoner.has_checkpoints))
        raise
    seconds = time.perf_counter() - start
    for reason in reasoner.summary_.get("reasons", ()):
        log(f"decided from the training data: {reason}", quiet)
    number = reasoner.summary_["examples"] if dataset is None else len(dataset.train)
    rules, listed = reasoner.number_of_rules, len(reasoner.rules_)
    some = f" ({listed} listed)" if listed < rules else ""
    log(f"{rules} rules{some} from {number} examples in {seconds:.1f} s", quiet)
    note_data(reasoner, data, options(load))
    reasoner.save(out, force=force)
    cut_short = reasoner.summary_.get("cut_short")
    if cut_short is None:
        shutil.rmtree(checkpoint, ignore_errors=True)
    else:
        log(f"cut short by the time limit: {cut_short}{_how_to_go_on(checkpoint)}", quiet)
    if as_json:
        figures = {"rules": rules, "listed_rules": listed, "examples": number, "seconds": seconds}
        show_json({"model": str(out), "engine": engine, "seed": seed, **figures, "cut_short": cut_short})
    else:
        show(str(out))


def _checked_seed(checkpoint: Path, resume: bool, force: bool, seed: int | None) -> int | None:
    """The seed that was given, or that of the run to go on with; an error where they do not agree."""
    if checkpoint.exists() and not (resume or force):
        raise R5Error(f"{checkpoint}: is of a run that was interrupted; go on with --resume or start over with --force")
    known = _seed_of(checkpoint) if resume else seed
    if resume and seed not in (None, known):
        raise R5Error(f"{checkpoint}: was made with the seed {known}, not {seed}")
    return known


def _engine_for(
    data: str, engine: str | None, shards: bool, load: list[str], quiet: bool
) -> tuple[str, Dataset | None]:
    """The engine that was asked for, or the one for such data, which is then loaded already."""
    if shards:
        if engine not in (None, "grammar"):
            raise R5Error(f"{data}: files of paths are for the engine grammar, not for {engine}")
        return "grammar", None
    if engine is not None:
        return engine, None
    dataset = load_data(data, load, quiet)
    if dataset.graph is None:
        return "r5", dataset
    log(f"{data} is one knowledge graph: the engine is chains (--engine chooses another)", quiet)
    return "chains", dataset


def _how_to_go_on(checkpoint: Path) -> str:
    return "; --resume --force goes on from there" if checkpoint.is_dir() else ""


def _settings(engine: str | None, preset: str | None, setting: list[str]) -> dict[str, Any]:
    """The settings given on the command line."""
    found = options(setting)
    if preset is None:
        return found
    if engine != "r5":
        raise R5Error(f"--preset is for the engine r5; the engine {engine} has none")
    return {"preset": preset, **found}


def _what_is_kept(checkpoint: Path, has_checkpoints: bool) -> str:
    """What an interrupted run leaves, and how to go on."""
    if checkpoint.is_dir():
        return f"what was learned is kept in {checkpoint}; go on with the same command and --resume"
    return "nothing was learned yet: nothing is kept" if has_checkpoints else "nothing is kept"


def _seed_of(checkpoint: Path) -> int:
    """The seed of the run that the checkpoint is of."""
    from r5.storage.folder import read_model

    if not checkpoint.is_dir():
        raise R5Error(f"{checkpoint}: there is no checkpoint to go on from; train without --resume")
    seed = read_model(checkpoint).settings.get("seed")
    if not isinstance(seed, int):
        raise R5Error(f"{checkpoint}: does not say its seed")
    return seed
