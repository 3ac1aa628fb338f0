"""`r5 rules`: the rules of a model, for people and for other programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from r5.cli.console import log
from r5.cli.output import FORCE, OUT, check_out, deliver
from r5.cli.parameters import LOAD, QUIET, data_names
from r5.cli.progress import graph_of, load_data, progress_bar
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.graph import Graph
    from r5.rules.ruleset import RuleSet

__all__ = ["rules"]

Style = Literal["text", "json", "csv", "prolog", "anyburl"]
Sort = Literal["weight", "confidence", "support", "pca"]
_UNFOLDED = 8
"""The longest body that --unfold makes."""


def rules(
    model: str = typer.Argument(help="A model folder, or a file of rules: JSON or AnyBURL's lines."),
    style: Style = typer.Option("text", "--format", help="How the rules are written."),
    top: int = typer.Option(0, min=0, help="Only so many, strongest first; 0 for all."),
    sort: Sort | None = typer.Option(
        None,
        help="Sort by this figure, the largest first (weight: its absolute value). "
        "Default: rules with weights by smoothed PCA confidence, chain rules first; others by strength.",
    ),
    min_score: float | None = typer.Option(None, help="Only rules at least so strong (probability, or else score)."),
    min_support: float | None = typer.Option(None, help="Only rules with at least so much support."),
    head: str | None = typer.Option(None, metavar="R", help="Only rules for this relation."),
    body: str | None = typer.Option(None, metavar="R", help='Only bodies with this relation, or this body: "a, b".'),
    invented: bool | None = typer.Option(None, help="Only rules with, or without, invented relations."),
    constants: bool | None = typer.Option(None, help="Only rules about one entity, or only chain rules."),
    unfold: bool = typer.Option(False, "--unfold", help="Replace invented relations by their definitions."),
    chains: int = typer.Option(0, min=0, metavar="N", help="All that follows, with up to N relations in the body."),
    limit: int = typer.Option(10_000, min=1, help="At most so many rules from --unfold or --chains, the strongest."),
    graph: str | None = typer.Option(None, help="Count support, confidence and coverage on this graph."),
    examples: int = typer.Option(0, min=0, metavar="N", help="Also N facts and N exceptions of each rule."),
    loops: bool = typer.Option(False, "--loops", help="With --graph: count an entity with itself too."),
    compare: str | None = typer.Option(
        None,
        metavar="MODEL|DATA",
        help="Compare with another model, or with the true rules.",
        autocompletion=data_names,
    ),
    load: list[str] = LOAD,
    as_json: bool = typer.Option(False, "--json", help="The same as --format json."),
    out: Path | None = OUT,
    force: bool = FORCE,
    quiet: bool = QUIET,
) -> None:
    """The rules that a model has learned, strongest first.

    For models of the engine chains: chain rules first, then rules about one entity, each by smoothed PCA confidence,
    support / (support / pca + 5 * length of the body).

    They can be filtered, unfolded into longer ones, counted on another graph, compared, and written for other
    programs (prolog is for SWI-Prolog).

    Example: r5 rules model --top 10

    Example: r5 rules model --no-constants --sort support

    Example: r5 rules model --chains 3 --head aunt --format csv --out aunt.csv

    Example: r5 rules model --graph family.tsv --min-support 5 --format anyburl

    Example: r5 rules model --graph family.tsv --examples 2

    Example: r5 rules model --compare kinship
    """
    check_out(out, force)
    found = _rules_of(model, quiet)
    if unfold or chains:
        found = _longer(found, chains, head, limit, quiet)
    known = None if graph is None else graph_of(graph, load, quiet)
    if known is not None:
        found = _counted(found, known, loops, quiet)
    wanted = _read_body(body)
    order = sort or found.default_order
    if sort is not None:
        _check_sort(found, sort)
    found = found.filter(
        head=head,
        body=wanted,
        min_score=min_score,
        min_support=min_support,
        invented=invented,
        constants=constants,
    )
    found = found.strongest(top or len(found), order)
    style = "json" if as_json else style
    if examples:
        if known is None:
            known = _graph_of_model(model)
        text = _with_examples(found, known, examples, loops, style)
    else:
        text = _written(found, style) if compare is None else _compared(found, compare, style, load, quiet)
    deliver(text, out, force)


def _rules_of(source: str, quiet: bool = True) -> RuleSet:
    """The rules of a model folder or of a file; tells where a model has more rules than it lists."""
    from r5._util.files import is_folder
    from r5.rules.formats.files import read_rules
    from r5.storage.folder import read_model

    if not is_folder(source):
        return read_rules(source)
    stored = read_model(source)
    learned, listed = stored.summary.get("rules"), len(stored.rules)
    if stored.engine == "chains" and isinstance(learned, int) and learned > listed:
        log(f"{learned} rules ({listed} listed): train with --set listed_rules={learned} to list all", quiet)
    return stored.rules


def _check_sort(found: RuleSet, sort: Sort) -> None:
    """Refuse a figure that none of the rules has."""
    name = "probability" if sort == "confidence" else sort
    if len(found) and all(getattr(rule, name) is None for rule in found):
        hint = "only rules of the engine chains have one" if sort == "weight" else "count it with --graph"
        raise R5Error(f"the rules have no {sort} to sort by: {hint}")


def _longer(found: RuleSet, chains: int, head: str | None, limit: int, quiet: bool) -> RuleSet:
    """The rules with invented relations unfolded, or all relations where chains of a length are asked for."""
    from r5.rules.ruleset import RuleSet
    from r5.rules.unfolding import unfold

    length = chains or _UNFOLDED
    with progress_bar("unfolding", quiet) as progress:
        longer = unfold(found.rules, max_length=length, limit=limit, every=chains > 0, head=head, progress=progress)
    if not longer.complete:
        log(f"only the {len(longer.rules):,} strongest rules: there are more (--limit, --head)", quiet)
    return RuleSet.of(longer.rules)


def _counted(found: RuleSet, graph: Graph, loops: bool, quiet: bool) -> RuleSet:
    """The rules with their figures on a graph."""
    with progress_bar("counting", quiet) as progress:
        counted = found.evaluate(graph, loops=loops, progress=progress)
    if len(found.filter(invented=True)):
        log("rules with invented relations have no support on a graph; count them with --unfold", quiet)
    return counted


def _graph_of_model(model: str) -> Graph:
    """The graph that a model was trained on, for those that keep it."""
    from r5._util.files import is_folder
    from r5.graph import Graph
    from r5.reasoners.registry import load_model

    graph = getattr(load_model(model), "graph_", None) if is_folder(model) else None
    if not isinstance(graph, Graph):
        raise R5Error("--examples needs a graph to look for facts and exceptions in: give --graph")
    return graph


def _with_examples(found: RuleSet, graph: Graph, number: int, loops: bool, style: Style) -> str:
    """Each rule with facts that it says, and with what it says and the graph does not have."""
    from r5.rules.groundings import find_groundings

    if style not in ("text", "json"):
        raise R5Error(f"--examples is written as text or json, not as {style}")
    shown = [(rule, find_groundings(rule, graph, number, loops)) for rule in found]
    if style == "json":
        rows = [
            {
                **rule.to_json(),
                "facts": [grounding.to_json() for grounding in seen.facts],
                "exceptions": [grounding.to_json() for grounding in seen.exceptions],
            }
            for rule, seen in shown
        ]
        return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
    lines = []
    for rule, seen in shown:
        lines.append(rule.text())
        lines += [f"  holds    {grounding}" for grounding in seen.facts]
        lines += [f"  not here {grounding}" for grounding in seen.exceptions]
    return "\n".join(lines or ["no rules"]) + "\n"


def _read_body(text: str | None) -> str | tuple[str, ...] | None:
    """One relation that must occur, or a whole body."""
    from r5.rules.formats.text import read_body

    names = None if text is None else read_body(text)
    return names[0] if names is not None and len(names) == 1 else names


def _compared(found: RuleSet, other: str, style: Style, load: list[str], quiet: bool) -> str:
    """The rules beside those of another model or file, or beside the true ones of a data set."""
    from r5._util.files import is_folder

    if style not in ("text", "json"):
        raise R5Error(f"a comparison is written as text or json, not as {style}")
    path = Path(other)
    if path.suffix in (".json", ".anyburl") or (is_folder(path) and (path / "model.json").exists()):
        comparison = found.compare(_rules_of(other))
    else:
        truth = load_data(other, [*load, *_without_examples(other)], quiet).rules
        if truth is None:
            raise R5Error(f"{other}: its true rules are not known, so there is nothing to compare with")
        lengths = {len(rule.body) for rule in found}
        comparison = found.compare(truth.of(rule for rule in truth if not lengths or len(rule.body) in lengths))
    if style == "json":
        return json.dumps(comparison.to_json(), ensure_ascii=False, indent=2) + "\n"
    return f"{comparison}\n"


def _without_examples(data: str) -> list[str]:
    """The options with which a generator makes its rules and nothing else; for any other data there are none."""
    from r5.data.registry import GENERATORS, option_names

    sizes = {"train", "valid", "test"}
    return [f"{size}=0" for size in sorted(sizes)] if data in GENERATORS and sizes <= option_names(data) else []


def _written(found: RuleSet, style: Style) -> str:
    from r5.rules.formats.files import rules_as

    return "no rules\n" if style == "text" and not len(found) else rules_as(found, style)
