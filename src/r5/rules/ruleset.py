"""RuleSet: rules by name, to look up, sort, filter, unfold, count on a graph, compare, write and read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from r5._util.runtime.progress import ProgressCallback
from r5.rules.compare import Comparison, compare_rules
from r5.rules.disjunction import disjunctions
from r5.rules.formats.anyburl import read_anyburl, write_anyburl
from r5.rules.formats.csv import rule_columns, write_csv
from r5.rules.formats.html import write_html
from r5.rules.formats.json import read_json, write_json
from r5.rules.formats.prolog import write_prolog
from r5.rules.rule import Rule
from r5.rules.unfold import invented_relations, unfold

if TYPE_CHECKING:
    from r5.graph import Graph

__all__ = ["Comparison", "Order", "Rule", "RuleSet"]

Order = Literal["quality", "weight", "confidence", "support", "pca"]
"""Measures that rules are sorted by."""


def _known(value: float | None) -> float:
    """The figure, below all others where there is none."""
    return -math.inf if value is None else value


_MEASURES: dict[Order | None, tuple[Callable[[Rule], float], ...]] = {
    None: (),
    "quality": (
        lambda rule: float(rule.target is None),
        lambda rule: rule.smoothed_pca,
    ),
    "weight": (lambda rule: _known(None if rule.weight is None else abs(rule.weight)),),
    "confidence": (lambda rule: _known(rule.probability),),
    "support": (lambda rule: _known(rule.support),),
    "pca": (lambda rule: _known(rule.pca),),
}


@dataclass(frozen=True, slots=True, repr=False)
class RuleSet:
    """An ordered collection of rules; engines give theirs strongest first, by their own measure."""

    rules: tuple[Rule, ...] = ()

    @classmethod
    def of(cls, rules: Iterable[Rule]) -> RuleSet:
        """The rules in the order given."""
        return cls(tuple(rules))

    @property
    def invented(self) -> frozenset[str]:
        """The names of the invented relations."""
        return invented_relations(self.rules)

    @property
    def usual_order(self) -> Order | None:
        """The order to list the rules in: by quality where all have weights and were counted, else by strength (None).

        Rules of the engine `chains` have weights.
        """
        counted = len(self) > 0 and all(rule.weight is not None and rule.pca is not None for rule in self.rules)
        return "quality" if counted else None

    def sorted(self, by: Order | None = None) -> RuleSet:
        """Strongest first: by strength to three decimals, then support, then length and names.

        Args:
            by: Another measure that comes before these, the largest first: `weight` (its absolute value), `confidence`
                (the probability), `support`, `pca`; or `quality`: chain rules before rules with constants, then the
                smoothed PCA confidence.

        Returns:
            All rules; those without the measure come last.

        >>> rules = RuleSet.of([Rule("son", ("a", "b"), score=1), Rule("aunt", ("a", "c"), score=2)])
        >>> print(*rules.sorted(), sep="; ")
        aunt <= a, c; son <= a, b
        >>> rules = RuleSet.of([Rule("h", ("a",), support=2, pca=1), Rule("h", ("b",), support=90, pca=0.9)])
        >>> print(*rules.sorted("pca"), *rules.sorted("quality"), sep="; ")
        h <= a; h <= b; h <= b; h <= a

        """
        return RuleSet(tuple(Rule.in_order(self.rules, *_MEASURES[by])))

    def strongest(self, count: int, by: Order | None = None) -> RuleSet:
        """The first `count` of the rules sorted; of alternatives those of the bodies most seen, never a part of them.

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
        """The rules that fit all that is given.

        `body` is a relation that must occur in the body, or else the whole body. `min_score` is about the
        probability, or else the score; `invented` about whether an invented relation occurs; `constants` about
        whether the head is about one entity.

        >>> rules = RuleSet.of([Rule("aunt", ("father", "sister")), Rule("uncle", ("father", "brother"))])
        >>> print(*rules.filter(body="sister"), *rules.filter(body=("father", "brother")), sep="; ")
        aunt <= father, sister; uncle <= father, brother
        """
        made_up = self.invented if invented is not None else frozenset()
        return RuleSet.of(
            rule
            for rule in self.rules
            if (head is None or rule.head == head)
            and (body is None or (body in rule.body if isinstance(body, str) else rule.body == tuple(body)))
            and (min_score is None or rule.strength >= min_score)
            and (min_support is None or (rule.support or 0.0) >= min_support)
            and (constants is None or constants == (rule.target is not None))
            and (invented is None or invented == (not made_up.isdisjoint((rule.head, *rule.body))))
        )

    def with_body_of(self, length: int) -> RuleSet:
        """Only the rules with so many relations in the body."""
        return RuleSet(tuple(rule for rule in self.rules if len(rule.body) == length))

    def heads(self, *body: str) -> tuple[str, ...]:
        """What this body becomes, strongest rule first.

        >>> RuleSet.of([Rule("aunt", ("father", "sister"))]).heads("father", "sister")
        ('aunt',)
        """
        return tuple(rule.head for rule in self.rules if rule.body == body)

    def unfold(self, max_length: int = 8, *, head: str | None = None, limit: int = 10_000) -> RuleSet:
        """The rules with each invented relation replaced by its definitions, sorted; none is left.

        Probabilities multiply (scores as shares of the highest one), the support is the least of the rules used.
        Definitions may be recursive: bodies up to `max_length`, and at most `limit` rules, the strongest.

        >>> rules = RuleSet.of([
        ...     Rule("r_6", ("r_9", "invented_44"), probability=0.5, invented=True),
        ...     Rule("invented_44", ("r_3", "r_9"), probability=0.5, invented=True),
        ... ])
        >>> print(*(rule.text() for rule in rules.unfold()))
        r_6(X, Y) <= r_9(X, Z), r_3(Z, U), r_9(U, Y)   p=0.25
        """
        return RuleSet.of(unfold(self.rules, max_length=max_length, limit=limit, head=head).rules).sorted()

    def chains(self, length: int, *, head: str | None = None, limit: int = 10_000) -> RuleSet:
        """All rules that follow from these, with bodies up to that length: as `unfold`, for known relations too.

        >>> rules = RuleSet.of([Rule("aunt", ("mother", "sister")), Rule("mother", ("sister", "mother"))])
        >>> print(*rules.chains(3, head="aunt"), sep="; ")
        aunt <= mother, sister; aunt <= sister, mother, sister
        """
        found = unfold(self.rules, max_length=length, limit=limit, every=True, head=head)
        return RuleSet.of(found.rules).sorted()

    def evaluate(self, graph: Graph, *, loops: bool = False, progress: ProgressCallback | None = None) -> RuleSet:
        """The same rules with figures counted on a graph, in the same order.

        `predictions` is how many pairs (x, y) of different entities the body connects, each counted once (with
        `loops` those with x = y too); `support` for how many of them the head holds, `probability` the ratio (the
        confidence; 0 where there are none), `body_probability` the share of the head's pairs that have the body
        (the head coverage), `pca` the ratio over those pairs whose x has the head with any entity at all.
        For a rule about one entity, y is that entity and the body need only hold for x.
        An inverse relation is the relation read backwards. Invented relations have no edges: unfold them first.

        >>> from r5.graph import Graph
        >>> family = Graph.from_triples([("Ann", "mother", "Eve"), ("Eve", "sister", "Zoe"), ("Ann", "aunt", "Zoe")])
        >>> print(*(rule.text() for rule in RuleSet.of([Rule("aunt", ("mother", "sister"))]).evaluate(family)))
        aunt(X, Y) <= mother(X, Z), sister(Z, Y)   confidence=1 support=1 coverage=1 pca=1
        """
        from r5.rules.count import evaluate_rules  # numba, which nothing else here needs

        return RuleSet.of(evaluate_rules(self.rules, graph, loops, progress))

    def compare(self, wanted: RuleSet) -> Comparison:
        """Which of the wanted (say, the true) rules are here, which are missing, and which are here besides."""
        return compare_rules(self.rules, wanted.rules)

    def recall(self, truth: RuleSet) -> float | None:
        """The share of the true rules that are in this set; None where there are no true rules."""
        return self.compare(truth).recall

    def to_text(self) -> str:
        """A line a rule, for people; rules of one body whose heads are alternatives share a line."""
        lines = [rule.text() for rule in self.rules if rule.possibility is None]
        lines += [several.text() for several in disjunctions(self.rules)]
        return "".join(f"{line}\n" for line in lines)

    def to_json(self) -> str:
        """A JSON list, a line a rule; `from_json` reads it."""
        return write_json(self.rules)

    def to_csv(self) -> str:
        """A table with a header."""
        return write_csv(self.rules)

    def to_frame(self, library: str = "pandas") -> Any:
        """A frame of pandas, or of polars, a row a rule; the body is text, its relations between commas.

        >>> list(RuleSet.of([Rule("aunt", ("father", "sister"), probability=0.98, support=412)]).to_frame().columns)
        ['head', 'body', 'length', 'probability', 'support', 'invented']
        """
        from r5._util.frames import make_frame

        return make_frame(rule_columns(self.rules), library)

    def to_anyburl(self) -> str:
        """Lines as AnyBURL writes them; `from_anyburl` reads them. See `r5.rules.formats.anyburl` for the figures."""
        return write_anyburl(self.rules)

    def to_prolog(self, graph: Graph | None = None, *, loops: bool = False) -> str:
        """A program for SWI-Prolog, with the graph's facts where one is given. See `r5.rules.formats.prolog`."""
        return write_prolog(self.rules, graph, loops)

    @classmethod
    def from_json(cls, text: str, path: str | Path | None = None) -> RuleSet:
        """The rules of a JSON text; `path` is for the message where something is wrong with it."""
        return cls.of(read_json(text, path))

    @classmethod
    def from_anyburl(cls, text: str, path: str | Path | None = None) -> RuleSet:
        """The rules of AnyBURL's lines; `path` is for the message where something is wrong with them."""
        return cls.of(read_anyburl(text, path))

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __repr__(self) -> str:
        """How many there are and the first ones.

        >>> RuleSet.of([Rule("aunt", ("father", "sister"))])
        RuleSet(1 rule: aunt <= father, sister)
        """
        shown = "; ".join(map(str, self.rules[:3])) + ("; ..." if len(self) > 3 else "")
        return f"RuleSet({len(self)} rule{'s' * (len(self) != 1)}{': ' * bool(shown)}{shown})"

    def _repr_html_(self) -> str:
        """In a notebook, a table."""
        return write_html(self.rules)
