"""RuleSet: rules by name, with sorting, filtering, unfolding, evaluation on a graph, comparison and file formats."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from r5._util.runtime.progress import ProgressCallback
from r5.rules.comparison import Comparison, compare_rules
from r5.rules.disjunction import disjunctions
from r5.rules.formats.anyburl import read_anyburl, write_anyburl
from r5.rules.formats.csv import rule_columns, write_csv
from r5.rules.formats.html import write_html
from r5.rules.formats.json import read_json, write_json
from r5.rules.formats.prolog import write_prolog
from r5.rules.formats.queries.cypher import write_cypher
from r5.rules.formats.queries.datalog import write_datalog
from r5.rules.formats.queries.sparql import BASE, write_sparql
from r5.rules.formats.queries.sql import write_sql
from r5.rules.rule import Rule
from r5.rules.unfolding import invented_relations, unfold

if TYPE_CHECKING:
    from r5.graph import Graph
    from r5.rules.materialisation import DerivedFact

__all__ = ["Comparison", "Order", "Rule", "RuleSet"]

Order = Literal["quality", "weight", "confidence", "support", "pca"]
"""Sort keys of rules."""


def _or_lowest(value: float | None) -> float:
    """Replace a missing value by minus infinity."""
    return -math.inf if value is None else value


_MEASURES: dict[Order | None, tuple[Callable[[Rule], float], ...]] = {
    None: (),
    "quality": (
        lambda rule: float(rule.target is None),
        lambda rule: rule.smoothed_pca,
    ),
    "weight": (lambda rule: _or_lowest(None if rule.weight is None else abs(rule.weight)),),
    "confidence": (lambda rule: _or_lowest(rule.probability),),
    "support": (lambda rule: _or_lowest(rule.support),),
    "pca": (lambda rule: _or_lowest(rule.pca),),
}


@dataclass(frozen=True, slots=True, repr=False)
class RuleSet:
    """Ordered collection of rules; engines return theirs strongest first, by their own measure."""

    rules: tuple[Rule, ...] = ()

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> RuleSet:
        """Collect rules in their order."""
        return cls(tuple(rules))

    @property
    def invented(self) -> frozenset[str]:
        """The names of the invented relations."""
        return invented_relations(self.rules)

    @property
    def default_order(self) -> Order | None:
        """The default order of lists: `quality` if all rules have a weight and were counted, else strength (None).

        Rules of the engine `chains` have weights.
        """
        counted = len(self) > 0 and all(rule.weight is not None and rule.pca is not None for rule in self.rules)
        return "quality" if counted else None

    def sorted(self, by: Order | None = None) -> RuleSet:
        """Sort the rules, strongest first: by strength to three decimals, then support, length and names.

        Args:
            by: First sort key, in descending order: `weight` (its absolute value), `confidence` (the probability),
                `support` or `pca`; or `quality`: chain rules before rules with constants, then the smoothed PCA
                confidence.

        Returns:
            All rules; those without the value come last.

        >>> rules = RuleSet.of([Rule("son", ("a", "b"), score=1), Rule("aunt", ("a", "c"), score=2)])
        >>> print(*rules.sorted(), sep="; ")
        aunt <= a, c; son <= a, b
        >>> rules = RuleSet.of([Rule("h", ("a",), support=2, pca=1), Rule("h", ("b",), support=90, pca=0.9)])
        >>> print(*rules.sorted("pca"), *rules.sorted("quality"), sep="; ")
        h <= a; h <= b; h <= b; h <= a

        """
        return RuleSet(tuple(Rule.in_order(self.rules, *_MEASURES[by])))

    def strongest(self, count: int, by: Order | None = None) -> RuleSet:
        """Return the strongest rules; alternatives of one body stay together, ordered by support.

        Args:
            count: Maximum number of rules, or of bodies with alternatives.
            by: First sort key, as in `sorted`.

        >>> rules = [Rule(head, ("EC", "TPPI"), possibility=1.0, support=3) for head in ("DC", "EC")]
        >>> print(RuleSet.of(rules).strongest(1).to_text(), end="")
        EC(X, Z), TPPI(Z, Y) => DC or EC   possible=1, 1 support=6

        """
        several = sorted(disjunctions(self.rules), key=lambda one: (-round(one.support, 6), one.body))
        plain = RuleSet(tuple(rule for rule in self.rules if rule.possibility is None)).sorted(by).rules
        kept = tuple(rule for one in several[:count] for rule in one.rules)
        return RuleSet((plain[:count] if not several else plain) + kept)

    def filter(
        self,
        *,
        head: str | None = None,
        body: str | Sequence[str] | None = None,
        min_score: float | None = None,
        min_support: float | None = None,
        invented: bool | None = None,
        constants: bool | None = None,
    ) -> RuleSet:
        """Return the rules that meet all conditions.

        Args:
            head: Head of the rule.
            body: A relation of the body, or the whole body.
            min_score: Minimum of `Rule.strength`.
            min_support: Minimum support.
            invented: Require or exclude invented relations.
            constants: Require or exclude constants in the head.

        >>> rules = RuleSet.of([Rule("aunt", ("father", "sister")), Rule("uncle", ("father", "brother"))])
        >>> print(*rules.filter(body="sister"), *rules.filter(body=("father", "brother")), sep="; ")
        aunt <= father, sister; uncle <= father, brother

        """
        invented_names = self.invented if invented is not None else frozenset()
        return RuleSet.of(
            rule
            for rule in self.rules
            if (head is None or rule.head == head)
            and (body is None or (body in rule.body if isinstance(body, str) else rule.body == tuple(body)))
            and (min_score is None or rule.strength >= min_score)
            and (min_support is None or (rule.support or 0.0) >= min_support)
            and (constants is None or constants == (rule.target is not None))
            and (invented is None or invented == (not invented_names.isdisjoint((rule.head, *rule.body))))
        )

    def with_body_of(self, length: int) -> RuleSet:
        """Return the rules with a body of a given length."""
        return RuleSet(tuple(rule for rule in self.rules if len(rule.body) == length))

    def heads(self, *body: str) -> tuple[str, ...]:
        """Return the heads of a body, in the order of the rules.

        >>> RuleSet.of([Rule("aunt", ("father", "sister"))]).heads("father", "sister")
        ('aunt',)
        """
        return tuple(rule.head for rule in self.rules if rule.body == body)

    def unfold(self, max_length: int = 8, *, head: str | None = None, limit: int = 10_000) -> RuleSet:
        """Replace each invented relation by its definitions.

        Probabilities multiply, scores as shares of the highest one. The support is the minimum of the rules used.
        Definitions may be recursive.

        Args:
            max_length: Maximum length of a body.
            head: Only rules with this head.
            limit: Maximum number of rules; the strongest are kept.

        Returns:
            Rules without invented relations, sorted.

        >>> rules = RuleSet.of([
        ...     Rule("r_6", ("r_9", "invented_44"), probability=0.5, invented=True),
        ...     Rule("invented_44", ("r_3", "r_9"), probability=0.5, invented=True),
        ... ])
        >>> print(*(rule.text() for rule in rules.unfold()))
        r_6(X, Y) <= r_9(X, Z), r_3(Z, U), r_9(U, Y)   p=0.25

        """
        return RuleSet.of(unfold(self.rules, max_length=max_length, limit=limit, head=head).rules).sorted()

    def chains(self, length: int, *, head: str | None = None, limit: int = 10_000) -> RuleSet:
        """Return all rules that follow from these, with known relations unfolded too.

        Args:
            length: Maximum length of a body.
            head: Only rules with this head.
            limit: Maximum number of rules; the strongest are kept.

        >>> rules = RuleSet.of([Rule("aunt", ("mother", "sister")), Rule("mother", ("sister", "mother"))])
        >>> print(*rules.chains(3, head="aunt"), sep="; ")
        aunt <= mother, sister; aunt <= sister, mother, sister

        """
        found = unfold(self.rules, max_length=length, limit=limit, every=True, head=head)
        return RuleSet.of(found.rules).sorted()

    def evaluate(self, graph: Graph, *, loops: bool = False, progress: ProgressCallback | None = None) -> RuleSet:
        """Count the statistics of the rules on a graph.

        - `predictions`: number of distinct pairs (x, y) that the body connects.
        - `support`: number of these pairs for which the head holds.
        - `probability`: support / predictions, the confidence (0 without predictions).
        - `body_probability`: support / pairs of the head, the head coverage.
        - `pca`: support / predictions whose x has the head with some entity, the PCA confidence.

        For a rule with a constant in the head, y is that constant and the body holds for x. An inverse relation is
        read backwards. Invented relations have no edges: unfold them first.

        Args:
            graph: The graph.
            loops: Also count pairs with x = y.
            progress: Called with the number of evaluated rules.

        Returns:
            The rules with these statistics, in the same order.

        >>> from r5.graph import Graph
        >>> family = Graph.from_triples([("Ann", "mother", "Eve"), ("Eve", "sister", "Zoe"), ("Ann", "aunt", "Zoe")])
        >>> print(*(rule.text() for rule in RuleSet.of([Rule("aunt", ("mother", "sister"))]).evaluate(family)))
        aunt(X, Y) <= mother(X, Z), sister(Z, Y)   confidence=1 support=1 coverage=1 pca=1

        """
        from r5.rules.support import evaluate_rules  # imports numba, which is slow

        return RuleSet.of(evaluate_rules(self.rules, graph, loops, progress))

    def derive(self, graph: Graph, *, fixpoint: bool = False, loops: bool = False) -> Iterator[DerivedFact]:
        """Yield the facts that the rules derive and a graph lacks, each with the first rule that derives it.

        The confidence of a fact is that of its rule, so the strongest rules should come first: `rules.sorted()`.

        Args:
            graph: The graph.
            fixpoint: Apply the rules again to the derived facts until nothing follows.
            loops: Also derive facts about an entity and itself.

        >>> from r5.graph import Graph
        >>> family = Graph.from_triples([("Ann", "mother", "Eve"), ("Eve", "sister", "Zoe"), ("Eve", "mother", "Una")])
        >>> rules = RuleSet.of([Rule("aunt", ("mother", "sister"), 0.9), Rule("ancestor", ("mother",), 1.0),
        ...     Rule("ancestor", ("mother", "ancestor"), 1.0)])
        >>> for fact in rules.derive(family, fixpoint=True):
        ...     print(fact.round, *fact[:4])
        1 Ann aunt Zoe 0.9
        1 Ann ancestor Eve 1.0
        1 Eve ancestor Una 1.0
        2 Ann ancestor Una 1.0

        """
        from r5.rules.materialisation import derive_facts

        for facts in derive_facts(self.rules, graph, fixpoint=fixpoint, loops=loops):
            yield from facts.rows()

    def compare(self, wanted: RuleSet) -> Comparison:
        """Compare these rules with wanted ones, such as the ground truth."""
        return compare_rules(self.rules, wanted.rules)

    def recall(self, truth: RuleSet) -> float | None:
        """Return the share of the true rules that are in this set; None without true rules."""
        return self.compare(truth).recall

    def to_text(self) -> str:
        """Return the rules as text, one per line; rules of one body with alternative heads share a line."""
        lines = [rule.text() for rule in self.rules if rule.possibility is None]
        lines += [several.text() for several in disjunctions(self.rules)]
        return "".join(f"{line}\n" for line in lines)

    def to_json(self) -> str:
        """Return the rules as a JSON list for `from_json`, one rule per line."""
        return write_json(self.rules)

    def to_csv(self) -> str:
        """Return the rules as CSV with a header."""
        return write_csv(self.rules)

    def to_frame(self, library: str = "pandas") -> Any:
        """Return a data frame with one row per rule; the body is text with commas between the relations.

        Args:
            library: `pandas` or `polars`.

        >>> list(RuleSet.of([Rule("aunt", ("father", "sister"), probability=0.98, support=412)]).to_frame().columns)
        ['head', 'body', 'length', 'probability', 'support', 'invented']

        """
        from r5._util.frames import make_frame

        return make_frame(rule_columns(self.rules), library)

    def to_anyburl(self) -> str:
        """Return the rules in AnyBURL's format for `from_anyburl`; see `r5.rules.formats.anyburl`."""
        return write_anyburl(self.rules)

    def to_prolog(self, graph: Graph | None = None, *, loops: bool = False) -> str:
        """Return the rules, and optionally a graph's facts, as an SWI-Prolog program; see `r5.rules.formats.prolog`."""
        return write_prolog(self.rules, graph, loops)

    def to_sql(
        self,
        *,
        table: str = "triples",
        columns: str | Sequence[str] = ("head", "relation", "tail"),
        loops: bool = False,
    ) -> str:
        """Return an SQL query per rule, over one table of triples; see `r5.rules.formats.queries.sql`."""
        return write_sql(self.rules, table=table, columns=columns, loops=loops)

    def to_cypher(self, *, label: str = "", key: str = "name", merge: bool = False, loops: bool = False) -> str:
        """Return a Cypher query per rule; see `r5.rules.formats.queries.cypher`."""
        return write_cypher(self.rules, label=label, key=key, merge=merge, loops=loops)

    def to_sparql(self, *, base: str = BASE, insert: bool = False, loops: bool = False) -> str:
        """Return a SPARQL query per rule, or one update request; see `r5.rules.formats.queries.sparql`."""
        return write_sparql(self.rules, base=base, insert=insert, loops=loops)

    def to_datalog(self, graph: Graph | None = None, *, fixpoint: bool = False, loops: bool = False) -> str:
        """Return the rules, and optionally a graph's facts, for Soufflé; see `r5.rules.formats.queries.datalog`."""
        return write_datalog(self.rules, graph, fixpoint=fixpoint, loops=loops)

    @classmethod
    def from_json(cls, text: str, path: str | Path | None = None) -> RuleSet:
        """Parse rules from JSON; `path` is the file named in errors."""
        return cls.of(read_json(text, path))

    @classmethod
    def from_anyburl(cls, text: str, path: str | Path | None = None) -> RuleSet:
        """Parse rules in AnyBURL's format; `path` is the file named in errors."""
        return cls.of(read_anyburl(text, path))

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __repr__(self) -> str:
        """Return the number of rules and the first ones.

        >>> RuleSet.of([Rule("aunt", ("father", "sister"))])
        RuleSet(1 rule: aunt <= father, sister)
        """
        shown = "; ".join(map(str, self.rules[:3])) + ("; ..." if len(self) > 3 else "")
        return f"RuleSet({len(self)} rule{'s' * (len(self) != 1)}{': ' * bool(shown)}{shown})"

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        return write_html(self.rules)
