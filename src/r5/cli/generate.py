"""`r5 generate`: write a generated data set in CLUTRR's or GraphLog's format, or as triples."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from r5._util.signatures import bind_arguments
from r5.cli.console import chosen_seed, log, numbers, show
from r5.cli.parameters import QUIET
from r5.cli.progress import waiting

if TYPE_CHECKING:
    from r5.dataset import Dataset

__all__ = ["app"]

app = typer.Typer(
    help="Write a generated data set, whose true rules are known.\n\nExample: r5 generate kinship families --seed 0",
    rich_markup_mode=None,
)

Style = Literal["clutrr", "graphlog"]

OUT = typer.Argument(help="The folder to write.")
SEED = typer.Option(None, min=0, help="Same seed, same data; picked and printed where none is given.")
FORCE = typer.Option(False, "--force", help="Replace a data set that is there.")


def _write(data: Dataset, out: Path, style: str, force: bool, quiet: bool, task: int = 1) -> None:
    from r5.data.formats.clutrr import write_clutrr
    from r5.data.formats.graphlog import write_graphlog
    from r5.data.generators.kinship.first_names import gender_of

    if style == "clutrr":
        people = {name: gender_of(name) for name in data_names(data)} if data.name == "kinship" else None
        write_clutrr(data, out, genders=people, force=force, task=task)
    else:
        write_graphlog(data, out, force=force)
    log(f"{len(data.train)} training, {len(data.valid)} validation, {len(data.test)} test examples", quiet)
    show(str(out))


def data_names(data: Dataset) -> set[str]:
    """All entities of a data set."""
    return {name for part in (data.train, data.valid, data.test) for name in part.pool.entities}


@app.command()
def kinship(
    out: Path = OUT,
    seed: int | None = SEED,
    train: int = typer.Option(2000, min=0, help="Examples to learn from."),
    valid: int = typer.Option(200, min=0, help="Examples to choose models with."),
    test: int = typer.Option(100, min=0, help="Examples to be judged by, of each length."),
    train_hops: str = typer.Option("2,3", help="Lengths of the chains to learn from."),
    test_hops: str = typer.Option("4-10", help="Lengths of the chains to be judged by."),
    noise: str = typer.Option("clean", help="clean, supporting, irrelevant, disconnected, or several with commas."),
    families: int = typer.Option(20, min=1, help="Families in each split."),
    generations: int = typer.Option(4, min=2, help="Generations of a family."),
    style: Style = typer.Option("clutrr", "--format", help="How the files are written."),
    force: bool = FORCE,
    quiet: bool = QUIET,
) -> None:
    """Families over several generations.

    Who is the last person of a chain to the first?

    Example: r5 generate kinship families --seed 0 --test-hops 4-6
    """
    from r5._util.files.folders import check_folder
    from r5.data.generators.kinship.dataset import generate_kinship
    from r5.data.generators.kinship.noise import NOISE

    check_folder(out, force)
    kinds = [kind.strip() for kind in noise.split(",")]
    with waiting("generating", quiet):
        data = generate_kinship(
            seed=chosen_seed(seed, quiet),
            train=train,
            valid=valid,
            test=test,
            train_hops=numbers(train_hops),
            test_hops=numbers(test_hops),
            noise=kinds,
            families=families,
            generations=generations,
        )
    # CLUTRR numbers its tasks by the kind of noise: clean, supporting, irrelevant, disconnected.
    _write(data, out, style, force, quiet, task=1 + list(NOISE).index(kinds[0]))


@app.command()
def world(
    out: Path = OUT,
    seed: int | None = SEED,
    relations: int = typer.Option(10, min=1, help="Relations of the world."),
    rules: int = typer.Option(20, min=1, help="Rules with two relations in the body."),
    inverses: float = typer.Option(0.5, min=0, max=1, help="Share of the relations that have an inverse."),
    train: int = typer.Option(1000, min=0, help="Examples to learn from."),
    valid: int = typer.Option(100, min=0, help="Examples to choose models with."),
    test: int = typer.Option(200, min=0, help="Examples to be judged by."),
    train_lengths: str = typer.Option("2-5", help="Lengths of the paths to learn from."),
    test_lengths: str = typer.Option("3-8", help="Lengths of the paths to be judged by."),
    side_edges: float = typer.Option(4.0, min=0, help="Edges beside the path, on average."),
    wrong_edges: float = typer.Option(0.0, min=0, help="Share of the edges that show a wrong relation."),
    style: Style = typer.Option("graphlog", "--format", help="How the files are written."),
    force: bool = FORCE,
    quiet: bool = QUIET,
) -> None:
    """A logical world in the manner of GraphLog.

    How are the two ends of a path related?

    Example: r5 generate world myworld --seed 0 --relations 12 --wrong-edges 0.1
    """
    from r5._util.files.folders import check_folder
    from r5.data.generators.world.dataset import generate_world

    check_folder(out, force)
    with waiting("generating", quiet):
        data = generate_world(
            seed=chosen_seed(seed, quiet),
            relations=relations,
            rules=rules,
            inverses=inverses,
            train=train,
            valid=valid,
            test=test,
            train_lengths=numbers(train_lengths),
            test_lengths=numbers(test_lengths),
            side_edges=side_edges,
            wrong_edges=wrong_edges,
        )
    _write(data, out, style, force, quiet)


@app.command()
def library(
    out: Path = OUT,
    seed: int | None = SEED,
    members: int = typer.Option(120, min=1, help="People who borrow books."),
    books: int = typer.Option(150, min=4, help="Books; a fifth as many authors."),
    missing: float = typer.Option(0.15, min=0, max=0.99, help="Share of the facts which follow that are left out."),
    force: bool = FORCE,
    quiet: bool = QUIET,
) -> None:
    """A library as one knowledge graph.

    Staff, members, books, authors and places; facts that follow from others by rules are partly missing, to be found.

    Example: r5 generate library mylibrary --seed 0
    """
    from r5._util.files.folders import check_folder
    from r5.data.formats.triples import write_triples
    from r5.data.generators.library.dataset import generate_library

    check_folder(out, force)
    data = generate_library(seed=chosen_seed(seed, quiet), members=members, books=books, missing=missing)
    write_triples(data, out, force)
    log(f"{len(data.train)} facts, {len(data.valid)} and {len(data.test)} missing ones in valid and test", quiet)
    show(str(out))


def algebra(
    name: str = typer.Argument(metavar="ALGEBRA", help="point, directions, rcc8, interval, or a file with its table."),
    out: Path = OUT,
    seed: int | None = SEED,
    train: int = typer.Option(2000, min=0, help="Examples to learn from."),
    valid: int = typer.Option(200, min=0, help="Examples to choose models with."),
    test: int = typer.Option(300, min=0, help="Examples to be judged by."),
    train_lengths: str = typer.Option("2-4", help="Lengths of the chains to learn from."),
    train_branches: str = typer.Option("1-3", help="Chains side by side to learn from."),
    test_lengths: str = typer.Option("5,7,9", help="Lengths of the chains to be judged by."),
    test_branches: str = typer.Option("1-3", help="Chains side by side to be judged by."),
    nested: float = typer.Option(
        0.0, min=0, max=0.9, help="How often a relation inside a chain is told by several chains itself."
    ),
    wrong_edges: float = typer.Option(0.0, min=0, help="Share of the training edges that show a wrong relation."),
    force: bool = FORCE,
    quiet: bool = QUIET,
) -> None:
    """Any finite algebra of relations.

    A file with its table is CSV with the columns first, second and compositions, these separated by spaces.

    Example: r5 generate algebra directions places --seed 0
    """
    from r5._util.files.folders import check_folder
    from r5.data.formats.star import write_star
    from r5.data.generators.algebra.dataset import generate_algebra

    check_folder(out, force)
    with waiting("generating", quiet):
        data = generate_algebra(
            algebra=name,
            seed=chosen_seed(seed, quiet),
            train=train,
            valid=valid,
            test=test,
            train_lengths=numbers(train_lengths),
            train_branches=numbers(train_branches),
            test_lengths=numbers(test_lengths),
            test_branches=numbers(test_branches),
            nested=nested,
            wrong_edges=wrong_edges,
        )
    write_star(data, out, force=force)
    log(f"{len(data.train)} training, {len(data.valid)} validation, {len(data.test)} test examples", quiet)
    show(str(out))


_RCC8 = """Regions of space, by the eight relations of RCC-8.

How do two regions lie to each other? Only several chains of regions between them decide.

Example: r5 generate rcc8 regions --seed 0 --test-lengths 9 --test-branches 3
"""
_INTERVAL = """Intervals of time, by Allen's thirteen relations.

How do two intervals lie to each other? Only several chains of intervals between them decide.

Example: r5 generate interval times --seed 0 --wrong-edges 0.05
"""
app.command("rcc8")(bind_arguments(algebra, _RCC8, name="rcc8"))
app.command("interval")(bind_arguments(algebra, _INTERVAL, name="interval"))
app.command()(algebra)
