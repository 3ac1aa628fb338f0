"""Conversion of a CLUTRR story, a row of CSV cells, to an example by names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from r5._util.text import abbreviate
from r5.data.builder import Row
from r5.data.formats.examples.literals import parse_names, parse_numbers, parse_pair, parse_pairs
from r5.errors import R5Error

__all__ = ["KNOWN_COLUMNS", "NEEDED_COLUMNS", "OWN_COLUMNS", "StoryReader", "task_hops"]

NEEDED_COLUMNS = ("story_edges", "edge_types", "query_edge", "target")
OWN_COLUMNS = ("position", "entities", "resolution", "descriptor")
"""Columns that `write_clutrr` adds to CLUTRR's own, so that reading is unambiguous."""
KNOWN_COLUMNS = (*NEEDED_COLUMNS, "genders", "f_comb", "task_name", *OWN_COLUMNS)

_TASK = re.compile(r"(?:task_)?[0-9]{1,9}\.([0-9]{1,9})")
_POSITION = re.compile("[0-9]{1,9}")
_CACHED = 4096


def task_hops(task: str) -> int | None:
    """Return the number of hops in the name of a task; None if it has none.

    >>> task_hops("1.4"), task_hops("task_2.10"), task_hops("mine")
    (4, 10, None)
    """
    match = _TASK.fullmatch(task)
    return None if match is None else int(match[1])


class StoryReader:
    """Parser of stories, with a cache of parsed cells."""

    def __init__(self) -> None:
        self._pairs = lru_cache(_CACHED)(parse_pairs)
        self._names = lru_cache(_CACHED)(parse_names)
        self._numbers = lru_cache(_CACHED)(parse_numbers)

    def row(self, story: Mapping[str, str], hops: int | None = None) -> Row:
        """Convert a story to an example.

        Args:
            story: Cells by column.
            hops: Required length of the resolution path, if known.

        Raises:
            R5Error: The story is inconsistent.

        >>> cells = ("[(0, 1), (1, 2)]", "['son', 'aunt']", "(0, 2)", "sister")
        >>> StoryReader().row(dict(zip(NEEDED_COLUMNS, cells)), hops=2).resolution
        ['0', '1', '2']

        """
        ends, relations = self._pairs(story["story_edges"]), self._names(story["edge_types"])
        source, target = parse_pair(story["query_edge"])
        walks = _walks(ends, source, target)
        # In CLUTRR's noisy stories only the edges of the walk have relations.
        if len(relations) != len(ends) and len(relations) not in walks:
            raise R5Error(f"story_edges has {len(ends)} edges but edge_types has {len(relations)} relations")
        ends, walks = ends[: len(relations)], [length for length in walks if length <= len(relations)]
        hops = task_hops(story.get("task_name", "")) if hops is None else hops
        if story.get("resolution"):
            path = self._numbers(story["resolution"])
        else:
            length = _walk_length(walks, relations, story.get("f_comb", ""), hops)
            path = (source, *(end for _, end in ends[:length])) if length else ()
        if hops is not None and path and hops != len(path) - 1:
            raise R5Error(f"the story is a walk of {len(path) - 1} hops where the task says {hops}")
        name = self._naming(story)
        return Row(
            edges=[(name(s), relation, name(t)) for (s, t), relation in zip(ends, relations, strict=True)],
            source=name(source),
            target=name(target),
            answer=story["target"] or None,
            resolution=[name(node) for node in path],
            descriptor=self._descriptor(story, relations, len(path) - 1),
        )

    def position(self, story: Mapping[str, str]) -> int | None:
        """Return the index of a story within its split, if the file has it."""
        cell = story.get("position", "")
        if cell and not _POSITION.fullmatch(cell):
            raise R5Error(f"position must be a number, found {abbreviate(cell)}")
        return int(cell) if cell else None

    def _naming(self, story: Mapping[str, str]) -> Callable[[int], str]:
        """Return the function from a person's number to a name: a name of the story, or else the number."""
        if story.get("entities"):
            people = self._names(story["entities"])
        elif story.get("genders"):
            people = tuple([_person(person) for person in story["genders"].split(",")])
        else:
            return str
        if len(set(people)) != len(people):
            raise R5Error(f"two people have the same name among {abbreviate(people)}")

        def name(person: int) -> str:
            if person >= len(people):
                raise R5Error(f"person {person} has no name: there are {len(people)}, counted from 0")
            return people[person]

        return name

    def _descriptor(self, story: Mapping[str, str], relations: Sequence[str], hops: int) -> Sequence[str]:
        """Return the true relations along the walk; `f_comb` joins them by hyphens, which names may contain."""
        if story.get("descriptor"):
            return self._names(story["descriptor"])
        spelled = story.get("f_comb", "")
        if not spelled or hops < 1:
            return ()
        if "-".join(relations[:hops]) == spelled:
            return relations[:hops]
        parts = spelled.split("-")
        return parts if len(parts) == hops and all(parts) else ()


def _person(text: str) -> str:
    """Return the name in `Ann:female`."""
    return text.rpartition(":")[0].strip() or text.strip()


def _walks(ends: Sequence[tuple[int, int]], source: int, target: int) -> list[int]:
    """Return the numbers of edges after which the walk from the source is at the target."""
    lengths = []
    here = source
    for length, (start, end) in enumerate(ends, start=1):
        if start != here:
            break
        here = end
        if here == target:
            lengths.append(length)
    return lengths


def _walk_length(walks: Sequence[int], relations: Sequence[str], spelled: str, hops: int | None) -> int:
    """Return the length of the resolution path: `hops`, else the walk that `f_comb` spells, else the longest; or 0."""
    if hops in walks:
        return hops or 0
    fitting = [length for length in walks if "-".join(relations[:length]) == spelled]
    return (fitting or walks or [0])[-1]
