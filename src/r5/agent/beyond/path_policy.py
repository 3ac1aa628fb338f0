"""Choice of the path policy for prediction: the one with the most right answers to training queries.

The paper does not say which paths of a graph are meant. Training uses the shortest ones. A longer path adds evidence
where a story returns to a person, and noise where it leads through unrelated edges.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from r5.examples import Examples
from r5.paths.settings import Policy

__all__ = ["choose_policy"]

_MAX_QUERIES = 300
"""Maximum number of training queries for the comparison."""
_POLICIES: tuple[Policy, ...] = ("trail", "simple", "shortest")
"""The policy that admits the most paths comes first."""


def choose_policy(
    examples: Examples, seed: int, right: Callable[[Examples, Policy], Sequence[bool]]
) -> tuple[Policy, str]:
    """Return the policy with the most right answers, and the reason; ties go to the policy that admits more paths.

    Args:
        examples: Training examples.
        seed: Seed of the sample of examples.
        right: Returns for each example whether it is answered right over the paths of a policy.
    """
    if len(examples) > _MAX_QUERIES:
        rows = np.random.default_rng(seed).choice(len(examples), _MAX_QUERIES, replace=False)
        examples = examples.select(np.sort(rows))
    counts = {policy: sum(right(examples, policy)) for policy in _POLICIES}
    best = max(_POLICIES, key=lambda policy: counts[policy])
    listed = ", ".join(f"{policy} {count}" for policy, count in counts.items())
    return best, f"right answers to {len(examples)} training queries: {listed}"
