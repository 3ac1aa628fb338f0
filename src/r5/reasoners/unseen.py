"""Relations never seen in training: paths that use them are left out, and named where no answer is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from r5._util.ordering import natural_key
from r5.derivations.derivation import Prediction
from r5.derivations.facts import why_no_path
from r5.examples import Examples
from r5.paths.find import PathSet
from r5.paths.settings import Direct
from r5.relations import DUMMY, INVERSE_SUFFIX, inverse_name

__all__ = ["listed", "name_unseen", "unseen"]

_MOST_LISTED = 5


def unseen(names: Iterable[str], seen: frozenset[str]) -> tuple[str, ...]:
    """Return the names that were not seen, in natural order; an inverse goes by its relation where that is unseen too.

    >>> unseen(["likes^-1", "mother^-1", "likes", "mother"], frozenset({"mother"}))
    ('likes', 'mother^-1')
    """
    strange = {name for name in names if name not in seen and name != DUMMY}
    plain = {name for name in strange if not name.endswith(INVERSE_SUFFIX) or inverse_name(name) in seen}
    plain |= {inverse_name(name) for name in strange - plain}
    return tuple(sorted(plain, key=natural_key))


def listed(names: Sequence[str], word: str = "and") -> str:
    """Return a few of the names as a list in a sentence.

    >>> listed(["likes"]), listed(["a", "b", "c"], "or"), listed(list("abcdefg"))
    ('likes', 'a, b or c', 'a, b, c, d, e and 2 more')
    """
    if len(names) > _MOST_LISTED:
        return f"{', '.join(names[:_MOST_LISTED])} and {len(names) - _MOST_LISTED} more"
    return f" {word} ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def name_unseen(
    answers: Sequence[Prediction],
    asked: Examples,
    seen: frozenset[str],
    find: Callable[[Examples], PathSet],
    direct: Direct = "skip",
    no_relation: str | None = None,
) -> list[Prediction]:
    """Name the unseen relations in the reason of each question that is not answered because of them.

    Args:
        answers: Answers to the questions without the edges of unseen relations.
        asked: The questions with all edges.
        seen: Relations seen in training.
        find: Path search of the reasoner.
        direct: How the reasoner reads a direct edge.
        no_relation: Answer that stands for no relation. It needs all paths, so it is withdrawn where some are left out.

    Returns:
        The answers, with the reasons of those that abstain.

    """
    told = list(answers)
    known = asked.with_relations(seen)
    open_ = [n for n, one in enumerate(told) if one.relation is None or one.relation == no_relation]
    if known is asked or not open_:
        return told
    found, readable = find(asked.select(open_)), find(known.select(open_))
    for row, number in enumerate(open_):
        answer, example = told[number], asked[number]
        strange = unseen({name for names in found.names(row) for name in names}, seen)
        if strange and not readable.rows(row):
            ends = f"from {example.source} to {example.target}"
            reason = f"every path found {ends} uses {listed(strange, 'or')} (never seen in training)"
            told[number] = Prediction(None, reason=reason)
        elif strange:
            left_out = f"paths that use {listed(strange, 'or')} (never seen in training) are left out"
            told[number] = Prediction(None, reason=f"{answer.reason}; {left_out}")
        elif answer.relation is None and not found.rows(row):
            told[number] = Prediction(None, reason=why_no_path(example, direct, bool(found.complete[row])))
    return told
