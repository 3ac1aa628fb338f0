"""Which paths to answer over: the policy that admits the most paths and answers the training queries best.

The paper does not say which paths of a graph are meant. In training the shortest ones are; a longer way can tell
more when a story comes back to a person, and less where it leads through unrelated edges.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from r5.examples import Examples
from r5.paths.settings import Policy

__all__ = ["choose_policy"]

_MOST_QUERIES = 300
"""Training queries that the policies are tried on."""
_MOST_FIRST: tuple[Policy, ...] = ("trail", "simple", "shortest")


def choose_policy(
    examples: Examples, seed: int, right: Callable[[Examples, Policy], Sequence[bool]]
) -> tuple[Policy, str]:
    """The policy with the most right answers to training queries, of equals the one that admits more paths; and why."""
    if len(examples) > _MOST_QUERIES:
        rows = np.random.default_rng(seed).choice(len(examples), _MOST_QUERIES, replace=False)
        examples = examples.select(np.sort(rows))
    counts = {policy: sum(right(examples, policy)) for policy in _MOST_FIRST}
    best = max(_MOST_FIRST, key=lambda policy: counts[policy])
    told = ", ".join(f"{policy} {count}" for policy, count in counts.items())
    return best, f"right answers to {len(examples)} training queries: {told}"
