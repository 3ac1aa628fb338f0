"""Layout of a reason: entities from left to right, and the facts between them in their stored direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from r5.derivations.completion import Completion, Reason
from r5.derivations.derivation import Fact
from r5.relations import inverse_name
from r5.rules.formats.direct import direct_sentence

__all__ = ["Link", "Place", "Row", "lay_out_reason"]


@dataclass(frozen=True, slots=True)
class Place:
    """An entity in a row."""

    name: str
    kind: str
    """`end` for head and tail of the completed fact, `constant` for a constant of the rule, else `between`."""


@dataclass(frozen=True, slots=True)
class Link:
    """A fact between a place and the next one."""

    relation: str
    """Relation of the stored fact, never an inverse one."""
    backwards: bool
    """True if the fact leads from the right place to the left one."""
    derived: bool = False
    """True for the fact that the rule concludes, false for a fact of the graph."""

    def fact(self, left: Place, right: Place) -> Fact:
        """Return the fact that is drawn between two places."""
        source, target = (right, left) if self.backwards else (left, right)
        return Fact(source.name, self.relation, target.name)


@dataclass(frozen=True, slots=True)
class Row:
    """Entities and the link after each but the last; a link is None where no drawn fact joins two neighbours."""

    places: tuple[Place, ...]
    links: tuple[Link | None, ...]
    caption: str = ""
    """Rule or sentence above the row; empty where the facts say everything."""


def lay_out_reason(completion: Completion, reason: Reason) -> Row:
    """Return the row of a reason.

    Facts of a chain run from the head of the completed fact to its tail. A rule with constants is drawn with its
    conclusion, so that each constant stands at the end where the rule has it. Of similar entities the first one is
    drawn, beside the end that it is similar to.

    >>> from r5.rules.rule import Rule
    >>> rule = Rule("speaks", ("lives_in",), target="English", ending="UK")
    >>> reason = Reason(rule, 1.0, (Fact("Ann", "lives_in", "UK"),), kind="constant")
    >>> row = lay_out_reason(Completion("English", 0.9, 1.0, head="Ann", relation="speaks", tail="English"), reason)
    >>> [(place.name, place.kind) for place in row.places]
    [('UK', 'constant'), ('Ann', 'end'), ('English', 'constant')]
    >>> [str(link.fact(*row.places[n : n + 2])) for n, link in enumerate(row.links)]
    ['Ann -lives_in-> UK', 'Ann -speaks-> English']
    """
    has_constants = reason.kind in ("rule", "constant") and reason.rule.target is not None
    chain = reason.kind == "rule" and not has_constants
    caption = "" if chain else reason.text or direct_sentence(reason.rule)
    if has_constants:
        return _constant_row(completion.fact, reason, caption)
    if not reason.facts:
        return Row((), (), reason.sentence())
    if reason.kind == "similar":
        return _similar_row(reason.facts[0], completion.fact, caption)
    if reason.groundings > 1 and not caption:
        caption = f"one of {reason.groundings:,} groundings"
    return _chain_row(_from_head(reason.facts, completion.fact), completion.fact, caption)


def _from_head(facts: tuple[Fact, ...], fact: Fact) -> tuple[Fact, ...]:
    """Return facts that run from tail to head from the other end."""
    if (facts[0].source, facts[-1].target) != (fact.target, fact.source) or fact.source == fact.target:
        return facts
    return tuple(Fact(one.target, inverse_name(one.relation), one.source) for one in reversed(facts))


def _chain_row(facts: Sequence[Fact], fact: Fact, caption: str) -> Row:
    """Return the row of facts that each begin where the one before ends; elsewhere there is a gap."""
    ends = {fact.source, fact.target}
    names, links = [facts[0].source], list[Link | None]()
    for one in facts:
        if one.source != names[-1]:
            names.append(one.source)
            links.append(None)
        links.append(_link(one))
        names.append(one.target)
    return Row(tuple(Place(name, "end" if name in ends else "between") for name in names), tuple(links), caption)


def _similar_row(shown: Fact, fact: Fact, caption: str) -> Row:
    """Return the row of a fact of a similar entity and one end, between head and tail of the completed fact."""
    is_at_tail = fact.target in (shown.source, shown.target)
    kept = fact.target if is_at_tail else fact.source
    if (shown.target if is_at_tail else shown.source) != kept:
        shown = Fact(shown.target, inverse_name(shown.relation), shown.source)
    other, link = shown.source if is_at_tail else shown.target, _link(shown)
    places = (Place(fact.source, "end"), Place(other, "between"), Place(fact.target, "end"))
    return Row(places, (None, link) if is_at_tail else (link, None), caption)


def _link(fact: Fact) -> Link:
    stored = fact.stored()
    return Link(stored.relation, stored.relation != fact.relation)


def _constant_row(fact: Fact, reason: Reason, caption: str) -> Row:
    """Return the row of a rule with constants: its condition, if any, beside the conclusion."""
    constants = {reason.rule.target, reason.rule.ending}

    def place(name: str) -> Place:
        return Place(name, "constant" if name in constants else "end")

    conclusion = Link(fact.relation, False, derived=True)
    places, links = [place(fact.source), place(fact.target)], [conclusion]
    for one in reason.facts:
        about, condition = one.source, _link(one)
        if about == fact.target:
            places, links = [*places, place(one.target)], [*links, condition]
        else:
            turned = Link(condition.relation, not condition.backwards)
            places, links = [place(one.target), *places], [turned, *links]
    return Row(tuple(places), tuple(links), caption)
