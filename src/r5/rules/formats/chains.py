"""Rules of other programs as chains: atoms with variables and constants, in any order and direction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from r5.errors import R5Error
from r5.relations import inverse_name
from r5.rules.formats.text import Atom
from r5.rules.rule import Rule

__all__ = ["OtherShapeError", "Terms", "can_be_inverted", "inverted", "rule_of_atoms"]


class OtherShapeError(R5Error):
    """A rule is well formed, and neither a chain nor a rule about one entity."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Notation of the arguments of atoms."""

    is_variable: Callable[[str], bool]
    is_chain_variable: Callable[[str], bool]
    """Predicate of variables where no constant can be: in a body between two variables of the head."""
    name_of: Callable[[str], str]
    """Function from a constant to the entity that it names."""


def rule_of_atoms(head: Atom, body: Sequence[Atom], terms: Terms, **figures: Any) -> Rule:
    """Return the rule of a head and a body.

    Args:
        head: Head, with two variables or with a variable and a constant.
        body: Atoms of the body in any order and direction.
        terms: Notation of the arguments.
        **figures: Statistics of the rule.

    Raises:
        OtherShapeError: The body is no chain from the variable of the head to the other one, to a constant or to a
            variable of its own.

    >>> terms = Terms(str.isupper, str.isupper, str)
    >>> print(rule_of_atoms(("aunt", "X", "Y"), [("sister", "A", "Y"), ("child", "A", "X")], terms))
    aunt <= child^-1, sister
    """
    name, first, second = head
    variables = [terms.is_variable(first), terms.is_variable(second)]
    if not any(variables):
        raise OtherShapeError("the head has no variable")
    if all(variables):
        if first == second:
            raise OtherShapeError("the head is about an entity and itself")
        return Rule(name, _chain(first, second, body, terms), **figures)
    if variables[1]:
        name, first, second = inverted(name), second, first
    relations, ending = _chain_to_constant(first, body, terms)
    return Rule(name, relations, **figures, target=terms.name_of(second), ending=ending)


def can_be_inverted(name: str) -> bool:
    """Return whether the inverse of the inverse is the relation itself, which is false for names such as `^-1`."""
    other = inverse_name(name)
    return bool(other) and inverse_name(other) == name


def inverted(name: str) -> str:
    """Return the name of the inverse relation.

    Raises:
        R5Error: The name is ambiguous.
    """
    if not can_be_inverted(name):
        raise R5Error(f"the relation {name[:40]!r} cannot be read backwards: its name ends like that of an inverse")
    return inverse_name(name)


def _chain(first: str, last: str, atoms: Sequence[Atom], terms: Terms) -> tuple[str, ...]:
    """Return the relations of a chain of variables from the first to the last, whose atoms are in any order."""
    for _, *arguments in atoms:
        for argument in arguments:
            if not terms.is_chain_variable(argument):
                raise OtherShapeError(
                    f"{argument[:40]!r} is not a variable; expected a rule whose body is a chain of variables"
                )
    names, here, seen = _walk(first, atoms)
    if here != last or len(seen) != len(atoms) + 1:
        raise OtherShapeError(f"the body does not lead from {first} to {last} in one chain")
    return tuple(names)


def _chain_to_constant(first: str, atoms: Sequence[Atom], terms: Terms) -> tuple[tuple[str, ...], str | None]:
    """Return the relations of a chain from a variable, and the entity it ends at; None for a variable."""
    names, here, seen = _walk(first, atoms)
    if len(seen) != len(atoms) + 1:
        raise OtherShapeError(f"the body does not lead from {first} to one entity or variable in one chain")
    if odd := [name for name in seen[1:-1] if not terms.is_variable(name)]:
        raise OtherShapeError(f"{odd[0][:40]!r} is inside the body; only its end may be an entity")
    return tuple(names), None if terms.is_variable(here) else terms.name_of(here)


def _walk(first: str, atoms: Sequence[Atom]) -> tuple[list[str], str, list[str]]:
    """Follow atoms from an argument; return their relations, the last argument and the distinct arguments visited."""
    names, here, left, seen = [], first, list(atoms), [first]
    while left:
        found = next((atom for atom in left if here in atom[1:]), None)
        if found is None:
            break
        left.remove(found)
        name, start, end = found
        names.append(name if here == start else inverted(name))
        here = end if here == start else start
        if here in seen:
            break
        seen.append(here)
    return names, here, seen
