"""`load`: from a name, a path or an object in memory to a data set.

The formats registered by others are the one piece of state that this package keeps for a whole program.
"""

from __future__ import annotations

import difflib
import inspect
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np

from r5._util.text import abbreviate
from r5.data.formats.clutrr import is_clutrr, load_clutrr
from r5.data.formats.graphlog import is_graphlog, load_graphlog
from r5.data.formats.networks import from_networkx
from r5.data.formats.pyg import from_pyg
from r5.data.formats.star import is_star, load_star
from r5.data.formats.tabular import graph_from_frame, graph_from_ids, graph_from_tuples
from r5.data.formats.triples import is_triples, load_triples
from r5.data.one_graph import dataset_from_graph
from r5.dataset import Dataset
from r5.errors import DataError, R5Error
from r5.graph import Graph

__all__ = ["Format", "accepted", "formats", "load", "option_names", "options_of", "recognised_name", "register"]

ENTRY_POINTS = "r5.formats"
"""The group in which an installed package names its formats, each an instance of `Format`."""
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
    """A way in which data sets are stored."""

    name: str
    recognises: Callable[[Path], bool]
    """Whether a file or folder, which is there, looks like this format."""
    load: Callable[..., Dataset]
    """Called with the path and the user's options, which are its keyword arguments."""
    description: str = ""


_BUILT_IN = (
    Format("graphlog", is_graphlog, load_graphlog, "a folder with train.jsonl, as of GraphLog's worlds"),
    Format("star", is_star, load_star, "a file or folder of train_NAME.csv, test_NAME_k_K_b_B.csv, as of STaR"),
    Format("clutrr", is_clutrr, load_clutrr, "a folder with *_train.csv and *_test.csv, as of CLUTRR"),
    Format("triples", is_triples, load_triples, "a file (.tsv, .csv, .parquet, .nt ...) or a folder of train.txt ..."),
)
_registered: dict[str, Format] = {}


def register(format: Format) -> None:
    """Add a format, for this program: `load` asks it before the built-in ones whether a path is its own.

    An installed package can name its formats under the entry points `r5.formats` instead.
    """
    if any(format.name == other.name for other in formats()):
        raise R5Error(f"a format called {format.name!r} is registered already")
    _registered[format.name] = format


def formats() -> tuple[Format, ...]:
    """All formats, in the order in which they are asked: registered, installed, built in.

    >>> [format.name for format in formats()][-4:]
    ['graphlog', 'star', 'clutrr', 'triples']
    """
    return (*_registered.values(), *_installed(), *_BUILT_IN)


def _installed() -> list[Format]:
    """The formats of installed packages; one that does not load is told and left out, for others may be wanted."""
    found = []
    for point in entry_points(group=ENTRY_POINTS):
        try:
            format = point.load()
        except Exception as error:  # anything can go wrong in a package that is not ours
            warnings.warn(f"the format {point.name!r} of {point.value} does not load: {error}", stacklevel=3)
            continue
        if isinstance(format, Format):
            found.append(format)
        else:
            warnings.warn(f"{point.value}, named as the format {point.name!r}, is not a Format", stacklevel=3)
    return found


def load(source: Any, *, format: str | None = None, **options: Any) -> Dataset:
    """The data set that `source` stands for; options go to its generator or loader.

    - `"kinship"`, `"world"`, `"library"`, `"rcc8"`, `"interval"`, `"algebra"`: generated. A file or folder of that
      name is read as `"./kinship"`.
    - A path: read by the format that recognises it, or by the one called `format`.
    - A graph of ours, of networkx or of PyTorch Geometric, a data frame, a list of (source, relation, target),
      an integer array of such rows: one graph, each of whose facts is an example (see `dataset_from_graph`).
    - A data set: itself.

    >>> data = load([("a", "mother", "b"), ("b", "mother", "c"), ("a", "grandmother", "c")])
    >>> data.train[2].answer_name
    'grandmother'
    """
    if format is None and isinstance(source, str) and source in GENERATORS:
        generate = _generator(source)
        return _typed(generate(**accepted(options, source, generate)))
    if isinstance(source, str | Path):
        path = _existing(source)
        chosen = _called(format) if format is not None else _recognised(path)
        return _typed(chosen.load(path, **accepted(options, f"the format {chosen.name}", chosen.load)))
    if format is not None:
        raise R5Error(f"format={format!r} is for paths, not for {abbreviate(source)}")
    return _from_memory(source, options)


