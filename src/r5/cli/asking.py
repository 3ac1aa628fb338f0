"""What a model is asked about: data read as it was for training, and that the model knows something of."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from r5.cli.console import log, options
from r5.cli.progress import waiting
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.dataset import Dataset
    from r5.examples import Examples
    from r5.graph import Graph
    from r5.reasoners.base import Reasoner

__all__ = [
    "asked_about",
    "asked_data",
    "asked_graph",
    "note_data",
    "reckon_with_wrong_edges",
    "tell_unseen",
    "with_added",
]

_ANY_DATA = ("hyperedges", "inverse", "literals", "short")
"""Options that decide which relations there are: they go for any data that the model is asked about."""
_SHOWN = 5


def note_data(reasoner: Reasoner, source: str, given: Mapping[str, Any]) -> None:
    """Write down in the model what it was trained on and how that was read."""
    reasoner.summary_["data"] = {"name": _name(source), "options": dict(given)}


def asked_data(reasoner: Reasoner, source: str, pairs: list[str], quiet: bool = False) -> Dataset:
    """The data set that a model is asked about, read with the options of training unless others are given."""
    import r5
    from r5.data.registry import option_names

    wanted = _as_trained(reasoner, source, options(pairs), lambda: option_names(source), quiet)
    with waiting(f"reading {source}", quiet):
        data = r5.load(source, **wanted)
    _check_shared(reasoner, source, data.vocabulary)
    return data


def asked_about(reasoner: Reasoner, source: str, pairs: list[str], quiet: bool = False) -> Graph | Dataset:
    """What a model is asked about: the one graph of any data, or the data where each example has its own."""
    from r5.data.formats.triples import is_triples
    from r5.data.registry import recognised_name

    if recognised_name(source) == "triples" and is_triples(Path(source)):
        return asked_graph(reasoner, source, pairs, quiet)
    data = asked_data(reasoner, source, pairs, quiet)
    return data if data.graph is None else data.graph


def asked_graph(reasoner: Reasoner, path: str, pairs: list[str], quiet: bool = False) -> Graph:
    """The graph of a file or folder of triples, read with the options of training unless others are given."""
    from r5.data.formats.triples import read_triples
    from r5.data.registry import accepted, options_of

    wanted = _as_trained(reasoner, path, options(pairs), lambda: options_of(read_triples), quiet)
    with waiting(f"reading {path}", quiet):
        graph = read_triples(path, **accepted(wanted, "a file of triples", read_triples))
    _check_shared(reasoner, path, graph.vocabulary)
    return graph


def with_added(
    reasoner: Reasoner, graph: Graph, paths: Sequence[Path], pairs: Sequence[str] = (), quiet: bool = False
) -> Graph:
    """Add the facts of files (`--add`) to a graph, and say how many are new.

    Args:
        reasoner: The model that is asked; files are read with those of its training options that go for any data.
        graph: The graph that is asked about, such as `reasoner.graph_`.
        paths: Files of triples, in any format that `read_triples` takes.
        pairs: Options of `--load`; those that are not about triples are left out.
        quiet: Log nothing.

    Returns:
        The graph with the facts; the same graph where no files are given.
    """
    from r5.data.formats.triples import read_triples
    from r5.data.registry import options_of
    from r5.relations import base_name

    if not paths:
        return graph
    names = options_of(read_triples)
    given = {key: value for key, value in options(list(pairs)).items() if key in names}
    wanted = _as_trained(reasoner, "", given, lambda: names, quiet)
    wider, asked = graph, 0
    for path in paths:
        with waiting(f"reading {path}", quiet):
            more = read_triples(path, **wanted)
        asked += len(set(more.facts.tolist()))
        wider = wider.with_triples(more)
    new = len(set(wider.facts.tolist())) - len(set(graph.facts.tolist()))
    entities = wider.number_of_nodes - graph.number_of_nodes
    there = f" ({_count(asked - new, 'was', 'were')} there already)" if asked > new else ""
    log(f"added {_count(new, 'fact', 'facts')}{there}, {_count(entities, 'new entity', 'new entities')}", quiet)
    known = {base_name(name) for name in (*reasoner.vocabulary_.known, *graph.vocabulary)}
    _note_unknown([name for name in dict.fromkeys(map(base_name, wider.vocabulary)) if name not in known], quiet)
    return wider


def reckon_with_wrong_edges(
    reasoner: Reasoner, given: str | None, questions: Examples | None = None, quiet: bool = False
) -> None:
    """Tell a model how often edges of questions are wrong, where that is said or the questions can tell."""
    from r5.reasoners.grammar import GrammarReasoner

    if given is None:
        return
    if not isinstance(reasoner, GrammarReasoner):
        raise R5Error(f"--wrong-edges is for the engine grammar, and this is a model of {reasoner.engine}")
    if given != "estimate":
        try:
            share = float(given)
        except ValueError:
            raise R5Error(f"--wrong-edges must be a number or estimate, not {given}") from None
        reasoner.set_params(wrong_edges=share)
        return
    if questions is None:
        raise R5Error(
            "--wrong-edges estimate needs many questions at once: r5 evaluate estimates on a data set and says how many"
        )
    share = reasoner.estimate_wrong_edges(questions)
    reasoner.set_params(wrong_edges=share)
    log(f"--wrong-edges {share:.3g}, by the paths of the questions", quiet)


def tell_unseen(reasoner: Reasoner, graph: Graph, quiet: bool = False) -> None:
    """Name the relations of a graph that the model has never seen."""
    from r5.reasoners.unseen import listed

    names = reasoner.unseen_relations(graph)
    if not names:
        return
    several = len(names) > 1
    told = f"the model has never seen the relation{'s' * several} {listed([repr(name) for name in names])}"
    left_out = f": paths that use {'them' if several else 'it'} are left out" if reasoner.leaves_out_unseen else ""
    log(told + left_out, quiet)


def _as_trained(
    reasoner: Reasoner, source: str, given: dict[str, Any], known: Callable[[], Collection[str]], quiet: bool
) -> dict[str, Any]:
    """The options given, and those of training that are not; what is taken over, and what differs, is told."""
    stored = reasoner.summary_.get("data")
    before = stored.get("options") if isinstance(stored, dict) else None
    if not isinstance(stored, dict) or not isinstance(before, dict) or not before:
        return given
    same = stored.get("name") == _name(source)
    names = known()
    fitting = {key: value for key, value in before.items() if key in names and (same or key in _ANY_DATA)}
    for key, value in fitting.items():
        if key in given and given[key] != value:
            log(f"--load {_pair(key, given[key])}, though the model was trained with {_pair(key, value)}", quiet)
    taken = {key: value for key, value in fitting.items() if key not in given}
    if taken:
        log("as for training: " + " ".join(f"--load {_pair(key, value)}" for key, value in taken.items()), quiet)
    return {**taken, **given}


def _check_shared(reasoner: Reasoner, source: str, vocabulary: Iterable[str]) -> None:
    """An error where the model knows none of the relations that it is asked about."""
    from r5.relations import DUMMY

    asked = set(vocabulary)
    known = set(reasoner.vocabulary_.known) - {DUMMY}
    if asked and not asked & known:
        raise R5Error(
            f"{source}: shares no relation with the model, which knows {_some(known)}, not {_some(asked)}; "
            "is it other data, or read with other options (--load)?"
        )


def _note_unknown(relations: Sequence[str], quiet: bool) -> None:
    """Say which relations of added facts the model knows nothing of."""
    if len(relations) == 1:
        text = f"the relation {relations[0]!r}, which only the added facts have: it is never predicted"
    else:
        text = f"the relations {_some(relations)}, which only the added facts have: they are never predicted"
    if relations:
        log(f"the model has no rules for {text}", quiet)


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _some(names: Collection[str]) -> str:
    """A few of the names."""
    first = sorted(names)[:_SHOWN]
    return ", ".join(first) + (f" and {len(names) - len(first)} more" if len(names) > len(first) else "")


def _name(source: str) -> str:
    """What data is called, wherever it lies: models are given to others."""
    return Path(source).name or source


def _pair(key: str, value: Any) -> str:
    return f"{key}={value if isinstance(value, str) else json.dumps(value)}"
