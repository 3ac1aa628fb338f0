"""Small baselines for tests."""

from __future__ import annotations

from typing import Any

from r5.baselines.methods import GRAPH_NETWORKS, NETWORKS
from r5.examples import Examples
from r5.graph import Graph
from r5.reasoners.baseline import BaselineReasoner

__all__ = ["small_baseline", "unconnected"]

_NETWORK = {"embedding": 16, "learning_rate": 0.03, "batch_size": 8, "epochs": 3}
_PROVER = {"modules": 3, "answer_depth": 3, "epochs": 1, "min_steps": 100, "slots": 8, "restarts": 2}
_RULE_LEARNERS: dict[str, dict[str, Any]] = {
    **dict.fromkeys(("ctp-l", "ctp-a", "ctp-m"), _PROVER),
    "gntp": {"modules": 8, "answer_depth": 3, "epochs": 2, "min_steps": 150},
    "neural-lp": {"epochs": 1, "learning_rate": 0.05, "min_steps": 80, "hidden": 16},
    "rnnlogic": {"epochs": 1, "hidden": 8},
}


def small_baseline(method: str, **changes: Any) -> BaselineReasoner:
    """Return a baseline that trains in a moment."""
    if method not in NETWORKS:
        return BaselineReasoner(method, **{**_RULE_LEARNERS[method], **changes})
    shape = {"layers": 3, "dropout": 0.0} if method in GRAPH_NETWORKS else {"hidden": 16}
    return BaselineReasoner(method, **{**_NETWORK, **shape, **changes})


def unconnected() -> Examples:
    """Return a query for two people without a path between them."""
    return Examples.over(Graph.from_triples([("a", "father", "b"), ("c", "sister", "d")]), [0], [3], [-1])
