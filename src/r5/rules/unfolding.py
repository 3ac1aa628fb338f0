"""Unfolding of rules by best-first search: relations in a body are replaced by bodies that imply them.

Probabilities multiply. Scores have no upper bound, so that each counts as its share of the highest score in the set.
An unfolded rule is never stronger than its weakest part.
"""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Collection, Iterable
from itertools import count
from typing import NamedTuple

from r5._util.ordering import round_significant
from r5._util.runtime.progress import Progress, ProgressCallback
from r5.errors import R5Error
from r5.rules.rule import Rule

__all__ = ["Unfolded", "invented_relations", "unfold"]

_STEPS_PER_RULE = 100
"""Maximum number of search steps per requested rule."""
_MAX_STEPS = 2_000_000
"""Maximum number of search steps, about one minute; each step keeps up to a kilobyte."""
_PROGRESS_STEPS = 2_000
"""Search steps between two progress reports."""


class Unfolded(NamedTuple):
    """Result of `unfold`."""

    rules: list[Rule]
    """Rules between known relations, strongest first."""
    complete: bool
    """True if no weaker rules exist."""


def unfold(
    rules: Collection[Rule],
    *,
    max_length: int,
    limit: int,
    every: bool = False,
    head: str | None = None,
    progress: ProgressCallback | None = None,
    max_steps: int = _MAX_STEPS,
) -> Unfolded:
    """Unfold the invented relations of rules.

    Of equal rules the strongest is kept. Rules with invented heads and tautologies are left out. Rules with constants
    stay unchanged.

    Args:
        rules: The rules.
        max_length: Maximum length of a body.
        limit: Maximum number of rules; the strongest are kept.
        every: Unfold known relations too.
        head: Only rules with this head.
        progress: Called with the share of the search that is done.
        max_steps: Maximum number of search steps; the search then returns the rules found so far.

    Returns:
        The unfolded rules, strongest first.

    Raises:
        R5Error: `max_length` or `limit` is below 1.
    """
    if max_length < 1 or limit < 1:
        raise R5Error(f"max_length and limit must be at least 1, found {max_length} and {limit}")
    general = [rule for rule in rules if rule.target is None]
    found = [rule for rule in rules if rule.target is not None and head in (None, rule.head)][: limit + 1]
    search = _Search(_Definitions(general, every, max_length))
    search.begin(rule for rule in general if head in (None, rule.head))
    steps, most = 0, min(_STEPS_PER_RULE * limit, max_steps)
    while search.heap and len(found) <= limit and steps < most:
        steps += 1
        if progress is not None and steps % _PROGRESS_STEPS == 0:
            # The search ends at the requested number of rules or at the last step.
            share = max(min(len(found) / limit, 1.0), steps / most)
            progress(Progress(round(share * most), most, f"{len(found):,} rules"))
        if (rule := search.step()) is not None:
            found.append(rule)
    return Unfolded(found[:limit], complete=len(found) <= limit and not search.heap)


def invented_relations(rules: Iterable[Rule]) -> frozenset[str]:
    """Return the invented relations: in rules marked as invented, names such as `invented_3`, or else the head.

    >>> sorted(invented_relations([Rule("aunt", ("father", "invented_0"), invented=True)]))
    ['invented_0']
    """
    found: set[str] = set()
    for rule in rules:
        if rule.invented:
            names = [name for name in (rule.head, *rule.body) if re.fullmatch(r"invented_[0-9]+", name)]
            found.update(names or [rule.head])
    return frozenset(found)


