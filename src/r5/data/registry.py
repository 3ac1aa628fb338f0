"""`load`: a data set from a name, a path or an object in memory.

The registered formats are the only global state of this package.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from r5._util.plugins import load_plugins
from r5._util.text import abbreviate
from r5.data.formats.endpoint import is_url, load_endpoint
from r5.data.formats.examples.clutrr import is_clutrr, load_clutrr
from r5.data.formats.examples.graph_rows import is_graphs, load_graphs
from r5.data.formats.examples.graphlog import is_graphlog, load_graphlog
from r5.data.formats.examples.star import is_star, load_star
from r5.data.formats.triples import is_triples, load_triples
from r5.data.memory import converter_of, dataset_from_memory
from r5.dataset import Dataset
from r5.errors import DataError, R5Error

__all__ = ["Format", "accepted", "formats", "load", "option_names", "options_of", "recognised_name", "register"]

ENTRY_POINTS = "r5.formats"
"""Entry-point group of formats in installed packages; each entry is a `Format`."""
GENERATORS = {
    "kinship": ("r5.data.generators.kinship.dataset", "generate_kinship"),
    "world": ("r5.data.generators.world.dataset", "generate_world"),
    "library": ("r5.data.generators.library.dataset", "generate_library"),
    "rcc8": ("r5.data.generators.algebra.dataset", "generate_rcc8"),
    "interval": ("r5.data.generators.algebra.dataset", "generate_interval"),
    "algebra": ("r5.data.generators.algebra.dataset", "generate_algebra"),
}


@dataclass(frozen=True, slots=True)
class Format:
    """Storage format of data sets."""

    name: str
    recognises: Callable[[Path], bool]
    """Predicate that returns whether an existing file or folder has this format."""
    load: Callable[..., Dataset]
    """Loader, called with the path and the user's options as keyword arguments."""
    description: str = ""
    """Description in error messages."""


_BUILT_IN = (
    Format("graphlog", is_graphlog, load_graphlog, "a folder with train.jsonl, as of GraphLog's worlds"),
    Format("star", is_star, load_star, "a file or folder of train_NAME.csv, test_NAME_k_K_b_B.csv, as of STaR"),
    Format("clutrr", is_clutrr, load_clutrr, "a folder with *_train.csv and *_test.csv, as of CLUTRR"),
    Format("graphs", is_graphs, load_graphs, "JSON lines of edges and query, or a table with columns graph and query"),
    Format("triples", is_triples, load_triples, "a file (.tsv, .csv, .parquet, .nt ...) or a folder of train.txt ..."),
)
_registered: dict[str, Format] = {}


def register(format: Format) -> None:
    """Register a format for this process; `load` tries it before the built-in ones.

    An installed package can declare its formats as entry points of the group `r5.formats` instead.

    Raises:
        R5Error: The name is taken.
    """
    if any(format.name == other.name for other in formats()):
        raise R5Error(f"a format called {format.name!r} is registered already")
    _registered[format.name] = format


def formats() -> tuple[Format, ...]:
    """Return all formats in the order in which they are tried: registered, installed, built in.

    >>> [format.name for format in formats()][-5:]
    ['graphlog', 'star', 'clutrr', 'graphs', 'triples']
    """
    return (*_registered.values(), *load_plugins(ENTRY_POINTS, Format, "format"), *_BUILT_IN)


def load(source: Any, *, format: str | None = None, **options: Any) -> Dataset:
    """Load or generate a data set.

    - `"kinship"`, `"world"`, `"library"`, `"rcc8"`, `"interval"`, `"algebra"`: generated. Write `"./kinship"` for
      a file or folder of that name.
    - The URL of a SPARQL endpoint with `format="sparql"`: the result of `query`; see `load_endpoint`.
    - A path: read by the format that recognises it, or by the one called `format`.
    - A `Graph`, a graph of networkx or of PyTorch Geometric, a data frame, a list of (source, relation, target) or
      an integer array of such rows: one graph, each of whose facts is an example (see `dataset_from_graph`).
    - A data set: returned as it is.

    Args:
        source: A name, a path or an object in memory.
        format: Name of the format of a path.
        **options: Options of the generator or loader.

    Returns:
        A data set.

    Raises:
        DataError: The file is missing or invalid.
        R5Error: The source, the format or an option is unknown.

    >>> data = load([("a", "mother", "b"), ("b", "mother", "c"), ("a", "grandmother", "c")])
    >>> data.train[2].answer_name
    'grandmother'

    """
    if format is None and isinstance(source, str) and source in GENERATORS:
        generate = _generator(source)
        return _typed(generate(**accepted(options, source, generate)))
    if is_url(source):
        if format != "sparql":
            raise R5Error(f"{source}: files are not fetched; format='sparql' asks an address as a SPARQL endpoint")
        return load_endpoint(source, **accepted(options, "the format sparql", load_endpoint))
    if isinstance(source, str | Path):
        path = _existing(source)
        chosen = _called(format) if format is not None else _recognised(path)
        return _typed(chosen.load(path, **accepted(options, f"the format {chosen.name}", chosen.load)))
    if format is not None:
        raise R5Error(f"format={format!r} is for paths, not for {abbreviate(source)}")
    return _from_memory(source, options)


