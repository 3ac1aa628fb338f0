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

from r5._util.kernels.compile_events import COMPILATIONS
from r5.cli.common.cluster import connect_cluster
from r5.cli.common.console import choose_seed, log, parse_options, show, show_json
from r5.cli.common.first_run import prepare_kernels
from r5.cli.common.inputs import record_training_data
from r5.cli.common.parameters import CLUSTER, DATA, LOAD, QUIET, engine_names
from r5.cli.common.progress import load_data, progress_bar
from r5.cli.learning.settings_help import AS_JSON, HELP_SETTINGS
from r5.cli.learning.training_end import describe_quality, suggest_command
from r5.errors import ClusterLostError, R5Error

if TYPE_CHECKING:
    from r5._util.runtime.budget import Budget
    from r5.dataset import Dataset
    from r5.reasoners.base import Reasoner

__all__ = ["train"]


def train(
    data: str = DATA,
    out: Path = typer.Option(..., help="Model folder to write."),
    engine: str | None = typer.Option(
        None,
        help="r5 (the paper), grammar, chains or a baseline; default: chains for one knowledge graph, else grammar.",
        autocompletion=engine_names,
    ),
    seed: int | None = typer.Option(
        None, min=0, help="Random seed; the same seed gives the same model. Default: a random one, which is logged."
    ),
    preset: str | None = typer.Option(None, help="Engine r5: paper, tuned or auto (tuned, fitted to the data)."),
    setting: list[str] = typer.Option(
        [], "--set", metavar="KEY=VALUE", help="Setting of the engine, see --help-settings; may be repeated."
    ),
    load: list[str] = LOAD,
    resume: bool = typer.Option(False, "--resume", help="Continue an interrupted run."),
    force: bool = typer.Option(False, "--force", help="Replace an existing model."),
    time_limit: float | None = typer.Option(
        None, metavar="SECONDS", help="Stop after this time and keep the best model so far."
    ),
    threads: int | None = typer.Option(None, min=1, help="Number of threads; default: all that this process may use."),
    cluster: str = CLUSTER,
    help_settings: str | None = HELP_SETTINGS,
    as_json: bool = AS_JSON,
    quiet: bool = QUIET,
) -> None:
    """Learn rules and write them to a model folder.

    A checkpoint beside that folder is kept until training ends: after Ctrl-C, continue with --resume.

    Example: r5 train kinship --out model --seed 0

    Example: r5 train library --out model --seed 0

    Example: r5 train kinship --engine r5 --out model --seed 0
    """
    from r5._util.files.folders import check_folder
    from r5._util.files.lock import exclusive_lock
    from r5._util.runtime.budget import Budget
    from r5.storage.folder import SUFFIXES

    check_folder(out, force, SUFFIXES)
    budget = Budget(time_limit, threads)
    engine = "r5" if engine is None and preset is not None else engine
    with exclusive_lock(out), ExitStack() as stack:
        connect = partial(_cluster_options, stack, cluster, threads)
        given = _collect_settings(engine, preset, setting)
        _train(data, out, engine, seed, given, load, resume, force, budget, connect, as_json, quiet)


