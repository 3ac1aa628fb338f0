"""Relations unseen in training, as the reason of a missing answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from r5._util.ordering import natural_key
from r5.derivations.derivation import Prediction
from r5.derivations.path_facts import explain_no_path
from r5.examples import Examples
from r5.paths.search import PathSet
from r5.paths.settings import Direct
from r5.relations import DUMMY, INVERSE_SUFFIX, inverse_name

__all__ = ["explain_unseen", "join_names", "list_unseen"]

_MAX_LISTED = 5


def list_unseen(names: Iterable[str], seen: frozenset[str]) -> tuple[str, ...]:
    """Return the unseen relations, in natural order; an inverse has the name of its relation if that is unseen too.

    Args:
        names: Names of relations.
        seen: Relations seen in training.

    >>> list_unseen(["likes^-1", "mother^-1", "likes", "mother"], frozenset({"mother"}))
    ('likes', 'mother^-1')
    """
    unseen = {name for name in names if name not in seen and name != DUMMY}
    plain = {name for name in unseen if not name.endswith(INVERSE_SUFFIX) or inverse_name(name) in seen}
    plain |= {inverse_name(name) for name in unseen - plain}
    return tuple(sorted(plain, key=natural_key))


def join_names(names: Sequence[str], word: str = "and") -> str:
    """Return up to five names as a list in a sentence.

    Args:
        names: The names.
        word: Conjunction before the last name.

    >>> join_names(["likes"]), join_names(["a", "b", "c"], "or"), join_names(list("abcdefg"))
    ('likes', 'a, b or c', 'a, b, c, d, e and 2 more')
    """
    if len(names) > _MAX_LISTED:
        return f"{', '.join(names[:_MAX_LISTED])} and {len(names) - _MAX_LISTED} more"
    return f" {word} ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def explain_unseen(
    answers: Sequence[Prediction],
    queries: Examples,
    seen: frozenset[str],
    find: Callable[[Examples], PathSet],
    direct: Direct = "skip",
    no_relation: str | None = None,
) -> list[Prediction]:
    """Name the unseen relations in the reason of each query that has no answer because of them.

    Args:
        answers: Answers to the queries without the edges of unseen relations.
        queries: The queries with all edges.
        seen: Relations seen in training.
        find: Path search of the reasoner.
        direct: How the reasoner reads a direct edge.
        no_relation: Answer that stands for no relation. It needs all paths, so it is withdrawn if some are left out.

    Returns:
        The answers, with the reasons of those that abstain.

    """
    explained = list(answers)
    known = queries.with_relations(seen)
    silent = [n for n, one in enumerate(explained) if one.relation is None or one.relation == no_relation]
    if known is queries or not silent:
        return explained
    every, readable = find(queries.select(silent)), find(known.select(silent))
    for row, number in enumerate(silent):
        answer, example = explained[number], queries[number]
        unseen = list_unseen({name for names in every.names(row) for name in names}, seen)
        if unseen and not readable.rows(row):
            ends = f"from {example.source} to {example.target}"
            reason = f"every path found {ends} uses {join_names(unseen, 'or')} (never seen in training)"
            explained[number] = Prediction(None, reason=reason)
        elif unseen:
            left_out = f"paths that use {join_names(unseen, 'or')} (never seen in training) are left out"
            explained[number] = Prediction(None, reason=f"{answer.reason}; {left_out}")
        elif answer.relation is None and not every.rows(row):
            explained[number] = Prediction(None, reason=explain_no_path(example, direct, bool(every.complete[row])))
    return explained
