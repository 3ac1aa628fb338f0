"""`r5 generate`: write a generated data set in CLUTRR's or GraphLog's format, or as triples."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from r5._util.signatures import bind_arguments
from r5.cli.common.console import choose_seed, log, parse_integers, show
from r5.cli.common.parameters import QUIET
from r5.cli.common.progress import spinner

if TYPE_CHECKING:
    from r5.dataset import Dataset

__all__ = ["app"]

app = typer.Typer(
    help="Generate a data set with known true rules.\n\nExample: r5 generate kinship families --seed 0",
    rich_markup_mode=None,
)

Style = Literal["clutrr", "graphlog"]

OUT = typer.Argument(help="Folder to write.")
SEED = typer.Option(
    None, min=0, help="Random seed; the same seed gives the same data. Default: a random one, which is logged."
)
FORCE = typer.Option(False, "--force", help="Replace an existing data set.")


def _write_examples(data: Dataset, out: Path, style: str, force: bool, quiet: bool, task: int = 1) -> None:
    from r5.data.formats.examples.clutrr import write_clutrr
    from r5.data.formats.examples.graphlog import write_graphlog
    from r5.data.generators.kinship.first_names import gender_of

    if style == "clutrr":
        people = {name: gender_of(name) for name in entity_names(data)} if data.name == "kinship" else None
        write_clutrr(data, out, genders=people, force=force, task=task)
    else:
        write_graphlog(data, out, force=force)
    log(f"{len(data.train)} training, {len(data.valid)} validation, {len(data.test)} test examples", quiet)
    show(str(out))


def entity_names(data: Dataset) -> set[str]:
    """Return all entities of a data set."""
    return {name for part in (data.train, data.valid, data.test) for name in part.pool.entities}


@app.command()
def kinship(
    out: Path = OUT,
    seed: int | None = SEED,
    train: int = typer.Option(2000, min=0, help="Number of training examples."),
    valid: int = typer.Option(200, min=0, help="Number of validation examples."),
    test: int = typer.Option(100, min=0, help="Number of test examples of each length."),
    train_hops: str = typer.Option("2,3", help="Lengths of the training chains."),
    test_hops: str = typer.Option("4-10", help="Lengths of the test chains."),
    noise: str = typer.Option(
        "clean", help="Kinds of noise: clean, supporting, irrelevant, disconnected, separated by commas."
    ),
    families: int = typer.Option(20, min=1, help="Number of families in each split."),
    generations: int = typer.Option(4, min=2, help="Number of generations of a family."),
    style: Style = typer.Option("clutrr", "--format", help="Format of the files."),
    force: bool = FORCE,
    quiet: bool = QUIET,
) -> None:
    """Generate families over several generations.

    A query asks for the relation of the last person of a chain to the first.

    Example: r5 generate kinship families --seed 0 --test-hops 4-6
    """
    from r5._util.files.folders import check_folder
    from r5.data.generators.kinship.dataset import generate_kinship
    from r5.data.generators.kinship.noise import NOISE

    check_folder(out, force)
    kinds = [kind.strip() for kind in noise.split(",")]
    with spinner("generating", quiet):
        data = generate_kinship(
            seed=choose_seed(seed, quiet),
            train=train,
            valid=valid,
            test=test,
            train_hops=parse_integers(train_hops),
            test_hops=parse_integers(test_hops),
            noise=kinds,
            families=families,
            generations=generations,
        )
    # CLUTRR numbers its tasks by the kind of noise.
    _write_examples(data, out, style, force, quiet, task=1 + list(NOISE).index(kinds[0]))


@app.command()
def world(
    out: Path = OUT,
    seed: int | None = SEED,
    relations: int = typer.Option(10, min=1, help="Number of relations."),
    rules: int = typer.Option(20, min=1, help="Number of rules with two relations in the body."),
    inverses: float = typer.Option(0.5, min=0, max=1, help="Share of relations with an inverse."),
    train: int = typer.Option(1000, min=0, help="Number of training examples."),
    valid: int = typer.Option(100, min=0, help="Number of validation examples."),
    test: int = typer.Option(200, min=0, help="Number of test examples."),
    train_lengths: str = typer.Option("2-5", help="Lengths of the training paths."),
    test_lengths: str = typer.Option("3-8", help="Lengths of the test paths."),
    side_edges: float = typer.Option(4.0, min=0, help="Mean number of edges beside the path."),
    wrong_edges: float = typer.Option(0.0, min=0, help="Share of edges with a wrong relation."),
    style: Style = typer.Option("graphlog", "--format", help="Format of the files."),
    force: bool = FORCE,
    quiet: bool = QUIET,
) -> None:
    """Generate a logical world as in GraphLog.

    A query asks for the relation of the two ends of a path.

    Example: r5 generate world myworld --seed 0 --relations 12 --wrong-edges 0.1
    """
    from r5._util.files.folders import check_folder
    from r5.data.generators.world.dataset import generate_world

    check_folder(out, force)
    with spinner("generating", quiet):
        data = generate_world(
            seed=choose_seed(seed, quiet),
            relations=relations,
            rules=rules,
            inverses=inverses,
            train=train,
            valid=valid,
            test=test,
            train_lengths=parse_integers(train_lengths),
            test_lengths=parse_integers(test_lengths),
            side_edges=side_edges,
            wrong_edges=wrong_edges,
        )
    _write_examples(data, out, style, force, quiet)


@app.command()
def library(
    out: Path = OUT,
    seed: int | None = SEED,
    members: int = typer.Option(120, min=1, help="Number of members, who borrow books."),
    books: int = typer.Option(150, min=4, help="Number of books; there is an author for every five."),
    missing: float = typer.Option(0.15, min=0, max=0.99, help="Share of the derived facts that are left out."),
    force: bool = FORCE,
    quiet: bool = QUIET,
) -> None:
    """Generate a library as one knowledge graph.

    It has staff, members, books, authors and places. Some of the facts that follow from others by rules are missing.

    Example: r5 generate library mylibrary --seed 0
    """
    from r5._util.files.folders import check_folder
    from r5.data.formats.triples import write_triples
    from r5.data.generators.library.dataset import generate_library

    check_folder(out, force)
    data = generate_library(seed=choose_seed(seed, quiet), members=members, books=books, missing=missing)
    write_triples(data, out, force)
    log(f"{len(data.train)} facts, {len(data.valid)} and {len(data.test)} missing ones in valid and test", quiet)
    show(str(out))


def algebra(
    name: str = typer.Argument(
        metavar="ALGEBRA", help="point, directions, rcc8, interval, or a file with a composition table."
    ),
    out: Path = OUT,
    seed: int | None = SEED,
    train: int = typer.Option(2000, min=0, help="Number of training examples."),
    valid: int = typer.Option(200, min=0, help="Number of validation examples."),
    test: int = typer.Option(300, min=0, help="Number of test examples."),
    train_lengths: str = typer.Option("2-4", help="Lengths of the training chains."),
    train_branches: str = typer.Option("1-3", help="Numbers of parallel chains in training."),
    test_lengths: str = typer.Option("5,7,9", help="Lengths of the test chains."),
    test_branches: str = typer.Option("1-3", help="Numbers of parallel chains in test."),
    nested: float = typer.Option(
        0.0, min=0, max=0.9, help="Probability that a relation of a chain is itself given by several chains."
    ),
    wrong_edges: float = typer.Option(0.0, min=0, help="Share of training edges with a wrong relation."),
    force: bool = FORCE,
    quiet: bool = QUIET,
) -> None:
    """Generate queries in any finite relation algebra.

    A composition table is a CSV file with the columns first, second and compositions, the latter separated by spaces.

    Example: r5 generate algebra directions places --seed 0
    """
    from r5._util.files.folders import check_folder
    from r5.data.formats.examples.star import write_star
    from r5.data.generators.algebra.dataset import generate_algebra

    check_folder(out, force)
    with spinner("generating", quiet):
        data = generate_algebra(
            algebra=name,
            seed=choose_seed(seed, quiet),
            train=train,
            valid=valid,
            test=test,
            train_lengths=parse_integers(train_lengths),
            train_branches=parse_integers(train_branches),
            test_lengths=parse_integers(test_lengths),
            test_branches=parse_integers(test_branches),
            nested=nested,
            wrong_edges=wrong_edges,
        )
    write_star(data, out, force=force)
    log(f"{len(data.train)} training, {len(data.valid)} validation, {len(data.test)} test examples", quiet)
    show(str(out))


_RCC8 = """Generate spatial regions with the eight relations of RCC-8.

A query asks for the relation of two regions; several chains of regions between them determine it.

Example: r5 generate rcc8 regions --seed 0 --test-lengths 9 --test-branches 3
"""
_INTERVAL = """Generate time intervals with Allen's thirteen relations.

A query asks for the relation of two intervals; several chains of intervals between them determine it.

Example: r5 generate interval times --seed 0 --wrong-edges 0.05
"""
app.command("rcc8")(bind_arguments(algebra, _RCC8, name="rcc8"))
app.command("interval")(bind_arguments(algebra, _INTERVAL, name="interval"))
app.command()(algebra)