def option_names(source: str | Path) -> frozenset[str]:
    """The options that `load` takes for a name or a path, `format` aside.

    >>> "train_hops" in option_names("kinship")
    True
    """
    if isinstance(source, str) and source in GENERATORS:
        return options_of(_generator(source))
    return options_of(_recognised(_existing(source)).load)


def recognised_name(source: str | Path) -> str:
    """The name of the format of a path, or of the generator."""
    return source if isinstance(source, str) and source in GENERATORS else _recognised(_existing(source)).name


def options_of(function: Callable[..., Any]) -> frozenset[str]:
    """The names of the keyword arguments of a loader or a generator that have a default."""
    parameters = inspect.signature(function).parameters.values()
    return frozenset(p.name for p in parameters if p.default is not inspect.Parameter.empty)


def _generator(name: str) -> Callable[..., Any]:
    module, function = GENERATORS[name]
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


def _typed(value: object) -> Dataset:
    """What a loader returned, which must be a data set."""
    if not isinstance(value, Dataset):
        raise R5Error(f"a loader returned {abbreviate(value)} and not a Dataset")
    return value


def _existing(source: str | Path) -> Path:
    """The path, if something is there; else an error that suggests near names."""
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
    """The format of that name."""
    known = {format.name: format for format in formats()}
    if name not in known:
        raise R5Error(f"no format is called {name!r}; there are {', '.join(known)}{_hint(name, known)}")
    return known[name]


def _recognised(path: Path) -> Format:
    """The first format that says a path is its own."""
    for format in formats():
        if format.recognises(path):
            return format
    if path.is_dir() and not any(path.glob("*")):
        raise DataError("is an empty folder", path)
    known = "; ".join(f"{format.name}: {format.description}" for format in formats())
    raise DataError(f"no format recognises it; format=... forces one of {known}", path)


def _hint(name: str, known: Iterable[str]) -> str:
    """Names near to one that is not there."""
    near = difflib.get_close_matches(name, list(known), n=3)
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""


def accepted(options: dict[str, Any], what: str, *functions: Callable[..., Any]) -> dict[str, Any]:
    """The options, checked against the keyword arguments of the functions that will take them."""
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
    """The data set of an object: options that its converter does not take are for `dataset_from_graph`."""
    if isinstance(source, Dataset):
        accepted(options, "a data set in memory")
        return source
    convert = _converter(source)
    accepted(options, f"data of type {type(source).__name__}", convert, dataset_from_graph)
    own = inspect.signature(convert).parameters
    graph = convert(source, **{name: value for name, value in options.items() if name in own})
    return dataset_from_graph(graph, **{name: value for name, value in options.items() if name not in own})


def _converter(source: Any) -> Callable[..., Graph]:
    """The function that makes a graph of an object; other packages are told by name, so as not to import them."""
    packages = {cls.__module__.partition(".")[0] for cls in type(source).__mro__}
    if isinstance(source, Graph):
        return _own_graph
    if "networkx" in packages:
        return from_networkx
    if "torch_geometric" in packages:
        return from_pyg
    if hasattr(source, "to_pandas") or "pandas" in packages:
        return graph_from_frame
    if isinstance(source, np.ndarray):
        return graph_from_ids if source.dtype.kind in "iu" else graph_from_tuples
    if isinstance(source, Iterable) and not isinstance(source, bytes | dict):
        return graph_from_tuples
    raise R5Error(f"expected a name, a path, a graph, a data frame or a list of triples, found {abbreviate(source)}")


def _own_graph(graph: Graph, inverse: bool = False) -> Graph:
    """The graph itself, with inverse edges where asked for."""
    return graph.with_inverses() if inverse else graph
