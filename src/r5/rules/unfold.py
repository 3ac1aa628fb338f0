"""Longer rules out of short ones: relations in a body are replaced by bodies that they follow from, strongest first.

Probabilities multiply. Scores have no upper bound, so each counts as its share of the highest one in the
set; a chain is never stronger than its weakest rule.
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

_STEPS_A_RULE = 100
"""So many steps are taken for each rule that is wanted, at most."""
_MOST_STEPS = 2_000_000
"""So many steps are taken in all, at most: each leaves up to a kilobyte behind."""
_LOOK_UP = 2_000


class Unfolded(NamedTuple):
    """Rules between known relations."""

    rules: list[Rule]
    complete: bool
    """Whether these are all; else there are weaker ones."""


def unfold(
    rules: Collection[Rule],
    *,
    max_length: int,
    limit: int,
    every: bool = False,
    head: str | None = None,
    progress: ProgressCallback | None = None,
) -> Unfolded:
    """The rules, invented relations (or `every` relation) unfolded in all ways that give bodies up to `max_length`.

    At most `limit` rules, the strongest; of those that say the same, the strongest. Rules for invented
    heads are left out, and so is what follows from itself. Rules about one entity stay as they are.
    However much is asked for, the search ends after two million steps, a minute's work, with what it has.
    """
    if max_length < 1 or limit < 1:
        raise R5Error(f"max_length and limit must be at least 1, found {max_length} and {limit}")
    general = [rule for rule in rules if rule.target is None]
    found = [rule for rule in rules if rule.target is not None and head in (None, rule.head)][: limit + 1]
    search = _Search(_Book(general, every, max_length))
    search.begin(rule for rule in general if head in (None, rule.head))
    steps, most = 0, min(_STEPS_A_RULE * limit, _MOST_STEPS)
    while search.heap and len(found) <= limit and steps < most:
        steps += 1
        if progress is not None and steps % _LOOK_UP == 0:
            # Whichever comes first is the end: the rules that are wanted, or the last step.
            share = max(min(len(found) / limit, 1.0), steps / most)
            progress(Progress(round(share * most), most, f"{len(found):,} rules"))
        if (rule := search.step()) is not None:
            found.append(rule)
    return Unfolded(found[:limit], complete=len(found) <= limit and not search.heap)


def invented_relations(rules: Iterable[Rule]) -> frozenset[str]:
    """The invented relations: in rules marked as invented, those named like `invented_3`, or else the head.

    >>> sorted(invented_relations([Rule("aunt", ("father", "invented_0"), invented=True)]))
    ['invented_0']
    """
    found: set[str] = set()
    for rule in rules:
        if rule.invented:
            names = [name for name in (rule.head, *rule.body) if re.fullmatch(r"invented_[0-9]+", name)]
            found.update(names or [rule.head])
    return frozenset(found)


class _Book:
    """What each relation can be replaced by, and how strong and how short its best full unfolding is."""

    def __init__(self, rules: Collection[Rule], every: bool, max_length: int) -> None:
        self.max_length = max_length
        self.invented = invented_relations(rules)
        self.top = max([1.0, *(rule.strength for rule in rules)])
        """What strengths are divided by, so that they are 1 at most."""
        self._by_head: dict[str, list[Rule]] = {}
        for rule in rules:
            if rule.relations and (every or rule.head in self.invented):
                self._by_head.setdefault(rule.head, []).append(rule)
        self._best: dict[str, tuple[float, int]] = {}
        self._find_best()
        self._options: dict[tuple[str, int], list[Rule | None]] = {}

    def weight(self, rule: Rule) -> float:
        """The strength as a share; a rule without figures counts as certain."""
        return max(rule.strength, 0.0) / self.top if _has_figure(rule) else 1.0

    def best(self, body: Iterable[str]) -> tuple[float, int]:
        """The highest weight and the least length that full unfoldings of a body have; no length: it has none."""
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

    def options(self, name: str, room: int) -> list[Rule | None]:
        """The rules that `name` can be unfolded by into at most `room` relations, strongest first; None: it stays."""
        if (name, room) not in self._options:
            fitting = [rule for rule in self._by_head.get(name, ()) if self.best(rule.relations)[1] <= room]
            fitting.sort(key=self._order)
            stays: list[Rule | None] = [] if name in self.invented else [None]
            self._options[name, room] = [*stays, *fitting]
        return self._options[name, room]

    def _order(self, rule: Rule) -> tuple[float, tuple[str, ...]]:
        """Sort key: the best that can become of a rule, then the names."""
        return -round_significant(self.weight(rule) * self.best(rule.relations)[0]), rule.relations

    def _find_best(self) -> None:
        """For each invented relation that can be unfolded within the length: better ways are found until none is."""
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
    """A partly unfolded rule: what stands before `position` stays. Made of `parts`, whose weights are multiplied."""

    head: str
    body: tuple[str, ...]
    position: int
    weight: float
    parts: tuple[Rule, ...]


class _Search:
    """Best first: each step goes on with what the strongest rule can be made of."""

    def __init__(self, book: _Book) -> None:
        self.book = book
        self.heap: list[tuple[float, int, int, str, tuple[str, ...], int, _Path, _Path | None, int]] = []
        self._serial = count()
        self._seen: set[tuple[str, tuple[str, ...], int]] = set()

    def begin(self, rules: Iterable[Rule]) -> None:
        """Start from the rules with known heads."""
        for rule in rules:
            if rule.relations and rule.head not in self.book.invented:
                self._add(_Path(rule.head, rule.relations, 0, self.book.weight(rule), (rule,)), None, 0)

    def step(self) -> Rule | None:
        """Go on with the strongest; a rule if that is whole."""
        *_, path, origin, option = heapq.heappop(self.heap)
        if origin is not None:
            self._replace(origin, option + 1)
        if path[:3] in self._seen:
            return None
        self._seen.add(path[:3])
        if path.position < len(path.body):
            self._replace(path, 0)
            return None
        return None if path.body == (path.head,) else self._whole(path)

    def _replace(self, path: _Path, option: int) -> None:
        """Add the path that this option leads to; the next one has its turn when this one is taken."""
        head, body, position, weight, parts = path
        others = self.book.best(body[:position] + body[position + 1 :])[1]
        options = self.book.options(body[position], self.book.max_length - others)
        if option >= len(options):
            return
        rule = options[option]
        if rule is None:
            self._add(path._replace(position=position + 1), path, option)
            return
        new = body[:position] + rule.relations + body[position + 1 :]
        self._add(_Path(head, new, position, weight * self.book.weight(rule), (*parts, rule)), path, option)

    def _add(self, path: _Path, origin: _Path | None, option: int) -> None:
        """Ordered by the best that can become of it, then shorter, further on and by name."""
        weight, length = self.book.best(path.body)
        if length <= self.book.max_length:
            order = (
                -round_significant(path.weight * weight),
                length,
                -path.position,
                path.head,
                path.body,
                next(self._serial),
            )
            heapq.heappush(self.heap, (*order, path, origin, option))

    def _whole(self, path: _Path) -> Rule:
        """The rule that says what the parts say together; used as often as the part that is used the least."""
        if len(path.parts) == 1:
            return path.parts[0]
        scored = all(map(_has_figure, path.parts))
        chances = [rule.probability for rule in path.parts if rule.probability is not None]
        certain = len(chances) == len(path.parts)
        supports = [rule.support for rule in path.parts if rule.support is not None]
        shares = [rule.body_probability for rule in path.parts if rule.body_probability is not None]
        return Rule(
            path.head,
            path.body,
            probability=math.prod(chances) if certain else None,
            score=path.weight * self.book.top if scored and not certain else None,
            support=min(supports) if len(supports) == len(path.parts) else None,
            body_probability=math.prod(shares) if len(shares) == len(path.parts) else None,
        )


def _has_figure(rule: Rule) -> bool:
    return rule.probability is not None or rule.score is not None
