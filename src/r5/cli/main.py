"""Program `r5`: commands, errors and exit codes."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from typing import NoReturn

import typer
from typer.exceptions import TyperException

from r5 import __version__
from r5.cli.answering.audit import audit
from r5.cli.answering.complete import complete
from r5.cli.answering.derive import derive
from r5.cli.answering.predict import explain, predict
from r5.cli.answering.similar import similar
from r5.cli.benchmarks import paper as bench
from r5.cli.common.first_run import announce_compilations
from r5.cli.common.terminal import has_colour
from r5.cli.datasets import catalogue as data
from r5.cli.datasets import generate
from r5.cli.demo import demo
from r5.cli.inspection.describe import describe
from r5.cli.inspection.paths import paths
from r5.cli.inspection.report import report
from r5.cli.inspection.rules import rules
from r5.cli.inspection.serve import serve
from r5.cli.learning.evaluate import evaluate
from r5.cli.learning.rank import rank
from r5.cli.learning.train import train
from r5.cli.warm_up import warm_up
from r5.errors import R5Error

__all__ = ["app", "main"]

app = typer.Typer(
    name="r5",
    help="Learn explicit rules from relational graphs and reason with them.\n\n"
    "Example: r5 train kinship --out model, then r5 explain model kinship --index 3",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(generate.app, name="generate")
app.add_typer(data.app, name="data")
app.add_typer(bench.app, name="bench")
for command in (
    train,
    evaluate,
    predict,
    explain,
    complete,
    audit,
    similar,
    rank,
    rules,
    derive,
    report,
    serve,
    describe,
    paths,
    demo,
    warm_up,
):
    app.command()(command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"r5 {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def fail(message: str) -> NoReturn:
    """Print an error in one line and exit with code 2."""
    name = "\x1b[31mr5:\x1b[0m" if has_colour(sys.stderr) else "r5:"
    typer.echo(f"{name} {' '.join(message.split())}", err=True)
    sys.exit(2)


def _warning_printer() -> Callable[..., None]:
    """Return a replacement of `warnings.showwarning` that prints each warning once, in one line."""
    printed: set[str] = set()

    def show_warning(message: Warning | str, *_: object, **__: object) -> None:
        line = f"r5: warning: {' '.join(str(message).split())}"
        if line not in printed:
            printed.add(line)
            typer.echo(line, err=True)

    return show_warning


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `r5`; exit code 0, 1 (a negative result), 2 (bad input) or 130 (interrupted)."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # for names that the terminal cannot show
    warnings.showwarning = _warning_printer()
    announce_compilations("--quiet" in (sys.argv[1:] if arguments is None else arguments))
    try:
        code = app(args=arguments, prog_name="r5", standalone_mode=False)
    except R5Error as error:
        fail(str(error))
    except TyperException as error:
        context = getattr(error, "ctx", None)
        fail(error.format_message() + ("" if context is None else f" (see {context.command_path} --help)"))
    if code == 130:
        typer.echo("r5: interrupted", err=True)
    sys.exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
