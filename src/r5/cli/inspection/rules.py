"""`r5 rules`: the rules of a model as text or in the formats of other programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import typer

from r5.cli.common.console import log, parse_options
from r5.cli.common.output import FORCE, OUT, STANDARD_OUTPUT, check_out, write_result
from r5.cli.common.parameters import LOAD, QUIET, data_names
from r5.cli.common.progress import load_data, load_graph, progress_bar
from r5.cli.common.rule_sources import RULES, find_unused_relation, read_rule_source, training_graph
from r5.cli.common.terminal import terminal_width
from r5.errors import R5Error

if TYPE_CHECKING:
    from r5.graph import Graph
    from r5.rules.ruleset import RuleSet

__all__ = ["rules"]

Sort = Literal["weight", "confidence", "support", "pca"]
_MAX_UNFOLDED_LENGTH = 8
"""Maximum length of a body made by --unfold."""
_QUERIES = ("sparql", "cypher", "sql", "datalog")
"""Formats in which a relation is looked up in a database."""


def _format_names(incomplete: str) -> list[str]:
    """Complete names of formats."""
    from r5.rules.formats.registry import rule_formats

    return [format.name for format in rule_formats() if format.write and format.name.startswith(incomplete)]


def rules(
    model: str = RULES,
    style: str = typer.Option(
        "text",
        "--format",
        help="Format of the rules: text, json, csv, prolog, anyburl, sparql, cypher, sql, datalog.",
        autocompletion=_format_names,
    ),
    option: list[str] = typer.Option(
        [], "--option", metavar="KEY=VALUE", help="Option of the format, such as table=facts; may be repeated."
    ),
    facts: bool = typer.Option(
        False, "--facts", help="prolog, datalog: also write the facts of --graph, or of the training graph."
    ),
    top: int = typer.Option(0, min=0, help="Maximum number of rules, strongest first; 0 for all."),
    sort: Sort | None = typer.Option(
        None,
        help="Sort key, in descending order (weight: by absolute value). "
        "Default: rules with weights by smoothed PCA confidence, chain rules first; others by strength.",
    ),
    min_score: float | None = typer.Option(None, help="Minimum probability of a rule, or score if it has none."),
    min_support: float | None = typer.Option(None, help="Minimum support of a rule."),
    head: str | None = typer.Option(None, metavar="R", help="Only rules for this relation."),
    body: str | None = typer.Option(
        None, metavar="R", help='Only rules with this relation in the body, or with this body: "a, b".'
    ),
    invented: bool | None = typer.Option(None, help="Only rules with, or without, invented relations."),
    constants: bool | None = typer.Option(None, help="Only rules about one entity, or only chain rules."),
    unfold: bool = typer.Option(False, "--unfold", help="Replace invented relations by their definitions."),
    chains: int = typer.Option(
        0, min=0, metavar="N", help="Derive all chain rules with up to N relations in the body."
    ),
    limit: int = typer.Option(
        10_000, min=1, help="Maximum number of rules from --unfold or --chains, strongest first."
    ),
    graph: str | None = typer.Option(None, help="Count support, confidence and coverage on this graph."),
    weigh: bool = typer.Option(
        False, "--weigh", help="With --graph: learn weights of the rules on the graph (engine chains)."
    ),
    examples: int = typer.Option(0, min=0, metavar="N", help="Add N facts and N exceptions of each rule."),
    loops: bool = typer.Option(False, "--loops", help="With --graph: also count pairs of an entity with itself."),
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
    """List the rules of a model, strongest first.

    For models of the engine chains: chain rules first, then rules about one entity, each by smoothed PCA confidence,
    support / (support / pca + 5 * length of the body).

    Rules can be filtered, unfolded into longer ones, counted on another graph, compared, and exported to other
    programs (prolog is for SWI-Prolog, datalog for Soufflé) and as queries of databases (sparql, cypher, sql).

    Example: r5 rules model --top 10

    Example: r5 rules model --no-constants --sort support

    Example: r5 rules model --chains 3 --head aunt --format csv --out aunt.csv

    Example: r5 rules model --graph family.tsv --min-support 5 --format anyburl

    Example: r5 rules model --format sql --option table=facts --option columns=s,p,o --out rules.sql

    Example: r5 rules model --graph family.tsv --examples 2

    Example: r5 rules anyburl-rules.txt --graph family.tsv --weigh --sort weight

    Example: r5 rules model --compare kinship
    """
    from r5.cli.common.rule_table import format_rule_table
    from r5.rules.formats.registry import find_rule_format

    check_out(out, force)
    style = "json" if as_json else style
    find_rule_format(style)
    found = read_rule_source(model, quiet)
    if unfold or chains:
        found = _unfold(found, chains, head, limit, quiet)
    known = None if graph is None else load_graph(graph, load, quiet)
    if weigh:
        found = _weigh(found, known, quiet)
    elif known is not None:
        found = _count(found, known, loops, quiet)
    body_filter = _read_body(body)
    in_body = (body_filter,) if isinstance(body_filter, str) else body_filter or ()
    if unused := find_unused_relation(found, in_body if head is None else (head, *in_body)):
        log(unused, quiet)
    order = sort or found.default_order
    if sort is not None:
        _check_sort(found, sort)
    found = found.filter(
        head=head,
        body=body_filter,
        min_score=min_score,
        min_support=min_support,
        invented=invented,
        constants=constants,
    )
    found = found.strongest(top or len(found), order)
    width = terminal_width() if out is None or out in STANDARD_OUTPUT else None
    if (examples or facts) and known is None:
        known = training_graph(model, "--graph")
    if examples:
        text = _format_examples(found, cast("Graph", known), examples, loops, style)
    elif compare is not None:
        text = _format_comparison(found, compare, style, load, quiet)
    elif style == "text" and width is not None and len(found):
        text = format_rule_table(found.rules, width)
    else:
        text = _format_rules(found, style, known if facts else None, option)
        if style in _QUERIES and len(found.filter(invented=True)):
            log("rules with invented relations derive nothing from a database; replace them with --unfold", quiet)
    write_result(text, out, force, prose=style == "text")


def _check_sort(found: RuleSet, sort: Sort) -> None:
    """Raise an error if no rule has the sort key."""
    name = "probability" if sort == "confidence" else sort
    if len(found) and all(getattr(rule, name) is None for rule in found):
        hint = "only rules of the engine chains have one" if sort == "weight" else "count it with --graph"
        raise R5Error(f"the rules have no {sort} to sort by: {hint}")


def _unfold(found: RuleSet, chains: int, head: str | None, limit: int, quiet: bool) -> RuleSet:
    """Unfold invented relations, or all relations into chain rules up to a length."""
    from r5.rules.ruleset import RuleSet
    from r5.rules.unfolding import unfold

    length = chains or _MAX_UNFOLDED_LENGTH
    with progress_bar("unfolding", quiet) as progress:
        longer = unfold(found.rules, max_length=length, limit=limit, every=chains > 0, head=head, progress=progress)
    if not longer.complete:
        log(f"only the {len(longer.rules):,} strongest rules; there are more (--limit, --head)", quiet)
    return RuleSet.of(longer.rules)


def _count(found: RuleSet, graph: Graph, loops: bool, quiet: bool) -> RuleSet:
    """Count support and confidence of rules on a graph."""
    with progress_bar("counting", quiet) as progress:
        counted = found.evaluate(graph, loops=loops, progress=progress)
    if len(found.filter(invented=True)):
        log("rules with invented relations have no support on a graph; count them with --unfold", quiet)
    return counted


def _weigh(found: RuleSet, graph: Graph | None, quiet: bool) -> RuleSet:
    """Learn weights of rules on a graph; rules that cannot have one are left out, which is logged."""
    from r5.reasoners.chains import ChainReasoner

    if graph is None:
        raise R5Error("--weigh needs --graph, whose facts the weights are learned from")
    with progress_bar("weighing", quiet) as progress:
        weighed = ChainReasoner.from_rules(found, graph, progress=progress)
    rules = weighed.rules_
    if weighed.number_of_rules < len(found):
        log(
            f"{weighed.number_of_rules:,} of {len(found):,} rules have a weight; the others say the same as one of "
            "them, never apply, or are too long",
            quiet,
        )
    return rules


def _format_examples(found: RuleSet, graph: Graph, number: int, loops: bool, style: str) -> str:
    """Format each rule with facts that it derives, and derived facts that the graph lacks."""
    from r5.rules.groundings import find_groundings

    if style not in ("text", "json"):
        raise R5Error(f"--examples is written as text or json, not as {style}")
    rows_of_rules = [(rule, find_groundings(rule, graph, number, loops)) for rule in found]
    if style == "json":
        rows = [
            {
                **rule.to_json(),
                "facts": [grounding.to_json() for grounding in seen.facts],
                "exceptions": [grounding.to_json() for grounding in seen.exceptions],
            }
            for rule, seen in rows_of_rules
        ]
        return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
    lines = []
    for rule, seen in rows_of_rules:
        lines.append(rule.text())
        lines += [f"  holds    {grounding}" for grounding in seen.facts]
        lines += [f"  not here {grounding}" for grounding in seen.exceptions]
    return "\n".join(lines or ["no rules"]) + "\n"


def _read_body(text: str | None) -> str | tuple[str, ...] | None:
    """Parse one relation of the body, or a whole body."""
    from r5.rules.formats.text import read_body

    names = None if text is None else read_body(text)
    return names[0] if names is not None and len(names) == 1 else names


def _format_comparison(found: RuleSet, other: str, style: str, load: list[str], quiet: bool) -> str:
    """Compare rules with those of another model or file, or with the true rules of a data set."""
    from r5._util.files.reading import is_folder

    if style not in ("text", "json"):
        raise R5Error(f"a comparison is written as text or json, not as {style}")
    path = Path(other)
    if path.suffix in (".json", ".anyburl") or (is_folder(path) and (path / "model.json").exists()):
        comparison = found.compare(read_rule_source(other))
    else:
        truth = load_data(other, [*load, *_without_examples(other)], quiet).rules
        if truth is None:
            raise R5Error(f"{other}: its true rules are not known")
        lengths = {len(rule.body) for rule in found}
        comparison = found.compare(truth.of(rule for rule in truth if not lengths or len(rule.body) in lengths))
    if style == "json":
        return json.dumps(comparison.to_json(), ensure_ascii=False, indent=2) + "\n"
    return f"{comparison}\n"


def _without_examples(data: str) -> list[str]:
    """Return the options with which a generator makes no examples; empty for other data."""
    from r5.data.registry import GENERATORS, option_names

    sizes = {"train", "valid", "test"}
    return [f"{size}=0" for size in sorted(sizes)] if data in GENERATORS and sizes <= option_names(data) else []


def _format_rules(found: RuleSet, style: str, facts: Graph | None, options: list[str]) -> str:
    from r5.rules.formats.files import rules_as

    text = rules_as(found, style, facts, **parse_options(options))
    return "no rules\n" if style == "text" and not len(found) else text