class _Definitions:
    """Definitions of each relation, with the weight and length of its best full unfolding."""

    def __init__(self, rules: Collection[Rule], every: bool, max_length: int) -> None:
        self.max_length = max_length
        self.invented = invented_relations(rules)
        self.top = max([1.0, *(rule.strength for rule in rules)])
        """Divisor that maps strengths to at most 1."""
        self._by_head: dict[str, list[Rule]] = {}
        for rule in rules:
            if rule.relations and (every or rule.head in self.invented):
                self._by_head.setdefault(rule.head, []).append(rule)
        self._best: dict[str, tuple[float, int]] = {}
        self._find_best()
        self._options: dict[tuple[str, int], list[Rule | None]] = {}

    def weight(self, rule: Rule) -> float:
        """Return the strength as a share of the highest; a rule without statistics has weight 1."""
        return max(rule.strength, 0.0) / self.top if _has_figure(rule) else 1.0

    def best(self, body: Iterable[str]) -> tuple[float, int]:
        """Return the highest weight and the minimum length of full unfoldings; (0, max_length + 1) if there is none."""
        weight, length = 1.0, 0
        for name in body:
            if name in self.invented:
                if name not in self._best:
                    return 0.0, self.max_length + 1
                more, longer = self._best[name]
                weight, length = weight * more, length + longer
            else:
                length += 1
        return weight, length

    def options(self, name: str, longest: int) -> list[Rule | None]:
        """Return the definitions of a relation with at most `longest` relations, strongest first; None keeps it."""
        if (name, longest) not in self._options:
            fitting = [rule for rule in self._by_head.get(name, ()) if self.best(rule.relations)[1] <= longest]
            fitting.sort(key=self._order)
            kept: list[Rule | None] = [] if name in self.invented else [None]
            self._options[name, longest] = [*kept, *fitting]
        return self._options[name, longest]

    def _order(self, rule: Rule) -> tuple[float, tuple[str, ...]]:
        """Return the sort key of a rule: the weight of its best full unfolding, then the names."""
        return -round_significant(self.weight(rule) * self.best(rule.relations)[0]), rule.relations

    def _find_best(self) -> None:
        """Compute `_best` for each invented relation by iteration to a fixed point."""
        changed = True
        while changed:
            changed = False
            for head in sorted(self.invented):
                for rule in self._by_head.get(head, ()):
                    weight, length = self.best(rule.relations)
                    old = self._best.get(head, (-1.0, self.max_length + 1))
                    new = max(old[0], weight * self.weight(rule)), min(old[1], length)
                    if length <= self.max_length and new != old:
                        self._best[head] = new
                        changed = True


class _Path(NamedTuple):
    """Partly unfolded rule."""

    head: str
    body: tuple[str, ...]
    position: int
    """Relations before this position are final."""
    weight: float
    """Product of the weights of the parts."""
    parts: tuple[Rule, ...]
    """Rules used."""


class _Search:
    """Best-first search over partly unfolded rules."""

    def __init__(self, definitions: _Definitions) -> None:
        self.definitions = definitions
        self.heap: list[tuple[float, int, int, str, tuple[str, ...], int, _Path, _Path | None, int]] = []
        self._serial = count()
        self._seen: set[tuple[str, tuple[str, ...], int]] = set()

    def begin(self, rules: Iterable[Rule]) -> None:
        """Add the rules with known heads."""
        for rule in rules:
            if rule.relations and rule.head not in self.definitions.invented:
                self._add(_Path(rule.head, rule.relations, 0, self.definitions.weight(rule), (rule,)), None, 0)

    def step(self) -> Rule | None:
        """Expand the strongest partial rule; return it if it is complete."""
        *_, path, origin, option = heapq.heappop(self.heap)
        if origin is not None:
            self._replace(origin, option + 1)
        if path[:3] in self._seen:
            return None
        self._seen.add(path[:3])
        if path.position < len(path.body):
            self._replace(path, 0)
            return None
        return None if path.body == (path.head,) else self._unfolded_rule(path)

    def _replace(self, path: _Path, option: int) -> None:
        """Add the result of one option; the next option is added when this one is expanded."""
        head, body, position, weight, parts = path
        others = self.definitions.best(body[:position] + body[position + 1 :])[1]
        options = self.definitions.options(body[position], self.definitions.max_length - others)
        if option >= len(options):
            return
        rule = options[option]
        if rule is None:
            self._add(path._replace(position=position + 1), path, option)
            return
        new = body[:position] + rule.relations + body[position + 1 :]
        self._add(_Path(head, new, position, weight * self.definitions.weight(rule), (*parts, rule)), path, option)

    def _add(self, path: _Path, origin: _Path | None, option: int) -> None:
        """Push a partial rule, ordered by the weight of its best completion, then length, position and names."""
        weight, length = self.definitions.best(path.body)
        if length <= self.definitions.max_length:
            order = (
                -round_significant(path.weight * weight),
                length,
                -path.position,
                path.head,
                path.body,
                next(self._serial),
            )
            heapq.heappush(self.heap, (*order, path, origin, option))

    def _unfolded_rule(self, path: _Path) -> Rule:
        """Combine the statistics of the parts; the support is their minimum."""
        if len(path.parts) == 1:
            return path.parts[0]
        scored = all(map(_has_figure, path.parts))
        probabilities = [rule.probability for rule in path.parts if rule.probability is not None]
        all_known = len(probabilities) == len(path.parts)
        supports = [rule.support for rule in path.parts if rule.support is not None]
        shares = [rule.body_probability for rule in path.parts if rule.body_probability is not None]
        return Rule(
            path.head,
            path.body,
            probability=math.prod(probabilities) if all_known else None,
            score=path.weight * self.definitions.top if scored and not all_known else None,
            support=min(supports) if len(supports) == len(path.parts) else None,
            body_probability=math.prod(shares) if len(shares) == len(path.parts) else None,
        )


def _has_figure(rule: Rule) -> bool:
    return rule.probability is not None or rule.score is not None
