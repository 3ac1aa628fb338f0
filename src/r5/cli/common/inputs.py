"""Input data of a trained model, read with the options of training and checked against its relations."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from r5.cli.common.console import log, parse_options
from r5.cli.common.inference import log_other_graph
from r5.cli.common.progress import log_source, read_graph, spinner
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.dataset import Dataset
    from r5.examples import Examples
    from r5.graph import Graph
    from r5.reasoners.base import Reasoner

__all__ = [
    "add_facts",
    "list_some",
    "load_queried",
    "load_queried_data",
    "load_queried_graph",
    "log_unseen_relations",
    "record_training_data",
    "set_wrong_edges",
]

_RELATION_OPTIONS = ("hyperedges", "inverse", "literals", "short")
"""Options of training that change the set of relations; they apply to all data of the model."""
_MAX_LISTED = 5


def record_training_data(reasoner: Reasoner, source: str, given: Mapping[str, Any]) -> None:
    """Record the name and the options of the training data in the model."""
    reasoner.summary_["data"] = {"name": _base_name(source), "options": dict(given)}


def load_queried_data(reasoner: Reasoner, source: str, pairs: list[str], quiet: bool = False) -> Dataset:
    """Load a data set for a model, with the options of training unless others are given.

    Of inductive data it is the data set over the inference graph.

    Raises:
        R5Error: The data has no relation of the model.
    """
    import r5
    from r5.data.registry import option_names

    loading = _options_as_trained(reasoner, source, parse_options(pairs), lambda: option_names(source), quiet)
    with spinner(f"reading {source}", quiet):
        data = r5.load(source, **loading)
    log_source(data, quiet)
    _check_shared(reasoner, source, data.vocabulary)
    return data.inference or data


def load_queried(reasoner: Reasoner, source: str, pairs: list[str], quiet: bool = False) -> Graph | Dataset:
    """Load the shared graph of a data set, or the data set if each example has its own graph."""
    from r5.data.formats.triples import is_triples
    from r5.data.registry import recognised_name

    if recognised_name(source) == "triples" and is_triples(Path(source)):
        return load_queried_graph(reasoner, source, pairs, quiet)
    data = load_queried_data(reasoner, source, pairs, quiet)
    return data if data.graph is None else data.graph


def load_queried_graph(reasoner: Reasoner, path: str, pairs: list[str], quiet: bool = False) -> Graph:
    """Load the graph of a file or folder of triples, with the options of training unless others are given.

    Raises:
        R5Error: The graph has no relation of the model.
    """
    from r5.data.formats.triples import read_triples
    from r5.data.registry import accepted, options_of

    loading = _options_as_trained(reasoner, path, parse_options(pairs), lambda: options_of(read_triples), quiet)
    graph = read_graph(path, accepted(loading, "a file of triples", read_triples), quiet)
    _check_shared(reasoner, path, graph.vocabulary)
    log_other_graph(reasoner, graph, _base_name(path), quiet)
    return graph


def add_facts(
    reasoner: Reasoner, graph: Graph, paths: Sequence[Path], pairs: Sequence[str] = (), quiet: bool = False
) -> Graph:
    """Add the facts of files (`--add`) to a graph and log the number of new ones.

    Args:
        reasoner: The model; its training options that change the set of relations apply to the files.
        graph: Graph of the queries, such as `reasoner.graph_`.
        paths: Files of triples, in any format of `read_triples`.
        pairs: Options of `--load`; those of other loaders are ignored.
        quiet: True to log nothing.

    Returns:
        The graph with the facts; the same object without files.
    """
    from r5.data.formats.triples import read_triples
    from r5.data.registry import options_of
    from r5.relations import base_name

    if not paths:
        return graph
    names = options_of(read_triples)
    given = {key: value for key, value in parse_options(list(pairs)).items() if key in names}
    loading = _options_as_trained(reasoner, "", given, lambda: names, quiet)
    wider, read = graph, 0
    for path in paths:
        more = read_graph(path, loading, quiet)
        read += len(set(more.facts.tolist()))
        wider = wider.with_triples(more)
    new = len(set(wider.facts.tolist())) - len(set(graph.facts.tolist()))
    entities = wider.number_of_nodes - graph.number_of_nodes
    known_facts = f" ({_count(read - new, 'was', 'were')} there already)" if read > new else ""
    log(f"added {_count(new, 'fact', 'facts')}{known_facts}, {_count(entities, 'new entity', 'new entities')}", quiet)
    known = {base_name(name) for name in (*reasoner.vocabulary_.known, *graph.vocabulary)}
    _log_unknown_relations(
        [name for name in dict.fromkeys(map(base_name, wider.vocabulary)) if name not in known], quiet
    )
    return wider


def set_wrong_edges(
    reasoner: Reasoner, given: str | None, examples: Examples | None = None, quiet: bool = False
) -> None:
    """Set the share of wrong edges of a model, if given or to be estimated from queries.

    Raises:
        R5Error: The engine does not support it, or the value is neither a number nor `estimate` with many queries.
    """
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
    if examples is None:
        raise R5Error(
            "--wrong-edges estimate needs many queries: r5 evaluate estimates the share on a data set and logs it"
        )
    share = reasoner.estimate_wrong_edges(examples)
    reasoner.set_params(wrong_edges=share)
    log(f"--wrong-edges {share:.3g}, estimated from the paths of the queries", quiet)


def log_unseen_relations(reasoner: Reasoner, graph: Graph, quiet: bool = False) -> None:
    """Log the relations of a graph that the model has never seen."""
    from r5.reasoners.unseen_relations import join_names

    names = reasoner.unseen_relations(graph)
    if not names:
        return
    several = len(names) > 1
    text = f"the model has never seen the relation{'s' * several} {join_names([repr(name) for name in names])}"
    left_out = f": paths that use {'them' if several else 'it'} are left out" if reasoner.skips_unseen else ""
    log(text + left_out, quiet)


def _options_as_trained(
    reasoner: Reasoner, source: str, given: dict[str, Any], known: Callable[[], Collection[str]], quiet: bool
) -> dict[str, Any]:
    """Return the given options and, for the others, those of training; log both and their differences."""
    stored = reasoner.summary_.get("data")
    trained = stored.get("options") if isinstance(stored, dict) else None
    if not isinstance(stored, dict) or not isinstance(trained, dict) or not trained:
        return given
    same = stored.get("name") == _base_name(source)
    names = known()
    fitting = {key: value for key, value in trained.items() if key in names and (same or key in _RELATION_OPTIONS)}
    for key, value in fitting.items():
        if key in given and given[key] != value:
            log(f"--load {_pair(key, given[key])}, but the model was trained with {_pair(key, value)}", quiet)
    taken = {key: value for key, value in fitting.items() if key not in given}
    if taken:
        log("as for training: " + " ".join(f"--load {_pair(key, value)}" for key, value in taken.items()), quiet)
    return {**taken, **given}


def _check_shared(reasoner: Reasoner, source: str, vocabulary: Iterable[str]) -> None:
    """Raise an error if the model knows none of the relations."""
    from r5.relations import DUMMY

    relations = set(vocabulary)
    known = set(reasoner.vocabulary_.known) - {DUMMY}
    if relations and not relations & known:
        raise R5Error(
            f"{source}: shares no relation with the model, which knows {list_some(known)}, "
            f"not {list_some(relations)}; is it other data, or read with other options (--load)?"
        )


def _log_unknown_relations(relations: Sequence[str], quiet: bool) -> None:
    """Log the relations of added facts that the model does not know."""
    if len(relations) == 1:
        text = f"the relation {relations[0]!r}, which only the added facts have: it is never predicted"
    else:
        text = f"the relations {list_some(relations)}, which only the added facts have: they are never predicted"
    if relations:
        log(f"the model has no rules for {text}", quiet)


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def list_some(names: Collection[str]) -> str:
    """List the first names and the number of others."""
    first = sorted(names)[:_MAX_LISTED]
    return ", ".join(first) + (f" and {len(names) - len(first)} more" if len(names) > len(first) else "")


def _base_name(source: str) -> str:
    """Return the name of data without its folder, which may be private."""
    return Path(source).name or source


def _pair(key: str, value: Any) -> str:
    return f"{key}={value if isinstance(value, str) else json.dumps(value)}"