def _cluster_options(stack: ExitStack, cluster: str, threads: int | None, reasoner: Reasoner) -> dict[str, Any]:
    """Return the arguments of `fit` for the cluster; without one, an engine uses all threads of this machine."""
    machines = stack.enter_context(connect_cluster(cluster, threads))
    if reasoner.runs_on_clusters:
        return {"cluster": machines}
    if machines is not None and not machines.is_local:
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
    connect: Callable[[Reasoner], dict[str, Any]],
    as_json: bool,
    quiet: bool,
) -> None:
    """Train a model while the lock of its folder is held."""
    from r5.data.path_shards import PathShards, is_shards
    from r5.reasoners.registry import make_reasoner

    out = out.resolve() if out.name == ".." else out
    checkpoint = out.with_name(f"{out.name}.checkpoint")
    seed = choose_seed(_check_seed(checkpoint, resume, force, seed), quiet)
    shards = PathShards.of(data) if is_shards(data) else None
    engine, dataset = _choose_engine(data, engine, shards is not None, load, quiet)
    reasoner = make_reasoner(engine, seed=seed, **settings)
    more: dict[str, Any] = {}
    if reasoner.has_checkpoints:
        more = {"checkpoint": checkpoint, "resume": resume}
    elif resume:
        raise R5Error(f"the engine {engine} keeps no checkpoints: start again without --resume")
    if shards is None:
        dataset = dataset or load_data(data, load, quiet)
    more |= connect(reasoner)
    prepare_kernels(engine, "train", quiet)
    start, compiled = time.perf_counter(), COMPILATIONS.seconds
    try:
        with progress_bar("training", quiet) as progress:
            if dataset is None:
                reasoner.fit(shards, progress=progress, budget=budget, **more)  # type: ignore[arg-type]
            else:
                reasoner.fit(dataset.train, dataset.valid, progress=progress, budget=budget, **more)
    except (KeyboardInterrupt, ClusterLostError):
        log(_describe_checkpoint(checkpoint, reasoner.has_checkpoints))
        raise
    seconds = max(0.0, time.perf_counter() - start - (COMPILATIONS.seconds - compiled))
    for reason in reasoner.summary_.get("reasons", ()):
        log(f"decided from the training data: {reason}", quiet)
    number = reasoner.summary_["examples"] if dataset is None else len(dataset.train)
    rules, listed = reasoner.number_of_rules, len(reasoner.rules_)
    some = f" ({listed} listed)" if listed < rules else ""
    log(f"{rules} rules{some} from {number} examples in {seconds:.1f} s", quiet)
    record_training_data(reasoner, data, parse_options(load))
    reasoner.save(out, force=force)
    cut_short = reasoner.summary_.get("cut_short")
    if cut_short is None:
        shutil.rmtree(checkpoint, ignore_errors=True)
    else:
        log(f"cut short by the time limit: {cut_short}{_resume_hint(checkpoint)}", quiet)
    log(describe_quality(reasoner), quiet)
    log(f"next: {suggest_command(reasoner, out, data, dataset)}", quiet, wrap=False)
    if as_json:
        held_out = reasoner.summary_.get("held_out")
        figures = {"rules": rules, "listed_rules": listed, "examples": number, "seconds": seconds}
        show_json(
            {"model": str(out), "engine": engine, "seed": seed, **figures, "held_out": held_out, "cut_short": cut_short}
        )
    else:
        show(str(out))


def _check_seed(checkpoint: Path, resume: bool, force: bool, seed: int | None) -> int | None:
    """Return the given seed, or that of the run to resume.

    Raises:
        R5Error: The two differ, or there is a checkpoint but neither `--resume` nor `--force`.
    """
    if checkpoint.exists() and not (resume or force):
        raise R5Error(f"{checkpoint}: is of an interrupted run; continue with --resume or start again with --force")
    known = _read_seed(checkpoint) if resume else seed
    if resume and seed not in (None, known):
        raise R5Error(f"{checkpoint}: was made with the seed {known}, not {seed}")
    return known


def _choose_engine(
    data: str, engine: str | None, shards: bool, load: list[str], quiet: bool
) -> tuple[str, Dataset | None]:
    """Return the given engine, or the default for the data together with the loaded data."""
    if shards:
        if engine not in (None, "grammar"):
            raise R5Error(f"{data}: files of paths are for the engine grammar, not for {engine}")
        return "grammar", None
    if engine is not None:
        return engine, None
    dataset = load_data(data, load, quiet)
    if dataset.graph is None and dataset.inference is None:
        log(f"{data} is for paths: the engine is grammar (--engine r5 for that of the paper)", quiet)
        return "grammar", dataset
    log(f"{data} is one knowledge graph: the engine is chains (--engine r5 for that of the paper)", quiet)
    return "chains", dataset


def _resume_hint(checkpoint: Path) -> str:
    return "; --resume --force continues from there" if checkpoint.is_dir() else ""


def _collect_settings(engine: str | None, preset: str | None, setting: list[str]) -> dict[str, Any]:
    """Return the settings given on the command line, with the preset."""
    found = parse_options(setting)
    if preset is None:
        return found
    if engine != "r5":
        raise R5Error(f"--preset is for the engine r5; the engine {engine} has none")
    return {"preset": preset, **found}


def _describe_checkpoint(checkpoint: Path, has_checkpoints: bool) -> str:
    """Describe the checkpoint of an interrupted run and how to continue."""
    if checkpoint.is_dir():
        return f"the checkpoint is kept in {checkpoint}; continue with the same command and --resume"
    return "nothing was learned yet: there is no checkpoint" if has_checkpoints else "there is no checkpoint"


def _read_seed(checkpoint: Path) -> int:
    """Return the seed of the run of a checkpoint."""
    from r5.storage.folder import read_model

    if not checkpoint.is_dir():
        raise R5Error(f"{checkpoint}: there is no checkpoint to resume; train without --resume")
    seed = read_model(checkpoint).settings.get("seed")
    if not isinstance(seed, int):
        raise R5Error(f"{checkpoint}: does not say its seed")
    return seed