def option_names(source: str | Path) -> frozenset[str]:
    """Return the names of the options of `load` for a name or a path, without `format`.

    >>> "train_hops" in option_names("kinship")
    True
    """
    if isinstance(source, str) and source in GENERATORS:
        return options_of(_generator(source))
    if is_url(source):
        return options_of(load_endpoint) | {"format"}
    return options_of(_recognised(_existing(source)).load)


def recognised_name(source: str | Path) -> str:
    """Return the name of the generator, or of the format that recognises a path or an address."""
    if is_url(source):
        return "sparql"
    return source if isinstance(source, str) and source in GENERATORS else _recognised(_existing(source)).name


def options_of(function: Callable[..., Any]) -> frozenset[str]:
    """Return the names of a function's parameters that have a default."""
    parameters = inspect.signature(function).parameters.values()
    return frozenset(p.name for p in parameters if p.default is not inspect.Parameter.empty)


def _generator(name: str) -> Callable[..., Any]:
    module, function = GENERATORS[name]
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


def _typed(value: object) -> Dataset:
    """Check that a loader returned a data set."""
    if not isinstance(value, Dataset):
        raise R5Error(f"a loader returned {abbreviate(value)} and not a Dataset")
    return value


def _existing(source: str | Path) -> Path:
    """Check that a path exists; the error suggests similar names."""
    path = Path(source)
    try:
        path.stat()
    except FileNotFoundError:
        names = [*GENERATORS, *(other.name for other in path.parent.glob("*"))]
        raise DataError(f"no such file or folder{_hint(path.name, names)}", source) from None
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read: {getattr(error, 'strerror', error)}", source) from None
    return path


def _called(name: str) -> Format:
    """Return the format of a name."""
    known = {format.name: format for format in formats()}
    if name not in known:
        raise R5Error(f"no format is called {name!r}; there are {', '.join(known)}{_hint(name, known)}")
    return known[name]


def _recognised(path: Path) -> Format:
    """Return the first format that recognises a path."""
    for format in formats():
        if format.recognises(path):
            return format
    if path.is_dir() and not any(path.glob("*")):
        raise DataError("is an empty folder", path)
    inside = [one.name for one in sorted(path.glob("*/")) if any(format.recognises(one) for format in formats())]
    if inside:
        names = ", ".join(inside[:5]) + (f" and {len(inside) - 5} more" if len(inside) > 5 else "")
        raise DataError(f"is a folder of data sets: expected one of them, {names}", path)
    known = "; ".join(f"{format.name}: {format.description}" for format in formats())
    raise DataError(f"no format recognises it; format=... forces one of {known}", path)


def _hint(name: str, known: Iterable[str]) -> str:
    """Return a hint with the known names similar to an unknown one."""
    near = difflib.get_close_matches(name, list(known), n=3)
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""


def accepted(options: dict[str, Any], what: str, *functions: Callable[..., Any]) -> dict[str, Any]:
    """Check options against the parameters of the functions that receive them.

    Args:
        options: Options by name.
        what: Receiver of the options, for error messages.
        *functions: Functions that receive the options.

    Returns:
        The options.

    Raises:
        R5Error: An option is unknown, or a flag is not a boolean.
    """
    known: dict[str, inspect.Parameter] = {}
    for function in functions:
        parameters = inspect.signature(function).parameters.values()
        if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
            return options
        known |= {p.name: p for p in parameters if p.default is not inspect.Parameter.empty}
    for name, value in options.items():
        if name not in known:
            accepts = ", ".join(known) or "none"
            raise R5Error(f"{what} has no option {name!r}; it accepts: {accepts}{_hint(name, known)}")
        if isinstance(known[name].default, bool) and not isinstance(value, bool):
            raise R5Error(f"the option {name} of {what} must be true or false, not {value!r}")
    return options


def _from_memory(source: Any, options: dict[str, Any]) -> Dataset:
    """Convert an object to a data set; options that its converter lacks go to `dataset_from_memory`."""
    if isinstance(source, Dataset):
        accepted(options, "a data set in memory")
        return source
    convert = converter_of(source)
    accepted(options, f"data of type {type(source).__name__}", convert, dataset_from_memory)
    own = options_of(convert)
    given = {name: value for name, value in options.items() if name in own}
    return dataset_from_memory(source, convert, given, **{k: v for k, v in options.items() if k not in own})
